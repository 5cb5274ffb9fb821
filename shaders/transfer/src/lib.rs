//! The kernels by which the runtime copies and fills large amounts within a device, written in OpenCL C (`transfer.cl`) and
//! compiled at build time, so that the runtime itself needs no compiler.
//!
//! They need addresses and 64-bit integers. Names end in the bytes that a work-item moves.
#![forbid(unsafe_code)]

use clvk_interface::CompiledModule;

/// The kernels, for every device with addresses and 64-bit integers.
#[must_use]
pub fn kernels() -> CompiledModule {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/transfer.bin"));
    postcard::from_bytes(bytes).expect("the module was written by the same build")
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kernel_is_there() {
        let interface = super::kernels().interface;
        let names: Vec<&str> = interface.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["copy16", "copy4", "copy_box16", "copy_box4", "fill16"]);
    }
}
