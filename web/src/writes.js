import { DelayChart } from "./chart.js";
import { choice, choices } from "./controls.js";
import { fresh_id, h, replace } from "./dom.js";
import { fixed, whole } from "./format.js";
import { line_swatch, swatch } from "./marks.js";
import { on_theme } from "./theme.js";
import { eval_seed_options, section } from "./section.js";

/// What is left after numbers of writes, a chart a setting; nothing if no record is of it.
export function writes_section(data) {
  if (!data.writes.length) return null;
  const of = (name) => new Set(data.writes.map((curve) => curve[name]));
  const measured = { model: of("model"), recipe: of("recipe"), setting: of("setting"), eval_seed: of("eval_seed") };
  const models = data.models.filter((model) => measured.model.has(model.name));
  const recipes = data.recipes.filter((recipe) => measured.recipe.has(recipe));
  const seeds = eval_seed_options(data).filter(([seed]) => measured.eval_seed.has(Number(seed)));
  const label_of = Object.fromEntries(data.models.map((model) => [model.name, model.label]));
  const state = { models: models.map((model) => model.name), recipes: recipes.slice(), eval_seed: seeds[0][0] };
  const sync = fresh_id("sync");
  const charts = data.settings.filter((setting) => measured.setting.has(setting)).map((setting) => ({
    setting,
    chart: new DelayChart(data, { title: setting, height: 190, sync, limit: null, name: (count) => `${whole(count)} writes`,
      describe: `Exact-value accuracy in percent of all addresses over the number of writes, ${setting}.` }),
  }));

  const lines_for = (setting) => data.writes
    .filter((curve) => curve.setting === setting && state.models.includes(curve.model) &&
      state.recipes.includes(curve.recipe) && String(curve.eval_seed) === state.eval_seed)
    .map((curve) => {
      const most = Math.max(...curve.seeds);
      const edge = (sign) => curve.mean.map((mean, i) =>
        (curve.sd[i] === null ? null : Math.min(100, Math.max(0, mean + sign * curve.sd[i]))));
      return { model: curve.model, recipe: curve.recipe, delays: curve.writes, values: curve.mean, low: edge(-1), high: edge(1),
        joined: curve.seeds.map((count) => count === most),
        label: [label_of[curve.model], state.recipes.length > 1 && curve.recipe].filter(Boolean).join(" · "),
        note: (i) => [curve.sd[i] === null ? "one seed" : `± ${fixed(curve.sd[i], 1)}`,
          curve.seeds[i] < most && `${curve.seeds[i]} of ${most} seeds`].filter(Boolean).join(", ") };
    });

  const legend = h("div", { class: "legend", "aria-hidden": "true" });
  function redraw() {
    const delays = new Set(data.writes.flatMap((curve) => curve.writes));
    for (const { chart, setting } of charts) chart.show({ lines: lines_for(setting), paper: [], log: true, delays });
    replace(legend, [
      ...models.filter((model) => state.models.includes(model.name)).map((model) => h("span", {}, swatch(model.name), model.label)),
      ...(state.recipes.length > 1 ? state.recipes.map((recipe) => h("span", {}, line_swatch(data, recipe), data.recipe_texts[recipe])) : []),
    ]);
  }
  const set = (name) => (value) => { state[name] = value; redraw(); };
  queueMicrotask(redraw);
  on_theme(redraw);
  return section("writes", "Written again and again",
    "Exact-value accuracy in percent of all addresses after so many writes to random addresses, two writes and eight queries a round, " +
    "without a floor. No scenario of the paper writes more often than there are addresses: this is an addition.",
    h("div", { class: "controls" },
      choices({ label: "Models", name: "writes-models", values: state.models, change: set("models"),
        options: models.map((model) => [model.name, model.label, () => swatch(model.name)]) }),
      recipes.length > 1 && choices({ label: "Recipes", name: "writes-recipes", values: state.recipes, change: set("recipes"),
        options: recipes.map((recipe) => [recipe, recipe, () => line_swatch(data, recipe)]) }),
      seeds.length > 1 && choice({ label: "Evaluation episodes", name: "writes-episodes", value: state.eval_seed,
        change: set("eval_seed"), options: seeds })),
    h("div", { class: "charts nine" }, charts.map(({ chart }) => chart.element)), legend);
}
