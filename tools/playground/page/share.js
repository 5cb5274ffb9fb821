// Links: the source and the arguments, packed into the part of the address after `#`, which stays in the
// browser.

// The most bytes that a link may unpack to.
const LIMIT = 4 << 20;

async function through(bytes, stream) {
  const parts = [];
  let length = 0;
  for await (const part of iterate(new Blob([bytes]).stream().pipeThrough(stream).getReader())) {
    length += part.length;
    if (length > LIMIT) throw new Error("the link holds too much");
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function* iterate(reader) {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

export async function toFragment(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The state of a link; throws if it is damaged.
export async function fromFragment(fragment) {
  const text = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const unpacked = await through(bytes, new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(unpacked));
}
