// Pictures that kernels read: drawn by the page, dropped by the user, from the camera, or painted on a
// canvas.

import { generator } from "./data.js";

function canvasOf(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas;
}

// A landscape, the same for everyone: edges, gradients, fine and coarse detail.
function landscape(width, height) {
  const canvas = canvasOf(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const pixels = context.createImageData(width, height);
  const random = generator(7);
  const hills = Array.from({ length: 3 }, (_, layer) => ({
    base: 0.55 + 0.14 * layer,
    waves: Array.from({ length: 4 }, (_, wave) => [
      0.05 / (wave + 1),
      (wave + 1) * (3 + 2 * random()),
      6 * random(),
    ]),
    colour: [
      [96, 124, 142],
      [62, 98, 92],
      [34, 62, 52],
    ][layer],
  }));
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const [u, v] = [(x + 0.5) / width, (y + 0.5) / height];
      let colour = [235 - 120 * (1 - v) ** 2, 200 - 40 * (1 - v), 150 + 70 * (1 - v)];
      const sun = Math.hypot((u - 0.7) * (width / height), v - 0.3);
      if (sun < 0.11) colour = [255, 240, 200];
      for (const { base, waves, colour: hill } of hills) {
        const top = waves.reduce((sum, [size, pace, phase]) => sum + size * Math.sin(pace * u + phase), base);
        if (v > top) colour = hill.map((channel) => channel + ((x * 7 + y * 13) % 16) - 8);
      }
      pixels.data.set([...colour, 255], 4 * (y * width + x));
    }
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

// A board of squares, lines and circles: what filters do to edges.
function shapes(width, height) {
  const canvas = canvasOf(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const pixels = context.createImageData(width, height);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const [u, v] = [x / width, y / height];
      let colour = (Math.floor(u * 8) + Math.floor(v * 8)) % 2 ? [236, 232, 222] : [58, 66, 82];
      const ring = Math.hypot(u - 0.35, v - 0.4);
      if (ring < 0.22 && ring > 0.16) colour = [214, 90, 60];
      if (Math.abs(u - 0.7) + Math.abs(v - 0.65) < 0.18) colour = [60, 140, 170];
      pixels.data.set([...colour, 255], 4 * (y * width + x));
    }
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

const DRAWN = { landscape, shapes };

export const SOURCES = [
  ["landscape", "a landscape"],
  ["shapes", "shapes"],
  ["file", "a file"],
  ["camera", "the camera"],
  ["painting", "a canvas to paint on"],
];

// A bright ball in the middle, with a blue shell.
function ball(width, height, depth) {
  const pixels = new Uint8Array(4 * width * height * depth);
  const place = (at, side) => (2 * at + 1) / side - 1;
  let pixel = 0;
  for (let z = 0; z < depth; ++z) {
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x) {
        const radius = Math.hypot(place(x, width), place(y, height), place(z, depth));
        const inside = Math.max(0, Math.min(1, 4 * (0.6 - radius)));
        const shell = Math.max(0, 1 - 12 * Math.abs(radius - 0.75));
        pixels.set([236 * inside, 200 * inside + 90 * shell, 120 * inside + 220 * shell, 255 * Math.max(inside, shell)], pixel);
        pixel += 4;
      }
    }
  }
  return pixels;
}

// What images with slices may begin with besides: other sources are the same picture in each slice.
export const VOLUMES = [["ball", "a ball"]];

// One picture of a kernel: where it comes from, and its pixels in any size.
export class Picture {
  #file;
  #video;
  #stream;
  #drawn;

  constructor() {
    this.painting = canvasOf(256, 256);
    const context = this.painting.getContext("2d", { willReadFrequently: true });
    context.fillStyle = "#10141c";
    context.fillRect(0, 0, 256, 256);
  }

  async useFile(blob) {
    this.#file = await createImageBitmap(blob);
  }

  get hasFile() {
    return this.#file !== undefined;
  }

  async useCamera() {
    if (this.#stream) return;
    this.#stream = await navigator.mediaDevices.getUserMedia({ video: true });
    this.#video = document.createElement("video");
    this.#video.srcObject = this.#stream;
    this.#video.muted = true;
    await this.#video.play();
  }

  stopCamera() {
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = undefined;
  }

  // Paints a stroke; coordinates run from 0 to 1.
  paint(from, to) {
    const context = this.painting.getContext("2d");
    const { width, height } = this.painting;
    context.strokeStyle = "#f4efe2";
    context.lineWidth = 10;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(from[0] * width, from[1] * height);
    context.lineTo(to[0] * width, to[1] * height);
    context.stroke();
  }

  // The pixels: red, green, blue and alpha of each, row by row. A picture of another shape is cut.
  async pixels(source, width, height) {
    if (source === "camera") await this.useCamera();
    const image = this.#image(source, width, height);
    const canvas = canvasOf(width, height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const [wide, high] = [image.videoWidth || image.width, image.videoHeight || image.height];
    const scale = Math.min(wide / width, high / height);
    const [cutWide, cutHigh] = [width * scale, height * scale];
    context.drawImage(
      image,
      (wide - cutWide) / 2,
      (high - cutHigh) / 2,
      cutWide,
      cutHigh,
      0,
      0,
      width,
      height,
    );
    return new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
  }

  // The pixels of all slices, one slice after the other.
  async slices(source, width, height, depth) {
    if (source === "ball") return ball(width, height, depth);
    const slice = await this.pixels(source, width, height);
    const all = new Uint8Array(slice.length * depth);
    for (let z = 0; z < depth; ++z) all.set(slice, z * slice.length);
    return all;
  }

  #image(source, width, height) {
    if (source === "camera") return this.#video;
    if (source === "painting") return this.painting;
    if (source === "file" && this.#file) return this.#file;
    const name = source in DRAWN ? source : "landscape";
    const key = `${name} ${width} ${height}`;
    if (this.#drawn?.key !== key) this.#drawn = { key, canvas: DRAWN[name](width, height) };
    return this.#drawn.canvas;
  }
}
