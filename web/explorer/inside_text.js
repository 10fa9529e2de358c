// What a number inside is called: in the paper, and in the code.
import { fixed } from "../src/format.js";
import { commit_text } from "./commit_text.js";
import { largest, slot_turns, strongest } from "./measure.js";

/// From here on a slot holds something: kHeldTurn in src/stream/state_view.h.
export const kHeldTurn = 0.005;

const phase_views = ({ state, increment }) => ({
  state: { label: "S", title: "S, what this memory has been told", equation: state, place: "commit, equation 3", code: "commit_phases" },
  bank: { label: "E + S", title: "E + S, what a read sees: learned phases, turned by S", equation: "R = P_r V(E + S)", place: "read, equation 1", code: "read_rows" },
  increment: { label: "Last commit", title: "ΔS, what the last commit added", equation: increment, place: "commit, equation 3", code: "commit_phases" },
  pending: { label: "Waiting", title: "ΔS so far, what the next commit will add", equation: increment, place: "write, equation 2", code: "write_rows" },
  difference: { label: "Difference", title: "S here less S of the memory beside it", equation: "S − S′", place: "beside", code: "" },
});
const kMatrixViews = {
  state: { label: "State", title: "the recurrent state, head by head", equation: "", place: "recurrent state", code: "" },
  difference: { label: "Difference", title: "the state here less that of the memory beside it", equation: "", place: "beside", code: "" },
};

/// What can be drawn of a model's layers, each by its name in the page.
export const views_of = (model) => (model.has_phases ? phase_views(commit_text(model)) : kMatrixViews);

export const radians = (value) => {
  const size = Math.abs(value);
  if (size < 1e-12) return "0";  // what rounding leaves of a difference
  return size >= 0.001 ? fixed(value, 4) : value.toExponential(1).replaceAll("-", "−");
};

const named = (slots) => (slots.length === 1 ? `slot ${slots[0][0]}` : `slots ${slots.map(([slot]) => slot).join(", ")}`);
const kTurned = { increment: "turned by the last commit", pending: "waiting to turn", difference: "turned otherwise" };

/// One sentence on the slots of a layer of phases that stand out. `view`: what the numbers are.
export function held_text(part, view = "state") {
  const turns = slot_turns(part);
  const deepest = largest(turns);
  const held = strongest(turns, kHeldTurn, part.rows);
  const turned = kTurned[view] ?? "turned";
  if (!held.length) return deepest < 1e-12 ? `no slot is ${turned}` : `no slot is ${turned} by as much as ${kHeldTurn} rad; the most is ${radians(deepest)} rad`;
  const shown = held.slice(0, 6);
  const more = held.length > shown.length ? ` and ${held.length - shown.length} more` : "";
  return `${named(shown)}${more} ${held.length === 1 ? "is" : "are"} ${turned}, by up to ${radians(deepest)} rad`;
}
