// Runs each kernel of `@PROGRAM@` once with made-up arguments, and gives the first values of what it may have written.
// It is here to show how to call them; change it as you like.
package org.example.@PACKAGE@

import java.nio.ByteBuffer
import org.clvk.launch.*

/** The elements of a buffer, and their bytes. */
private enum class Element(val size: Int) {
    I8(1), U8(1), I16(2), U16(2), I32(4), U32(4), I64(8), U64(8), F16(2), F32(4), F64(8), Opaque(16)
}

/** Element N is N % 16, halved in floating-point numbers. Halves are 1, and structures are zeros. */
private fun madeUp(type: Element, size: Int): ByteBuffer {
    val bytes = directBytes(size)
    for (index in 0 until size / type.size) {
        val number = index % 16
        val at = index * type.size
        when (type) {
            Element.I8, Element.U8 -> bytes.put(at, number.toByte())
            Element.I16, Element.U16 -> bytes.putShort(at, number.toShort())
            Element.F16 -> bytes.putShort(at, 0x3c00.toShort())
            Element.I32, Element.U32 -> bytes.putInt(at, number)
            Element.I64, Element.U64 -> bytes.putLong(at, number.toLong())
            Element.F32 -> bytes.putFloat(at, number / 2f)
            Element.F64 -> bytes.putDouble(at, number / 2.0)
            Element.Opaque -> {
            }
        }
    }
    return bytes
}

private fun values(name: String, type: Element, bytes: ByteBuffer): String {
    val texts = (0 until 8).map { index ->
        val at = index * type.size
        when (type) {
            Element.I8 -> bytes.get(at).toString()
            Element.U8, Element.Opaque -> (bytes.get(at).toInt() and 0xff).toString()
            Element.I16 -> bytes.getShort(at).toString()
            Element.U16, Element.F16 -> (bytes.getShort(at).toInt() and 0xffff).toString()
            Element.I32 -> bytes.getInt(at).toString()
            Element.U32 -> (bytes.getInt(at).toLong() and 0xffffffffL).toString()
            Element.I64 -> bytes.getLong(at).toString()
            Element.U64 -> java.lang.Long.toUnsignedString(bytes.getLong(at))
            Element.F32 -> bytes.getFloat(at).toString()
            Element.F64 -> bytes.getDouble(at).toString()
        }
    }
    return name + ": " + texts.joinToString(" ") + "\n"
}

private fun newBuffer(device: Device, type: Element, size: Int): Buffer {
    val buffer = Buffer(device, size.toLong())
    buffer.write(madeUp(type, size))
    return buffer
}

private fun filled(type: Element, image: Image): Image {
    image.write(madeUp(type, image.size.toInt()))
    return image
}

@KERNELS@
/** The text of the sample, for a device with this part in its name. */
fun sample(name: String? = null): String = Device(name).use { device ->
    @CLASS@Program(device).use { program ->
        "${device.name}, variant ${program.variant}\n"@CALLS@
    }
}

/** For the Java virtual machine of a computer. */
fun main(args: Array<String>) = print(sample(args.firstOrNull()))
