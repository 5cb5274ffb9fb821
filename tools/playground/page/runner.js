// Runs a plan: makes buffers and textures of its arguments, launches its kernels, and reads what they wrote.

import { contents, parseNumbers } from "./data.js";
import { chooseLocal, kindOf, Program, readFormat, valueBytes } from "./launch.js";
import { elementBytes, globalSize, isDeep, keyOf, liveNumbers, parameters, specOf } from "./plan.js";

// The formats of the images that a plan's kernels write, for the compiler, which refuses one for an image
// that is not there any more.
export function imageFormats(plan, source) {
  const named = Object.entries(plan.arguments).map(([key, { format }]) => [key.split(".").at(-1), format]);
  return Object.fromEntries(
    named.filter(([name, format]) => format && new RegExp(`\\b${name}\\b`).test(source)),
  );
}

export class Runner {
  // What the arguments are on the device, by key.
  #resources = new Map();

  static async make(gpu, compiled, plan, pictures) {
    const program = await Program.make(
      gpu,
      { text: compiled.text, interface: compiled.interface },
      compiled.print_head,
    );
    const runner = new Runner(gpu, program, plan, pictures);
    await runner.#prepare();
    return runner;
  }

  constructor(gpu, program, plan, pictures) {
    this.gpu = gpu;
    this.program = program;
    this.plan = plan;
    this.pictures = pictures;
    this.module = program.interface.module;
    this.all = parameters(this.module, plan);
    this.frame = 0;
  }

  // Frees everything on the device.
  free() {
    for (const { buffer, texture } of this.#resources.values()) {
      buffer?.destroy();
      texture?.destroy();
    }
    this.program.free();
  }

  async #prepare() {
    for (const parameter of this.all) this.#resources.set(parameter.key, await this.#resource(parameter));
  }

  async #resource(parameter) {
    const { argument, kind, key } = parameter;
    const spec = specOf(this.plan, parameter);
    if (kind === "storage-buffer") {
      const height = Math.ceil(spec.length / spec.width);
      const pixels =
        spec.data === "picture"
          ? await this.pictures(key).pixels(spec.picture, spec.width, height)
          : undefined;
      const bytes = contents(argument, spec, pixels);
      return { buffer: this.gpu.storage(bytes), length: bytes.length };
    }
    if (kind === "image") {
      const dimension = { d2: "2d", d3: "3d", "d2-array": "2d-array" }[kindOf(argument).dimension];
      if (!dimension) throw new Error(`${key}: this page has no images of one dimension`);
      const slices = { dimension, count: isDeep(argument) ? spec.depth : 1 };
      const format = parameter.written ? this.#writtenFormat(parameter) : readFormat(argument);
      const texture = this.gpu.texture(format, spec.width, spec.height, slices);
      if (!parameter.written) this.gpu.writeTexture(texture, await this.#pixels(key, spec, texture));
      return { texture, dimension };
    }
    if (kind === "local") return { size: spec.size };
    if (kind === "sampler") return { sampler: spec };
    if (kind === "value")
      return spec.from === "value" ? { numbers: parseNumbers(String(spec.value)) } : { from: spec.from };
    throw new Error(`${key}: this page has no arguments of the type ${argument.type_name}`);
  }

  // The pixels of an image that kernels only read.
  #pixels(key, { picture, width, height }, texture) {
    return this.pictures(key).slices(picture, width, height, texture.depthOrArrayLayers);
  }

  // The format that the shader has for an image.
  #writtenFormat({ writer }) {
    for (const { bindings } of this.program.interface.entry_points) {
      const bound = bindings.find(
        ({ name, resource }) => name === writer.name && resource["storage-texture"],
      );
      if (bound) return bound.resource["storage-texture"].format;
    }
    return "rgba8unorm";
  }

  // The sizes of a launch.
  sizes(launch) {
    const global = globalSize(this.module, this.all, this.plan, launch);
    const local = launch.local ? [0, 1, 2].map((dimension) => launch.local[dimension] ?? 1) : undefined;
    return { global, local: local ?? chooseLocal(this.program.kernel(launch.kernel), global) };
  }

  // Runs all launches once, with `live` = `{time, mouse, size, view}`. Gives the milliseconds on the device.
  async run(live) {
    const { device } = this.gpu;
    device.pushErrorScope("validation");
    device.pushErrorScope("out-of-memory");
    try {
      await this.#refresh();
      const now = { ...live, frame: this.frame };
      const time = await this.program.run(
        this.plan.launches.flatMap((launch) => this.#launches(launch, now)),
      );
      this.frame += 1;
      return time;
    } finally {
      const errors = [await device.popErrorScope(), await device.popErrorScope()];
      const error = errors.find(Boolean);
      if (error) throw new Error(`WebGPU refuses the launch: ${error.message}`);
    }
  }

  // Pictures from the camera change with each run.
  async #refresh() {
    for (const parameter of this.all) {
      const spec = specOf(this.plan, parameter);
      const { texture } = this.#resources.get(parameter.key);
      if (texture && !parameter.written && ["camera", "painting"].includes(spec.picture)) {
        this.gpu.writeTexture(texture, await this.#pixels(parameter.key, spec, texture));
      }
    }
  }

  #launches(launch, live) {
    const sizes = this.sizes(launch);
    const kernel = this.program.kernel(launch.kernel);
    return Array.from({ length: launch.repeat }, (_, step) => ({
      kernel: launch.kernel,
      ...sizes,
      arguments: kernel.arguments.map((argument) => {
        const resource = this.#resources.get(keyOf(this.all, launch.kernel, argument));
        const numbers = resource.from ? liveNumbers(resource.from, live, step) : resource.numbers;
        return numbers ? { bytes: valueBytes(argument, numbers) } : resource;
      }),
    }));
  }

  // After a run, and after its results were read: what was written last is read by the next one.
  swap() {
    for (const [one, other] of this.plan.swap) {
      const [first, second] = [this.#resources.get(one), this.#resources.get(other)];
      if (first && second) {
        this.#resources.set(one, second);
        this.#resources.set(other, first);
      }
    }
  }

  // What an argument holds: `{bytes, texture}`.
  async read(key) {
    const { buffer, texture, length } = this.#resources.get(key) ?? {};
    if (texture) return { bytes: await this.gpu.readTexture(texture), texture };
    if (buffer) return { bytes: await this.gpu.read(buffer, length) };
    throw new Error(`${key} is neither a buffer nor an image`);
  }

  // The elements of a buffer that its argument describes.
  count(parameter) {
    return Math.floor(this.#resources.get(parameter.key).length / elementBytes(parameter.argument));
  }
}
