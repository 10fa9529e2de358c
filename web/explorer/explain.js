// Short explanations that open where they are needed; the page is to be understood without the paper.
import { h } from "../src/dom.js";

const explain = (question, ...answers) => h("details", { class: "explain" }, h("summary", {}, question), answers.map((one) => h("p", {}, one)));

export const kAboutAnswers = () => explain("What am I looking at?",
  "A database of addresses. The large number is what the model answers when it is asked for the address, the small bars are how sure it is of each bit of it. A copy is asked, so looking changes nothing; “Ask” asks the memory itself, which counts as a row.",
  "A row is one thing that the model reads: a write (address and value) or a question (address alone). Until an address is written its default counts, which the model learned in training. Between your rows you can let questions about other addresses pass: that is the waiting.");

export const kAboutInside = (chunk) => explain("What am I looking at?",
  "What this memory has been told is in S and nowhere else. Each layer of the network has slots, the columns; each slot is a row of angles. Dark is zero, the empty memory; orange and blue are turns one way and the other.",
  `A write chooses slots by itself (its write weights) and says by how much their angles shall turn. That waits until the chunk of rows ends: after ${chunk} rows, or where writing turns to reading. Then comes the commit: the turns are added to S. Only what is committed can be read later.`,
  "A question compares itself with E + S in every slot (its read weights, the blue bars) and answers from the slots that fit. E was learned in training and is the same for every memory; so an empty memory answers too, with the defaults.",
  "The grey bars below are how far each slot is turned; the numbers below them are the addresses whose latest write turned that slot most. Large: the slots that hold something, their angles as hands of clocks.");

export const kAboutForgetting = () => explain("Why does it forget?",
  "A commit adds whatever the chunk gathered, and questions gather a little too. No row is entirely without a trace, so S drifts while nothing is written. Nothing pulls it back: angles are only added. When the drift (solid) has come near to how deep the memory was written (dashed), answers begin to flip.",
  "A floor drops changes that are too small to be meant. New writes also come on top of the old ones, which are never taken away: after some dozens of writes the slots are full of sums.");
