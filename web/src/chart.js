// One chart over delays, or over numbers of writes: uPlot draws axes, lines and the cursor; spread, marks and the paper's values are drawn over it.
import uPlot from "uplot";
import { h, replace } from "./dom.js";
import { fixed, short_delay, whole } from "./format.js";
import { model_colour, model_place, model_shape, recipe_dash, swatch, trace } from "./marks.js";
import { colour } from "./theme.js";

const kTickGap = 38;  // pixels between two labels of the delay axis

export const is_loose = (line, i) => line.joined !== undefined && !line.joined[i];

/// `lines`: [{model, label, recipe, dash, faint, delays, values, joined, low, high, note(i)}], `paper`: [{model, delay, mean, sd}].
/// `joined` says which points a line goes through: one of fewer runs than the others is a mark beside it.
export class DelayChart {
  /// `name` says where on the axis something is; `limit` is what training went up to, if a line is to mark it.
  constructor(data, { title, height, sync, describe, limit = data.training_limit, name = (delay) => `delay ${whole(delay)}` }) {
    this.data = data;
    this.limit = limit;
    this.name = name;
    this.height = height;
    this.sync = sync;
    this.plot_host = h("div", { class: "plot" });
    this.tip = h("div", { class: "tip", hidden: true });
    this.element = h("figure", {
      class: "chart", tabindex: "0", role: "group", "aria-roledescription": "chart",
      "aria-label": `${title}. ${describe} Left and right arrows read the values one after the other.`,
      onkeydown: (event) => this.press(event), onblur: () => this.leave(),
    }, h("figcaption", {}, title, this.remark = h("span", { class: "remark" })), this.plot_host, this.tip, this.live = h("div", { class: "unseen", role: "status" }));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.plot_host);
  }

  destroy() {
    this.observer.disconnect();
    this.plot?.destroy();
  }

  /// `delays`: those of all charts of the page, so that their axes are the same.
  show({ lines, paper, log, delays: shared }) {
    Object.assign(this, { lines, paper, log });
    const delays = new Set([...shared, ...lines.flatMap((line) => line.delays), ...paper.map((point) => point.delay)]);
    this.delays = [...delays].filter((delay) => !log || delay > 0).sort((a, b) => a - b);
    this.draw();
  }

  draw() {
    this.plot?.destroy();
    this.plot = null;
    this.tip.hidden = true;
    this.remark.textContent = this.lines.length ? "" : "not measured";
    if (!this.delays.length) {
      replace(this.plot_host, h("p", { class: "gap" }, "Not measured"));
      return;
    }
    replace(this.plot_host);
    const columns = this.lines.map((line) => this.delays.map((delay) => {
      const i = line.delays.indexOf(delay);
      return i < 0 || is_loose(line, i) ? null : line.values[i] ?? null;
    }));
    this.plot = new uPlot(this.options(), [this.delays, ...columns], this.plot_host);
  }

  resize() {
    const width = this.plot_host.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize({ width, height: this.height });
  }

  options() {
    const ink = colour("--muted"), grid = colour("--grid");
    const font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
    const first = this.delays[0], last = this.delays.at(-1);
    const range = this.log ? [first / 1.12, last * 1.12] : [Math.min(0, first), last * 1.04];
    return {
      width: Math.max(120, this.plot_host.clientWidth), height: this.height,
      padding: [8, 10, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, distr: this.log ? 3 : 1, log: 2, range }, y: { range: [0, 100] } },
      axes: [
        { ...axis, size: 26, gap: 4, grid: { show: false }, splits: (u) => this.ticks(u), filter: (_, splits) => splits,
          values: (_, splits) => splits.map(short_delay) },
        { ...axis, size: 34, gap: 4, splits: () => [0, 25, 50, 75, 100], values: (_, splits) => splits.map(String) },
      ],
      series: [{}, ...this.lines.map((line) => ({
        stroke: model_colour(line.model), width: line.faint ? 1 : 2, dash: line.dash ?? recipe_dash(this.data, line.recipe),
        alpha: line.faint ? 0.65 : 1, spanGaps: true, points: { show: false },
      }))],
      cursor: {
        y: false, drag: { x: false, y: false }, sync: { key: this.sync, setSeries: false },
        points: { size: 9, width: 2, stroke: (u, i) => model_colour(this.lines[i - 1].model), fill: () => colour("--surface") },
      },
      hooks: {
        drawAxes: [(u) => this.draw_behind(u)],
        draw: [(u) => this.draw_over(u)],
        setCursor: [(u) => this.hover(u)],
        ready: [(u) => {
          u.over.addEventListener("mouseenter", () => { this.pointed = true; });
          u.over.addEventListener("mouseleave", () => { this.pointed = false; this.tip.hidden = true; });
        }],
      },
    };
  }

  /// Delays as labels, without those that would touch their neighbour; the longest and the training limit come first.
  ticks(u) {
    const at = (delay) => u.valToPos(delay, "x");
    const wanted = [this.delays.at(-1), this.limit, this.delays[0], ...[...this.delays].reverse()];
    const kept = [];
    for (const delay of wanted) {
      if (this.delays.includes(delay) && kept.every((other) => Math.abs(at(other) - at(delay)) >= kTickGap)) kept.push(delay);
    }
    return kept.sort((a, b) => a - b);
  }

  draw_behind(u) {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    if (this.limit !== null) {
      const limit = u.valToPos(this.limit, "x", true);
      ctx.strokeStyle = colour("--muted");
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(limit, u.bbox.top);
      ctx.lineTo(limit, u.bbox.top + u.bbox.height);
      ctx.stroke();
    }
    for (const line of this.lines) {
      if (!line.low) continue;
      const shown = line.delays.map((delay, i) => i)
        .filter((i) => !is_loose(line, i) && line.low[i] !== null && line.low[i] !== undefined && (!this.log || line.delays[i] > 0));
      if (shown.length < 2) continue;
      const point = (i, edge) => [u.valToPos(line.delays[i], "x", true), u.valToPos(edge[i], "y", true)];
      ctx.beginPath();
      shown.forEach((i) => ctx.lineTo(...point(i, line.high)));
      shown.reverse().forEach((i) => ctx.lineTo(...point(i, line.low)));
      ctx.closePath();
      ctx.globalAlpha = 0.13;
      ctx.fillStyle = model_colour(line.model);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    ctx.restore();
  }

  draw_over(u) {
    const { ctx } = u;
    const scale = devicePixelRatio;
    ctx.save();
    ctx.setLineDash([]);  // the last line's are still set
    ctx.globalAlpha = 1;
    const crowded = this.delays.length > 14;
    for (const line of this.lines) {
      ctx.fillStyle = model_colour(line.model);
      line.delays.forEach((delay, i) => {
        const loose = is_loose(line, i);
        if (line.values[i] === null || (this.log && delay <= 0) || (!loose && (line.faint || crowded))) return;
        ctx.globalAlpha = loose ? 0.55 : 1;
        trace(ctx, model_shape(line.model), u.valToPos(delay, "x", true), u.valToPos(line.values[i], "y", true), 3 * scale);
        ctx.fill();
      });
      ctx.globalAlpha = 1;
    }
    for (const point of this.paper) {
      const shift = model_place(point.model) - 1;  // whiskers side by side
      const x = u.valToPos(point.delay, "x", true) + 5 * shift * scale;
      ctx.strokeStyle = model_colour(point.model);
      ctx.lineWidth = 1.25 * scale;
      if (point.sd !== null) {
        ctx.beginPath();
        ctx.moveTo(x, u.valToPos(Math.min(100, point.mean + point.sd), "y", true));
        ctx.lineTo(x, u.valToPos(Math.max(0, point.mean - point.sd), "y", true));
        ctx.stroke();
      }
      trace(ctx, model_shape(point.model), x, u.valToPos(point.mean, "y", true), 3.6 * scale);
      ctx.fillStyle = colour("--surface");
      ctx.fill();
      ctx.lineWidth = 1.5 * scale;
      ctx.stroke();
    }
    ctx.restore();
  }

  hover(u) {
    const at = u.cursor.idx;
    if ((!this.pointed && !this.keyed) || at === null || at === undefined) {
      this.tip.hidden = true;
      return;
    }
    this.read(at);
  }

  rows(delay) {
    const ours = this.lines.flatMap((line) => {
      const i = line.delays.indexOf(delay);
      const value = i < 0 ? null : line.values[i];
      return value === null || value === undefined ? [] : [{ model: line.model, label: line.label, value, note: line.note(i) }];
    }).sort((a, b) => b.value - a.value);
    const theirs = this.paper.filter((point) => point.delay === delay)
      .map((point) => ({ model: point.model, label: `${point.label}, paper`, value: point.mean, hollow: true,
        note: point.sd === null ? "" : `± ${fixed(point.sd, 1)}` }))
      .sort((a, b) => b.value - a.value);
    return [...ours, ...theirs];
  }

  read(at) {
    const delay = this.delays[at];
    const rows = this.rows(delay);
    replace(this.tip, h("strong", {}, this.name(delay)), h("table", {}, h("tbody", {}, rows.map((row) =>
      h("tr", {}, h("td", {}, swatch(row.model, row.hollow)), h("th", { scope: "row" }, row.label),
        h("td", { class: "number" }, `${fixed(row.value, 2)} %`), h("td", { class: "note" }, row.note))))));
    this.tip.hidden = false;
    const left = this.plot.valToPos(delay, "x") + this.plot.bbox.left / devicePixelRatio;
    const room = this.element.clientWidth;
    const width = this.tip.offsetWidth;
    const beside = left + 14 + width <= room ? left + 14 : left - 14 - width;
    this.tip.style.left = `${Math.min(Math.max(0, beside), Math.max(0, room - width))}px`;
    if (this.keyed) {
      this.live.textContent = `${this.name(delay)}: ` +
        rows.map((row) => `${row.label} ${fixed(row.value, 2)} percent`).join(", ");
    }
  }

  press(event) {
    if (!this.plot) return;
    const last = this.delays.length - 1;
    const at = this.keyed ? this.key_index : -1;
    const to = { ArrowRight: Math.min(last, at + 1), ArrowLeft: at < 0 ? last : Math.max(0, at - 1), Home: 0, End: last }[event.key];
    if (event.key === "Escape") this.leave();
    if (to === undefined) return;
    event.preventDefault();
    this.keyed = true;
    this.key_index = to;
    this.plot.setCursor({ left: this.plot.valToPos(this.delays[to], "x"), top: 10 });
    this.read(to);
  }

  leave() {
    if (!this.keyed) return;
    this.keyed = false;
    this.tip.hidden = true;
    this.live.textContent = "";
    this.plot?.setCursor({ left: -10, top: -10 });
  }
}
