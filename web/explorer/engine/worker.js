// The worker's half of the engine: one module, its models and memories, one job at a time. A long wait is cut into slices, so
// that a stop comes through between two of them.
import { Module } from "./module.js";

const kMostModels = 3, kMostMemories = 64;
const kMostBytes = 32 * 2 ** 20;  // of a model or state that is read
const kSlice = 12;                // milliseconds of waiting between two looks at what came in
const kMostRows = 2 ** 18;        // of a push

let module = null;
const models = new Map();    // id -> { handle, about }
const memories = new Map();  // id -> { handle, model }
const stopped = new Set();   // numbers of jobs that were told to stop
let last_id = 0, read = 0, rate = 0;

function found(table, id, what) {
  const one = table.get(id);
  if (!one) throw new Error(`There is no ${what} ${String(id)}; it was freed, or never made.`);
  return one;
}
const model_at = (id) => found(models, id, "model");
const memory_at = (id) => found(memories, id, "memory");

function whole(value, what, most = Number.MAX_SAFE_INTEGER) {
  if (!Number.isSafeInteger(value) || value < 0 || value > most) {
    throw new Error(`${what} is ${String(value)}; expected a whole number from 0 to ${most}.`);
  }
  return value;
}

function bytes_within(bytes, what) {
  if (!(bytes instanceof Uint8Array)) throw new Error(`${what}: expected bytes.`);
  if (bytes.length > kMostBytes) throw new Error(`${what} has ${bytes.length} bytes; at most ${kMostBytes} are read.`);
  return bytes;
}

/// Makes an id for a memory that `make` puts behind a pointer.
function keep_memory(model, make) {
  if (memories.size >= kMostMemories) {
    throw new Error(`There are ${kMostMemories} memories, and no more are kept: free one first.`);
  }
  const handle = module.made(make);
  memories.set(++last_id, { handle, model });
  return last_id;
}

const pause = (() => {
  const { port1, port2 } = new MessageChannel();
  let resume = null;
  port1.onmessage = () => resume();
  return () => new Promise((resolve) => {
    resume = resolve;
    port2.postMessage(0);
  });
})();

const jobs = {
  async open(bytes) {
    module = await Module.open(bytes);
  },

  load(bytes) {
    if (models.size >= kMostModels) throw new Error(`There are ${kMostModels} models, and no more are kept.`);
    const handle = module.with_bytes(bytes_within(bytes, "The model"), (at, size) =>
      module.made((to) => module.call("sm_explore_model", at, size, to)));
    try {
      const about = module.json("sm_describe", handle);
      about.scenarios = module.json("sm_scenarios", handle);
      models.set(++last_id, { handle, about });
      return { model: last_id, ...about };
    } catch (error) {
      module.run("sm_model_free", handle);
      throw error;
    }
  },
  unload(id) {
    const { handle } = model_at(id);
    models.delete(id);
    module.run("sm_model_free", handle);
  },

  memory(model) {
    const { handle } = model_at(model);
    return keep_memory(model, (to) => module.call("sm_explore_memory", handle, to));
  },
  fork(id) {
    const { handle, model } = memory_at(id);
    return keep_memory(model, (to) => module.call("sm_fork", handle, to));
  },
  free(id) {
    const { handle } = memory_at(id);
    memories.delete(id);
    module.run("sm_memory_free", handle);
  },

  write(id, address, value) {
    module.call("sm_write", memory_at(id).handle, whole(address, "The address", 2 ** 31 - 1), whole(value, "The value", 2 ** 31 - 1));
    ++read;
  },
  ask(id, address) {
    const { handle, model } = memory_at(id);
    const { bits } = model_at(model).about.task;
    return module.with_room(4 * (bits + 2), (at) => {
      module.call("sm_ask", handle, whole(address, "The address", 2 ** 31 - 1), at, 0);
      module.call("sm_written", handle, address, at + 4);
      module.call("sm_sure", handle, at + 8);
      ++read;
      const [value, written] = module.integers(at, 2);
      return { value, written: written < 0 ? null : written, sure: module.floats(at + 8, bits) };
    });
  },
  ask_all(id) {
    const { handle, model } = memory_at(id);
    const { addresses, values, bits } = model_at(model).about.task;
    return module.with_room(4 * addresses * (bits + 1) + 4, (at) => {
      module.call("sm_ask_all", handle, at, at + 4 * addresses);
      const answer = { values: module.integers(at, addresses), sure: module.floats(at + 4 * addresses, addresses * bits),
        truth: new Int32Array(addresses), written: new Uint8Array(addresses) };
      for (let address = 0; address < addresses; ++address) {
        module.call("sm_written", handle, address, at);
        const [value] = module.integers(at, 1);
        answer.written[address] = value < 0 ? 0 : 1;
        answer.truth[address] = value < 0 ? address % values : value;
      }
      return answer;
    });
  },

  async wait(id, count, job, tell) {
    const { handle } = memory_at(id);
    whole(count, "The number of rows");
    const begun = performance.now();
    let done = 0, rows = 64, told = begun;
    while (done < count && !stopped.has(job)) {
      const before = performance.now();
      const slice = Math.min(rows, count - done);
      module.call("sm_wait", handle, BigInt(slice));
      const now = performance.now();
      done += slice;
      read += slice;
      rows = Math.max(32, Math.min(kMostRows, Math.round(slice * Math.min(4, kSlice / Math.max(now - before, 0.05)))));
      rate = (1000 * done) / Math.max(now - begun, 0.1);
      if (now - told >= 33) {
        told = now;
        tell(done, rate);
      }
      if (done < count) await pause();
    }
    return done;
  },

  scenario(model, name, seed, delay) {
    const { handle } = model_at(model);
    return module.with_text(String(name), (at) =>
      module.json("sm_scenario", handle, at, BigInt(whole(seed, "The seed")), BigInt(whole(delay, "The delay"))));
  },

  state(id) {
    const { handle } = memory_at(id);
    const size = module.run("sm_state_size", handle);
    return module.with_room(size, (at) => {
      module.call("sm_state_get", handle, at, size);
      return module.bytes(at, size);
    });
  },
  restore(model, bytes) {
    bytes_within(bytes, "The state");
    const id = jobs.memory(model);
    try {
      module.with_bytes(bytes, (at, size) => module.call("sm_state_set", memory_at(id).handle, at, size));
      return id;
    } catch (error) {
      jobs.free(id);
      throw error;
    }
  },

  inside(id) {
    const { handle, model } = memory_at(id);
    const { layers, numbers } = model_at(model).about;
    return module.with_room(4 * numbers, (at) => {
      module.call("sm_inside_get", handle, at, numbers);
      const part_of = (from, size) => (from === null ? null : module.floats(at + 4 * from, size));
      return {
        tokens: Number(module.run("sm_tokens", handle)),
        commits: Number(module.run("sm_commits", handle)),
        floor: module.run("sm_floor", handle),
        layers: layers.map(({ name, slots, parts, read: reads, write: writes }) => ({
          name,
          parts: parts.map((part) => ({ ...part, values: part_of(part.at, part.rows * part.columns),
            increment: part_of(part.increment, part.rows * part.columns) })),
          read: part_of(reads ?? null, slots),
          write: part_of(writes ?? null, slots),
        })),
      };
    });
  },

  zero(id, layer) { module.call("sm_zero", memory_at(id).handle, layer | 0); },
  freeze(id, on) { module.call("sm_freeze", memory_at(id).handle, on ? 1 : 0); },
  noise(id, amount, seed) { module.call("sm_noise", memory_at(id).handle, Number(amount), BigInt(whole(seed, "The seed"))); },
  floor(id, value) { module.call("sm_set_floor", memory_at(id).handle, Number(value)); },

  /// Reads rows with a stream of their own, which ends with them.
  push(model, rows, marks) {
    const { handle, about } = model_at(model);
    const { row, bits } = about.task, count = rows.length / row;
    whole(count, `${rows.length} numbers in rows of ${row}`, kMostRows);
    if (marks && marks.length !== count) throw new Error(`There are ${marks.length} marks for ${count} rows.`);
    const stream = module.made((to) => module.call("sm_stream_new", handle, to));
    try {
      return module.with_room(4 * count * (row + bits) + count, (at) => {
        const out = at + 4 * count * row, mark = out + 4 * count * bits;
        module.put(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength), at);
        if (marks) module.put(marks, mark);
        if (marks) module.call("sm_stream_push_marked", stream, at, mark, count, out);
        else module.call("sm_stream_push", stream, at, count, out);
        read += count;
        return module.floats(out, count * bits);
      });
    } finally {
      module.run("sm_stream_free", stream);
    }
  },

  statistics() {
    return { bytes: module.size(), tokens: read, perSecond: rate, models: models.size, memories: memories.size };
  },
};

/// What of an answer can be handed over instead of copied.
function buffers_of(value, all = new Set()) {
  if (ArrayBuffer.isView(value)) all.add(value.buffer);
  else if (value && typeof value === "object") for (const one of Object.values(value)) buffers_of(one, all);
  return [...all];
}

async function answer({ job, verb, given }) {
  try {
    if (!Object.hasOwn(jobs, verb)) throw new Error(`The engine does not know how to ${String(verb)}.`);
    if (verb !== "open" && !module) throw new Error("The engine was not started.");
    const result = await jobs[verb](...given, ...(verb === "wait" ? [job, (done, per) => postMessage({ job, done, per })] : []));
    postMessage({ job, result }, buffers_of(result));
  } catch (error) {
    postMessage({ job, failure: error instanceof Error ? error.message : String(error) });
  } finally {
    stopped.delete(job);
  }
}

let busy = Promise.resolve();
onmessage = ({ data }) => {
  if ("stop" in data) {
    stopped.add(data.stop);
    return;
  }
  busy = busy.then(() => answer(data));
};
