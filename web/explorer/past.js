// A past is a list of steps and a place in it. A place {step, offset} says which step was begun last and how many of its rows
// were read; each place has one such name, also when the wait it is in goes on growing.
export const kStart = Object.freeze({ step: -1, offset: 0 });
export const kTouches = new Set(["zero", "freeze", "thaw", "noise", "floor", "drop"]);

export const step_rows = (step) => (step.do === "wait" ? step.rows : step.do === "write" || step.do === "ask" ? 1 : 0);
export const end_of = (steps) => (steps.length ? { step: steps.length - 1, offset: step_rows(steps.at(-1)) } : kStart);
export const order = (a, b) => a.step - b.step || a.offset - b.offset;
export const same_place = (a, b) => order(a, b) === 0;

/// Rows read up to a place.
export function rows_at(steps, place) {
  let rows = place.offset;
  for (let i = 0; i < place.step; ++i) rows += step_rows(steps[i]);
  return rows;
}

/// The place where so many rows were read: behind steps without rows.
export function place_at(steps, rows) {
  let place = kStart, left = rows;
  for (let i = 0; i < steps.length; ++i) {
    const length = step_rows(steps[i]);
    if (length > left) return left > 0 ? { step: i, offset: left } : place;
    left -= length;
    place = { step: i, offset: length };
  }
  return place;
}

/// The steps up to a place; a wait is cut there.
export function steps_until(steps, place) {
  const kept = steps.slice(0, place.step + 1).map((step) => ({ ...step }));
  if (kept.length && kept.at(-1).do === "wait") kept.at(-1).rows = place.offset;
  return kept;
}

/// Rows since the last write before a place; null when nothing was written.
export function delay_at(steps, place) {
  for (let i = place.step; i >= 0; --i) {
    if (steps[i].do === "write") return rows_at(steps, place) - rows_at(steps, { step: i, offset: 1 });
  }
  return null;
}

/// What every address holds by the account, and whether it was written; `first`: what it was at the beginning.
export function account_at(steps, place, first) {
  const truth = [...first];
  for (const step of steps.slice(0, place.step + 1)) {
    if (step.do === "write") truth[step.address] = { value: step.value, written: true };
  }
  return truth;
}

/// What was done to the changed memory at a place: from its last mending on. Null when nothing was.
export function touches_at(steps, place) {
  let touched = null;
  for (let i = 0; i <= place.step; ++i) {
    const step = steps[i];
    if (step.do === "mend") touched = null;
    if (!kTouches.has(step.do)) continue;
    touched ??= { from: i, frozen: false, floor: 0, dropped: new Set() };
    if (step.do === "freeze") touched.frozen = true;
    if (step.do === "thaw") touched.frozen = false;
    if (step.do === "floor") touched.floor = step.value;
    if (step.do === "drop") touched.dropped.add(step.write);
  }
  return touched;
}

/// The step that is the n-th write, counted from 1; -1 when there are fewer.
export function nth_write(steps, n) {
  let count = 0;
  return steps.findIndex((step) => step.do === "write" && ++count === n);
}

/// Which snapshots to keep, at most `most`: the first and the last, and of the others those that leave the smallest holes, measured
/// against how far back they lie. `rows`: where they are, rising.
export function thin(rows, most) {
  const kept = rows.map((_, i) => i);
  while (kept.length > most) {
    const now = rows.at(-1);
    let victim = 1, least = Infinity;
    for (let k = 1; k + 1 < kept.length; ++k) {
      const hole = (rows[kept[k + 1]] - rows[kept[k - 1]]) / (now - rows[kept[k]] + 1);
      if (hole < least) [least, victim] = [hole, k];
    }
    kept.splice(victim, 1);
  }
  return kept;
}

const same_step = (a, b) => Object.keys({ ...a, ...b }).every((key) => a[key] === b[key]);

/// Where two pasts part.
export function common_place(a, b) {
  let i = 0;
  while (i < a.length && i < b.length && same_step(a[i], b[i])) ++i;
  const place = i ? { step: i - 1, offset: step_rows(a[i - 1]) } : kStart;
  if (a[i]?.do !== "wait" || b[i]?.do !== "wait") return place;
  return { step: i, offset: Math.min(a[i].rows, b[i].rows) };
}

/// The steps between a place and the end.
function steps_behind(steps, place) {
  const rest = steps.slice(Math.max(0, place.step)).map((step) => ({ ...step }));
  if (place.step < 0) return rest;
  if (rest[0].do === "wait" && rest[0].rows > place.offset) rest[0].rows -= place.offset;
  else rest.shift();
  return rest;
}

/// All pasts as one list of steps that makes them again: the first one with forks where the others leave it. The past named
/// `last` is the one that is left open.
export function steps_of_pasts(pasts, last) {
  const [first, ...others] = pasts;
  const forks = others.map((past) => ({ past, at: common_place(first.steps, past.steps) })).sort((a, b) => order(a.at, b.at));
  const all = [];
  let place = kStart;
  for (const { past, at } of forks) {
    all.push(...steps_behind(steps_until(first.steps, at), place), { do: "fork", name: past.name });
    place = at;
  }
  all.push(...steps_behind(first.steps, place));
  for (const { past, at } of forks) all.push({ do: "switch", name: past.name }, ...steps_behind(past.steps, at));
  if (forks.length && forks.at(-1).past.name !== last) all.push({ do: "switch", name: last });
  return all;
}
