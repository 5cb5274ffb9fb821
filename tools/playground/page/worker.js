// The compiler, in a worker: takes requests as JSON text and answers them. `src/lib.rs` describes the border
// to the WebAssembly module. After a panic or a stack overflow, the next request gets a fresh instance.

const compiled = WebAssembly.compileStreaming(fetch("compiler.wasm"));
let instance;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function text(place, length) {
  return decoder.decode(new Uint8Array(instance.exports.memory.buffer, place >>> 0, length));
}

async function answer(request) {
  instance ??= await WebAssembly.instantiate(await compiled);
  const { exports } = instance;
  const bytes = encoder.encode(request);
  try {
    const place = exports.request(bytes.length) >>> 0;
    new Uint8Array(exports.memory.buffer, place, bytes.length).set(bytes);
    const length = exports.answer();
    return text(exports.answer_text(), length);
  } catch (error) {
    const problem = describe(error);
    instance = undefined;
    return JSON.stringify({ messages: [{ severity: "error", text: problem, related: [], notes: [] }] });
  }
}

// Why the module has ended.
function describe(error) {
  if (error instanceof RangeError) {
    return "the source is nested too deeply for this browser's stack; clvk-run has a larger one";
  }
  const length = instance.exports.panic_length();
  const said = length > 0 ? text(instance.exports.panic_text(), length) : String(error);
  return `the compiler has failed, which is an error in clvk: ${said}`;
}

self.onmessage = async ({ data: { id, request } }) => {
  try {
    const start = performance.now();
    const reply = await answer(request);
    self.postMessage({ id, reply, time: performance.now() - start });
  } catch (error) {
    self.postMessage({ id, failure: `the compiler cannot be loaded: ${error.message}` });
  }
};
