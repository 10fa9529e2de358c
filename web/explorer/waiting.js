// Time that passes: waiting in slices short enough for every frame, and a past that is played again step by step.
import { end_of, rows_at } from "./past.js";

const kSliceTime = 16;              // milliseconds of waiting that are asked for at once
export const kShortestSlice = 640;  // rows of it, at least
const kLongestSlice = 16384;        // and at most
const kPictureEvery = 15;           // milliseconds between two pictures while waiting
const kAnswersEvery = 120;          // milliseconds between two rounds of questions while waiting
const kStepPause = 140;             // milliseconds a step stays to be seen when a past is played again

const pause = (time) => new Promise((done) => { setTimeout(done, time); });

/// Lets questions pass, `pace` of them a second; pictures are taken meanwhile. A stop of the session ends it.
export async function wait_on(session, rows, pace = Infinity) {
  const from = session.steps.at(-1)?.do === "wait" ? session.steps.at(-1).rows : 0;
  if (!from) session.steps.push({ do: "wait", rows: 0 });
  const step = session.steps.at(-1);
  const began = performance.now();
  let answered = began, pictured = began, looking = null, failure = null;
  session.waiting = true;
  for (let done = 0; done < rows && !session.stopping;) {
    const due = pace === Infinity ? rows : Math.ceil((performance.now() - began) * pace / 1000);
    if (due <= done) { await pause(4); continue; }
    const before = performance.now();
    const count = Math.min(session.slice, rows - done, due - done);
    step.rows += count;
    for (const lane of session.past.lanes) await lane.advance(session.steps, end_of(session.steps));
    done += count;
    session.past.cursor = end_of(session.steps);
    const now = performance.now();
    if (count === session.slice) session.slice = Math.round(Math.min(kLongestSlice, Math.max(kShortestSlice, session.slice * Math.min(2, kSliceTime / Math.max(1, now - before)))));
    Object.assign(session.busy ?? {}, { done, of: rows, rate: done / Math.max(1e-3, (now - began) / 1000) });
    if (looking || now - pictured < kPictureEvery) continue;
    // Pictures are asked for beside the waiting, which does not stand still for them.
    const answers = now - answered > kAnswersEvery;
    pictured = now;
    if (answers) answered = now;
    looking = session.look({ answers }).catch((error) => { failure = error; session.stopping = true; }).finally(() => { looking = null; });
  }
  session.waiting = false;
  await looking;
  if (failure) throw failure;
  if (step.rows === 0) session.steps.pop();
  // Where a wait ends curves have a point too, so that they tell what the answers beside them tell.
  else if (session.delay) await Promise.all(session.past.lanes.filter((lane) => lane.marks.length).map((lane) => lane.marks.at(-1).delay < session.delay && lane.mark(session.steps, true)));
  ++session.version;
}

/// Goes along the next step of a past, or a frame's worth of a wait.
export async function replay_one(session, pace) {
  const { step, offset } = session.cursor;
  const now = session.steps[step];
  const inside = now?.do === "wait" && offset < now.rows;
  const index = inside ? step : step + 1;
  const length = session.steps[index].do === "wait" ? session.steps[index].rows : null;
  const count = length === null ? 0 : Math.min(length - (inside ? offset : 0), pace === Infinity ? 2000 : Math.max(1, Math.round(pace / 60)));
  const target = length === null ? { step: index, offset: rows_at(session.steps, { step: index + 1, offset: 0 }) - rows_at(session.steps, { step: index, offset: 0 }) }
    : { step: index, offset: (inside ? offset : 0) + count };
  await session.go(target);
  await session.look({ answers: length === null || session.rows % 5 === 0 });
  if (length === null) await pause(kStepPause);
  else if (pace !== Infinity) await pause(16);
}
