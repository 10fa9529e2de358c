// The very row at which the first answer flipped, which lies between two points of the curve.
import { first_flip } from "./measure.js";
import { rows_at } from "./past.js";

/// Halves the rows between the two points and leaves the session at the row; false if nothing has flipped.
export async function find_flip(session) {
  const { marks } = session.lane();
  const at = first_flip(marks);
  if (at < 1) return false;
  const right_at_first = (address) => !marks[0].wrong.includes(address);
  const { step } = marks[at].place;
  const begin = rows_at(session.steps, { step, offset: 0 });
  let low = rows_at(session.steps, marks[at - 1].place), high = rows_at(session.steps, marks[at].place);
  while (high - low > 1 && !session.stopping) {
    const middle = Math.floor((low + high) / 2);
    await session.go({ step, offset: middle - begin });
    const { values } = await session.engine.askAll(session.lane().id);
    if (session.truth.some(({ value }, address) => right_at_first(address) && values[address] !== value)) high = middle;
    else low = middle;
    Object.assign(session.busy, { what: "search", done: 0, of: 0 });
    session.tell("progress");
  }
  await session.go({ step, offset: high - begin });
  return true;
}
