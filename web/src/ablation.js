import { choice } from "./controls.js";
import { h, replace } from "./dom.js";
import { dotplot } from "./dotplot.js";
import { fixed, whole } from "./format.js";
import { swatch } from "./marks.js";
import { eval_seed_options, section } from "./section.js";

const kPercent = { low: 0, high: 100, ticks: [0, 25, 50, 75, 100], tick_text: String };

/// Normal against S = 0 in pairs, from the ablation tables.
export function ablation_section(data) {
  const tables = data.tables.filter((table) => table.delay !== undefined);
  if (!tables.length) return null;
  const ablated = tables[0].rows[0]?.model;
  const state = { table: tables.at(-1).id, recipe: data.first_recipe, seed: String(data.eval_seeds[0]?.seed), show: "ours" };
  const host = h("div", { class: "charts four-wide" });

  const pick = (content) => (state.show === "theirs" ? content.paper
    : content.ours.find((one) => one.recipe === state.recipe && String(one.eval_seed) === state.seed));
  const text = (one) => `${fixed(one.mean, 1)} %${one.sd === null ? "" : ` ± ${fixed(one.sd, 1)}`}`;

  function redraw() {
    const table = tables.find((one) => one.id === state.table);
    replace(host, table.columns.map((column, c) => {
      const rows = new Map();
      for (const row of table.rows) {
        const value = pick(row.cells[c]);
        const entry = rows.get(row.heads[0]) ?? { label: row.heads[0], marks: [], links: [] };
        rows.set(row.heads[0], entry);
        if (value) entry.marks.push({ model: row.model, value: value.mean, hollow: row.state === "zero", text: text(value), name: row.heads[1] });
      }
      for (const entry of rows.values()) {
        if (entry.marks.length === 2) entry.links.push({ model: entry.marks[0].model, from: entry.marks[0].value, to: entry.marks[1].value });
      }
      return dotplot({ title: column.label, rows: [...rows.values()], scale: kPercent, width: 262 });
    }));
  }
  redraw();
  const set = (name) => (value) => { state[name] = value; redraw(); };
  return section("ablation", "Without the state",
    "The same SchemaMem checkpoints on the same episodes, normally and with S set to zero after every commit.",
    h("div", { class: "controls" },
      choice({ label: "Delay", name: "ablation-delay", value: state.table, change: set("table"), options: tables.map((table) => [table.id, whole(table.delay)]) }),
      choice({ label: "Numbers", name: "ablation-numbers", value: state.show, change: set("show"), options: [["ours", "Ours"], ["theirs", "Paper's"]] }),
      data.recipes.length > 1 && choice({ label: "Recipe", name: "ablation-recipe", value: state.recipe, change: set("recipe"),
        options: data.recipes.map((recipe) => [recipe, recipe]) }),
      data.eval_seeds.length > 1 && choice({ label: "Evaluation episodes", name: "ablation-episodes", value: state.seed, change: set("seed"), options: eval_seed_options(data) })),
    host,
    h("div", { class: "legend", "aria-hidden": "true" }, h("span", {}, swatch(ablated), "normal"), h("span", {}, swatch(ablated, true), "S = 0")));
}
