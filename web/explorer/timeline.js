// The time line: writes, questions, waits and commits from the beginning to now. Waits are drawn by their logarithm, so that four
// writes and a hundred thousand rows fit beside each other.
import { whole } from "../src/format.js";
import { tone } from "./palette.js";
import { kStart, order, step_rows } from "./past.js";
import { print_step } from "./script.js";

const kShort = 9;  // what a single row takes, beside log2 of a wait times this
const width_of = (step) => (step.do === "wait" ? kShort * (1 + 1.6 * Math.log2(1 + step.rows)) : kShort * 1.4);

/// Where each step begins and ends on a line of length 1, and back.
export function spread(steps) {
  const widths = steps.map(width_of);
  const total = widths.reduce((a, b) => a + b, 0) || 1;
  const ends = [];
  widths.reduce((sum, one) => { ends.push((sum + one) / total); return sum + one; }, 0);
  const begin = (i) => (i > 0 ? ends[i - 1] : 0);
  return {
    ends, begin,
    at({ step, offset }) {
      if (step < 0) return 0;
      const rows = step_rows(steps[step]);
      if (steps[step].do !== "wait") return ends[step];
      return begin(step) + (ends[step] - begin(step)) * (rows ? Math.log2(1 + offset) / Math.log2(1 + rows) : 1);
    },
    place(share) {
      const step = ends.findIndex((end) => share <= end + 1e-9);
      if (!steps.length || share <= 0) return kStart;
      if (step < 0) return { step: steps.length - 1, offset: step_rows(steps.at(-1)) };
      const rows = step_rows(steps[step]), inner = (share - begin(step)) / (ends[step] - begin(step));
      if (steps[step].do !== "wait") return inner < 0.5 ? (step ? { step: step - 1, offset: step_rows(steps[step - 1]) } : kStart) : { step, offset: rows };
      const offset = Math.min(rows, Math.round(2 ** (inner * Math.log2(1 + rows)) - 1));
      return offset > 0 ? { step, offset } : (step ? { step: step - 1, offset: step_rows(steps[step - 1]) } : kStart);
    },
  };
}

/// Where a step back and a step forward lead: ends of steps, and the powers of two inside a wait.
export function stops(steps) {
  const all = [kStart];
  steps.forEach((step, i) => {
    if (step.do === "wait") for (let rows = 96; rows < step.rows; rows *= 4) all.push({ step: i, offset: rows });
    all.push({ step: i, offset: step_rows(step) });
  });
  return all;
}

export const neighbour = (steps, place, direction) => {
  const all = stops(steps);
  return direction > 0 ? all.find((one) => order(one, place) > 0) ?? all.at(-1) : all.findLast((one) => order(one, place) < 0) ?? kStart;
};

/// What happened last before a place, in words.
export function place_text(steps, place) {
  if (place.step < 0) return "before anything";
  const step = steps[place.step];
  return step.do === "wait" && place.offset < step.rows ? `${whole(place.offset)} rows into ${print_step(step)}` : `after ${print_step(step)}`;
}

export const kPad = 9;  // CSS pixels at both ends of the line

const kMarks = { write: "--model-1", ask: "--model-0" };

/// `chunk`: rows between two commits of a wait, 0 when the model makes none; `flip`: place of the first flip, or null.
export function draw_timeline(canvas, steps, cursor, { chunk, flip }) {
  const ratio = devicePixelRatio || 1;
  const wide = Math.round(canvas.clientWidth * ratio), high = Math.round(canvas.clientHeight * ratio);
  if (!wide) return;
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d");
  const line = spread(steps), pad = kPad * ratio, x = (share) => pad + share * (wide - 2 * pad);
  const middle = high * 0.52;
  context.clearRect(0, 0, wide, high);
  context.fillStyle = tone("--rule");
  context.fillRect(x(0), middle - ratio, x(1) - x(0), 2 * ratio);
  const now = x(line.at(cursor));
  context.fillStyle = tone("--accent");
  context.fillRect(x(0), middle - ratio, now - x(0), 2 * ratio);
  const commit = tone("--muted");
  let reading = true;
  steps.forEach((step, i) => {
    const [from, to] = [x(line.begin(i)), x(line.ends[i])];
    const future = order({ step: i, offset: step_rows(step) }, cursor) > 0;
    context.globalAlpha = future ? 0.45 : 1;
    if (step.do === "wait") {
      if (chunk) draw_commits(context, step, i, { line, x, middle, ratio, chunk, commit });
      context.fillStyle = commit;
      const text = whole(step.rows);
      context.font = `${Math.round(10 * ratio)}px system-ui, sans-serif`;
      context.textAlign = "center";
      if (context.measureText(text).width < to - from - 6 * ratio) context.fillText(text, (from + to) / 2, high - 2 * ratio);
    } else {
      context.fillStyle = tone(kMarks[step.do] ?? "--ink");
      const at = to - 0.5 * (to - from);
      if (step.do === "write") context.fillRect(at - 2 * ratio, middle - 11 * ratio, 4 * ratio, 22 * ratio);
      else if (step.do === "ask") { context.beginPath(); context.arc(at, middle, 3.5 * ratio, 0, 7); context.fill(); }
      else { context.beginPath(); context.moveTo(at, middle - 8 * ratio); context.lineTo(at + 5 * ratio, middle); context.lineTo(at, middle + 8 * ratio); context.lineTo(at - 5 * ratio, middle); context.fill(); }
    }
    // Where reading turns to writing and back, a chunk ends: a commit.
    const writes = step.do === "write", rows = step_rows(step) > 0;
    if (chunk && rows && i && writes === reading) tick(context, from, middle, ratio, commit, 7);
    if (rows) reading = !writes;
  });
  context.globalAlpha = 1;
  if (flip) {
    context.fillStyle = tone("--fails");
    const at = x(line.at(flip));
    context.beginPath();
    context.moveTo(at, middle - 6 * ratio);
    context.lineTo(at + 5 * ratio, middle - 15 * ratio);
    context.lineTo(at - 5 * ratio, middle - 15 * ratio);
    context.fill();
  }
  context.fillStyle = tone("--surface");
  context.strokeStyle = tone("--accent");
  context.lineWidth = 2.5 * ratio;
  context.beginPath();
  context.arc(now, middle, 6.5 * ratio, 0, 7);
  context.fill();
  context.stroke();
}

function tick(context, at, middle, ratio, colour_of, size) {
  context.fillStyle = colour_of;
  context.fillRect(Math.round(at) - ratio / 2, middle - size * ratio, ratio, 2 * size * ratio);
}

function draw_commits(context, step, index, { line, x, middle, ratio, chunk, commit }) {
  let last = -Infinity;
  const first = x(line.begin(index));
  for (let rows = chunk; rows <= step.rows; rows = Math.max(rows + chunk, Math.ceil(rows * 1.02 / chunk) * chunk)) {
    const at = x(line.at({ step: index, offset: rows }));
    if (at - Math.max(last, first) < 3 * ratio) continue;
    tick(context, at, middle, ratio, commit, 4);
    last = at;
  }
}
