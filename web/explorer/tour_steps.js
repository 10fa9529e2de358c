// The paper's story in seven steps, told with the model's own answers: each step does something and reports what came of it.
import { whole } from "../src/format.js";
import { count_right, judge, right_text } from "./answers.js";
import { commit_text } from "./commit_text.js";
import { held_text, kHeldTurn, radians } from "./inside_text.js";
import { memory_of, part_of } from "./reading.js";
import { first_flip, frailest, largest, peak, slot_turns } from "./measure.js";

const kFarthest = 700_000;  // rows that the tour waits for a flip, at most
const kPiece = 50_000;
const kWrites = 24;

const answers_of = (session, model = session.shown, touched = false) => judge(session.lane(model, touched).believed, session.truth);
const phases = (lane) => lane.inside.layers.map(memory_of);
const deepest = (lane) => Math.max(...phases(lane).map((part) => largest(slot_turns(part))));
const deepest_layer = (lane) => peak(phases(lane).map((part) => largest(slot_turns(part))))[0];

/// What the tour writes: up to four addresses, values that are not their defaults.
export function tour_writes({ addresses, values, defaults }) {
  const chosen = [5, 1, 2, 6].map((a) => a % addresses);
  return [...new Set(chosen)].map((address) => ({ do: "write", address, value: (defaults[address] + 6) % values === defaults[address] ? (defaults[address] + 1) % values : (defaults[address] + 6) % values }));
}

/// Writes to all addresses in turn, again and again, with a few questions between.
function many_writes({ addresses, values }, count) {
  return Array.from({ length: count }, (_, i) => [
    { do: "write", address: (5 * i + 3 * Math.floor(i / addresses)) % addresses, value: (3 * i + Math.floor(i / addresses) + 1) % values },
    { do: "wait", rows: 4 }]).flat();
}

export const kTour = [
  {
    title: "It knows a table by heart", at: "knows",
    async run({ session, model }) {
      await session.begin();
      await session.set_models([model], model);
      const answers = answers_of(session);
      const { addresses, values } = session.model.task;
      return [`This memory has ${addresses} addresses, each with a value from 0 to ${values - 1}. Nothing has been written, and yet ${right_text(answers).replace(" right", " answers are right")}: the default of an address is its own number${values < addresses ? `, counted from 0 again after ${values - 1}` : ""}, and training put that into the weights.`,
        `So there are two memories. E, learned phases, is the same for everyone. S, the picture on this page, is what this memory alone has been told. Now S is zero: dark everywhere.`];
    },
  },
  {
    title: "A write waits", at: "inside", view: "pending",
    async run({ session, writes, select }) {
      await select(writes[0].address);
      await session.do_step(writes[0]);
      const lane = session.lane();
      const waiting = lane.inside.layers.map((layer) => part_of(layer, "pending")).filter(Boolean);
      const turns = waiting.map((part) => largest(slot_turns(part)));
      const layer = turns.indexOf(Math.max(...turns));
      return [`We wrote ${writes[0].value} to address ${writes[0].address}. S is still zero, ${radians(deepest(lane))} rad at its deepest: rows are read in chunks, and S stands still inside a chunk.`,
        turns.length ? `What the write wants to add waits beside S; the picture shows it. The largest turn, ${radians(turns[layer])} rad, is in layer ${layer + 1}. The network chose these slots by itself: no slot was given to an address.` : "What the write wants to add waits beside S."];
    },
  },
  {
    title: "A commit stores it", at: "inside", view: "state",
    async run({ session, writes, select }) {
      await session.do_step({ do: "ask", address: writes[0].address });
      await select(writes[0].address);
      const lane = session.lane(), layer = deepest_layer(lane);
      return [`Then a question came. Where writing turns to reading a chunk ends, and at its end comes the commit: ${commit_text(session.model).told}`,
        `Now the picture has lights in it. Layer ${layer + 1}: ${held_text(phases(lane)[layer])}. The number below a slot is the address that was written there; the blue bars above show where the question looks. Address ${writes[0].address} answers ${lane.answer.value}.`];
    },
  },
  {
    title: "Is it really in S?", at: "beside", view: "state",
    async run({ session, writes }) {
      await session.do_steps([...writes.slice(1), { do: "ask", address: writes[0].address }, { do: "wait", rows: 95 }, { do: "zero", layer: -1 }]);
      const here = answers_of(session), there = answers_of(session, session.shown, true);
      const { address } = writes[0];
      const text = [`We wrote ${writes.length - 1} more, then set S of a copy to zero. The untouched memory: ${right_text(here)}. The copy: ${right_text(there)}. It answers ${there[address].answer} for address ${address}, the default.`,
        `Everything that was written is in S and nowhere else. The defaults are in the weights: an empty S gives them back.`];
      return text;
    },
  },
  {
    title: "Why it fades", at: "forgets", view: "state",
    async run({ session, stopped }) {
      await session.do_step({ do: "mend" });
      const lane = session.lane();
      for (let rows = 0; rows < kFarthest && first_flip(lane.marks) < 0 && !stopped(); rows += kPiece) await session.do_step({ do: "wait", rows: kPiece });
      const last = lane.marks.at(-1), flip = first_flip(lane.marks);
      const { depth } = lane.marks[0], layer = Math.max(0, frailest(last.drift, depth, kHeldTurn));
      const moved = `Each question is a row too, and each row writes a little. Into layer ${layer + 1} our writes put turns of up to ${radians(depth[layer])} rad; ${whole(last.delay)} questions about other addresses have moved it by ${radians(last.drift[layer])} rad.`;
      if (flip < 0) return [moved, "No answer has flipped yet: this one was trained so that questions leave the memory nearly alone. Wait longer, and the drift will reach what is stored."];
      const address = lane.marks[flip].wrong.find((one) => !lane.marks[0].wrong.includes(one));
      return [moved, `When the drift has grown to the size of what is stored, answers flip. Address ${address} was the first, after about ${whole(lane.marks[flip].delay)} rows; “Go to the first flip” finds the very row.`];
    },
  },
  {
    title: "A floor under the drift", at: "beside", view: "state",
    async run({ session }) {
      const { marks } = session.lane(), flip = first_flip(marks);
      const rows = flip < 0 ? kPiece : Math.min(kFarthest, kPiece * Math.ceil(1.5 * marks[flip].delay / kPiece));  // well behind the flip
      const write = session.steps.findLastIndex((step) => step.do === "write");
      const place = { step: write + 1, offset: 1 };
      await session.seek(place);
      await session.fork_here();
      await session.compare_with("");
      await session.do_steps([{ do: "floor", value: 0.001 }, { do: "wait", rows }]);
      const drift = (lane) => Math.max(...lane.marks.at(-1).drift);
      const here = session.lane(), there = session.lane(session.shown, true);
      return [`Back to the moment after the writes: this is a second past. The copy beside it now ignores every change smaller than 0.001 rad. A question changes S by far less, a write by far more.`,
        `After ${whole(rows)} rows the untouched memory has moved by up to ${radians(drift(here))} rad, the copy by ${radians(drift(there))}: ${right_text(answers_of(session))} without the floor, ${right_text(answers_of(session, session.shown, true))} with it. With a floor the wait no longer matters.`];
    },
  },
  {
    title: "Writing is another matter", at: "models", view: "state",
    async run({ session, model }) {
      await session.begin();
      const others = session.models.map((_, i) => i).filter((i) => i !== model).slice(0, 2);
      await session.set_models([model, ...others], model);
      await session.do_steps(many_writes(session.model.task, kWrites));
      const result = session.running.map((i) => `${session.models[i].title} ${count_right(answers_of(session, i))}`).join(", ");
      const many = session.running.length > 1;
      return [`${kWrites} writes, again and again to the same ${session.model.task.addresses} addresses. Right answers of ${session.model.task.addresses}: ${result}.`,
        commit_text(session.model).again +
        (many ? " The others store in matrices, below: a delta rule erases what it overwrites, a gate lets it decay." : "") +
        " That is the story. The page is yours: write, wait, break something."];
    },
  },
];
