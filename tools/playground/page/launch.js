// Launches the kernels of a compiled program as its interface says: `ShaderInterface` and
// `ModuleInterface` in translate/interface/src have the meaning of each member.

import { describeFormat, formatWord } from "./gpu.js";
import { decode, encode, stride } from "./data.js";

// Bytes between the uniform blocks of two dispatches: the largest alignment that WebGPU may ask for.
const UNIFORM_STEP = 256;

// What a kernel is told of a program's variables that are addresses (PROGRAM_VARIABLES_TAG).
const VARIABLES_TAG = 0x80000001;

// The kind of an argument: `storage-buffer`, `value`, `local`, `image` or `sampler`, and what belongs to it.
export function kindOf(argument) {
  const [kind] = Object.keys(argument.kind);
  return { kind, ...argument.kind[kind] };
}

const offsetOf = (location) => {
  if (!location["push-constant"]) throw new Error("a kernel has more arguments than a uniform block holds");
  return location["push-constant"].offset;
};

// The bits of a `sampler_t` (SPIR's numbers).
export function samplerWord({ addressing, linear, normalized }) {
  const word = { none: 0, "clamp-to-edge": 2, clamp: 4, repeat: 6, "mirrored-repeat": 8 }[addressing];
  return word | (linear ? 0x20 : 0x10) | (normalized ? 1 : 0);
}

const divides = (global, local) => global.every((size, dimension) => size % local[dimension] === 0);

// A work-group size for a launch: what the kernel requires, or up to 64 work-items that divide the global
// size.
export function chooseLocal(kernel, global) {
  const size = kernel.local_size;
  const required = size.required ?? size["required-whole"];
  if (required) return required;
  const most = global[2] > 1 ? [4, 4, 4] : global[1] > 1 ? [8, 8, 1] : [64, 1, 1];
  const local = most.map((limit, dimension) => {
    let side = Math.min(limit, global[dimension]);
    while (global[dimension] % side !== 0) --side;
    return side;
  });
  const items = local[0] * local[1] * local[2];
  // A size that few numbers divide gets a smaller work-group at its end instead.
  return items >= 16 || kernel.uses_barrier ? local : most.map((limit, d) => Math.min(limit, global[d]));
}

export class Program {
  #pipelines = new Map();
  #arena;
  #linear;
  #shared = new Map();

  // Throws what the browser has against the shader.
  static async make(gpu, shader, printHead) {
    const module = gpu.device.createShaderModule({ code: shader.text });
    const { messages } = await module.getCompilationInfo();
    const error = messages.find(({ type }) => type === "error");
    if (error) throw new Error(`The browser refuses the shader, line ${error.lineNum}: ${error.message}`);
    return new Program(gpu, shader, module, printHead);
  }

  constructor(gpu, shader, module, printHead) {
    this.gpu = gpu;
    this.module = module;
    this.interface = shader.interface;
    this.printHead = printHead;
  }

  kernel(name) {
    return this.interface.module.kernels.find((kernel) => kernel.name === name);
  }

  // Frees what the program keeps on the device.
  free() {
    this.#arena?.destroy();
    this.#shared.forEach((buffer) => buffer.destroy());
  }

  // Encodes launches, `[{kernel, global, local, arguments}]`, and submits them. An argument is
  // `{buffer}`, `{texture}`, `{bytes}`, `{size}` of local memory, or `{sampler}`. Gives a promise of the
  // milliseconds that they take.
  async run(launches) {
    const dispatches = [];
    for (const launch of launches) {
      for (const parts of this.#parts(launch)) {
        dispatches.push({ launch, parts, pipeline: await this.#pipeline(launch, parts) });
      }
    }
    const { device } = this.gpu;
    const blocks = new Uint8Array(UNIFORM_STEP * this.#blockSteps() * Math.max(1, dispatches.length));
    const step = UNIFORM_STEP * this.#blockSteps();
    dispatches.forEach(({ launch, parts }, index) => {
      blocks.set(this.#uniform(launch, parts), index * step);
    });
    if (!this.#arena || this.#arena.size < blocks.length) {
      this.#arena?.destroy();
      this.#arena = this.gpu.buffer(blocks, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    } else {
      device.queue.writeBuffer(this.#arena, 0, blocks);
    }
    if (this.printHead) this.#clearPrinted();
    const clock = this.gpu.hasTimestamps ? this.#clock() : undefined;
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass(clock?.pass);
    dispatches.forEach(({ launch, parts, pipeline }, index) => {
      pass.setPipeline(pipeline);
      const entries = this.#entries(launch, index * step);
      if (entries.length > 0) {
        pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      }
      pass.dispatchWorkgroups(...parts.map(({ count }) => count));
    });
    pass.end();
    clock?.resolve(encoder);
    const start = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const waited = performance.now() - start;
    return (await clock?.read()) ?? waited;
  }

  // The words that the kernels have printed.
  async printed() {
    const buffer = this.#implicit("print");
    const bytes = await this.gpu.read(buffer, buffer.size);
    return Array.from(new Uint32Array(bytes.buffer));
  }

  #clearPrinted() {
    this.gpu.device.queue.writeBuffer(this.#implicit("print"), 0, Uint32Array.from(this.printHead));
  }

  // The whole work-groups of each dimension, and the smaller one at its end, in all combinations.
  #parts({ kernel: name, global, local }) {
    const kernel = this.kernel(name);
    if (kernel.local_size["required"] && !divides(global, local)) {
      throw new Error(
        `${name} requires work-groups of ${local.join(" × ")}, which do not divide ${global.join(" × ")}`,
      );
    }
    const limits = this.gpu.device.limits;
    if (local.reduce((product, size) => product * size) > limits.maxComputeInvocationsPerWorkgroup) {
      throw new Error(`work-groups of ${local.join(" × ")} are larger than this device allows`);
    }
    const split = global.map((size, dimension) => {
      const side = local[dimension];
      const whole = { first: 0, count: Math.floor(size / side), size: side };
      const rest = { first: whole.count, count: 1, size: size % side };
      return [whole, rest].filter((part) => part.count > 0 && part.size > 0);
    });
    return split[2].flatMap((z) => split[1].flatMap((y) => split[0].map((x) => [x, y, z])));
  }

  async #pipeline(launch, parts) {
    const constants = {};
    for (const { id } of this.interface.overrides) {
      if (id < 3) constants[id] = parts[id].size;
      else if (id < 6) constants[id] = launch.local[id - 3];
      else constants[id] = this.#elements(launch, id);
    }
    const key = JSON.stringify([launch.kernel, constants]);
    if (!this.#pipelines.has(key)) {
      const { name } = this.#entry(launch.kernel);
      const compute = { module: this.module, entryPoint: name, constants };
      this.#pipelines.set(key, await this.gpu.device.createComputePipelineAsync({ layout: "auto", compute }));
    }
    return this.#pipelines.get(key);
  }

  #entry(kernel) {
    return this.interface.entry_points.find((entry) => entry.kernel === kernel);
  }

  // The number of elements of a `__local` argument; those of other kernels get any number.
  #elements({ kernel, arguments: given }, id) {
    const position = this.kernel(kernel).arguments.findIndex((it) => kindOf(it).spec_id === id);
    if (position < 0) return 1;
    return Math.max(
      1,
      Math.ceil(given[position].size / kindOf(this.kernel(kernel).arguments[position]).element_size),
    );
  }

  #blockSteps() {
    const sizes = this.interface.entry_points.map(({ uniform }) => uniform?.size ?? 0);
    return Math.max(1, Math.ceil(Math.max(...sizes) / UNIFORM_STEP));
  }

  // The contents of the uniform block.
  #uniform({ kernel: name, global, arguments: given }, parts) {
    const kernel = this.kernel(name);
    const bytes = new Uint8Array(this.#entry(name).uniform?.size ?? 0);
    const put = (offset, part) => offset + part.length <= bytes.length && bytes.set(part, offset);
    const word = (offset, value) => put(offset, new Uint8Array(Uint32Array.of(value).buffer));
    const words = (offset, values) => put(offset, new Uint8Array(Uint32Array.from(values).buffer));
    kernel.arguments.forEach((argument, position) => {
      const it = kindOf(argument);
      const value = given[position];
      if (it.kind === "value") put(offsetOf(it.location), value.bytes.subarray(0, it.size));
      else if (it.kind === "storage-buffer") word(offsetOf(it.offset_location), 0);
      else if (it.kind === "sampler" && it.word_location)
        word(offsetOf(it.word_location), samplerWord(value.sampler));
      else if (it.kind === "image") {
        for (const [query, location] of it.words) word(offsetOf(location), answerQuery(query, value.texture));
      }
    });
    if (kernel.global_offset != null) words(kernel.global_offset, [0, 0, 0]);
    if (kernel.global_size != null) words(kernel.global_size, global);
    if (kernel.group_offset != null)
      words(
        kernel.group_offset,
        parts.map(({ first }) => first),
      );
    if (kernel.work_dim != null) word(kernel.work_dim, global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1);
    return bytes;
  }

  // What a dispatch binds; its uniform block is at an offset of the arena.
  #entries(launch, offset) {
    const { bindings, uniform } = this.#entry(launch.kernel);
    return bindings.map(({ binding, resource }) => {
      const kind = typeof resource === "string" ? resource : Object.keys(resource)[0];
      switch (kind) {
        case "uniform":
          return { binding, resource: { buffer: this.#arena, offset, size: uniform.size } };
        case "sampler":
          return { binding, resource: this.#sampler() };
        case "texture":
        case "storage-texture":
          return { binding, resource: this.#view(launch, binding) };
        default:
          return { binding, resource: { buffer: this.#storage(launch, binding) } };
      }
    });
  }

  #argument({ kernel, arguments: given }, binding) {
    const position = this.kernel(kernel).arguments.findIndex((it) => kindOf(it).binding === binding);
    return given[position];
  }

  // The texture of an image, as the argument has it: arrays of one slice, too, are arrays.
  #view(launch, binding) {
    const { texture, dimension } = this.#argument(launch, binding);
    return texture.createView({ dimension });
  }

  #storage(launch, binding) {
    const argument = this.#argument(launch, binding);
    if (argument) return argument.buffer;
    const kernel = this.kernel(launch.kernel);
    const [which] = kernel.implicit_buffers.find(([, location]) => location.descriptor?.binding === binding);
    if (which !== "private-memory") return this.#implicit(which);
    const items = launch.global.reduce((product, size) => product * size);
    return this.#implicit(which, kernel.private_memory * items);
  }

  // A buffer that kernels need besides their arguments.
  #implicit(which, size = 0) {
    const key = `${which} ${size}`;
    if (!this.#shared.has(key)) {
      const bytes = { print: () => this.#printBuffer(), "program-variables": () => this.#variables() }[which];
      if (!bytes && which !== "private-memory")
        throw new Error(`a kernel needs ${which}, which this page does not have`);
      const { maxStorageBufferBindingSize: most } = this.gpu.device.limits;
      if (size > most) throw new Error("the work-items need more private memory than this device has");
      this.#shared.set(key, this.gpu.storage(bytes?.() ?? new Uint8Array(size)));
    }
    return this.#shared.get(key);
  }

  // The second word of the head is the number of words of the buffer.
  #printBuffer() {
    const words = new Uint32Array(this.printHead[1]);
    words.set(this.printHead);
    return new Uint8Array(words.buffer);
  }

  #variables() {
    const { size, contents, pointers } = this.interface.module.program_variables;
    const bytes = new Uint8Array(size);
    for (const { offset, bytes: part } of contents) bytes.set(part, offset);
    for (const { offset, target } of pointers) {
      bytes.set(new Uint8Array(Uint32Array.of(target, VARIABLES_TAG).buffer), offset);
    }
    return bytes;
  }

  // Samplers clamp: the kernel computes what is beyond the edge.
  #sampler() {
    this.#linear ??= this.gpu.device.createSampler({ magFilter: "linear", minFilter: "linear" });
    return this.#linear;
  }

  // Measures a pass on the device.
  #clock() {
    const { device } = this.gpu;
    const querySet = device.createQuerySet({ type: "timestamp", count: 2 });
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    const resolved = device.createBuffer({ size: 16, usage });
    return {
      pass: { timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } },
      resolve: (encoder) => encoder.resolveQuerySet(querySet, 0, 2, resolved, 0),
      read: async () => {
        const bytes = await this.gpu.read(resolved, 16);
        querySet.destroy();
        resolved.destroy();
        const [begin, end] = new BigUint64Array(bytes.buffer);
        return end > begin ? Number(end - begin) / 1e6 : undefined;
      },
    };
  }
}

function answerQuery(query, texture) {
  switch (query) {
    case "format":
      return formatWord(texture.format);
    case "width":
      return texture.width;
    case "height":
      return texture.height;
    case "depth":
    case "array-size":
      return texture.depthOrArrayLayers;
    default:
      return 1;
  }
}

// The format of the texture for an image that a kernel reads: bytes, as its reads want them.
export function readFormat(argument) {
  return { u32: "rgba8uint", i32: "rgba8sint" }[argument.element] ?? "rgba8unorm";
}

// The bytes of a value argument made of numbers; a vector of three has a fourth lane.
export function valueBytes(argument, numbers) {
  const lanes = stride(argument.lanes);
  const { size } = kindOf(argument);
  if (argument.element === "opaque") {
    const bytes = new Uint8Array(size);
    bytes.set(encode("u32", numbers).subarray(0, size));
    return bytes;
  }
  const all = Array.from({ length: lanes }, (_, lane) => numbers[lane] ?? numbers[numbers.length - 1] ?? 0);
  const bytes = encode(argument.element, all);
  return bytes.length >= size ? bytes : new Uint8Array([...bytes, ...new Uint8Array(size - bytes.length)]);
}

// The texels of a texture as bytes of red, green, blue and alpha for a canvas.
export function toPixels(format, bytes) {
  if (format === "rgba8unorm") return new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.length);
  const { channels, bits, numbers } = describeFormat(format);
  const element = numbers === "float" ? `f${bits}` : `${numbers.startsWith("u") ? "u" : "i"}${bits}`;
  const values = decode(element, bytes);
  const scale = numbers === "unorm" || numbers === "float" ? 255 : 1;
  const out = new Uint8ClampedArray((values.length / channels) * 4);
  for (let pixel = 0; pixel < out.length / 4; ++pixel) {
    for (let channel = 0; channel < 4; ++channel) {
      const source = channels === 1 && channel < 3 ? 0 : channel;
      out[4 * pixel + channel] =
        source < channels ? values[pixel * channels + source] * scale : channel === 3 ? 255 : 0;
    }
  }
  return out;
}
