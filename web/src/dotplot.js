import { h, replace, svg } from "./dom.js";
import { swatch, mark, model_variable } from "./marks.js";

const kRow = 22, kLeft = 46, kRight = 22, kTop = 6, kBottom = 24;

/// Rows of marks on one axis: {title, rows: [{label, marks: [{model, value, hollow, text}], links: [{model, from, to}]}],
/// scale: {low, high, log, ticks, tick_text}}. Pointing at a row shows its numbers.
export function dotplot({ title, rows, scale, width: widest }) {
  const width = Math.min(widest, Math.max(240, document.documentElement.clientWidth - 40));  // letters keep their size
  if (rows.every((row) => !row.marks.length)) {
    return h("figure", { class: "chart" }, h("figcaption", {}, title), h("div", { class: "plot" }, h("p", { class: "gap" }, "Not measured")));
  }
  const height = kTop + rows.length * kRow + kBottom;
  const span = width - kLeft - kRight;
  const map = scale.log ? Math.log : (value) => value;
  const x = (value) => kLeft + span * (map(value) - map(scale.low)) / (map(scale.high) - map(scale.low));
  const tip = h("div", { class: "tip", hidden: true });
  const band = svg("rect", { x: 0, width, height: kRow, class: "band", visibility: "hidden" });
  const at = (i) => kTop + i * kRow + kRow / 2;
  const picture = svg("svg", { class: "dotplot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. The numbers are in the tables.`,
      onpointermove: point, onpointerleave: () => { tip.hidden = true; band.setAttribute("visibility", "hidden"); } },
    band,
    scale.ticks.map((tick) => [
      svg("line", { x1: x(tick), x2: x(tick), y1: kTop, y2: height - kBottom, class: "rule" }),
      svg("text", { x: x(tick), y: height - 8, "text-anchor": "middle" }, scale.tick_text(tick))]),
    rows.map((row, i) => [
      svg("text", { x: 0, y: at(i) + 4 }, row.label),
      row.links?.map((link) => svg("line", { x1: x(link.from), x2: x(link.to), y1: at(i), y2: at(i), class: "link",
        stroke: `var(${model_variable(link.model)})` })),
      [...row.marks].sort((a, b) => (b.hollow ? 1 : 0) - (a.hollow ? 1 : 0)).map((one) => mark(one.model, x(one.value), at(i), 4.2, one.hollow))]));
  function point(event) {
    const box = picture.getBoundingClientRect();
    const i = Math.floor(((event.clientY - box.top) * height / box.height - kTop) / kRow);
    const row = rows[i];
    tip.hidden = !row?.marks.length;
    band.setAttribute("visibility", row ? "visible" : "hidden");
    if (!row) return;
    band.setAttribute("y", kTop + i * kRow);
    replace(tip, h("strong", {}, row.label), h("table", {}, h("tbody", {}, row.marks.map((one) =>
      h("tr", {}, h("td", {}, swatch(one.model, one.hollow)), h("th", { scope: "row" }, one.name), h("td", { class: "number" }, one.text))))));
    tip.style.top = `${(at(i) + kRow) * box.height / height + 22}px`;
    tip.style.left = `${Math.min(24, box.width / 8)}px`;
  }
  return h("figure", { class: "chart" }, h("figcaption", {}, title), h("div", { class: "plot" }, picture), tip);
}
