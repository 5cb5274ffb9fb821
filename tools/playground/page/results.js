// Shows what kernels wrote: as numbers, a plot, points or a picture.

import { decode, format, isFloat, stride } from "./data.js";
import { texelSize } from "./gpu.js";
import { toPixels } from "./launch.js";
import { specOf } from "./plan.js";

export const VIEWS = ["numbers", "plot", "points", "picture", "hidden"];

// Elements that are shown as numbers.
const SHOWN = 256;

// A buffer's elements without the padding of vectors of three, as rows of numbers.
function rows(argument, bytes, most) {
  const numbers = decode(argument.element, bytes);
  const step = stride(argument.lanes);
  const count = Math.min(most, Math.floor(numbers.length / step));
  return Array.from({ length: count }, (_, index) =>
    numbers.subarray(index * step, index * step + argument.lanes),
  );
}

export function asNumbers(argument, bytes) {
  const table = document.createElement("div");
  table.className = "numbers-view";
  table.style.setProperty("--lanes", argument.lanes);
  const shown = rows(argument, bytes, SHOWN);
  for (const [index, row] of shown.entries()) {
    const cell = document.createElement("span");
    cell.title = `[${index}]`;
    cell.textContent = Array.from(row, (number) => format(number, argument.element)).join(", ");
    table.append(cell);
  }
  return table;
}

// A canvas of the given size in pixels of the picture, reused from run to run.
function canvasIn(holder, width, height) {
  let canvas = holder.querySelector("canvas");
  if (!canvas) {
    canvas = document.createElement("canvas");
    holder.replaceChildren(canvas);
  }
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  return canvas;
}

export function drawPixels(holder, width, height, pixels) {
  const canvas = canvasIn(holder, width, height);
  // Small pictures are enlarged.
  holder.style.width = `${Math.max(512, width)}px`;
  canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
}

export function drawTexture(holder, texture, bytes, slice) {
  const size = texelSize(texture.format) * texture.width * texture.height;
  const pixels = toPixels(texture.format, bytes.slice(slice * size, (slice + 1) * size));
  drawPixels(holder, texture.width, texture.height, pixels);
}

// The sides of a texture, and which slice is shown.
function caption({ width, height, depthOrArrayLayers: depth }, slice) {
  const sides = `${width} × ${height}`;
  return depth > 1 ? `${sides} × ${depth}, slice ${slice}` : sides;
}

// A buffer of pixels: vectors of four are colours, anything else is grey from its least to its largest
// number.
export function drawBuffer(holder, argument, bytes, width) {
  const numbers = decode(argument.element, bytes);
  const step = stride(argument.lanes);
  const count = Math.floor(numbers.length / step);
  const height = Math.ceil(count / width);
  const pixels = new Uint8ClampedArray(4 * width * height);
  if (argument.lanes === 4) {
    const scale = isFloat(argument.element) ? 255 : 1;
    for (let index = 0; index < 4 * count; ++index) pixels[index] = numbers[index] * scale;
  } else {
    let [low, high] = [Infinity, -Infinity];
    for (let index = 0; index < count; ++index) {
      const number = numbers[index * step];
      if (number < low) low = number;
      if (number > high) high = number;
    }
    const scale = 255 / (high - low || 1);
    for (let index = 0; index < count; ++index) {
      pixels.fill((numbers[index * step] - low) * scale, 4 * index, 4 * index + 3);
      pixels[4 * index + 3] = 255;
    }
  }
  drawPixels(holder, width, height, pixels);
}

const PLOT = { width: 960, height: 320, margin: 14 };

// A colour of the style sheet as a canvas takes it: for the theme that is shown.
function resolve(holder, name) {
  holder.style.color = `var(${name})`;
  const { color } = getComputedStyle(holder);
  holder.style.color = "";
  return color;
}

// Prepares a canvas in the page's colours.
function sheet(holder, width, height) {
  const canvas = canvasIn(holder, width, height);
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  return { context, colour: (name) => resolve(holder, name) };
}

// The first lane of each element, from left to right. Where many elements share a column, their range is
// shown.
export function drawPlot(holder, argument, bytes) {
  const { width, height, margin } = PLOT;
  const { context, colour } = sheet(holder, width, height);
  const numbers = decode(argument.element, bytes);
  const step = stride(argument.lanes);
  const count = Math.floor(numbers.length / step);
  const finite = [];
  for (let index = 0; index < count; ++index) {
    const number = numbers[index * step];
    if (Number.isFinite(number)) finite.push(number);
  }
  const least = finite.reduce((low, number) => Math.min(low, number), Infinity);
  const most = finite.reduce((high, number) => Math.max(high, number), -Infinity);
  const low = Math.min(0, least);
  const high = Math.max(0, most);
  const column = (index) => margin + ((index + 0.5) / count) * (width - 2 * margin);
  const row = (number) => height - margin - ((number - low) / (high - low || 1)) * (height - 2 * margin);
  context.strokeStyle = colour("--line");
  context.beginPath();
  context.moveTo(margin, row(0));
  context.lineTo(width - margin, row(0));
  context.stroke();
  context.fillStyle = colour("--accent");
  if (count <= 2 * width) {
    const bar = Math.max(1, ((width - 2 * margin) / count) * 0.8);
    for (let index = 0; index < count; ++index) {
      const [top, bottom] = [
        row(Math.max(0, numbers[index * step])),
        row(Math.min(0, numbers[index * step])),
      ];
      context.fillRect(column(index) - bar / 2, top, bar, Math.max(1, bottom - top));
    }
  } else {
    for (let x = 0; x < width - 2 * margin; ++x) {
      const [from, to] = [x, x + 1].map((edge) => Math.floor((edge / (width - 2 * margin)) * count));
      let [below, above] = [Infinity, -Infinity];
      for (let index = from; index < to; ++index) {
        below = Math.min(below, numbers[index * step]);
        above = Math.max(above, numbers[index * step]);
      }
      context.fillRect(margin + x, row(above), 1, Math.max(1, row(below) - row(above)));
    }
  }
  context.fillStyle = colour("--faint");
  context.font = "13px system-ui, sans-serif";
  context.fillText(format(most, argument.element), margin, margin + 2);
}

const POINTS = 640;

// The first two lanes of each element as a point between -1 and 1; a fourth lane makes it larger.
export function drawPoints(holder, argument, bytes) {
  const { context, colour } = sheet(holder, POINTS, POINTS);
  const dark = colour("--points-back");
  context.fillStyle = dark;
  context.fillRect(0, 0, POINTS, POINTS);
  context.fillStyle = colour("--points");
  const numbers = decode(argument.element, bytes);
  const step = stride(argument.lanes);
  for (let index = 0; index + step <= numbers.length; index += step) {
    const x = (numbers[index] + 1) * 0.5 * POINTS;
    const y = (1 - (step > 1 ? numbers[index + 1] : 0)) * 0.5 * POINTS;
    const depth = step > 2 ? Math.max(0.35, Math.min(1, 0.7 + numbers[index + 2])) : 1;
    context.globalAlpha = depth;
    context.fillRect(x - 0.9, y - 0.9, 1.8, 1.8);
  }
  context.globalAlpha = 1;
}

const elements = (count) => (count === 1 ? "1 element" : `${count} elements`);

// The cards of results, which stay from run to run.
export class Results {
  #cards = new Map();

  // `onMove` is called with the view `{x, y, scale}` when a picture is dragged or zoomed, `onMouse` with the
  // mouse's place in it, and its buttons.
  constructor(root, { onMove, onMouse }) {
    this.root = root;
    this.onMove = onMove;
    this.onMouse = onMouse;
    this.view = { x: 0, y: 0, scale: 1 };
  }

  clear() {
    this.#cards.clear();
    this.root.replaceChildren();
  }

  // Shows what a run has left in the arguments that the plan shows.
  async show(runner, plan) {
    const shown = runner.all.map((parameter) => ({ parameter, spec: specOf(plan, parameter) }));
    const wanted = shown.filter(
      ({ parameter, spec }) => ["storage-buffer", "image"].includes(parameter.kind) && spec.show !== "hidden",
    );
    for (const [key, card] of this.#cards) {
      if (!wanted.some(({ parameter, spec }) => parameter.key === key && spec.show === card.show)) {
        card.root.remove();
        this.#cards.delete(key);
      }
    }
    for (const { parameter, spec } of wanted) {
      const card = this.#card(parameter, spec);
      const { bytes, texture } = await runner.read(parameter.key);
      const { argument } = parameter;
      const slice = texture ? Math.min(spec.slice, texture.depthOrArrayLayers - 1) : 0;
      if (texture) drawTexture(card.holder, texture, bytes, slice);
      else if (spec.show === "picture") drawBuffer(card.holder, argument, bytes, spec.width);
      else if (spec.show === "plot") drawPlot(card.holder, argument, bytes);
      else if (spec.show === "points") drawPoints(card.holder, argument, bytes);
      else card.holder.replaceChildren(asNumbers(argument, bytes));
      const count = texture ? caption(texture, slice) : elements(runner.count(parameter));
      card.caption.textContent = `${parameter.key}, ${count}`;
    }
  }

  #card(parameter, { show }) {
    const known = this.#cards.get(parameter.key);
    if (known) return known;
    const caption = document.createElement("figcaption");
    const holder = document.createElement("div");
    holder.className = `view ${show}`;
    const root = document.createElement("figure");
    root.append(holder, caption);
    if (show === "picture") this.#follow(holder);
    this.root.append(root);
    const card = { root, holder, caption, show };
    this.#cards.set(parameter.key, card);
    return card;
  }

  // Follows the mouse in a picture, drags it and zooms it.
  #follow(holder) {
    let last;
    const place = (event) => {
      const canvas = holder.querySelector("canvas");
      const box = canvas.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * canvas.width;
      const y = ((event.clientY - box.top) / box.height) * canvas.height;
      return { x, y, width: canvas.width, height: canvas.height };
    };
    const tell = (event) => {
      const { x, y } = place(event);
      this.onMouse([Math.floor(x), Math.floor(y), event.buttons, 0]);
    };
    holder.addEventListener("pointerdown", (event) => {
      holder.setPointerCapture(event.pointerId);
      last = place(event);
      tell(event);
    });
    holder.addEventListener("pointerup", (event) => {
      last = undefined;
      tell(event);
    });
    holder.addEventListener("pointermove", (event) => {
      tell(event);
      if (!last) return;
      const next = place(event);
      const { x, y, scale } = this.view;
      this.view = { x: x - (next.x - last.x) * scale, y: y - (next.y - last.y) * scale, scale };
      last = next;
      this.onMove(this.view);
    });
    holder.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const at = place(event);
        const { x, y, scale } = this.view;
        const next = scale * 2 ** (Math.max(-200, Math.min(200, event.deltaY)) / 400);
        // What is under the mouse stays there.
        const [dx, dy] = [at.x - at.width / 2, at.y - at.height / 2];
        this.view = { x: x + dx * (scale - next), y: y + dy * (scale - next), scale: next };
        this.onMove(this.view);
      },
      { passive: false },
    );
  }
}
