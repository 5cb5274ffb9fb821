// The examples: their sources are in examples/NAME.cl, their plans here (see plan.js).

const launch = (kernel, more = {}) => ({ kernel, global: null, local: null, repeat: 1, ...more });

export const EXAMPLES = [
  {
    name: "mandelbrot",
    title: "Mandelbrot set, with zoom",
    plan: {
      launches: [launch("mandelbrot")],
      arguments: {
        picture: { width: 512, height: 384 },
        centre: { from: "centre" },
        scale: { from: "scale" },
        limit: { value: "250" },
      },
      view: { x: -0.6, y: 0, scale: 0.0065 },
    },
  },
  {
    name: "saxpy",
    title: "saxpy",
    plan: {
      launches: [launch("saxpy")],
      arguments: {
        x: { data: "ramp", length: 64 },
        y: { data: "random", length: 64, low: 0, high: 1 },
        a: { value: "2" },
      },
    },
  },
  {
    name: "life",
    title: "Game of life",
    plan: {
      launches: [launch("life")],
      arguments: {
        cells: { data: "random", length: 192 * 144, low: 0, high: 2, width: 192 },
        next: { length: 192 * 144, width: 192, show: "picture" },
        size: { from: "size" },
        mouse: { from: "mouse" },
      },
      swap: [["cells", "next"]],
      animate: true,
    },
  },
  {
    name: "nbody",
    title: "Bodies that attract each other",
    plan: {
      launches: [launch("start"), launch("nbody")],
      arguments: {
        bodies: { length: 2048, show: "hidden" },
        speeds: { length: 2048, show: "hidden" },
        moved: { length: 2048, show: "points" },
        count: { value: "2048" },
        step: { value: "0.005" },
        frame: { from: "frame" },
      },
      swap: [["bodies", "moved"]],
      animate: true,
    },
  },
  {
    name: "waves",
    title: "Waves on a pond",
    plan: {
      launches: [launch("wave", { global: [320, 240] }), launch("light")],
      arguments: {
        before: { data: "zeros", length: 320 * 240 },
        now: { data: "zeros", length: 320 * 240 },
        next: { length: 320 * 240, show: "hidden" },
        picture: { width: 320, height: 240 },
        size: { from: "size" },
        mouse: { from: "mouse" },
        frame: { from: "frame" },
      },
      swap: [
        ["before", "now"],
        ["now", "next"],
      ],
      animate: true,
    },
  },
  {
    name: "edges",
    title: "Edges of a picture, or of the camera",
    plan: {
      launches: [launch("edges")],
      arguments: {
        photo: { picture: "landscape", width: 512, height: 384, show: "hidden" },
        drawing: { width: 512, height: 384 },
        strength: { value: "1.5" },
      },
    },
  },
  {
    name: "blur",
    title: "Gaussian blur, in two launches",
    plan: {
      launches: [launch("rows"), launch("columns")],
      arguments: {
        photo: { picture: "shapes", width: 512, height: 384 },
        halfway: { width: 512, height: 384, show: "hidden" },
        blurred: { width: 512, height: 384 },
        width: { value: "6" },
      },
    },
  },
  {
    name: "plasma",
    title: "A picture that moves",
    plan: {
      launches: [launch("plasma")],
      arguments: { picture: { width: 512, height: 384 }, time: { from: "time" }, mouse: { from: "mouse" } },
      animate: true,
    },
  },
  {
    name: "volume",
    title: "Volume that is looked through",
    plan: {
      options: "-cl-std=CL3.0",
      launches: [launch("fill"), launch("look")],
      arguments: {
        volume: { width: 48, height: 48, depth: 48, slice: 24, show: "picture" },
        picture: { width: 384, height: 288 },
        time: { from: "time" },
      },
    },
  },
  {
    name: "sort",
    title: "Bitonic sort",
    plan: {
      launches: [launch("sort", { global: [512], repeat: 55 })],
      arguments: {
        numbers: { data: "random", length: 1024, low: 0, high: 1000, seed: 3, show: "plot" },
        step: { from: "step" },
      },
    },
  },
  {
    name: "reduction",
    title: "Sum, in two launches",
    plan: {
      launches: [
        launch("of_groups", { global: [16384], local: [128] }),
        launch("of_all", { global: [128], local: [128] }),
      ],
      arguments: {
        numbers: { data: "random", length: 16384, low: 0, high: 1 },
        groups: { length: 128, show: "plot" },
        total: { length: 1 },
        sums: { size: 512 },
      },
    },
  },
  {
    name: "matrix",
    title: "Matrix product in tiles",
    plan: {
      launches: [launch("multiply", { global: [128, 128] })],
      arguments: {
        a: { data: "random", length: 128 * 128, low: -1, high: 1, seed: 1, width: 128, show: "hidden" },
        b: { data: "random", length: 128 * 128, low: -1, high: 1, seed: 2, width: 128, show: "hidden" },
        c: { length: 128 * 128, width: 128, show: "picture" },
        side: { value: "128" },
      },
    },
  },
  {
    name: "histogram",
    title: "Histogram of a picture",
    plan: {
      launches: [launch("count", { global: [256 * 192], local: [64] })],
      arguments: {
        photo: { data: "picture", picture: "landscape", length: 256 * 192, width: 256, show: "picture" },
        histogram: { length: 256, show: "plot" },
      },
    },
  },
];

// The source and the plan of an example.
export async function load(name) {
  const { plan } = EXAMPLES.find((example) => example.name === name);
  const response = await fetch(`examples/${name}.cl`);
  if (!response.ok) throw new Error(`the example ${name} cannot be loaded`);
  return { source: await response.text(), plan: structuredClone(plan) };
}
