// The module as functions: texts, bytes and errors go in and out, and nothing that happens inside is more than an Error here.

/// What the module's C library asks of a system; there is none.
const kNotHere = 8;  // "bad file descriptor"
const decoder = new TextDecoder(), encoder = new TextEncoder();

class Thrown extends Error {}

export class Module {
  static async open(bytes) {
    const module = new Module();
    const refuse = () => kNotHere;
    const imports = {
      env: { sm_thrown: (at) => { throw new Thrown(module.text(at)); } },
      wasi_snapshot_preview1: {
        fd_close: refuse, fd_seek: refuse, fd_write: refuse, environ_get: () => 0,
        environ_sizes_get: (count, size) => {
          const view = new DataView(module.memory.buffer);
          view.setUint32(count, 0, true);
          view.setUint32(size, 0, true);
          return 0;
        },
        proc_exit: (code) => { throw new Thrown(`the module ended itself with ${code}`); },
      },
    };
    try {
      const { instance } = await WebAssembly.instantiate(bytes, imports);
      module.inside = instance.exports;
      module.memory = instance.exports.memory;
      instance.exports._initialize();
    } catch (error) {
      throw new Error(`The module of this page is damaged and cannot be started (${error.message}). Make the page again with schemamem explore.`);
    }
    return module;
  }

  inside = null;
  memory = null;
  broken = null;

  /// Calls a function and returns what it returns.
  run(name, ...given) {
    if (this.broken) throw new Error(this.broken);
    const stack = this.inside.__stack_pointer.value;
    try {
      return this.inside[name](...given);
    } catch (error) {
      if (error instanceof Thrown) {  // as if the call had returned
        this.inside.__stack_pointer.value = stack;
        throw new Error(error.message === "std::bad_alloc" ? "There is no memory left: free a memory, or load smaller models." : error.message);
      }
      this.broken = `The module stopped at a fault of its own (${error.message}). Reload the page; what was saved can be loaded again.`;
      throw new Error(this.broken);
    }
  }

  /// Calls a function that returns a code; a failure has a sentence.
  call(name, ...given) {
    if (this.run(name, ...given) !== 0) throw new Error(this.text(this.run("sm_last_error")));
  }

  /// Calls work(at) with so many bytes of room.
  with_room(size, work) {
    const at = this.run("malloc", Math.max(size, 8));
    if (at === 0) throw new Error("There is no memory left: free a memory, or load smaller models.");
    try {
      return work(at);
    } finally {
      if (!this.broken) this.run("free", at);
    }
  }
  with_bytes(bytes, work) {
    return this.with_room(bytes.length, (at) => {
      this.put(bytes, at);
      return work(at, bytes.length);
    });
  }
  with_text(text, work) { return this.with_bytes(encoder.encode(`${text.replaceAll("\0", "")}\0`), work); }

  /// The handle that make(to) leaves behind a pointer.
  made(make) {
    return this.with_room(4, (to) => {
      make(to);
      return new DataView(this.memory.buffer).getUint32(to, true);
    });
  }
  /// What a function says in JSON.
  json(name, ...given) {
    return this.with_room(4, (to) => {
      this.call(name, ...given, to);
      return JSON.parse(this.text(new DataView(this.memory.buffer).getUint32(to, true)));
    });
  }

  put(bytes, at) { new Uint8Array(this.memory.buffer, at, bytes.length).set(bytes); }
  bytes(at, count) { return new Uint8Array(this.memory.buffer, at, count).slice(); }
  floats(at, count) { return new Float32Array(this.memory.buffer, at, count).slice(); }
  integers(at, count) { return new Int32Array(this.memory.buffer, at, count).slice(); }
  text(at) {
    const bytes = new Uint8Array(this.memory.buffer);
    const end = bytes.indexOf(0, at);
    return decoder.decode(bytes.subarray(at, end < 0 ? at : end));
  }
  size() { return this.memory.buffer.byteLength; }
}
