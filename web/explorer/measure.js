// What can be said about a state in numbers: turns from zero, drift from an earlier state, and when to look.

/// The same angle between -pi and pi.
export function turn_of(angle) {
  if (angle >= 0 && angle <= 2 * Math.PI) return angle > Math.PI ? angle - 2 * Math.PI : angle;  // nearly always; a remainder is slow
  const turn = angle % (2 * Math.PI);
  return turn > Math.PI ? turn - 2 * Math.PI : turn <= -Math.PI ? turn + 2 * Math.PI : turn;
}

/// The largest turn of each slot, from zero or from `before`.
export function slot_turns({ rows, columns, values }, before = null) {
  const turns = new Float32Array(rows);
  for (let slot = 0, i = 0; slot < rows; ++slot) {
    let largest = 0;
    for (let c = 0; c < columns; ++c, ++i) {
      const turn = Math.abs(turn_of(before ? values[i] - before[i] : values[i]));
      if (turn > largest) largest = turn;
    }
    turns[slot] = largest;
  }
  return turns;
}

export const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, Math.abs(b)), 0);

/// Where the largest of some numbers is, and which it is.
export function peak(numbers) {
  const most = Math.max(...numbers);
  return [numbers.indexOf(most), most];
}

/// Slots from the most turned down, those alone that are turned by at least `least`: [[slot, turn], ...].
export const strongest = (turns, least, most = 8) =>
  [...turns].map((turn, slot) => [slot, turn]).filter(([, turn]) => turn >= least).sort((a, b) => b[1] - a[1]).slice(0, most);

function norm(values, before) {
  let sum = 0;
  for (let i = 0; i < values.length; ++i) sum += (values[i] - (before ? before[i] : 0)) ** 2;
  return Math.sqrt(sum);
}

/// How deep a layer's memory is, and how far it is from what it was: radians of phases, norms of matrices. The drift of
/// matrices is a share of what they were or are, whichever is more.
export function layer_depth(part) {
  return part.phase ? largest(slot_turns(part)) : norm(part.values);
}

export function layer_drift(part, before) {
  if (part.phase) return largest(slot_turns(part, before));
  const length = Math.max(norm(before), norm(part.values));
  return length > 0 ? norm(part.values, before) / length : 0;
}

/// The layer whose drift has come nearest to what was written into it, of those that hold at least `least`; -1 without any.
export function frailest(drift, depth, least) {
  const shares = drift.map((one, layer) => (depth[layer] >= least ? one / depth[layer] : -1));
  const [layer, share] = peak(shares);
  return share < 0 ? -1 : layer;
}

const kMarksPerOctave = 4;
/// The smallest delay above `delay` at which curves have a point.
export function next_mark(delay) {
  if (delay < 1) return 1;
  for (let k = Math.floor(kMarksPerOctave * Math.log2(delay)); ; ++k) {
    const mark = Math.round(2 ** (k / kMarksPerOctave));
    if (mark > delay) return mark;
  }
}

/// The first mark at which an address that was answered rightly at first is answered wrongly: its number in `marks`, or -1.
export const first_flip = (marks) =>
  marks.findIndex((mark) => mark.wrong.some((address) => !marks[0].wrong.includes(address)));
