// libclvk_launch for Kotlin: devices, buffers, images, samplers and launches. `runtime/clvk_launch.h` explains what they
// do. A device and what was made from it belong to one thread at a time. Close everything, the device last.
package org.clvk.launch

import java.io.Closeable
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Why a function failed; `status` is the `clvk_status` of C. */
class ClvkException(val status: Int, message: String) : RuntimeException(message)

/** The functions in C. */
internal object Native {
    init {
        System.loadLibrary("clvk_kernels")
    }

    external fun deviceOpen(name: String?): Long
    external fun deviceClose(device: Long)
    external fun deviceName(device: Long): String
    external fun finish(device: Long)
    external fun cacheGet(device: Long): ByteArray
    external fun cachePut(device: Long, data: ByteArray)
    external fun bufferCreate(device: Long, size: Long): Long
    external fun bufferDestroy(buffer: Long)
    external fun bufferWrite(buffer: Long, offset: Long, data: ByteBuffer, position: Long, size: Long)
    external fun bufferRead(buffer: Long, offset: Long, data: ByteBuffer, position: Long, size: Long)
    external fun bufferFill(buffer: Long, offset: Long, size: Long, word: Int)
    external fun imageCreate(
        device: Long, dimension: Int, order: Int, channel: Int, width: Int, height: Int, depth: Int, layers: Int
    ): Long
    external fun imageDestroy(image: Long)
    external fun imageSize(image: Long): Long
    external fun imageWrite(image: Long, data: ByteBuffer, position: Long)
    external fun imageRead(image: Long, data: ByteBuffer, position: Long)
    external fun samplerCreate(device: Long, addressing: Int, linear: Boolean, normalized: Boolean): Long
    external fun samplerDestroy(sampler: Long)
    external fun programCreate(device: Long): Long
    external fun programDestroy(program: Long)
    external fun programVariant(program: Long): String
    external fun launch(
        program: Long, kernel: Int, dimensions: Int, sizes: LongArray,
        kinds: IntArray, numbers: LongArray, objects: LongArray, bytes: ByteArray
    )
}

/** An object of C, which is closed once. */
abstract class Handle internal constructor(private var handle: Long, private val release: (Long) -> Unit) : Closeable {
    internal val raw: Long
        get() = if (handle != 0L) handle else throw IllegalStateException("it is closed")

    override fun close() {
        val closed = handle
        handle = 0L
        if (closed != 0L) release(closed)
    }
}

/** The best device, or the best one with this part in its name. */
class Device(name: String? = null) : Handle(Native.deviceOpen(name), Native::deviceClose) {
    val name: String get() = Native.deviceName(raw)

    /** Waits for everything that was launched. */
    fun finish() = Native.finish(raw)

    /** Compiled pipelines, which an application may keep in its cache folder for the next start. */
    var cache: ByteArray
        get() = Native.cacheGet(raw)
        set(data) = Native.cachePut(raw, data)
}

/** A direct buffer of this many bytes, in the order of the device. */
fun directBytes(size: Int): ByteBuffer = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder())

/** Memory of a device, in bytes; its contents are undefined. */
class Buffer(device: Device, val size: Long) : Handle(Native.bufferCreate(device.raw, size), Native::bufferDestroy) {
    /** Writes what remains of a direct buffer. */
    fun write(data: ByteBuffer, offset: Long = 0) =
        Native.bufferWrite(raw, offset, data, data.position().toLong(), data.remaining().toLong())

    fun write(data: FloatArray, offset: Long = 0) {
        val bytes = directBytes(4 * data.size)
        bytes.asFloatBuffer().put(data)
        write(bytes, offset)
    }

    fun write(data: IntArray, offset: Long = 0) {
        val bytes = directBytes(4 * data.size)
        bytes.asIntBuffer().put(data)
        write(bytes, offset)
    }

    /** Reads after the launches before it. */
    fun read(offset: Long, size: Int): ByteBuffer {
        val bytes = directBytes(size)
        Native.bufferRead(raw, offset, bytes, 0, size.toLong())
        return bytes
    }

    fun readFloats(count: Int, offset: Long = 0): FloatArray {
        val values = FloatArray(count)
        read(offset, 4 * count).asFloatBuffer().get(values)
        return values
    }

    fun readInts(count: Int, offset: Long = 0): IntArray {
        val values = IntArray(count)
        read(offset, 4 * count).asIntBuffer().get(values)
        return values
    }

    /** Repeats a word; offset and size are multiples of 4. */
    fun fill(word: Int, offset: Long = 0, size: Long = this.size) = Native.bufferFill(raw, offset, size, word)
}

/** Shape of an image. */
enum class Dimension { D1, D1_ARRAY, D2, D2_ARRAY, D3 }

/** Channels of an image, with OpenCL's numbers. */
enum class Order(internal val number: Int) { R(0x10B0), RG(0x10B2), RGBA(0x10B5), BGRA(0x10B6) }

/** Type of a channel, with OpenCL's numbers. */
enum class Channel(internal val number: Int) {
    SNORM_INT8(0x10D0),
    SNORM_INT16(0x10D1),
    UNORM_INT8(0x10D2),
    UNORM_INT16(0x10D3),
    SIGNED_INT8(0x10D7),
    SIGNED_INT16(0x10D8),
    SIGNED_INT32(0x10D9),
    UNSIGNED_INT8(0x10DA),
    UNSIGNED_INT16(0x10DB),
    UNSIGNED_INT32(0x10DC),
    HALF_FLOAT(0x10DD),
    FLOAT(0x10DE)
}

/** An image; its contents are undefined. Sizes that the dimension lacks are 1. */
class Image(
    device: Device, val dimension: Dimension, val order: Order, val channel: Channel,
    val width: Int, val height: Int = 1, val depth: Int = 1, val layers: Int = 1
) : Handle(
    Native.imageCreate(device.raw, dimension.ordinal, order.number, channel.number, width, height, depth, layers),
    Native::imageDestroy
) {
    /** Bytes of all pixels. */
    val size: Long get() = Native.imageSize(raw)

    /** Writes all pixels from a direct buffer. */
    fun write(pixels: ByteBuffer) = Native.imageWrite(raw, pixels, pixels.position().toLong())

    /** Reads all pixels. */
    fun read(): ByteBuffer {
        val pixels = directBytes(size.toInt())
        Native.imageRead(raw, pixels, 0)
        return pixels
    }
}

/** What a sampler reads beyond the edges of an image. */
enum class Addressing(internal val number: Int) {
    NONE(0),
    CLAMP_TO_EDGE(2),
    CLAMP(4),
    REPEAT(6),
    MIRRORED_REPEAT(8)
}

/** A sampler; normalized coordinates run from 0 to 1. */
class Sampler(device: Device, addressing: Addressing, linear: Boolean, normalized: Boolean) :
    Handle(Native.samplerCreate(device.raw, addressing.number, linear, normalized), Native::samplerDestroy)

/** The work-items of a launch. A work-group size of zeros lets the library choose. */
class Range(
    val dimensions: Int, val global: LongArray,
    val local: IntArray = intArrayOf(0, 0, 0), val offset: LongArray = longArrayOf(0, 0, 0)
) {
    constructor(x: Long) : this(1, longArrayOf(x, 1, 1))
    constructor(x: Long, y: Long) : this(2, longArrayOf(x, y, 1))
    constructor(x: Long, y: Long, z: Long) : this(3, longArrayOf(x, y, z))

    internal fun sizes() = LongArray(9) {
        when {
            it < 3 -> global[it]
            it < 6 -> local[it - 3].toLong()
            else -> offset[it - 6]
        }
    }
}

/** An argument of a kernel. */
class Arg private constructor(
    internal val kind: Int, internal val number: Long, internal val handle: Long, internal val value: ByteArray?
) {
    companion object {
        /** A pointer to the byte at an offset of a buffer. */
        fun of(buffer: Buffer, offset: Long = 0) = Arg(0, offset, buffer.raw, null)

        /** A null pointer. */
        fun none() = Arg(1, 0, 0, null)

        /** The bytes of a scalar, vector or structure; a vector of 3 lanes takes as much as one of 4. */
        fun of(value: ByteArray) = Arg(2, value.size.toLong(), 0, value)

        /** Bytes of local memory. */
        fun local(size: Long) = Arg(3, size, 0, null)

        fun of(image: Image) = Arg(4, 0, image.raw, null)

        fun of(sampler: Sampler) = Arg(5, 0, sampler.raw, null)

        private fun bytes(size: Int, put: (ByteBuffer) -> Unit): Arg {
            val array = ByteArray(size)
            put(ByteBuffer.wrap(array).order(ByteOrder.nativeOrder()))
            return of(array)
        }

        fun bytes(vararg values: Byte) = bytes(values.size) { all -> values.forEach { all.put(it) } }
        fun shorts(vararg values: Short) = bytes(2 * values.size) { all -> values.forEach { all.putShort(it) } }
        fun ints(vararg values: Int) = bytes(4 * values.size) { all -> values.forEach { all.putInt(it) } }
        fun longs(vararg values: Long) = bytes(8 * values.size) { all -> values.forEach { all.putLong(it) } }
        fun floats(vararg values: Float) = bytes(4 * values.size) { all -> values.forEach { all.putFloat(it) } }
        fun doubles(vararg values: Double) = bytes(8 * values.size) { all -> values.forEach { all.putDouble(it) } }
    }
}

/** The program of this library on a device. The exported class adds a function for each kernel. */
open class LoadedProgram(device: Device) : Handle(Native.programCreate(device.raw), Native::programDestroy) {
    /** The profile that the variant was compiled for. */
    val variant: String get() = Native.programVariant(raw)

    /** Launches a kernel by its number. */
    fun launch(kernel: Int, range: Range, vararg args: Arg) {
        val bytes = ByteArray(args.fold(0) { sum, arg -> sum + (arg.value?.size ?: 0) })
        var used = 0
        val objects = LongArray(args.size) { index ->
            val value = args[index].value
            if (value == null) {
                args[index].handle
            } else {
                value.copyInto(bytes, used)
                used += value.size
                (used - value.size).toLong()
            }
        }
        val kinds = IntArray(args.size) { args[it].kind }
        val numbers = LongArray(args.size) { args[it].number }
        Native.launch(raw, kernel, range.dimensions, range.sizes(), kinds, numbers, objects, bytes)
    }
}
