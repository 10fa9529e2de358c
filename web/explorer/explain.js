// Short explanations that open where they are needed; the page is to be understood without the paper.
import { h, replace } from "../src/dom.js";
import { commit_text } from "./commit_text.js";

const explain = (question, ...answers) => h("details", { class: "explain" }, h("summary", {}, question), answers.map((one) => h("p", {}, one)));

/// One that is about the model looked at, and changes with it.
export function following(session, make) {
  const element = h("div", {});
  let shown = null;
  return { element, update() {
    if (shown === session.model) return;
    shown = session.model;
    replace(element, make(shown));
  } };
}

export const about_answers = () => explain("What am I looking at?",
  "A database of addresses. The large number is what the model answers when it is asked for the address, the small bars are how sure it is of each bit of that number. A copy is asked, so looking changes nothing; “Ask” asks the memory itself, which counts as a row.",
  "A row is one thing that the model reads: a write (address and value) or a question (address alone). Until an address is written its default counts, which the model learned in training. Between your rows you can let questions about other addresses pass: that is the waiting.");

const about_phases = (model) => explain("What am I looking at?",
  "What this memory has been told is in S and nowhere else. Each layer of the network has slots, side by side; each slot is a list of angles, drawn downwards. Dark is zero, the empty memory; orange and blue are turns one way and the other.",
  `A write chooses slots by itself (its write weights) and ${commit_text(model).stored}. That waits until the chunk of rows ends: after ${model.chunk} rows, or where writing turns to reading. Then comes the commit: ${commit_text(model).done}. Only what is committed can be read later.`,
  "A question compares itself with E + S in every slot (its read weights, the blue bars) and answers from the slots that fit. E was learned in training and is the same for every memory; so an empty memory answers too, with the defaults.",
  "The grey bars below are how far each slot is turned; the numbers below them are the addresses whose latest write turned that slot most. Large: the slots that stand out, their angles as hands of clocks, stretched like the colours.");

const about_matrices = () => explain("What am I looking at?",
  "What this memory has been told is in these matrices and nowhere else: one for each head of each layer, side by side. Dark is zero, the empty memory.",
  "Every row first keeps a part of them, as much as its gate says, and then adds something of its own; the delta rule of Gated DeltaNet also takes away what was stored under the same key. There are no chunks and no commits.");

export const about_inside = (model) => (model.has_phases ? about_phases(model) : about_matrices());
export const about_forgetting = (model) => explain("Why does it forget?", ...(model.has_phases ? commit_text(model).forgetting : [
  "A gate below one lets everything fade a little with every row, and questions write a little too. When what was stored has faded or moved far enough, answers begin to flip.",
  "A floor holds the memory still for rows whose gate says nearly nothing. Writing again is no burden: what is new takes the place of what faded."]));
