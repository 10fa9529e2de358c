import { DelayChart } from "./chart.js";
import { choice, choices, tabs } from "./controls.js";
import { fresh_id, h, replace } from "./dom.js";
import { fixed, whole } from "./format.js";
import { line_swatch, swatch } from "./marks.js";
import { on_theme } from "./theme.js";
import { eval_seed_options, section } from "./section.js";

const kKinds = { table: "Paper's delays", curve: "Long streams" };

/// Which points of a curve are means of as many seeds as it has anywhere.
function whole_points(curve) {
  const counts = curve.delays.map((_, i) => curve.seeds.filter((one) => one.values[i] !== null).length);
  const most = Math.max(...counts);
  return { counts, most, joined: counts.map((count) => count === most) };
}

/// The delay curves: every setting of one column, or four columns of one setting.
export function curves_section(data) {
  const label_of = Object.fromEntries(data.models.map((model) => [model.name, model.label]));
  const kinds = Object.keys(kKinds).filter((kind) => data.curves.some((curve) => curve.kind === kind));
  const seeds = [...new Set(data.curves.flatMap((curve) => curve.seeds.map((one) => one.seed)))].sort((a, b) => a - b);
  const measured = data.settings.filter((setting) => data.curves.some((curve) => curve.setting === setting));
  const papers = new Set(data.paper_points.map((point) => point.setting));
  const settings = measured.length && !measured.some((setting) => papers.has(setting)) ? measured : data.settings;
  const models = data.models.filter((model) => data.curves.some((curve) => curve.model === model.name) ||
    data.paper_points.some((point) => point.model === model.name));
  const state = {
    view: "grid", kind: kinds[0] ?? "table", column: "retained_i", setting: measured[0] ?? data.settings[0], seeds: "mean",
    models: models.map((model) => model.name), recipes: [data.first_recipe], axis: "log",
    eval_seeds: data.eval_seeds.slice(0, 1).map((one) => String(one.seed)), paper: "yes",
  };
  const sync = fresh_id("sync");
  let charts = [];
  let panel;

  function lines_for(setting, column) {
    const wanted = data.curves.filter((curve) => curve.setting === setting && curve.column === column &&
      curve.kind === state.kind && state.models.includes(curve.model) && state.recipes.includes(curve.recipe) &&
      state.eval_seeds.includes(String(curve.eval_seed)));
    return wanted.flatMap((curve) => {
      const name = [label_of[curve.model], state.recipes.length > 1 && curve.recipe,
        state.eval_seeds.length > 1 && `episodes ${curve.eval_seed}`].filter(Boolean).join(" · ");
      const base = { model: curve.model, recipe: curve.recipe, delays: curve.delays };
      if (state.seeds === "mean") {
        const edge = (sign) => curve.mean.map((mean, i) =>
          (mean === null || curve.sd[i] === null ? null : Math.min(100, Math.max(0, mean + sign * curve.sd[i]))));
        const { counts, most, joined } = whole_points(curve);
        return [{ ...base, label: name, values: curve.mean, low: edge(-1), high: edge(1), joined,
          note: (i) => [curve.sd[i] === null ? "one seed" : `± ${fixed(curve.sd[i], 1)}`,
            !joined[i] && `${counts[i]} of ${most} seeds`].filter(Boolean).join(", ") }];
      }
      return curve.seeds.filter((one) => state.seeds === "every" || String(one.seed) === state.seeds)
        .map((one) => ({ ...base, label: name, values: one.values, faint: state.seeds === "every",
          note: () => `seed ${one.seed}${one.capped ? ", step limit" : ""}` }));
    });
  }

  const paper_for = (setting, column) => (state.paper === "yes" && state.kind === "table"
    ? data.paper_points.filter((point) => point.setting === setting && point.column === column &&
        state.models.includes(point.model)).map((point) => ({ ...point, label: label_of[point.model] })) : []);

  function plan() {
    if (state.view === "grid") return settings.map((setting) => ({ title: setting, setting, column: state.column }));
    return data.columns.map((column) => ({ title: column.label, setting: state.setting, column: column.name }));
  }

  function redraw() {
    const delays = new Set(data.curves.filter((curve) => curve.kind === state.kind).flatMap((curve) => curve.delays));
    for (const { chart, setting, column } of charts) {
      chart.show({ lines: lines_for(setting, column), paper: paper_for(setting, column), log: state.axis === "log", delays });
    }
    replace(legend, legend_items());
    replace(numbers_body, numbers_open() && numbers());
  }

  function rebuild() {
    charts.forEach(({ chart }) => chart.destroy());
    const grid = state.view === "grid";
    charts = plan().map((one) => ({
      ...one,
      chart: new DelayChart(data, { title: one.title, height: grid ? 190 : 240, sync,
        describe: `Exact-value accuracy in percent over the delay, ${one.setting}, ${one.column}.` }),
    }));
    const second = grid
      ? choice({ label: "Column", value: state.column, options: data.columns.map((column) => [column.name, column.label]),
        change: (value) => { state.column = value; rebuild(); } })
      : choice({ label: "Setting", value: state.setting, options: settings.map((one) => [one, one]),
        change: (value) => { state.setting = value; rebuild(); } });
    const focused = panel.contains(document.activeElement) && document.activeElement.value;
    replace(panel, h("div", { class: "controls" }, second),
      h("div", { class: `charts ${grid ? "nine" : "four"}` }, charts.map(({ chart }) => chart.element)));
    if (focused) panel.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
    redraw();
  }

  const legend = h("div", { class: "legend", "aria-hidden": "true" });
  const legend_items = () => [
    ...data.models.filter((model) => state.models.includes(model.name))
      .map((model) => h("span", {}, swatch(model.name), model.label)),
    ...(state.recipes.length > 1 ? state.recipes.map((recipe) => h("span", {}, line_swatch(data, recipe), recipe)) : []),
    state.paper === "yes" && state.kind === "table" && h("span", {}, swatch(state.models[0], true), "paper, mean ± SD"),
    charts.some(({ chart }) => chart.lines.some((line) => line.joined?.includes(false))) &&
      h("span", {}, "● pale mark: of fewer seeds than the line, and not joined to it"),
    h("span", {}, h("i", { class: "dotted" }), `longest delay in training, ${whole(data.training_limit)}`),
  ];

  const numbers_body = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of the charts" });
  const details = h("details", { class: "numbers", ontoggle: () => replace(numbers_body, numbers_open() && numbers()) },
    h("summary", {}, "The numbers in these charts"), numbers_body);
  const numbers_open = () => details.open;
  function numbers() {
    const rows = charts.flatMap(({ title, setting, column }) =>
      lines_for(setting, column).map((line) => ({ title, line })));
    const delays = [...new Set(rows.flatMap(({ line }) => line.delays))].sort((a, b) => a - b);
    return h("table", { class: "data" },
      h("thead", {}, h("tr", {}, h("th", {}, state.view === "grid" ? "Setting" : "Column"), h("th", {}, "Curve"),
        delays.map((delay) => h("th", { class: "number" }, whole(delay))))),
      h("tbody", {}, rows.map(({ title, line }) => h("tr", {}, h("th", { scope: "row" }, title),
        h("td", {}, line.label, line.faint && ` · ${line.note(0)}`), delays.map((delay) => {
          const i = line.delays.indexOf(delay);
          const value = line.values[i];
          return h("td", { class: "number" }, value === null || value === undefined ? "–" : fixed(value, 2),
            line.low?.[i] !== null && line.low && value !== null && i >= 0 && h("small", {}, ` ${line.note(i)}`));
        })))));
  }

  const set = (name) => (value) => { state[name] = value; redraw(); };
  const shared = h("div", { class: "controls" },
    choices({ label: "Models", values: state.models, change: set("models"),
      options: models.map((model) => [model.name, model.label, () => swatch(model.name)]) }),
    data.recipes.length > 1 && choices({ label: "Recipes", values: state.recipes, change: set("recipes"),
      options: data.recipes.map((recipe) => [recipe, recipe, () => line_swatch(data, recipe)]) }),
    choice({ label: "Training seeds", name: "seeds", value: state.seeds, change: set("seeds"),
      options: [["mean", "Mean ± SD"], ["every", "Every seed"], ...seeds.map((seed) => [String(seed), String(seed)])] }),
    data.eval_seeds.length > 1 && choices({ label: "Evaluation episodes", name: "episodes", values: state.eval_seeds,
      change: set("eval_seeds"), options: eval_seed_options(data) }),
    kinds.length > 1 && choice({ label: "Delays", name: "kind", value: state.kind, change: set("kind"),
      options: kinds.map((kind) => [kind, kKinds[kind]]) }),
    choice({ label: "Delay axis", name: "axis", value: state.axis, change: set("axis"),
      options: [["log", "Log"], ["linear", "Linear"]] }),
    choice({ label: "Paper's values", name: "paper", value: state.paper, change: set("paper"),
      options: [["yes", "Shown"], ["no", "Hidden"]] }));

  const views = tabs({
    label: "Arrangement of the delay curves",
    pages: [["grid", "Every setting"], ["setting", "One setting, four columns"]],
    change(view, host) { state.view = view; panel = host; rebuild(); },
  });
  on_theme(redraw);
  addEventListener("beforeprint", redraw);
  return section("curves", "Delay curves",
    "Exact-value accuracy in percent after a delay of other queries. Lines are means over training seeds, shading is one sample SD. " +
    "Point at a chart, or focus it and use the arrow keys, to read values.", shared, views, legend, details);
}
