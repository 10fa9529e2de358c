// What a memory answers, address by address, judged by what was written: one look for it everywhere in the page.
import { h } from "../src/dom.js";
import { whole } from "../src/format.js";

export const kSigns = { written: "✓", default: "○", wrong: "✗" };
export const kMeanings = { written: "written, and right", default: "never written, default right", wrong: "wrong" };

/// `believed`: what the engine says of every address, `truth`: the account.
export function judge(believed, truth) {
  const bits = believed.sure.length / truth.length;
  return truth.map(({ value, written }, address) => {
    const answer = believed.values[address];
    const sure = [...believed.sure.subarray(address * bits, (address + 1) * bits)];
    const kind = answer !== value ? "wrong" : written ? "written" : "default";
    return { address, answer, value, written, kind, sure, confidence: sure.reduce((a, b) => a * b, 1) };
  });
}

export const count_right = (answers) => answers.filter((one) => one.kind !== "wrong").length;
export const right_text = (answers) => `${count_right(answers)} of ${answers.length} right`;

export const describe = (one) => `address ${one.address}: answers ${one.answer}, ` +
  (one.kind === "wrong" ? `wrong, it ${one.written ? "was written" : "is by default"} ${one.value}` : kMeanings[one.kind]) +
  `, sure ${one.confidence.toFixed(3)}`;

/// A row of small marks, one an address.
export const mini_row = (answers, label) => h("div", { class: "mini", role: "img", "aria-label": `${label}: ${right_text(answers)}. ` +
  answers.filter((one) => one.kind === "wrong").map(describe).join("; ") },
answers.map((one) => h("span", { class: `mini-cell ${one.kind}`, title: describe(one) }, h("i", {}, String(one.address)), h("b", {}, String(one.answer)))));

export const rows_text = (rows) => `${whole(rows)} ${rows === 1 ? "row" : "rows"}`;
