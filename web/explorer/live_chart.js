// A chart that grows while it is looked at: lines over the delay, on a logarithmic axis.
import uPlot from "uplot";
import { h, replace } from "../src/dom.js";
import { short_delay, whole } from "../src/format.js";
import { colour, on_theme } from "../src/theme.js";

const kHeight = 220;
/// The powers of ten of an axis, and no lines between them.
const decades = (u, axis, low, high) => {
  const all = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * 1.0001; ++k) all.push(10 ** k);
  return all;
};
export const kLogAxis = { splits: decades, filter: (_, splits) => splits };

/// `lines`: [{label, colour (a custom property), dash, delays, values}], all drawn; `levels`: [{colour, value}], dashed across; `marks`: delays.
export class LiveChart {
  constructor({ title, describe, y }) {
    this.y = y;
    this.host = h("div", { class: "plot" });
    this.tip = h("div", { class: "tip", hidden: true });
    this.live = h("div", { class: "unseen", role: "status" });
    this.element = h("figure", { class: "chart", tabindex: "0", role: "group", "aria-roledescription": "chart",
      "aria-label": `${title}. ${describe} Left and right arrows read the values.`, onkeydown: (event) => this.press(event), onblur: () => this.leave() },
    h("figcaption", {}, title), this.host, this.tip, this.live);
    this.lines = [];
    this.levels = [];
    this.marks = [];
    new ResizeObserver(() => this.resize()).observe(this.host);
    on_theme(() => this.draw());
  }

  show({ lines, levels = [], marks = [] }) {
    const shape = JSON.stringify(lines.map(({ label, colour: tone, dash }) => [label, tone, dash]));
    Object.assign(this, { lines, levels, marks });
    this.delays = [...new Set(lines.flatMap((line) => line.delays))].filter((delay) => delay > 0).sort((a, b) => a - b);
    this.columns = lines.map((line) => {
      const at = new Map(line.delays.map((delay, i) => [delay, line.values[i]]));
      return this.delays.map((delay) => at.get(delay) ?? null);
    });
    if (!this.plot || shape !== this.shape || this.delays.length < 2) {
      this.shape = shape;
      this.draw();
    } else this.plot.setData([this.delays, ...this.columns]);
  }

  draw() {
    this.plot?.destroy();
    this.plot = null;
    this.tip.hidden = true;
    if (!this.delays || this.delays.length < 2) {
      replace(this.host, h("p", { class: "gap" }, "Write something and let time pass: the curve begins with the last write."));
      return;
    }
    replace(this.host);
    this.plot = new uPlot(this.options(), [this.delays, ...this.columns], this.host);
  }

  resize() {
    const width = this.host.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize({ width, height: kHeight });
  }

  options() {
    const axis = { stroke: colour("--muted"), font: `11px ${getComputedStyle(document.body).fontFamily}`, grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
    return {
      width: Math.max(120, this.host.clientWidth), height: kHeight, padding: [10, 12, 0, 0], legend: { show: false },
      scales: { x: { time: false, distr: 3, log: 10, range: (_, low, high) => [Math.max(1, low), Math.max(10, high)] }, y: this.y.scale(this) },
      axes: [{ ...axis, size: 26, gap: 4, ...kLogAxis, grid: { show: false }, values: (_, splits) => splits.map(short_delay) },
        { ...axis, size: this.y.size, gap: 4, ...this.y.axis }],
      series: [{}, ...this.lines.map((line) => ({ stroke: colour(line.colour), width: 2, dash: line.dash, spanGaps: true, points: { show: false } }))],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
      hooks: { draw: [(u) => this.draw_over(u)], setCursor: [(u) => this.hover(u)],
        ready: [(u) => u.over.addEventListener("mouseleave", () => { this.tip.hidden = true; })] },
    };
  }

  draw_over(u) {
    const { ctx } = u, ratio = devicePixelRatio;
    ctx.save();
    ctx.lineWidth = 1.25 * ratio;
    for (const { colour: tone, value } of this.levels) {
      if (!(value > 0)) continue;
      const y = u.valToPos(value, "y", true);
      if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
      ctx.strokeStyle = colour(tone);
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.beginPath();
      ctx.moveTo(u.bbox.left, y);
      ctx.lineTo(u.bbox.left + u.bbox.width, y);
      ctx.stroke();
    }
    for (const mark of this.marks) {
      const x = u.valToPos(mark, "x", true);
      ctx.strokeStyle = colour("--fails");
      ctx.setLineDash([2 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  hover(u) {
    const at = u.cursor.idx;
    if (at === null || at === undefined || u.cursor.left < 0) { this.tip.hidden = true; return; }
    this.read(at);
  }

  read(at, aloud = false) {
    const delay = this.delays[at];
    const rows = this.lines.map((line, i) => [line, this.columns[i][at]]).filter(([, value]) => value !== null);
    replace(this.tip, h("strong", {}, `${whole(delay)} rows after the last write`), h("table", {}, h("tbody", {}, rows.map(([line, value]) =>
      h("tr", {}, h("td", {}, h("i", { class: "line-key", style: { background: colour(line.colour) } })), h("th", { scope: "row" }, line.label), h("td", { class: "number" }, this.y.text(value)))))));
    this.tip.hidden = false;
    const left = this.plot.valToPos(delay, "x") + this.plot.bbox.left / devicePixelRatio, width = this.tip.offsetWidth;
    const beside = left + 14 + width <= this.element.clientWidth ? left + 14 : left - 14 - width;
    this.tip.style.setProperty("left", `${Math.max(0, beside)}px`);
    if (aloud) this.live.textContent = `${whole(delay)} rows: ${rows.map(([line, value]) => `${line.label} ${this.y.text(value)}`).join(", ")}`;
  }

  press(event) {
    if (!this.plot) return;
    const last = this.delays.length - 1, at = this.key ?? -1;
    const to = { ArrowRight: Math.min(last, at + 1), ArrowLeft: at < 0 ? last : Math.max(0, at - 1), Home: 0, End: last }[event.key];
    if (event.key === "Escape") this.leave();
    if (to === undefined) return;
    event.preventDefault();
    this.key = to;
    this.plot.setCursor({ left: this.plot.valToPos(this.delays[to], "x"), top: 10 });
    this.read(to, true);
  }

  leave() {
    this.key = undefined;
    this.tip.hidden = true;
    this.plot?.setCursor({ left: -10, top: -10 });
  }
}
