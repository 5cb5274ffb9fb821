// The plan of a run: which kernels are launched, and with which arguments. It is plain data:
//
//     {
//       options: "-cl-std=CL3.0",
//       launches: [{kernel, global: [x, y, z] | null, local: [x, y, z] | null, repeat}],
//       arguments: {NAME: {...}},       // see `usual`
//       swap: [[NAME, NAME]],           // what changes places after each run
//       animate: true,
//       view: {x, y, scale},            // where the user has moved the picture, and units for each pixel
//     }
//
// Kernels share arguments of the same name: what one writes, the next one reads.

import { isFloat, stride, typeOf } from "./data.js";
import { kindOf } from "./launch.js";

// The arguments of the kernels that a plan launches, each once:
// `{key, argument, kind, written, kernels}`.
export function parameters(module, plan) {
  const found = new Map();
  for (const { kernel: name } of plan.launches) {
    const kernel = module.kernels.find((it) => it.name === name);
    for (const argument of kernel?.arguments ?? []) {
      const kind = kindOf(argument);
      const known = found.get(argument.name);
      const key = known && !fits(known, kind, argument) ? `${name}.${argument.name}` : argument.name;
      if (!found.has(key)) found.set(key, { key, argument, kind: kind.kind, written: false, read: false });
      const it = found.get(key);
      const writes =
        kind.kind === "image"
          ? kind.access !== "read-only"
          : kind.kind === "storage-buffer" && !kind.read_only;
      it.written ||= writes;
      it.read ||= !writes;
      // The format of an image that one kernel writes and another reads is that of the writer.
      if (writes) it.writer = argument;
    }
  }
  return [...found.values()];
}

// Whether two arguments of one name can be the same thing.
function fits(known, kind, argument) {
  if (known.kind !== kind.kind) return false;
  return (
    kind.kind !== "value" ||
    (known.argument.element === argument.element && known.argument.lanes === argument.lanes)
  );
}

// The key of an argument of a kernel, as `parameters` has it.
export function keyOf(all, kernel, argument) {
  const own = `${kernel}.${argument.name}`;
  return all.some(({ key }) => key === own) ? own : argument.name;
}

// What an argument is unless the plan says something else. A plan's entry is laid over it.
function usual({ argument, kind, written }) {
  const { low, high } = typeOf(argument.element);
  switch (kind) {
    case "storage-buffer":
      return {
        // `random`, `zeros`, `ramp`, `values` or `picture`.
        data: written ? "zeros" : "random",
        length: 1024,
        low,
        high,
        seed: 1,
        values: "",
        // Of a buffer of pixels.
        width: 32,
        picture: "landscape",
        // `numbers`, `plot`, `points`, `picture` or `hidden`.
        show: written ? "numbers" : "hidden",
      };
    case "image": {
      const deep = isDeep(argument);
      return {
        // One of SOURCES, or of VOLUMES if it has slices.
        picture: deep ? "ball" : "landscape",
        width: deep ? 64 : 512,
        height: deep ? 64 : 384,
        // The number of slices, and the one that is shown.
        depth: deep ? 64 : 1,
        slice: 32,
        show: written ? "picture" : "hidden",
        format: undefined,
      };
    }
    case "local":
      return { size: 1024 };
    case "sampler":
      return { addressing: "clamp-to-edge", linear: true, normalized: false };
    default:
      // `value`, or one of LIVE.
      return { from: "value", value: isFloat(argument.element) ? "1" : "1024" };
  }
}

// Whether an image has slices: it is a volume, or an array of pictures.
export const isDeep = (argument) => ["d3", "d2-array"].includes(kindOf(argument).dimension);

export function specOf(plan, parameter) {
  return { ...usual(parameter), ...plan.arguments[parameter.key] };
}

// Values that change by themselves, by what they are.
export const LIVE = [
  ["value", "a number"],
  ["time", "seconds since the start"],
  ["frame", "number of the frame"],
  ["step", "number of the repetition"],
  ["mouse", "the mouse in the picture (x, y, buttons)"],
  ["size", "size of the picture"],
  ["centre", "where the picture is dragged to"],
  ["scale", "how far it is zoomed"],
];

// The size of the picture that a plan shows first: of an image, or of a buffer shown as one.
export function pictureSize(all, plan) {
  for (const parameter of all) {
    const spec = specOf(plan, parameter);
    if (spec.show !== "picture") continue;
    if (parameter.kind === "image") return [spec.width, spec.height];
    if (parameter.kind === "storage-buffer") return [spec.width, Math.ceil(spec.length / spec.width)];
  }
  return undefined;
}

// The global size of a launch: as given, of the image that the kernel writes, or of its first buffer.
export function globalSize(module, all, plan, launch) {
  if (launch.global) return [0, 1, 2].map((dimension) => Math.max(1, launch.global[dimension] ?? 1));
  const own = module.kernels.find(({ name }) => name === launch.kernel).arguments;
  const used = all.filter(({ key }) => own.some((argument) => keyOf(all, launch.kernel, argument) === key));
  const writes = own.find((it) => kindOf(it).kind === "image" && kindOf(it).access !== "read-only");
  const written =
    used.find(({ key }) => writes && key === keyOf(all, launch.kernel, writes)) ??
    used.find(({ kind }) => kind === "image");
  const buffer = used.find(({ kind }) => kind === "storage-buffer");
  if (written) {
    const { width, height, depth } = specOf(plan, written);
    return [width, height, isDeep(written.argument) ? depth : 1];
  }
  const shown = used.find((it) => it.kind === "storage-buffer" && specOf(plan, it).show === "picture");
  if (shown) {
    const { width, length } = specOf(plan, shown);
    return [width, Math.ceil(length / width), 1];
  }
  return buffer ? [specOf(plan, buffer).length, 1, 1] : [64, 1, 1];
}

// The numbers of a live value.
export function liveNumbers(from, live, step) {
  switch (from) {
    case "time":
      return [live.time];
    case "frame":
      return [live.frame];
    case "step":
      return [step];
    case "mouse":
      return live.mouse;
    case "size":
      return live.size;
    case "centre":
      return [live.view.x, live.view.y];
    default:
      return [live.view.scale];
  }
}

// A plan for the kernels of a source: the old one as far as it still fits, or the first kernel.
export function fitPlan(plan, module) {
  const names = module.kernels.map(({ name }) => name);
  const launches = plan.launches.filter(({ kernel }) => names.includes(kernel));
  if (launches.length === 0 && names.length > 0)
    launches.push({ kernel: names[0], global: null, local: null, repeat: 1 });
  const swap = plan.swap.filter((pair) => pair.length === 2);
  return { ...plan, launches, swap };
}

// A plan out of a link or an example: only what has the right shape.
export function cleanPlan(given) {
  const list = (value) => (Array.isArray(value) ? value : []);
  const size = (value) => (Array.isArray(value) && value.every(Number.isFinite) ? value.slice(0, 3) : null);
  const { view = {} } = given ?? {};
  const number = (value, usually) => (Number.isFinite(value) ? value : usually);
  return {
    options: String(given?.options ?? ""),
    launches: list(given?.launches)
      .slice(0, 64)
      .map((launch) => ({
        kernel: String(launch?.kernel),
        global: size(launch?.global),
        local: size(launch?.local),
        repeat: Math.min(4096, Math.max(1, Math.floor(number(launch?.repeat, 1)))),
      })),
    arguments: Object.fromEntries(
      Object.entries(given?.arguments ?? {}).filter(([, spec]) => spec && typeof spec === "object"),
    ),
    swap: list(given?.swap).map((pair) => list(pair).map(String)),
    animate: given?.animate === true,
    view: { x: number(view.x, 0), y: number(view.y, 0), scale: number(view.scale, 1) },
  };
}

// Bytes of a scalar of a buffer's elements.
export const elementBytes = (argument) =>
  stride(argument.lanes) * typeOf(argument.element).array.BYTES_PER_ELEMENT;
