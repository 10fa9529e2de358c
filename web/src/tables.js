import { choice, tabs } from "./controls.js";
import { fresh_id, h, replace, svg } from "./dom.js";
import { quantity, seeds_text } from "./format.js";
import { mark, model_variable } from "./marks.js";
import { eval_seed_options, section } from "./section.js";

const kVerdictText = { within: "within the paper's seed spread", better: "better than the paper's spread",
  worse: "worse than the paper's spread", missing: "not measured" };
const kVerdictSign = { within: "=", better: "▲", worse: "▼" };

const kExact = ["count", "target"];  // no spread over seeds

/// Ours and the paper's on one line from 0 to 100: filled and hollow, with their spread.
function strip(model, ours, paper) {
  const x = (value) => 4 + 80 * Math.min(1, Math.max(0, value / 100));
  const whisker = (one, y, opacity) => one?.sd > 0 &&
    svg("line", { x1: x(one.mean - one.sd), x2: x(one.mean + one.sd), y1: y, y2: y, "stroke-width": 1.5, "stroke-opacity": opacity,
      stroke: `var(${model_variable(model)})` });
  return svg("svg", { class: "strip-plot", viewBox: "0 0 88 12", width: 88, height: 12, "aria-hidden": "true" },
    svg("line", { x1: 4, x2: 84, y1: 6, y2: 6, stroke: "var(--grid)" }),
    whisker(paper, 9, 0.45), whisker(ours, 3, 0.8),
    paper && mark(model, x(paper.mean), 6, 3.2, true), ours && mark(model, x(ours.mean), 6, 3));
}

const number = (one, column) => [one.beyond && ">", quantity(one.mean, column.unit, column.places),
  one.sd !== null && one.sd !== undefined && !kExact.includes(column.unit) && h("small", {}, ` ± ${quantity(one.sd, column.unit, column.places)}`)];

const explanation = (ours) => [ours.seeds?.length && seeds_text(ours.seeds), ours.capped && "includes a run that ended at its step limit",
  kVerdictText[ours.verdict]].filter(Boolean).join("; ");

function sign(ours) {
  if (!(ours.verdict in kVerdictSign)) return null;
  const words = kVerdictText[ours.verdict];
  return h("span", { class: `verdict ${ours.verdict}`, title: words, role: "img", "aria-label": words }, kVerdictSign[ours.verdict]);
}

function ours_part(ours, column, both) {
  if (!ours) return h("div", { class: "ours gap" }, "not measured");
  return h("div", { class: "ours", title: explanation(ours) }, number(ours, column),
    h("span", { class: "aside-mark" }, ours.capped && h("sup", {}, "†"), both && sign(ours)));
}

const theirs_part = (paper, column) =>
  h("div", { class: "theirs" }, paper ? number(paper, column) : "–", h("span", { class: "aside-mark" }));

function cell(table, row, column, content, state) {
  if (content === null) return h("td", { class: "number gap" }, h("span", { title: "absent by construction" }, "—"), h("span", { class: "aside-mark" }));
  const model = column.model ?? row.model;
  const show = table.own ? "ours" : state.show;
  const ours = show !== "theirs" && content.ours.find((one) => one.recipe === state.recipe &&
    (one.eval_seed === null || String(one.eval_seed) === state.seed));
  const paper = show !== "ours" && content.paper;
  return h("td", { class: "number" }, h("div", { class: "cell" },
    show !== "theirs" && ours_part(ours, column, show === "both"),
    show !== "ours" && theirs_part(paper, column),
    column.unit === "percent" && (ours || paper) && strip(model, ours, paper)));
}

export function result_table(table, state, label) {
  const groups = [];
  for (const column of table.columns) {
    if (groups.at(-1)?.text === (column.group ?? "")) groups.at(-1).span += 1;
    else groups.push({ text: column.group ?? "", span: 1 });
  }
  const grouped = groups.some((group) => group.text);
  let before;
  const caption = fresh_id("caption");  // outside of what scrolls, so that it stays
  return [h("p", { class: "caption", id: caption }, table.own && h("span", { class: "own" }, "ours"), table.caption),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      h("table", { class: "data results", id: `table-${table.id}`, "aria-describedby": caption },
    h("thead", {},
      grouped && h("tr", {}, table.heads.map(() => h("td", {})), groups.map((group) =>
        h("th", { colspan: group.span, scope: "colgroup", class: "group" }, group.text))),
      h("tr", {}, table.heads.map((head) => h("th", { scope: "col" }, head)),
        table.columns.map((column) => h("th", { scope: "col", class: "number" }, column.label, h("span", { class: "aside-mark" }))))),
    h("tbody", {}, table.rows.map((row) => {
      const opens = before !== undefined && row.heads[0] !== before;
      const repeats = row.heads[0] === before;
      before = row.heads[0];
      return h("tr", { class: opens ? "opens" : undefined },
        row.heads.map((head, i) => h("th", { scope: "row", class: i === 0 && repeats ? "repeated" : undefined }, head)),
        row.cells.map((content, i) => cell(table, row, table.columns[i], content, state)));
    }))))];
}

export function tables_section(data) {
  const state = { show: "both", recipe: data.first_recipe, seed: String(data.eval_seeds[0]?.seed), table: data.tables[0]?.id };
  let panel;
  const redraw = () => replace(panel, result_table(data.tables.find((table) => table.id === state.table), state, "Table"));
  const set = (name) => (value) => { state[name] = value; redraw(); };
  const pages = tabs({ label: "Tables of the paper", pages: data.tables.map((table) => [table.id, table.title]),
    change(id, host) { state.table = id; panel = host; redraw(); } });
  return section("tables", "The paper's tables",
    "Mean ± sample SD over training seeds, exact-value accuracy in percent unless a table says otherwise. Ours stands above, the paper's below.",
    h("div", { class: "controls" },
      choice({ label: "Numbers", name: "numbers", value: state.show, change: set("show"),
        options: [["both", "Both"], ["ours", "Ours"], ["theirs", "Paper's"]] }),
      data.recipes.length > 1 && choice({ label: "Recipe", name: "table-recipe", value: state.recipe, change: set("recipe"),
        options: data.recipes.map((recipe) => [recipe, recipe]) }),
      data.eval_seeds.length > 1 && choice({ label: "Evaluation episodes", name: "table-episodes", value: state.seed,
        change: set("seed"), options: eval_seed_options(data) })),
    pages,
    h("p", { class: "key" }, h("span", { class: "verdict within" }, "="), " within the paper's seed spread ",
      h("span", { class: "verdict better" }, "▲"), " better ", h("span", { class: "verdict worse" }, "▼"), " worse ",
      "† includes a run that ended at its step limit. Filled marks are ours, hollow ones the paper's."));
}
