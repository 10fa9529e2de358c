import { choice } from "./controls.js";
import { h, replace } from "./dom.js";
import { dotplot } from "./dotplot.js";
import { whole } from "./format.js";
import { swatch } from "./marks.js";
import { section } from "./section.js";
import { result_table } from "./tables.js";

/// Optimiser steps by setting, from the table of that name.
export function cost_section(data) {
  const table = data.tables.find((one) => one.id === "cost");
  if (!table) return null;
  const label = Object.fromEntries(data.models.map((model) => [model.name, model.label]));
  const state = { recipe: data.first_recipe, show: "both", seed: "" };
  const host = h("div", {});
  const legend = () => h("div", { class: "legend", "aria-hidden": "true" },
    data.models.map((model) => h("span", {}, swatch(model.name), model.label)), h("span", {}, swatch(data.models[0].name, true), "paper"));
  const of_recipe = (content) => content.ours.find((one) => one.recipe === state.recipe);

  function redraw() {
    const rows = table.rows.map((row) => ({ label: row.heads[0], marks: row.cells.flatMap((content, i) => {
      const { model } = table.columns[i];
      const ours = of_recipe(content);
      return [ours && { model, value: ours.mean, text: `${whole(ours.mean)} steps`, name: label[model] },
        content.paper && { model, value: content.paper.mean, hollow: true, text: `${whole(content.paper.mean)} steps`, name: `${label[model]}, paper` }];
    }).filter((one) => one && one.value > 0) }));
    const values = rows.flatMap((row) => row.marks.map((one) => one.value));
    const low = 10 ** Math.floor(Math.log10(Math.min(1000, ...values)));
    const high = 10 ** Math.ceil(Math.log10(Math.max(100000, ...values)));
    const ticks = [];
    for (let tick = low; tick <= high; tick *= 10) ticks.push(tick);
    replace(host, h("div", { class: "charts two" }, h("div", {},
      dotplot({ title: "Optimiser steps until the final target, log axis", rows, width: 520, scale: { low, high, log: true, ticks, tick_text: whole } }),
      legend()),
      h("div", {}, result_table(table, state, "Training cost"))));
  }
  redraw();
  const times = data.times.filter((one) => one.seconds > 0);
  return section("cost", "Training cost",
    "Total optimiser steps, transactions and maintenance together, mean over training seeds. Steps of different models and recipes are not equal work.",
    data.recipes.length > 1 && h("div", { class: "controls" }, choice({ label: "Recipe", name: "cost-recipe", value: state.recipe,
      options: data.recipes.map((recipe) => [recipe, recipe]), change: (recipe) => { state.recipe = recipe; redraw(); } })),
    host,
    times.length > 0 && h("details", { class: "numbers" }, h("summary", {}, "Time of our runs"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Time of our runs" }, h("table", { class: "data" },
        h("thead", {}, h("tr", {}, ["Recipe", "Model"].map((head) => h("th", { scope: "col" }, head)),
          ["Runs", "At step limit", "Hours in all", "Minutes a run", "Steps a second"].map((head) => h("th", { scope: "col", class: "number" }, head)))),
        h("tbody", {}, times.map((one) => h("tr", {}, h("th", { scope: "row" }, one.recipe), h("td", {}, label[one.model] ?? one.model),
          [whole(one.runs), whole(one.capped), (one.seconds / 3600).toFixed(2), (one.seconds / one.runs / 60).toFixed(1), (one.steps / one.seconds).toFixed(1)]
            .map((text) => h("td", { class: "number" }, text)))))))));
}
