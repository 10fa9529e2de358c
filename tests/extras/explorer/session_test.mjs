import assert from "node:assert/strict";
import { test } from "node:test";
import { common_place, end_of, place_at, rows_at, steps_of_pasts, steps_until, thin } from "../../../web/explorer/past.js";
import { layer_drift } from "../../../web/explorer/measure.js";
import { parse_script, print_script } from "../../../web/explorer/script.js";
import { reading } from "../../../web/explorer/reading.js";
import { Session } from "../../../web/explorer/session.js";
import { FakeEngine, kFakeModel } from "./fake_engine.mjs";

const task = { addresses: 8, values: 8, layers: 3 };
const steps_of = (text) => parse_script(text, task);

async function session_of(text = "") {
  const engine = reading(new FakeEngine());
  const session = new Session(engine, [kFakeModel, { ...kFakeModel, model: 1, title: "Second" }]);
  await session.start();
  if (text) await session.do_steps(steps_of(text));
  return { engine, session };
}

const bytes_of = async (session, lane = session.lane()) => new TextDecoder().decode(await session.engine.state(lane.id));

test("places count rows, and a wait may be cut", () => {
  const steps = steps_of("write 5 3; wait 96; ask 5");
  assert.equal(rows_at(steps, end_of(steps)), 98);
  assert.deepEqual(place_at(steps, 50), { step: 1, offset: 49 });
  assert.deepEqual(steps_until(steps, { step: 1, offset: 49 }), [{ do: "write", address: 5, value: 3 }, { do: "wait", rows: 49 }]);
  assert.deepEqual(common_place(steps, steps_of("write 5 3; wait 10; write 1 1")), { step: 1, offset: 10 });
});

test("snapshots are thinned to a limit that keeps both ends", () => {
  const rows = Array.from({ length: 100 }, (_, i) => i * i);
  const kept = thin(rows, 20);
  assert.equal(kept.length, 20);
  assert.equal(kept[0], 0);
  assert.equal(kept.at(-1), 99);
});

test("going back and forth gives the same bits, inside a wait too", async () => {
  const { session } = await session_of("write 5 3; wait 500; ask 5; wait 700; write 2 6; wait 33");
  const before = await bytes_of(session);
  const end = session.cursor;
  const { session: fresh } = await session_of("write 5 3; wait 123");
  await session.seek({ step: 1, offset: 123 });
  assert.equal(await bytes_of(session), await bytes_of(fresh));
  await session.seek(end);
  assert.equal(await bytes_of(session), before);
});

test("waits that follow each other are one wait", async () => {
  const { session } = await session_of("write 5 3; wait 5; wait 7");
  assert.equal(print_script(session.steps), "write 5 3; wait 12");
});

test("acting in the past makes a second past and loses nothing", async () => {
  const { session } = await session_of("write 5 3; wait 100; write 1 1");
  await session.seek({ step: 1, offset: 40 });
  await session.do_step({ do: "write", address: 2, value: 2 });
  assert.deepEqual(session.pasts.map((one) => print_script(one.steps)), ["write 5 3; wait 100; write 1 1", "write 5 3; wait 40; write 2 2"]);
  assert.equal(session.beside, "main");
  const script = print_script(session.script());
  assert.equal(script, "write 5 3; wait 40; fork past-2; wait 60; write 1 1; switch past-2; write 2 2");
  const { session: again } = await session_of(script);
  assert.equal(await bytes_of(again), await bytes_of(session));
  assert.equal(print_script(again.script()), script);
});

test("the changed memory is beside the untouched one, which stays as it is", async () => {
  const text = "write 5 3; wait 50";
  const { session } = await session_of(`${text}; zero; wait 20`);
  const { session: untouched } = await session_of("write 5 3; wait 70");
  assert.equal(await bytes_of(session), await bytes_of(untouched));
  assert.notEqual(await bytes_of(session, session.lane(0, true)), await bytes_of(session));
  await session.do_step({ do: "mend" });
  assert.equal(session.lane(0, true), undefined);
  assert.equal(session.touches, null);
});

test("what is not there cannot be left out, and words that only look leave no step", async () => {
  const { session } = await session_of("write 5 3; ask all; help; inside");
  await assert.rejects(session.do_step({ do: "drop", write: 9 }), /no write 9 to leave out; there is one so far/);
  assert.equal(print_script(session.steps), "write 5 3");
  assert.equal(session.lane(0, true), undefined);
});

test("matrices differ from nothing by all they are", () => {
  const matrix = (values) => ({ phase: false, rows: 1, columns: 2, values });
  assert.equal(layer_drift(matrix([3, 4]), [0, 0]), 1);
  assert.equal(layer_drift(matrix([0, 0]), [3, 4]), 1);
  assert.equal(layer_drift(matrix([0, 0]), [0, 0]), 0);
});

test("a curve ends where its wait ends, and goes on from there without a kink", async () => {
  const { session } = await session_of("write 5 3; wait 1000");
  assert.equal(session.lane().marks.at(-1).delay, 1000);
  await session.do_step({ do: "wait", rows: 1000 });
  const delays = session.lane().marks.map((one) => one.delay);
  assert.equal(delays.at(-1), 2000);
  assert.ok(!delays.includes(1000));
});

test("a dropped write was never there", async () => {
  const { session } = await session_of("write 5 3; write 2 6; wait 50; drop 1");
  const { session: without } = await session_of("write 2 6; wait 50");
  assert.equal(await bytes_of(session, session.lane(0, true)), await bytes_of(without));
});

test("what was mended is not done again when a write is left out", async () => {
  const { session } = await session_of("write 5 3; noise 0.1; write 2 6; mend; wait 50; drop 1");
  const { session: without } = await session_of("write 2 6; wait 50");
  assert.equal(await bytes_of(session, session.lane(0, true)), await bytes_of(without));
});

test("going back past a change undoes it, and forth does it again", async () => {
  const { session } = await session_of("write 5 3; wait 50; floor 0.01; noise 0.1; wait 60; write 1 1");
  const changed = await bytes_of(session, session.lane(0, true));
  const end = session.cursor;
  await session.seek({ step: 1, offset: 10 });
  assert.equal(session.lane(0, true), undefined);
  await session.seek(end);
  assert.equal(await bytes_of(session, session.lane(0, true)), changed);
  await session.seek({ step: 4, offset: 30 });
  await session.seek(end);
  assert.equal(await bytes_of(session, session.lane(0, true)), changed);
});

test("a model that comes later has the same past", async () => {
  const { session } = await session_of("write 5 3; wait 50");
  await session.set_models([0, 1]);
  assert.equal(await bytes_of(session, session.lane(1)), await bytes_of(session, session.lane(0)));
  await session.set_models([0]);
  assert.equal(session.lane(1), undefined);
});

test("answers and inside of a memory come together, whichever is slower", async () => {
  const engine = new FakeEngine();
  const { inside } = engine;
  engine.inside = async (id) => { await new Promise((done) => { setTimeout(done, 5); }); return inside.call(engine, id); };
  const session = new Session(reading(engine), [kFakeModel, { ...kFakeModel, model: 1 }]);
  await session.start();
  const joined = session.set_models([0, 1]);
  for (let half = 0; half < 40; ++half) {
    const lane = session.lane(1);
    assert.equal(Boolean(lane?.believed), Boolean(lane?.inside));
    await new Promise((done) => { setTimeout(done, 1); });
  }
  await joined;
  assert.ok(session.lane(1).believed);
});

test("curves begin anew with a write, and the first flip is found to the row", async () => {
  const { session } = await session_of("write 5 3; wait 3000");
  const { marks } = session.lane();
  assert.equal(marks[0].delay, 1);
  assert.ok(marks.at(-1).delay > 2000 && marks.at(-1).drift[0] > 0);
  await session.do_step({ do: "write", address: 1, value: 1 });
  assert.equal(session.lane().marks.length, 0);
});

test("a state file is gone on from, with its account", async () => {
  const { session } = await session_of("write 5 3; wait 50");
  const bytes = await session.state_bytes();
  const { session: other } = await session_of("write 1 1");
  await other.load_state(bytes, "today.state");
  assert.equal(other.truth[5].value, 3);
  assert.ok(other.truth[5].written && !other.truth[1].written);
  assert.equal(other.rows, 51);
  await other.do_step({ do: "wait", rows: 10 });
  await session.do_step({ do: "wait", rows: 10 });
  assert.equal(await bytes_of(other), await bytes_of(session));
  await other.seek({ step: 0, offset: 4 });
  assert.equal(other.rows, 55);
});

test("no memory is left behind", async () => {
  const { engine, session } = await session_of("write 5 3; wait 50; fork b; noise 0.1; drop 1; wait 5; mend; switch b; ask 3; zero");
  await session.seek({ step: 0, offset: 1 });
  await session.begin();
  assert.equal(engine.memories.size, 1);
});

test("a stop ends a wait where it is, and what follows goes on from there", async () => {
  const { session } = await session_of("write 5 3");
  const waiting = session.do_step({ do: "wait", rows: 5_000_000 });
  await new Promise((done) => { setTimeout(done, 60); });
  await session.do_step({ do: "ask", address: 5 });
  await waiting;
  assert.equal(session.steps[1].do, "wait");
  assert.ok(session.steps[1].rows < 5_000_000);
  assert.equal(session.steps[2].do, "ask");
});
