// The WebGPU device, buffers and textures.

// Limits that are asked for as far as the adapter has them.
const LIMITS = [
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxTextureDimension2D",
  "maxTextureDimension3D",
];

export class Gpu {
  // The device of this browser. Throws a sentence for the user.
  static async open() {
    if (!navigator.gpu) {
      const why = window.isSecureContext
        ? "has no WebGPU"
        : "offers WebGPU only to pages from https or localhost";
      throw new Error(`This browser ${why}. Sources compile here, but cannot run.`);
    }
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter)
      throw new Error("This browser has WebGPU, but no device for it. Sources compile, but cannot run.");
    const requiredFeatures = ["timestamp-query"].filter((name) => adapter.features.has(name));
    const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
    const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
    return new Gpu(adapter, device);
  }

  constructor(adapter, device) {
    this.device = device;
    const { description, device: name, architecture, vendor } = adapter.info ?? {};
    this.name = description || name || [vendor, architecture].filter(Boolean).join(" ") || "WebGPU";
    this.hasTimestamps = device.features.has("timestamp-query");
  }

  buffer(bytes, usage) {
    const size = Math.max(16, Math.ceil(bytes.byteLength / 16) * 16);
    const buffer = this.device.createBuffer({ size, usage, mappedAtCreation: true });
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return buffer;
  }

  storage(bytes) {
    return this.buffer(bytes, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST);
  }

  // The first bytes of a buffer.
  async read(buffer, length) {
    const size = Math.min(buffer.size, Math.ceil(length / 4) * 4);
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.device.createBuffer({ size, usage });
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
    this.device.queue.submit([encoder.finish()]);
    return this.#taken(staging, length);
  }

  async #taken(staging, length) {
    await staging.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(staging.getMappedRange()).slice(0, length);
    staging.destroy();
    return bytes;
  }

  // `slices` has the number of a volume's or array's slices, and which of them it is (`dimension` "3d" or
  // "2d-array"); without it the texture has two dimensions.
  texture(format, width, height, slices = { dimension: "2d", count: 1 }) {
    const { TEXTURE_BINDING, STORAGE_BINDING, COPY_SRC, COPY_DST } = GPUTextureUsage;
    const usage = TEXTURE_BINDING | STORAGE_BINDING | COPY_SRC | COPY_DST;
    const dimension = slices.dimension === "3d" ? "3d" : "2d";
    const size = [width, height, slices.count];
    return this.device.createTexture({ format, size, dimension, usage });
  }

  writeTexture(texture, bytes) {
    const { width, height, depthOrArrayLayers } = texture;
    const layout = { bytesPerRow: texelSize(texture.format) * width, rowsPerImage: height };
    this.device.queue.writeTexture({ texture }, bytes, layout, [width, height, depthOrArrayLayers]);
  }

  // The texels, row by row and slice by slice.
  async readTexture(texture) {
    const { width, height, depthOrArrayLayers } = texture;
    const rows = height * depthOrArrayLayers;
    const row = texelSize(texture.format) * width;
    const bytesPerRow = Math.ceil(row / 256) * 256;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.device.createBuffer({ size: bytesPerRow * rows, usage });
    const encoder = this.device.createCommandEncoder();
    const target = { buffer: staging, bytesPerRow, rowsPerImage: height };
    encoder.copyTextureToBuffer({ texture }, target, [width, height, depthOrArrayLayers]);
    this.device.queue.submit([encoder.finish()]);
    const bytes = await this.#taken(staging, bytesPerRow * rows);
    if (row === bytesPerRow) return bytes;
    const out = new Uint8Array(row * rows);
    for (let y = 0; y < rows; ++y) out.set(bytes.subarray(y * bytesPerRow, y * bytesPerRow + row), y * row);
    return out;
  }
}

// What a format's name says: `rgba8unorm` has four channels of eight bits.
export function describeFormat(format) {
  const [, channels, bits, numbers] = /^(r|rg|rgba)(8|16|32)(unorm|snorm|uint|sint|float)$/.exec(format);
  return { channels: channels.length, bits: Number(bits), numbers };
}

export function texelSize(format) {
  const { channels, bits } = describeFormat(format);
  return (channels * bits) / 8;
}

// OpenCL's numbers for channel order (CL_R, CL_RG, CL_RGBA) and channel data type, as one word: what a kernel
// is told of an image's format. Kernels interpolate by themselves, as the word's other bits say.
export function formatWord(format) {
  const { channels, bits, numbers } = describeFormat(format);
  const order = { 1: 0x10b0, 2: 0x10b2, 4: 0x10b5 }[channels];
  const types = {
    snorm8: 0x10d0,
    unorm8: 0x10d2,
    sint8: 0x10d7,
    sint16: 0x10d8,
    sint32: 0x10d9,
    uint8: 0x10da,
    uint16: 0x10db,
    uint32: 0x10dc,
    float16: 0x10dd,
    float32: 0x10de,
  };
  return order | (types[numbers + bits] << 16);
}
