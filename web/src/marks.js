// One look for each model and recipe, in every chart, table and legend.
import { svg } from "./dom.js";
import { colour } from "./theme.js";

const kShapes = ["circle", "square", "triangle", "diamond", "wedge"];
const kColours = 8;  // --model-0 to --model-7 in style.css
let models = [];
/// Models take their looks in the order of the data: whichever there are, the page need not know them.
export const know_models = (names) => { models = names; };
export const model_place = (model) => models.indexOf(model);
export const model_shape = (model) => kShapes[Math.max(0, model_place(model)) % kShapes.length];

const kDashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

export const model_variable = (model) => (model_place(model) < 0 ? "--other" : `--model-${model_place(model) % kColours}`);
export const model_colour = (model) => colour(model_variable(model));
export const recipe_dash = (data, recipe) => kDashes[data.recipes.indexOf(recipe) % kDashes.length];

/// The corners of a mark around (x, y); none for a circle.
export function outline(shape, x, y, r) {
  if (shape === "square") return [[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]];
  if (shape === "triangle") return [[x, y - 1.25 * r], [x + 1.15 * r, y + 0.85 * r], [x - 1.15 * r, y + 0.85 * r]];
  if (shape === "diamond") return [[x, y - 1.35 * r], [x + 1.35 * r, y], [x, y + 1.35 * r], [x - 1.35 * r, y]];
  if (shape === "wedge") return [[x, y + 1.25 * r], [x + 1.15 * r, y - 0.85 * r], [x - 1.15 * r, y - 0.85 * r]];
  return null;
}

export function trace(context, shape, x, y, r) {
  const corners = outline(shape, x, y, 0.9 * r);
  context.beginPath();
  if (!corners) {
    context.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([a, b], i) => (i ? context.lineTo(a, b) : context.moveTo(a, b)));
  context.closePath();
}

/// A mark as an SVG element; hollow marks are the paper's.
export function mark(model, x, y, r, hollow = false) {
  const shape = model_shape(model);
  const style = hollow
    ? { fill: "var(--surface)", stroke: `var(${model_variable(model)})`, "stroke-width": "1.5" }
    : { fill: `var(${model_variable(model)})`, stroke: "var(--surface)", "stroke-width": "1" };
  const corners = outline(shape, x, y, 0.9 * r);
  if (!corners) return svg("circle", { cx: x, cy: y, r, style });
  return svg("path", { d: `M${corners.map((p) => p.map((v) => v.toFixed(2)).join(",")).join("L")}Z`, style });
}

export const swatch = (model, hollow = false) =>
  svg("svg", { class: "swatch", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
    mark(model, 6, 6, 4.2, hollow));

/// A piece of line as it appears in the charts.
export function line_swatch(data, recipe) {
  return svg("svg", { class: "swatch", viewBox: "0 0 26 12", width: 26, height: 12, "aria-hidden": "true" },
    svg("line", { x1: 1, x2: 25, y1: 6, y2: 6, stroke: "currentColor", "stroke-width": 2,
      "stroke-dasharray": recipe_dash(data, recipe).join(" ") }));
}
