// The kernels of `@PROGRAM@`, exported by clvk-run @VERSION@.
package org.clvk.launch

/** The program on a device, with a function for each kernel. */
class @CLASS@Program(device: Device) : LoadedProgram(device) {
@FUNCTIONS@
}
