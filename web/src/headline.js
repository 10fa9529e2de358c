// The first screen: one figure over all settings, and what it says in three sentences. Every number is computed from the
// curves and the judged claims of the page's data.
import { DelayChart } from "./chart.js";
import { verdict_of } from "./claims.js";
import { choice } from "./controls.js";
import { h, replace } from "./dom.js";
import { fixed, whole } from "./format.js";
import { swatch } from "./marks.js";
import { on_theme } from "./theme.js";

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const list = (parts) => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);

/// The settings of the headline: those that the paper has, or whatever there is.
function settings_of(data) {
  const papers = new Set(data.paper_points.map((point) => point.setting));
  const measured = new Set(data.curves.map((curve) => curve.setting));
  const both = [...measured].filter((setting) => papers.has(setting));
  return both.length ? both : [...measured];
}

/// Accuracy over delay of one model and recipe: the mean over the columns of a setting, then over settings. Delays that
/// no table has come from long streams.
function over_settings(data, model, recipe) {
  const seed = data.eval_seeds[0]?.seed;
  const settings = settings_of(data);
  const fitting = data.curves.filter((curve) => curve.model === model && curve.recipe === recipe && curve.eval_seed === seed &&
    settings.includes(curve.setting));
  const in_tables = new Set(fitting.filter((curve) => curve.kind === "table").flatMap((curve) => curve.delays));
  const points = new Map();  // delay -> setting -> {values, runs}
  for (const curve of fitting) {
    curve.delays.forEach((delay, i) => {
      if (curve.mean[i] === null || (curve.kind !== "table" && in_tables.has(delay))) return;
      const of_delay = points.get(delay) ?? points.set(delay, new Map()).get(delay);
      const one = of_delay.get(curve.setting) ?? of_delay.set(curve.setting, { values: [], runs: Infinity }).get(curve.setting);
      one.values.push(curve.mean[i]);
      one.runs = Math.min(one.runs, curve.seeds.filter((run) => run.values[i] !== null).length);
    });
  }
  const line = [...points].map(([delay, by_setting]) => {
    const all = [...by_setting.values()].filter((one) => one.values.length === data.columns.length);
    const means = all.map((one) => mean(one.values));
    return { delay, settings: all.length, runs: all.reduce((sum, one) => sum + one.runs, 0), value: all.length ? mean(means) : null,
      low: Math.min(...means), high: Math.max(...means) };
  }).filter((one) => one.value !== null).sort((a, b) => a.delay - b.delay);
  const most = Math.max(0, ...line.map((one) => one.runs));
  return line.map((one) => ({ ...one, joined: one.runs === most }));
}

/// The recipe to begin with: of those with the most runs behind their curves, the one that remembers best at the longest
/// delay that they all have.
export function best_recipe(data) {
  const scored = data.recipes.map((recipe) => {
    const lines = data.models.map((model) => over_settings(data, model.name, recipe)).filter((line) => line.length);
    const cells = lines.reduce((sum, line) => sum + Math.max(...line.map((one) => one.runs)), 0);
    return { recipe, lines, cells };
  });
  const most = Math.max(0, ...scored.map((one) => one.cells));
  const full = scored.filter((one) => one.lines.length && one.cells === most);
  if (!full.length) return data.recipes[0];
  const common = longest_common(full.flatMap((one) => one.lines));
  const score = (one) => mean(one.lines.map((line) => line.find((point) => point.delay === common)?.value ?? 0));
  return full.reduce((best, one) => (score(one) >= score(best) ? one : best)).recipe;
}

/// The longest delay that every line goes through.
function longest_common(lines) {
  const shared = (lines[0] ?? []).filter((point) => lines.every((line) => line.some((one) => one.delay === point.delay && one.joined)));
  return shared.at(-1)?.delay;
}

/// The paper's means over the same settings, at the delays where it prints every column.
function papers_points(data, model) {
  const settings = settings_of(data);
  const delays = [...new Set(data.paper_points.map((point) => point.delay))];
  return delays.flatMap((delay) => {
    const points = data.paper_points.filter((point) => point.model === model.name && point.delay === delay && settings.includes(point.setting));
    return points.length && points.length === settings.length * data.columns.length
      ? [{ model: model.name, label: model.label, delay, mean: mean(points.map((point) => point.mean)), sd: null }] : [];
  });
}

const percent = (value) => `${fixed(value, value > 99.95 || value < 10 ? 2 : 1)}\u00a0%`;

function sentences(data, measured, papers, recipe) {
  const said = [];
  const values_at = (delay) => list(measured.map(({ model, line }) => `${model.label} ${percent(line.find((one) => one.delay === delay).value)}`));
  const times = (delay) => `${fixed(delay / data.training_limit, delay % data.training_limit ? 1 : 0)} times the longest delay of training`;
  const common = longest_common(measured.map(({ line }) => line));
  const printed = Math.max(...papers.map((point) => point.delay));
  const first = measured.every(({ line }) => line.some((one) => one.delay === printed)) ? printed : common;
  if (measured.length && first !== undefined) {
    const theirs = papers.filter((point) => point.delay === first);
    said.push([`After ${whole(first)} other queries, ${times(first)}, `, h("b", {}, values_at(first)), ` of the values are still exact (recipe ${recipe})`,
      theirs.length > 0 && `; the paper has ${list(theirs.map((point) => percent(point.mean)))}`, "."]);
  }
  if (common > first) said.push([`After ${whole(common)}, the longest delay that all of these runs were asked at, it is `, h("b", {}, values_at(common)), "."]);
  const seed = String(data.eval_seeds[0]?.seed);
  const judged = data.recipes.map((one) => ({ recipe: one, verdicts: data.claims.map((claim) => verdict_of(claim, one, seed)) }))
    .map(({ recipe: one, verdicts }) => ({ one, holds: verdicts.filter((verdict) => verdict === "holds").length,
      of: verdicts.filter((verdict) => verdict !== "unmeasured").length })).filter(({ of }) => of > 0);
  if (judged.length) said.push([`Of the paper’s ${data.claims.length} claims, as far as the runs can tell, `,
    h("b", {}, list(judged.map(({ one, holds, of }) => `${holds} of ${of} with ${one}`))), " hold: ",
    h("a", { href: "#claims" }, "claim by claim"), "."]);
  if (!measured.length) said.unshift(["None of these runs has been evaluated: ", h("code", {}, "schemamem eval RUN"), " does it."]);
  return said.map((parts) => h("p", {}, parts));
}

export function headline(data) {
  const chart = new DelayChart(data, { title: "What is still known after a delay", height: 300,
    describe: "Exact-value accuracy in percent over the delay, means over settings and columns." });
  const words = h("div", { class: "sentences" });
  const legend = h("div", { class: "legend", "aria-hidden": "true" });
  let recipe = data.first_recipe;
  const lines_of = (one) => data.models.map((model) => ({ model, line: over_settings(data, model.name, one) })).filter(({ line }) => line.length);
  const shown_line = (one) => ({ model, line }) => ({ model: model.name, label: one === recipe ? model.label : `${model.label}, ${one}`, recipe: one,
    dash: one === recipe ? [] : [5, 4], faint: one !== recipe, delays: line.map((point) => point.delay), values: line.map((point) => point.value),
    joined: line.map((point) => point.joined), low: one === recipe && line.map((point) => point.low), high: line.map((point) => point.high),
    note: (i) => `${fixed(line[i].low, 1)} to ${fixed(line[i].high, 1)}, ${whole(line[i].runs)} run${line[i].runs === 1 ? "" : "s"}` });
  const runs_of = (lines) => lines.reduce((sum, { line }) => sum + Math.max(...line.map((point) => point.runs)), 0);
  function redraw() {
    const lines = lines_of(recipe);
    // Other recipes stand behind it where as many runs do.
    const others = data.recipes.filter((one) => one !== recipe && lines.length && runs_of(lines_of(one)) >= runs_of(lines));
    const papers = data.models.flatMap((model) => papers_points(data, model));
    const shown = [...others.flatMap((one) => lines_of(one).map(shown_line(one))), ...lines.map(shown_line(recipe))];
    chart.show({ lines: shown, paper: papers, log: true, delays: new Set() });
    const settings = Math.max(0, ...lines.map(({ line }) => line[0].settings));
    replace(legend, lines.map(({ model }) => h("span", {}, swatch(model.name), model.label)),
      papers.length > 0 && h("span", {}, swatch(papers[0].model, true), "paper"),
      others.length > 0 && h("span", {}, `dashed: ${list(others)}`),
      lines.some(({ line }) => line.some((point) => !point.joined)) && h("span", {}, "pale: fewer runs than the line has"),
      settings > 0 && h("span", {}, `means over ${settings === 1 ? "one setting" : `${whole(settings)} settings`} and ${data.columns.length} columns, shading from the worst setting to the best`),
      h("span", {}, h("i", { class: "dotted" }), "longest delay in training"));
    replace(words, sentences(data, lines, papers, recipe));
  }
  redraw();
  on_theme(redraw);
  addEventListener("beforeprint", redraw);
  return h("div", { class: "headline", id: "headline" }, h("div", {}, chart.element, legend),
    h("div", {}, words, data.recipes.length > 1 && h("div", { class: "controls" }, choice({ label: "Recipe", name: "headline-recipe", value: recipe,
      options: data.recipes.map((one) => [one, one]), change: (value) => { recipe = value; redraw(); } }))));
}
