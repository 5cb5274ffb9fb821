// Asks the compiler in its worker.

// Milliseconds after which a compilation is given up.
const LIMIT = 30_000;

export class Compiler {
  #waiting = new Map();
  #number = 0;
  // Started at once, because the module takes the longest to load.
  #worker = this.#start();

  // The answer to a request, with the milliseconds that it took as `time`. Throws if there is none.
  async ask(request) {
    this.#worker ??= this.#start();
    const id = ++this.#number;
    this.#worker.postMessage({ id, request: JSON.stringify(request) });
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => this.#stop(`the compiler has not answered in ${LIMIT / 1000} s`), LIMIT);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #start() {
    const worker = new Worker(new URL("worker.js", import.meta.url));
    worker.onmessage = ({ data: { id, reply, time, failure } }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failure) {
        waiting?.reject(new Error(failure));
      } else {
        waiting?.resolve({ ...JSON.parse(reply), time });
      }
    };
    worker.onerror = (event) => this.#stop(`the compiler cannot be loaded: ${event.message ?? "no answer"}`);
    return worker;
  }

  // Ends the worker; another one answers the next request.
  #stop(reason) {
    this.#worker?.terminate();
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    waiting.forEach(({ reject }) => reject(new Error(reason)));
  }
}
