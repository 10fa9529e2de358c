// A stand-in for the engine with the same calls: phases that move a little at every row, in the same way every time. What the
// page does with pasts, snapshots and changed memories is tested with it; what the models do is tested with the real one.
const kAddresses = 8, kValues = 8, kLayers = 3, kSlots = 8, kWidth = 4;

const fresh = () => ({ rows: 0, book: {}, phases: new Float64Array(kLayers * kSlots * kWidth), frozen: false, floor: 0 });
const copied = (memory) => ({ ...memory, book: { ...memory.book }, phases: memory.phases.slice() });

export const kFakeModel = {
  model: 0, kind: "fake", title: "Fake", parameters: 0, layers: kLayers, has_phases: true,
  task: { addresses: kAddresses, values: kValues, bits: 3, defaults: Int32Array.from({ length: kAddresses }, (_, a) => a % kValues) },
};

export class FakeEngine {
  memories = new Map();
  calls = 0;
  read = 0;

  make(memory) {
    const id = ++this.calls;
    this.memories.set(id, memory);
    return id;
  }

  at(id) {
    const memory = this.memories.get(id);
    if (!memory) throw new Error(`there is no memory ${id}`);
    return memory;
  }

  move(id, amount) {
    const memory = this.at(id);
    ++memory.rows;
    ++this.read;
    if (memory.frozen || Math.abs(amount) < memory.floor) return;
    for (let i = 0; i < memory.phases.length; ++i) memory.phases[i] += amount * Math.sin(memory.rows + i);
  }

  async memory() { return this.make(fresh()); }
  async fork(id) { return this.make(copied(this.at(id))); }
  async free(id) { this.at(id); this.memories.delete(id); }
  async write(id, address, value) {
    this.move(id, 0.1 * (1 + value));
    this.at(id).book[address] = value;
  }
  async ask(id, address) {
    this.move(id, 1e-4);
    return { value: (await this.askAll(id)).values[address] };
  }
  async wait(id, rows) {
    for (let i = 0; i < rows; ++i) this.move(id, 1e-4);
    await new Promise(setImmediate);  // as a worker's answer would
    return rows;
  }
  async askAll(id) {
    const { book, phases } = this.at(id);
    const values = kFakeModel.task.defaults.map((value, a) => (phases[a] > 0.2 ? 0 : book[a] ?? value));
    return { values, sure: new Float32Array(kAddresses * 3).fill(1), truth: kFakeModel.task.defaults.map((value, a) => book[a] ?? value),
      written: Uint8Array.from(kFakeModel.task.defaults, (_, a) => Number(a in book)) };
  }
  async state(id) {
    const { rows, book, phases } = this.at(id);
    return new TextEncoder().encode(JSON.stringify({ rows, book, phases: [...phases] }));
  }
  async restore(model, bytes) {
    const { rows, book, phases } = JSON.parse(new TextDecoder().decode(bytes));
    return this.make({ ...fresh(), rows, book, phases: Float64Array.from(phases) });
  }
  async inside(id) {
    const { rows, phases } = this.at(id);
    const size = kSlots * kWidth;
    return { tokens: rows, commits: 0, layers: Array.from({ length: kLayers }, (_, layer) => ({ read: null, write: null, parts: [
      { name: "phase", phase: true, rows: kSlots, columns: kWidth, increment: null,
        values: Float32Array.from(phases.slice(layer * size, (layer + 1) * size)) }] })) };
  }
  async zero(id, layer) {
    const { phases } = this.at(id), size = kSlots * kWidth;
    phases.fill(0, layer < 0 ? 0 : layer * size, layer < 0 ? phases.length : (layer + 1) * size);
  }
  async freeze(id, on) { this.at(id).frozen = on; }
  async floor(id, value) { this.at(id).floor = value; }
  async noise(id, radians, seed) { this.at(id).phases.forEach((_, i, all) => { all[i] += radians * Math.cos(seed + i); }); }
}
