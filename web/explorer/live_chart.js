// A chart that grows while it is looked at: lines over the delay, on a logarithmic axis, on one canvas.
import { h, replace } from "../src/dom.js";
import { short_delay, whole } from "../src/format.js";
import { on_theme } from "../src/theme.js";
import { tone } from "./palette.js";

const kHeight = 220, kTop = 10, kBottom = 38, kRight = 12;  // CSS pixels

/// The powers of ten from `low` to `high`.
export function decades(low, high) {
  const all = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * 1.0001; ++k) all.push(10 ** k);
  return all;
}

/// `lines`: [{label, colour (a custom property), dash, delays, values}]; `levels`: [{colour, value}], dashed across; `marks`: delays.
/// `y`: {left: room for its labels, log, range(chart), ticks(low, high), label(tick), text(value)}.
export class LiveChart {
  constructor({ title, describe, y }) {
    this.y = y;
    this.canvas = h("canvas", { "aria-hidden": "true", onpointermove: (event) => this.point(event), onpointerleave: () => this.leave() });
    this.gap = h("p", { class: "gap" }, "Write something and let time pass: the curve begins with the last write.");
    this.host = h("div", { class: "plot" }, this.gap, this.canvas);
    this.tip = h("div", { class: "tip", hidden: true });
    this.live = h("div", { class: "unseen", role: "status" });
    this.element = h("figure", { class: "chart", tabindex: "0", role: "group", "aria-roledescription": "chart",
      "aria-label": `${title}. ${describe} Left and right arrows read the values.`, onkeydown: (event) => this.press(event), onblur: () => this.leave() },
    this.caption = h("figcaption", {}, title), this.host, this.tip, this.live);
    Object.assign(this, { lines: [], levels: [], marks: [], delays: [], at: null });
    new ResizeObserver(() => this.draw()).observe(this.host);
    on_theme(() => this.draw());
  }

  title(text) { if (this.caption.textContent !== text) this.caption.textContent = text; }

  show({ lines, levels = [], marks = [] }) {
    Object.assign(this, { lines, levels, marks });
    this.delays = [...new Set(lines.flatMap((line) => line.delays))].filter((delay) => delay > 0).sort((a, b) => a - b);
    this.draw();
  }

  /// Where numbers are on the canvas, in CSS pixels.
  scales() {
    const [low, high] = this.y.range(this), first = this.delays[0], last = Math.max(10 * first, this.delays.at(-1));
    const wide = this.host.clientWidth - this.y.left - kRight, tall = kHeight - kTop - kBottom;
    const up = this.y.log ? (value) => Math.log(Math.max(low, value) / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
    return { low, high, first, last, x: (delay) => this.y.left + wide * Math.log(delay / first) / Math.log(last / first), y: (value) => kTop + tall * (1 - up(value)), wide, tall };
  }

  draw() {
    const empty = this.delays.length < 2;
    this.gap.hidden = !empty;
    this.canvas.hidden = empty;
    if (empty || !this.host.clientWidth) return;
    const ratio = devicePixelRatio || 1, wide = this.host.clientWidth;
    [this.canvas.width, this.canvas.height] = [Math.round(wide * ratio), Math.round(kHeight * ratio)];
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const scales = this.scales();
    this.draw_axes(context, scales);
    for (const { colour, value } of this.levels) if (value > scales.low) this.stroke(context, colour, 1.25, [5, 4], [[this.y.left, scales.y(value)], [this.y.left + scales.wide, scales.y(value)]]);
    for (const line of this.lines) this.stroke(context, line.colour, 2, line.dash, line.delays.map((delay, i) => [scales.x(delay), scales.y(line.values[i])]));
    for (const mark of this.marks) this.stroke(context, "--fails", 1.5, [2, 3], [[scales.x(mark), kTop], [scales.x(mark), kTop + scales.tall]]);
    if (this.at !== null) this.draw_cursor(context, scales);
  }

  stroke(context, colour, width, dash, points) {
    context.strokeStyle = tone(colour);
    context.lineWidth = width;
    context.lineJoin = "round";
    context.setLineDash(dash);
    context.beginPath();
    points.forEach((point) => context.lineTo(...point));
    context.stroke();
    context.setLineDash([]);
  }

  draw_axes(context, scales) {
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const tick of this.y.ticks(scales.low, scales.high)) {
      this.stroke(context, "--grid", 1, [], [[this.y.left, scales.y(tick)], [this.y.left + scales.wide, scales.y(tick)]]);
      context.fillStyle = tone("--muted");
      context.fillText(this.y.label(tick), this.y.left - 6, scales.y(tick));
    }
    context.textBaseline = "top";
    context.textAlign = "right";
    context.fillText("rows since the last write", this.y.left + scales.wide, kHeight - 13);
    context.textAlign = "center";
    for (const tick of decades(scales.first, scales.last)) context.fillText(short_delay(tick), Math.min(scales.x(tick), this.y.left + scales.wide - 8), kHeight - kBottom + 7);
  }

  draw_cursor(context, scales) {
    const delay = this.delays[this.at];
    this.stroke(context, "--muted", 1, [], [[scales.x(delay), kTop], [scales.x(delay), kTop + scales.tall]]);
    for (const { line, value } of this.values_at(delay)) {
      context.fillStyle = tone(line.colour);
      context.beginPath();
      context.arc(scales.x(delay), scales.y(value), 4, 0, 7);
      context.fill();
    }
  }

  values_at(delay) {
    return this.lines.map((line) => ({ line, value: line.values[line.delays.indexOf(delay)] })).filter(({ value }) => value !== undefined);
  }

  read(at, aloud = false) {
    this.at = at;
    this.draw();
    const delay = this.delays[at], rows = this.values_at(delay);
    replace(this.tip, h("strong", {}, `${whole(delay)} rows after the last write`), h("table", {}, h("tbody", {}, rows.map(({ line, value }) =>
      h("tr", {}, h("td", {}, h("i", { class: "line-key", style: { background: tone(line.colour) } })), h("th", { scope: "row" }, line.label), h("td", { class: "number" }, this.y.text(value)))))));
    this.tip.hidden = false;
    const left = this.scales().x(delay), width = this.tip.offsetWidth;
    this.tip.style.setProperty("left", `${Math.max(0, left + 14 + width <= this.element.clientWidth ? left + 14 : left - 14 - width)}px`);
    if (aloud) this.live.textContent = `${whole(delay)} rows: ${rows.map(({ line, value }) => `${line.label} ${this.y.text(value)}`).join(", ")}`;
  }

  point(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left, scales = this.scales();
    const far = (i) => Math.abs(scales.x(this.delays[i]) - x);
    this.read(this.delays.reduce((best, _, i) => (far(i) < far(best) ? i : best), 0));
  }

  press(event) {
    const last = this.delays.length - 1, at = this.at ?? -1;
    const to = { ArrowRight: Math.min(last, at + 1), ArrowLeft: at < 0 ? last : Math.max(0, at - 1), Home: 0, End: last }[event.key];
    if (event.key === "Escape") this.leave();
    if (to === undefined || last < 1) return;
    event.preventDefault();
    this.read(to, true);
  }

  leave() {
    this.at = null;
    this.tip.hidden = true;
    this.draw();
  }
}
