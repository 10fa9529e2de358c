// The words of the script line. `write`, `ask`, `ask all`, `wait`, `fork`, `switch`, `reset`, `inside`, `save` and `help` are
// those of `schemamem talk`; the others change a memory that is kept beside the untouched one.
export const kLongestScript = 6000;   // characters
export const kMostSteps = 600;        // statements
export const kLongestWait = 10_000_000;  // rows, of a whole script
export const kLongestName = 40;

const whole = (text, most) => (/^\d{1,9}$/.test(text) && Number(text) <= most ? Number(text) : null);
const real = (text, most) => (/^\d{1,3}(\.\d{1,9})?(e-\d{1,2})?$/.test(text) && Number(text) <= most ? Number(text) : null);
const name_of = (text) => (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text) && text.length <= kLongestName ? text : null);

/// `takes`: how it is written; `read`: its words to a step, null when they are wrong; `task` has the numbers of addresses,
/// values and layers.
export const kWords = {
  write: { takes: "ADDRESS VALUE", tells: "writes a value to an address", read: ([a, v], task) => ({
    address: whole(a, task.addresses - 1), value: whole(v, task.values - 1) }), count: [2] },
  ask: { takes: "ADDRESS, or all", tells: "what the memory takes the address to hold; all: every address, on a copy", read: ([a], task) =>
    (a === "all" ? { do: "ask all" } : { address: whole(a, task.addresses - 1) }), count: [1] },
  wait: { takes: "ROWS", tells: "lets so many questions pass, about addresses that were never written",
    read: ([n]) => ({ rows: whole(n, kLongestWait) }), count: [1] },
  reset: { takes: "", tells: "forgets everything", read: () => ({}), count: [0] },
  fork: { takes: "[NAME]", tells: "makes a second past that begins here; switch goes on with it", read: ([n]) => ({ name: n === undefined ? "" : name_of(n) }), count: [0, 1] },
  switch: { takes: "NAME", tells: "goes on with another past", read: ([n]) => ({ name: name_of(n) }), count: [1] },
  zero: { takes: "[LAYER]", tells: "changed memory: sets S to zero, of all layers or of one", count: [0, 1],
    read: ([n], task) => ({ layer: n === undefined ? -1 : n === "0" ? null : minus_one(whole(n, task.layers)) }) },
  freeze: { takes: "", tells: "changed memory: commits are not made", read: () => ({}), count: [0] },
  thaw: { takes: "", tells: "changed memory: commits are made again", read: () => ({}), count: [0] },
  noise: { takes: "RADIANS", tells: "changed memory: turns every phase at random", read: ([x]) => ({ radians: real(x, 4) }), count: [1] },
  floor: { takes: "X", tells: "changed memory: changes smaller than this do not happen (0: off)", read: ([x]) => ({ value: real(x, 4) }), count: [1] },
  drop: { takes: "N", tells: "changed memory: as if the n-th write had never been", read: ([n]) => ({ write: n === "0" ? null : whole(n, kMostSteps) }), count: [1] },
  mend: { takes: "", tells: "throws the changed memory away", read: () => ({}), count: [0] },
  inside: { takes: "", tells: "what each layer holds", read: () => ({}), count: [0] },
  save: { takes: "", tells: "saves the state as a file that the program reads", read: () => ({}), count: [0] },
  help: { takes: "", tells: "shows this list", read: () => ({}), count: [0] },
};

const minus_one = (number) => (number === null ? null : number - 1);

/// The word that was probably meant, or nothing.
function nearest(word) {
  const cost = (a, b) => {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; ++i) {
      const next = [i];
      for (let j = 1; j <= b.length; ++j) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      row = next;
    }
    return row[b.length];
  };
  const [best] = Object.keys(kWords).map((one) => [cost(word.slice(0, 20).toLowerCase(), one), one]).sort((a, b) => a[0] - b[0]);
  return best[0] <= 2 ? ` Did you mean ${best[1]}?` : "";
}

const shown = (text) => `“${text.length > 24 ? `${text.slice(0, 24)}…` : text}”`;

function expected(word, task) {
  if (word === "write") return `an address from 0 to ${task.addresses - 1} and a value from 0 to ${task.values - 1}`;
  if (word === "ask") return `an address from 0 to ${task.addresses - 1}, or all`;
  if (word === "wait") return `a number of rows up to ${kLongestWait.toLocaleString("en-US")}`;
  if (word === "zero") return `a layer from 1 to ${task.layers}, or nothing`;
  if (word === "fork" || word === "switch") return `a name of at most ${kLongestName} letters, digits, -, _ and .`;
  if (word === "drop") return "the number of a write, counted from 1";
  return kWords[word].takes ? "a number from 0 to 4" : "nothing behind it";
}

function read_statement(text, task) {
  const [word, ...rest] = text.split(/\s+/);
  const entry = Object.hasOwn(kWords, word) ? kWords[word] : null;
  if (!entry) throw new Error(`There is no word ${shown(word)}; help lists them.${nearest(word)}`);
  const step = entry.count.includes(rest.length) ? { do: word, ...entry.read(rest, task) } : null;
  if (!step || Object.values(step).includes(null)) {
    const form = `${word} ${entry.takes}`.trim();
    throw new Error(`${shown(text)} is not understood: ${form} takes ${expected(word, task)}${text.includes(",") ? ", with a blank between" : ""}.`);
  }
  return step;
}

/// A script to its steps. A mistake is an Error whose message is a sentence that names the statement, and nothing is run.
export function parse_script(text, task) {
  if (text.length > kLongestScript) {
    throw new Error(`A script has at most ${kLongestScript} characters; this one has ${text.length}.`);
  }
  const steps = text.split(/[;\n]/).map((one) => one.trim()).filter((one) => one && !one.startsWith("#"))
    .map((one, i) => {
      try {
        return read_statement(one, task);
      } catch (error) {
        throw new Error(`Statement ${i + 1}: ${error.message}`);
      }
    });
  if (steps.length > kMostSteps) throw new Error(`A script has at most ${kMostSteps} statements; this one has ${steps.length}.`);
  const rows = steps.reduce((sum, step) => sum + (step.do === "wait" ? step.rows : 0), 0);
  if (rows > kLongestWait) {
    throw new Error(`A script waits at most ${kLongestWait.toLocaleString("en-US")} rows in all; this one ${rows.toLocaleString("en-US")}.`);
  }
  return steps;
}

/// The way back.
export function print_step(step) {
  switch (step.do) {
    case "write": return `write ${step.address} ${step.value}`;
    case "ask": return `ask ${step.address}`;
    case "wait": return `wait ${step.rows}`;
    case "zero": return step.layer < 0 ? "zero" : `zero ${step.layer + 1}`;
    case "noise": return `noise ${step.radians}`;
    case "floor": return `floor ${step.value}`;
    case "drop": return `drop ${step.write}`;
    case "fork": case "switch": return `${step.do} ${step.name}`.trim();
    default: return step.do;
  }
}

export const print_script = (steps) => steps.map(print_step).join("; ");
