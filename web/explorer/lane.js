// One memory of one model on one past: it is moved along the steps, leaves snapshots behind to come back to, and keeps the
// points of its curves. The changed memory of a past is a second lane, which does what the untouched one leaves out.
import { memory_of } from "./reading.js";
import { layer_depth, layer_drift, next_mark, slot_turns } from "./measure.js";
import { account_at, delay_at, kStart, kTouches, nth_write, order, rows_at, same_place, step_rows, thin, touches_at } from "./past.js";

const kMostSnapshots = 40;
const kLongestSlice = 16384;  // rows between two looks at whether to stop

export class Lane {
  /// `base`: of a changed memory, the untouched lane beside it.
  /// `origin`: the state file it begins with, instead of an empty memory.
  constructor(engine, model, seed, base = null, origin = null) {
    Object.assign(this, { engine, model, seed, base, origin, id: null, place: kStart, snapshots: [], marks: [], notes: new Map(), reference: null, commits_before: 0 });
  }

  get touched() { return this.base !== null; }

  async open() {
    this.id = this.origin ? await this.engine.restore(this.model.model, this.origin.bytes) : await this.engine.memory(this.model.model);
    this.place = kStart;
  }

  async close() {
    if (this.id !== null) await this.engine.free(this.id);
    this.id = null;
  }

  /// A second lane with the same past up to where this one is.
  async fork(base = this.base) {
    const other = new Lane(this.engine, this.model, this.seed, base, this.origin);
    other.id = await this.engine.fork(this.id);
    other.place = this.place;
    other.commits_before = this.commits_before;
    other.snapshots = this.snapshots.filter((one) => order(one.place, this.place) <= 0);
    other.marks = this.marks.filter((one) => order(one.place, this.place) <= 0);
    other.notes = new Map([...this.notes].filter(([step]) => step <= this.place.step));
    other.reference = this.reference;
    return other;
  }

  /// Moves forward to `target`. `record`: leaves snapshots and points of curves. `stop()`: true ends it early.
  /// `from`: the first of the touches that count, when a later one is under way.
  async advance(steps, target, { record = true, stop = () => false, from } = {}) {
    if (this.touched) this.from = from ?? touches_at(steps, target)?.from ?? Infinity;  // what was mended since is not done again
    while (order(this.place, target) < 0 && !stop()) {
      const step = steps[this.place.step];
      const waiting = step?.do === "wait" && this.place.offset < step.rows && (this.place.step < target.step || this.place.offset < target.offset);
      if (waiting) await this.wait_on(steps, target, record);
      else await this.begin(steps, this.place.step + 1, target, record);
    }
  }

  async wait_on(steps, target, record) {
    const { step, offset } = this.place;
    const until = target.step === step ? target.offset : steps[step].rows;
    const delay = delay_at(steps, this.place);
    const to_mark = delay === null ? Infinity : next_mark(delay) - delay;
    const rows = Math.min(until - offset, to_mark, kLongestSlice);
    await this.engine.wait(this.id, rows);
    this.place = { step, offset: offset + rows };
    if (!record) return;
    await Promise.all([rows === to_mark && this.mark(steps), (rows === to_mark || offset + rows === steps[step].rows) && this.keep(steps)]);
  }

  async begin(steps, index, target, record) {
    const step = steps[index];
    if (step.do === "wait") {
      this.place = { step: index, offset: 0 };
      if (step.rows > 0) await this.wait_on(steps, target, record);
      return;
    }
    if (step.do === "write" && record && !this.touched && this.model.has_phases) await this.note_write(step, index);
    await this.apply(steps, step, index);
    this.place = { step: index, offset: step_rows(step) };
    if (!record) return;
    if (step.do === "write") this.forget_marks();
    else if (step_rows(step) && next_mark(delay_at(steps, this.place) - 1) === delay_at(steps, this.place)) await this.mark(steps);
    await this.keep(steps);
  }

  forget_marks() {
    this.marks = [];
    this.reference = null;
  }

  async apply(steps, step, index) {
    if (step.do === "write") {
      if (!this.is_dropped(steps, index)) await this.engine.write(this.id, step.address, step.value);
    } else if (step.do === "ask") {
      const { value, sure } = await this.engine.ask(this.id, step.address);
      this.answer = { address: step.address, value, confidence: [...(sure ?? [])].reduce((a, b) => a * b, 1) };
    } else if (this.touched && kTouches.has(step.do) && index >= this.from) {
      await this.touch(steps, step, index);
    }
  }

  is_dropped(steps, index) {
    if (!this.touched || !this.dropped?.size) return false;
    return [...this.dropped].some((n) => nth_write(steps, n) === index);
  }

  async touch(steps, step, index) {
    switch (step.do) {
      case "zero": return this.engine.zero(this.id, step.layer);
      case "freeze": return this.engine.freeze(this.id, true);
      case "thaw": return this.engine.freeze(this.id, false);
      case "noise": return this.engine.noise(this.id, step.radians, this.seed + index);
      case "floor": return this.engine.floor(this.id, step.value);
      default: return this.leave_out(steps, step.write, index);
    }
  }

  /// Goes back behind the write that is to be left out and comes forward again without it.
  async leave_out(steps, write, index) {
    const at = nth_write(steps, write);
    if (at < 0 || at >= index) return;
    this.dropped = new Set([...(this.dropped ?? []), write]);
    const first = Math.min(...[...this.dropped].map((n) => nth_write(steps, n)));
    this.snapshots = [];
    await this.restore(this.base.nearest({ step: first - 1, offset: Infinity }));
    await this.advance(steps, { step: index - 1, offset: step_rows(steps[index - 1]) }, { record: false, from: this.from });
  }

  /// The last snapshot up to a place, or null for an empty memory.
  nearest(place) {
    const own = this.snapshots.findLast((one) => order(one.place, place) <= 0);
    if (own || !this.base) return own ?? null;
    return this.base.nearest(place);
  }

  async restore(snapshot) {
    await this.close();
    if (snapshot) this.id = await this.engine.restore(this.model.model, snapshot.bytes);
    else await this.open();
    this.place = snapshot ? snapshot.place : kStart;
    this.commits_before = snapshot?.commits ?? 0;
  }

  /// Commits since the beginning; the engine counts those since a state was set.
  get commits() { return this.commits_before + (this.inside?.commits ?? 0); }

  /// Goes to any place, back or forth.
  async seek(steps, place, options = {}) {
    if (same_place(place, this.place)) return;
    const touches = this.touched ? touches_at(steps, place) : null;
    const near = touches && !this.snapshots.some((one) => order(one.place, place) <= 0)
      ? this.base.nearest(order(place, { step: touches.from - 1, offset: Infinity }) < 0 ? place : { step: touches.from - 1, offset: Infinity })
      : this.nearest(place);
    const from = near ? near.place : kStart;
    if (order(place, this.place) < 0 || order(this.place, from) < 0) {
      await this.restore(near);
      if (this.touched) {
        const here = touches_at(steps, this.place);
        this.dropped = here?.dropped;
        if (here?.frozen) await this.engine.freeze(this.id, true);
        if (here?.floor) await this.engine.floor(this.id, here.floor);
      }
    }
    await this.advance(steps, place, { record: false, ...options });
  }

  async keep(steps) {
    const { place } = this;
    const [bytes, { commits }] = await Promise.all([this.engine.state(this.id), this.engine.inside(this.id)]);
    this.snapshots = this.snapshots.filter((one) => order(one.place, place) < 0);
    this.snapshots.push({ place, bytes, commits: this.commits_before + commits });
    if (this.snapshots.length <= kMostSnapshots) return;
    const kept = thin(this.snapshots.map((one) => rows_at(steps, one.place)), kMostSnapshots);
    this.snapshots = kept.map((i) => this.snapshots[i]);
  }

  /// One point of the curves: what is answered wrongly, how deep each layer's memory is and how far it has drifted. A loose one
  /// is where a wait happened to end; the next point takes its place.
  async mark(steps, loose = false) {
    const { place } = this;
    const [{ values }, inside] = await Promise.all([this.engine.askAll(this.id), this.engine.inside(this.id)]);
    const parts = inside.layers.map(memory_of);
    this.reference ??= parts.map((part) => part.values);
    const truth = account_at(steps, this.place, this.origin?.account ?? [...this.model.task.defaults].map((value) => ({ value })));
    const drift = parts.map((part, i) => layer_drift(part, this.reference[i]));
    const depth = parts.map(layer_depth);
    const wrong = truth.flatMap(({ value }, address) => (values[address] === value ? [] : [address]));
    this.marks = this.marks.filter((one) => !one.loose && order(one.place, this.place) < 0);
    this.marks.push({ loose, place, delay: delay_at(steps, place), rows: rows_at(steps, place), wrong, values, drift, depth });
  }

  /// Which slots this one write turns, and how far: two copies go on, one with the write and one without it, up to a commit.
  async note_write(step, index) {
    const after = async (written) => {
      const copy = await this.engine.fork(this.id);
      try {
        if (written) await this.engine.write(copy, step.address, step.value);
        await this.engine.ask(copy, step.address);
        return (await this.engine.inside(copy)).layers.map(memory_of);
      } finally {
        await this.engine.free(copy);
      }
    };
    const without = await after(false), having = await after(true);
    this.notes.set(index, having.map((part, i) => slot_turns(part, without[i].values)));
  }
}
