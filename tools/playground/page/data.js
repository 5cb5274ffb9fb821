// Numbers in memory as OpenCL lays them out: elements of a type, and of vectors of it.

const TYPES = {
  i8: { array: Int8Array, low: -100, high: 100 },
  u8: { array: Uint8Array, low: 0, high: 255 },
  i16: { array: Int16Array, low: -1000, high: 1000 },
  u16: { array: Uint16Array, low: 0, high: 1000 },
  i32: { array: Int32Array, low: 0, high: 1000 },
  u32: { array: Uint32Array, low: 0, high: 1000 },
  i64: { array: BigInt64Array, low: 0, high: 1000 },
  u64: { array: BigUint64Array, low: 0, high: 1000 },
  f16: { array: Uint16Array, low: 0, high: 1, isFloat: true },
  f32: { array: Float32Array, low: 0, high: 1, isFloat: true },
  f64: { array: Float64Array, low: 0, high: 1, isFloat: true },
  // Words of what has no type here, such as structures.
  opaque: { array: Uint32Array, low: 0, high: 1000 },
};

export const typeOf = (element) => TYPES[element];
export const isFloat = (element) => Boolean(TYPES[element].isFloat);

// The scalars that an element takes in memory: a vector of three takes four.
export const stride = (lanes) => (lanes === 3 ? 4 : lanes);

// A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32).
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

// The bits of a half, rounded to nearest even.
export function toHalf(number) {
  const words = new Uint32Array(Float32Array.of(number).buffer);
  const sign = (words[0] >>> 16) & 0x8000;
  const magnitude = Math.abs(number);
  if (Number.isNaN(number)) return sign | 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  const exponent = Math.max(Math.floor(Math.log2(magnitude || 1e-9)), -14);
  const steps = magnitude / 2 ** (exponent - 10);
  const floor = Math.floor(steps);
  const rest = steps - floor;
  const rounded = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
  return sign | (rounded + (exponent + 14) * 1024);
}

export function fromHalf(bits) {
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

// Numbers as the bytes of scalars of a type.
export function encode(element, numbers) {
  const { array } = TYPES[element];
  const out = new array(numbers.length);
  for (let index = 0; index < numbers.length; ++index) {
    const number = Number(numbers[index]);
    if (element === "f16") out[index] = toHalf(number);
    else if (array === BigInt64Array || array === BigUint64Array) out[index] = BigInt(Math.trunc(number));
    else out[index] = number;
  }
  return new Uint8Array(out.buffer);
}

// The scalars in some bytes, as numbers.
export function decode(element, bytes) {
  const { array } = TYPES[element];
  const length = Math.floor(bytes.byteLength / array.BYTES_PER_ELEMENT);
  const found = new array(bytes.buffer, bytes.byteOffset, length);
  if (element === "f16") return Float32Array.from(found, fromHalf);
  if (array === BigInt64Array || array === BigUint64Array) return Float64Array.from(found, Number);
  return found;
}

// The numbers in a text: `1, 2.5 -3e4`, hexadecimal ones too.
export function parseNumbers(text) {
  const words = text.split(/[\s,;]+/).filter((word) => word !== "");
  return words.map((word) => {
    const number = Number(word);
    if (Number.isNaN(number) && word.toLowerCase() !== "nan") throw new Error(`"${word}" is not a number`);
    return number;
  });
}

export function format(number, element) {
  if (!isFloat(element)) return String(number);
  if (number === 0 || !Number.isFinite(number)) return String(number);
  const magnitude = Math.abs(number);
  return magnitude >= 1e6 || magnitude < 1e-4
    ? number.toExponential(4)
    : String(Number(number.toPrecision(7)));
}

// The largest number of bytes that the page puts into one buffer.
export const MOST_BYTES = 128 << 20;

// What a buffer begins with, as bytes. `pixels` are those of its picture, if it holds one.
export function contents(argument, spec, pixels) {
  const scalars = Math.max(1, Math.floor(spec.length)) * stride(argument.lanes);
  const size = TYPES[argument.element].array.BYTES_PER_ELEMENT;
  if (!(scalars * size <= MOST_BYTES)) throw new Error(`${argument.name} has more than 128 MiB`);
  switch (spec.data) {
    case "random": {
      const random = generator(spec.seed);
      const whole = !isFloat(argument.element);
      const numbers = new Float64Array(scalars);
      for (let index = 0; index < scalars; ++index) {
        const number = spec.low + random() * (spec.high - spec.low);
        numbers[index] = whole ? Math.floor(number) : number;
      }
      return encode(argument.element, numbers);
    }
    case "ramp":
      return encode(
        argument.element,
        Float64Array.from({ length: scalars }, (_, index) => index),
      );
    case "values": {
      const given = parseNumbers(spec.values);
      const out = new Float64Array(scalars);
      out.set(given.slice(0, scalars));
      return encode(argument.element, out);
    }
    case "picture": {
      const whole = !isFloat(argument.element);
      const out = new Float64Array(scalars);
      for (let index = 0; index < scalars; ++index) {
        const byte = argument.lanes === 1 ? grey(pixels, 4 * index) : pixels[index];
        out[index] = whole ? byte : byte / 255;
      }
      return encode(argument.element, out);
    }
    default:
      return new Uint8Array(scalars * size);
  }
}

const grey = (pixels, at) => Math.round(0.299 * pixels[at] + 0.587 * pixels[at + 1] + 0.114 * pixels[at + 2]);
