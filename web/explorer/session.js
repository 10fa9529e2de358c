// What goes on in the page: pasts, the lanes on them, and one job at a time. Views listen and draw; they change nothing themselves.
import { Lane } from "./lane.js";
import { find_flip } from "./flip.js";
import { account_at, delay_at, end_of, kStart, kTouches, nth_write, rows_at, same_place, steps_of_pasts, steps_until, touches_at } from "./past.js";
import { kShortestSlice, replay_one, wait_on } from "./waiting.js";

const kLooks = new Set(["ask all", "inside", "help", "save"]);  // words that leave the memory as it is
const count_writes = (steps) => { const count = steps.filter((step) => step.do === "write").length; return count === 1 ? "there is one" : `there are ${count || "none"}`; };

export class Session {
  /// `models`: what the engine said of those it loaded.
  constructor(engine, models, seed = 1) {
    Object.assign(this, { engine, models, seed, running: [0], shown: 0, job: Promise.resolve(), stopping: false, busy: null, listeners: [] });
    this.pasts = [];
    this.slice = kShortestSlice;
    this.waiting = false;
    this.chosen = null;   // the token whose weights are shown: null, {ask: a} or {write: a, value: v}
    this.beside = null;   // name of the past that is compared with
    this.origin = null;   // the state file that everything began with
    this.version = 0;     // grows with everything that a link would carry
  }

  async start() {
    this.pasts = [await this.new_past("main")];
    this.past = this.pasts[0];
    await this.look();
  }

  on(listener) { this.listeners.push(listener); }
  tell(what) { this.listeners.forEach((one) => one(what)); }

  // ---- what views read
  get model() { return this.models[this.shown]; }
  get steps() { return this.past.steps; }
  get cursor() { return this.past.cursor; }
  get at_end() { return same_place(this.cursor, end_of(this.steps)); }
  get rows() { return (this.origin?.rows ?? 0) + rows_at(this.steps, this.cursor); }
  get delay() { return delay_at(this.steps, this.cursor); }
  get touches() { return touches_at(this.steps, this.cursor); }
  get truth() { return account_at(this.steps, this.cursor, this.first_account); }
  get first_account() { return this.origin?.account ?? [...this.model.task.defaults].map((value) => ({ value, written: false })); }
  lane(model = this.shown, touched = false, past = this.past) {
    return past.lanes.find((one) => one.model === this.models[model] && one.touched === touched);
  }
  /// The memory that is drawn beside the one looked at: the changed one, or that of another past.
  get other() {
    if (this.beside) return this.lane(this.shown, false, this.pasts.find((one) => one.name === this.beside));
    return this.lane(this.shown, true);
  }
  script() { return steps_of_pasts(this.pasts, this.past.name); }

  // ---- one job at a time; a second one ends the waiting of the first
  run(what, job) {
    this.stopping = true;
    const next = this.job.then(async () => {
      this.stopping = false;
      this.busy = { what, done: 0, of: 0, rate: 0 };
      this.tell("busy");
      try {
        return await job();
      } finally {
        this.busy = null;
        this.tell("busy");
      }
    });
    this.job = next.catch(() => {});
    return next;
  }

  stop() { this.stopping = true; }

  async new_past(name) {
    const past = { name, steps: [], cursor: kStart, lanes: [] };
    for (const i of this.running) {
      const lane = new Lane(this.engine, this.models[i], this.seed, null, this.origin);
      await lane.open();
      past.lanes.push(lane);
    }
    return past;
  }

  // ---- doing things
  do_step(step) { return this.run(step.do, async () => { await this.perform(step); await this.look(); }); }

  /// Steps one after the other; `each(step)` is told of every one, and a stop ends the script between two.
  do_steps(steps, each = () => {}) {
    return this.run("script", () => this.perform_all(steps, each));
  }

  async perform_all(steps, each) {
    for (const step of steps) {
      if (this.stopping) break;
      await this.perform(step);
      if (steps.length < 40 || step.do === "ask all") await this.look();
      await each(step);
    }
    await this.look();
  }

  async perform(step) {
    if (kLooks.has(step.do)) return;
    if (step.do === "reset") return this.begin_again();
    if (step.do === "fork") return this.split(step.name);
    if (step.do === "switch") return this.turn_to(step.name);
    await this.leave_the_past();
    if (step.do === "wait") return this.wait(step.rows);
    if (step.do === "mend" && !this.touches) return;
    if (step.do === "drop" && nth_write(this.steps, step.write) < 0) throw new Error(`There is no write ${step.write} to leave out; ${count_writes(this.steps)} so far.`);
    if (kTouches.has(step.do)) await this.touch_lanes();
    this.steps.push({ ...step });
    for (const lane of this.past.lanes) await lane.advance(this.steps, end_of(this.steps));
    this.past.cursor = end_of(this.steps);
    if (step.do === "mend") await this.untouch();
    ++this.version;
  }

  wait(rows, pace) { return wait_on(this, rows, pace); }

  /// Waits on and on at `pace` rows a second; in the past it first goes along the steps that are there.
  play(pace) {
    return this.run("play", async () => {
      while (!this.at_end && !this.stopping) await replay_one(this, pace);
      if (!this.stopping) await this.wait(Number.MAX_SAFE_INTEGER, pace);
      await this.look();
    });
  }

  /// Moves every lane of this past to a place.
  async go(place) {
    const had = this.touches, has = touches_at(this.steps, place);
    if (!had !== !has || (had && had.from !== has.from)) {
      await this.untouch();
      for (const lane of this.past.lanes) await lane.seek(this.steps, place);
      if (has) await this.touch_lanes(place);
    } else {
      for (const lane of this.past.lanes) await lane.seek(this.steps, place, { stop: () => false });
    }
    this.past.cursor = place;
  }

  seek(place) { return this.run("seek", async () => { await this.go(place); await this.look(); }); }

  // ---- pasts
  /// Doing something in the past makes a second past of it; what came after stays with the first.
  async leave_the_past() {
    if (this.at_end) return;
    const name = this.free_name();
    await this.split(name);
    await this.turn_to(name);
    this.tell({ forked: name });
  }

  free_name() {
    for (let i = 2; ; ++i) if (!this.pasts.some((one) => one.name === `past-${i}`)) return `past-${i}`;
  }

  async split(wanted) {
    const name = wanted || this.free_name();
    if (this.pasts.some((one) => one.name === name)) throw new Error(`There is a past named ${name} already; switch ${name} goes on with it.`);
    if (this.pasts.length >= 6) throw new Error("There are six pasts already, which is as many as fit; reset ends this one.");
    const lanes = [];
    for (const lane of this.past.lanes.filter((one) => !one.touched)) lanes.push(await lane.fork());
    const steps = steps_until(this.steps, this.cursor);
    const past = { name, steps, cursor: end_of(steps), lanes };
    this.pasts.push(past);
    for (const lane of this.past.lanes.filter((one) => one.touched)) {
      lanes.push(await lane.fork(lanes.find((one) => one.model === lane.model)));
    }
    ++this.version;
  }

  async turn_to(name) {
    const past = this.pasts.find((one) => one.name === name);
    if (!past) throw new Error(`There is no past named ${name}; there are ${this.pasts.map((one) => one.name).join(", ")}.`);
    const left = this.past.name;
    this.past = past;
    this.beside = this.pasts.length > 1 && left !== name ? left : this.beside === name ? null : this.beside;
    await this.match_models();
    ++this.version;
  }

  fork_here(name) { return this.run("fork", async () => { const fresh = name || this.free_name(); await this.split(fresh); await this.turn_to(fresh); await this.look(); }); }
  switch_to(name) { return this.run("switch", async () => { await this.turn_to(name); await this.look(); }); }
  compare_with(name) { return this.run("compare", async () => { this.beside = name || null; await this.match_models(); await this.look(); }); }

  async begin_again() {
    for (const lane of this.past.lanes) await lane.close();
    const fresh = await this.new_past(this.past.name);
    Object.assign(this.past, fresh);
    ++this.version;
  }

  /// Everything new: one empty past.
  begin() { return this.run("reset", () => this.empty()); }

  async empty(origin = null) {
    for (const past of this.pasts) for (const lane of past.lanes) await lane.close();
    this.beside = this.chosen = null;
    this.origin = origin;
    await this.start();
    ++this.version;
  }

  /// What brings everything back that is here now; null when nothing is.
  kept() {
    if (!this.origin && this.pasts.every((past) => !past.steps.length)) return null;
    return { steps: this.script(), origin: this.origin, running: this.running, shown: this.shown, seed: this.seed };
  }

  bring_back({ steps, origin, ...more }) {
    return this.run("script", async () => {
      Object.assign(this, more);
      await this.empty(origin);
      await this.perform_all(steps, () => {});
    });
  }

  /// The past that is compared with waits until it has as many rows as this one.
  bring_level() {
    return this.run("script", async () => {
      const here = this.past.name, { rows } = this;
      await this.turn_to(this.beside);
      await this.go(end_of(this.steps));
      if (this.rows < rows) await this.wait(rows - this.rows);
      await this.turn_to(here);
      await this.look();
    });
  }

  /// One episode of a scenario of the task, in an empty memory; every time another one.
  do_scenario(name, delay, each) {
    return this.run("scenario", async () => {
      const { steps } = await this.engine.scenario(this.model.model, name, this.seed++, delay);
      await this.empty();
      await this.perform_all(steps, each);
    });
  }

  // ---- the changed memory
  async touch_lanes(place = null) {
    for (const lane of this.past.lanes.filter((one) => !one.touched)) {
      if (this.past.lanes.some((one) => one.touched && one.model === lane.model)) continue;
      const twin = await lane.fork(lane);
      twin.snapshots = [];
      this.past.lanes.push(twin);
      if (!place) continue;
      twin.place = { step: Infinity, offset: 0 };  // whatever it is, it is not there yet
      await twin.seek(this.steps, place);
    }
    if (!place) this.beside = null;
  }

  async untouch() {
    for (const lane of this.past.lanes.filter((one) => one.touched)) await lane.close();
    this.past.lanes = this.past.lanes.filter((one) => !one.touched);
  }

  // ---- models
  set_models(running, shown = running[0]) {
    return this.run("models", async () => {
      if (this.origin && running.some((i) => i !== this.shown)) throw new Error("A state file belongs to one model; begin anew to run others beside it.");
      this.running = running;
      this.shown = running.includes(shown) ? shown : running[0];
      await this.match_models();
      ++this.version;
      await this.look();
    });
  }

  /// Lanes for exactly the models that run, on the past looked at and the one beside it.
  async match_models() {
    for (const past of this.pasts.filter((one) => one === this.past || one.name === this.beside)) {
      for (const lane of past.lanes.filter((one) => !this.running.some((i) => this.models[i] === one.model))) await lane.close();
      past.lanes = past.lanes.filter((one) => one.id !== null);
      for (const i of this.running) {
        if (past.lanes.some((one) => one.model === this.models[i])) continue;
        const lane = new Lane(this.engine, this.models[i], this.seed, null, this.origin);
        await lane.open();
        past.lanes.push(lane);
        const rows = rows_at(past.steps, past.cursor);
        await lane.advance(past.steps, past.cursor, { stop: () => {
          Object.assign(this.busy ?? {}, { what: "catch up", done: rows_at(past.steps, lane.place), of: rows });
          this.tell("progress");
          return false;
        } });
        if (touches_at(past.steps, past.cursor) && past === this.past) await this.touch_lanes(past.cursor);
      }
    }
  }

  // ---- looking
  /// Asks what is to be drawn. `answers`: also what every address is taken to hold; a lane gets both at once or neither, since a
  /// view may draw at any moment.
  async look({ answers = true } = {}) {
    const seen = [this.lane(), this.other].filter(Boolean);
    const looked = answers ? [...new Set([...this.past.lanes, ...seen])] : seen;
    await Promise.all(looked.map(async (lane) => {
      const [believed, inside] = await Promise.all([answers ? this.engine.askAll(lane.id) : lane.believed, this.engine.inside(lane.id)]);
      Object.assign(lane, { believed, inside });
    }));
    if (answers) await this.weigh();
    this.tell(answers ? "all" : "progress");
  }

  /// The read and write weights of the chosen token: of the last one, or of one that a copy reads.
  async weigh() {
    const lane = this.lane();
    if (!this.chosen) {
      lane.weights = lane.inside.layers.map((layer) => ({ read: layer.read, write: layer.write }));
      return;
    }
    const copy = await this.engine.fork(lane.id);
    try {
      if ("write" in this.chosen) await this.engine.write(copy, this.chosen.write, this.chosen.value);
      else await this.engine.ask(copy, this.chosen.ask);
      lane.weights = (await this.engine.inside(copy)).layers.map((layer) => ({ read: layer.read, write: layer.write }));
    } finally {
      await this.engine.free(copy);
    }
  }

  /// Looking elsewhere does not end a wait: its next picture is of what was chosen.
  async choose(token) {
    this.chosen = token;
    if (!this.waiting) await this.run("look", async () => { await this.weigh(); this.tell("all"); });
  }
  async show(model) {
    this.shown = model;
    ++this.version;
    if (!this.waiting) await this.run("look", () => this.look());
  }
  set_seed(seed) { this.seed = seed; ++this.version; this.tell("all"); }

  jump_to_flip() {
    return this.run("seek", async () => {
      if (await find_flip(this)) await this.look();
    });
  }

  // ---- files
  state_bytes() { return this.engine.state(this.lane().id); }

  /// Goes on from a state file of the model looked at, or of another in the page: everything begins with what the file holds.
  load_state(bytes, name) {
    return this.run("load", async () => {
      const { id, model } = await this.restored(bytes, name);
      const { truth, written } = await this.engine.askAll(id);
      const { tokens } = await this.engine.inside(id);
      await this.engine.free(id);
      this.shown = model;
      this.running = [model];
      await this.empty({ name, bytes, rows: tokens, account: [...truth].map((value, a) => ({ value, written: Boolean(written[a]) })) });
    });
  }

  async restored(bytes, name) {
    const order = [this.shown, ...this.models.map((_, i) => i).filter((i) => i !== this.shown)];
    let refusal = null;
    for (const model of order) {
      try {
        return { id: await this.engine.restore(this.models[model].model, bytes), model };
      } catch (error) {
        refusal ??= error;
      }
    }
    throw new Error(`${name} is no state of a model in this page: ${refusal.message}`);
  }
}
