// The engine as the page sees it: models and memories in a worker of its own, so that the page never stands still. Every call
// gives a promise; a failure is an Error with the library's own sentence. Calls are answered in the order they were made.
import worker_text from "./worker.js" with { type: "inline" };

export class Engine {
  /// From the bytes of the module; rejects if they are no module of ours. The bytes are handed over.
  static async open(bytes) {
    const place = URL.createObjectURL(new Blob([worker_text], { type: "text/javascript" }));
    const engine = new Engine(new Worker(place));
    URL.revokeObjectURL(place);
    try {
      await engine.ask_worker("open", [bytes]);
    } catch (error) {
      engine.close();
      throw error;
    }
    return engine;
  }

  constructor(worker) {
    this.worker = worker;
    this.jobs = new Map();  // number -> { resolve, reject, onProgress }
    this.last = 0;
    worker.onmessage = ({ data }) => this.hear(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.end(`The engine stopped (${event.message || "its worker cannot run"}). Reload the page.`);
    };
  }

  hear({ job, result, failure, done, per }) {
    const waiting = this.jobs.get(job);
    if (!waiting) return;
    if (done !== undefined) {
      waiting.onProgress?.(done, per);
      return;
    }
    this.jobs.delete(job);
    if (failure === undefined) waiting.resolve(result);
    else waiting.reject(new Error(failure));
  }

  ask_worker(verb, given, onProgress, signal) {
    if (this.ended) return Promise.reject(new Error(this.ended));
    const job = ++this.last;
    return new Promise((resolve, reject) => {
      const stop = () => this.worker.postMessage({ stop: job });
      const leave = (then) => (value) => {
        signal?.removeEventListener("abort", stop);
        then(value);
      };
      this.jobs.set(job, { resolve: leave(resolve), reject: leave(reject), onProgress });
      this.worker.postMessage({ job, verb, given });
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop);
    });
  }

  end(reason) {
    this.ended ??= reason;
    for (const { reject } of this.jobs.values()) reject(new Error(this.ended));
    this.jobs.clear();
  }
  /// Ends the worker and forgets everything.
  close() {
    this.worker.terminate();
    this.end("The engine was closed.");
  }

  /// A model from the bytes of its file: what it is, and its number.
  load(bytes) { return this.ask_worker("load", [bytes]); }
  /// Forgets a model; its memories stay.
  unload(model) { return this.ask_worker("unload", [model]); }
  memory(model) { return this.ask_worker("memory", [model]); }
  fork(id) { return this.ask_worker("fork", [id]); }
  free(id) { return this.ask_worker("free", [id]); }

  write(id, address, value) { return this.ask_worker("write", [id, address, value]); }
  ask(id, address) { return this.ask_worker("ask", [id, address]); }
  /// Every address, asked of a fork: the memory stays as it is.
  askAll(id) { return this.ask_worker("ask_all", [id]); }
  /// Lets questions pass. Resolves to how many did; fewer if `signal` is aborted.
  wait(id, count, { onProgress, signal } = {}) { return this.ask_worker("wait", [id, count], onProgress, signal); }
  scenario(model, name, seed = 0, delay = 0) { return this.ask_worker("scenario", [model, name, seed, delay]); }

  /// The bytes of a state file, and the way back.
  state(id) { return this.ask_worker("state", [id]); }
  restore(model, bytes) { return this.ask_worker("restore", [model, bytes]); }
  inside(id) { return this.ask_worker("inside", [id]); }

  zero(id, layer = -1) { return this.ask_worker("zero", [id, layer]); }
  freeze(id, on) { return this.ask_worker("freeze", [id, on]); }
  noise(id, amount, seed) { return this.ask_worker("noise", [id, amount, seed]); }
  floor(id, value) { return this.ask_worker("floor", [id, value]); }

  /// Rows of numbers through a new stream of a model: their logits.
  push(model, rows, marks = null) { return this.ask_worker("push", [model, rows, marks]); }
  statistics() { return this.ask_worker("statistics", []); }
}
