import { h } from "./dom.js";

export const section = (id, title, lead, ...content) =>
  h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title),
    lead && h("p", { class: "lead" }, lead), content);

const kRoles = { paper: "paper's", unseen: "unseen" };

export const eval_seed_options = (data) =>
  data.eval_seeds.map((one) => [String(one.seed), one.role in kRoles ? `${one.seed} (${kRoles[one.role]})` : String(one.seed)]);

export const kVerdicts = {
  holds: { sign: "✓", text: "holds" },
  fails: { sign: "✗", text: "does not hold" },
  unmeasured: { sign: "○", text: "not measured" },
};

export const badge = (verdict) =>
  h("span", { class: `badge ${verdict}` }, h("span", { "aria-hidden": "true" }, kVerdicts[verdict].sign), kVerdicts[verdict].text);
