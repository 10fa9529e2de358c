// Numbers as pixels: a layer's slots side by side, one column a slot, with bars above and below; or a matrix as it is written.
import { phase_pixel, signed_pixel } from "./colours.js";
import { largest, slot_turns, turn_of } from "./measure.js";

const kBars = 22, kGap = 3, kTags = 14;  // CSS pixels

/// The next round number above a number: colours and bars keep their scale while numbers grow.
function round_up(value) {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * 0.999) * power;
}

/// The number at which the colours of some parts end: round, and at most half a circle.
export function colour_scale(parts) {
  const most = Math.max(...parts.map((part) => (part.phase ? largest(slot_turns(part)) : largest(part.values))));
  return Math.min(round_up(Math.max(most, 1e-6)), parts[0].phase ? Math.PI : Infinity);
}

/// A picture of `rows` x `columns` numbers, a pixel a number; slots run across, so a part's rows are the picture's columns.
function picture_of({ rows, columns, values }, pixel, upright) {
  const [wide, high] = upright ? [columns, rows] : [rows, columns];
  const image = new ImageData(wide, high);
  const pixels = new Uint32Array(image.data.buffer);
  for (let r = 0, i = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c, ++i) pixels[upright ? i : c * rows + r] = pixel(values[i]);
  }
  return image;
}

const scratch = typeof document === "undefined" ? null : document.createElement("canvas");

function paint(context, image, x, y, wide, high) {
  if (scratch.width < image.width || scratch.height < image.height) {
    scratch.width = Math.max(scratch.width, image.width);
    scratch.height = Math.max(scratch.height, image.height);
  }
  scratch.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(scratch, 0, 0, image.width, image.height, x, y, wide, high);
}

/// How a part is coloured: `scale` 0 is the whole circle; else the number at which colours end.
export function pixel_of(phase, scale) {
  if (phase && !scale) return phase_pixel;
  return phase ? (value) => signed_pixel(turn_of(value), scale) : (value) => signed_pixel(value, scale);
}

export class Strip {
  constructor(canvas) {
    this.canvas = canvas;
    this.place = null;
  }

  /// Sizes for a width in CSS pixels.
  /// `bare`: the picture alone, without bars and tags.
  fit(width, part, bare = false) {
    const ratio = devicePixelRatio || 1;
    this.ratio = ratio;
    this.upright = !part.phase;
    const [wide, high] = this.upright ? [part.columns, part.rows] : [part.rows, part.columns];
    // Slots take the whole width, some a pixel more than others; matrices keep whole cells.
    const cell = width * ratio / wide;
    const across = this.upright ? Math.min(Math.max(1, Math.floor(cell)), Math.round(5 * ratio)) : cell;
    const tall = this.upright ? Math.min(Math.max(1, Math.round(across * 1.4)), Math.round(4 * ratio)) : Math.max(1, Math.round(2.25 * ratio));
    const [bars, gap, tags] = [kBars, kGap, kTags].map((size) => (this.upright || bare ? 0 : Math.round(size * ratio)));
    this.place = { x: 0, y: bars + gap, wide: Math.floor(wide * across), high: high * tall, cell: across, tall, bars, gap, tags, columns: wide, rows: high };
    const size = [Math.floor(wide * across), bars + gap + high * tall + gap + bars + tags];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) [this.canvas.width, this.canvas.height] = size;
    this.canvas.style.setProperty("width", `${size[0] / ratio}px`);
    this.canvas.style.setProperty("height", `${size[1] / ratio}px`);
  }

  /// `bars`: [{values, colour, top}] over the slots, each of at most 1; `tags`: [[slot, text]]; `cursor`: {x, y} of a cell.
  draw(part, scale, { bars = [], tags = [], cursor = null, colours }) {
    const context = this.canvas.getContext("2d");
    const { x, y, wide, high, cell, tall, gap } = this.place;
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    paint(context, picture_of(part, pixel_of(part.phase, scale), this.upright), x, y, wide, high);
    if (colours.rule) {
      context.strokeStyle = colours.rule;
      context.lineWidth = 1;
      context.strokeRect(0.5, Math.max(0.5, y - 0.5), wide - 1, y > 0 ? high + 1 : high - 1);
      for (let head = 1; head < (part.heads ?? 1); ++head) context.strokeRect(Math.round(head * wide / part.heads) + 0.5, y, 0, high);
    }
    for (const one of bars) this.draw_bars(context, one, cell);
    this.draw_tags(context, tags, colours);
    if (!cursor) return;
    context.strokeStyle = colours.accent;
    context.lineWidth = Math.max(1, this.ratio);
    context.strokeRect(cursor.x * cell - 0.5, y - 0.5, cell + 1, high + 1);
    context.strokeRect(cursor.x * cell - 1, y + cursor.y * tall - 1, cell + 2, tall + 2);
    context.globalAlpha = 0.25;
    context.fillStyle = colours.accent;
    context.fillRect(cursor.x * cell, 0, cell, y - gap);
    context.globalAlpha = 1;
  }

  draw_bars(context, { values, colour, top }, cell) {
    const { y, high, bars, gap } = this.place;
    context.fillStyle = colour;
    const base = top ? bars : y + high + gap;
    values.forEach((value, slot) => {
      const tall = Math.round(Math.min(1, value) * bars);
      const left = Math.round(slot * cell);
      if (tall > 0) context.fillRect(left, top ? base - tall : base, Math.max(1, Math.round((slot + 1) * cell) - left - (cell > 3 ? 1 : 0)), tall);
    });
  }

  draw_tags(context, tags, colours) {
    const { y, high, gap, bars, cell, wide } = this.place;
    context.font = `600 ${Math.round(10.5 * this.ratio)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.fillStyle = colours.ink;
    let last = -Infinity;
    for (const [slot, text] of [...tags].sort((a, b) => a[0] - b[0])) {
      const half = context.measureText(text).width / 2;
      const at = Math.min(wide - half, Math.max(half, (slot + 0.5) * cell));
      if (at - half < last + 3 * this.ratio) continue;
      context.fillText(text, at, y + high + gap + bars + this.ratio);
      last = at + half;
    }
  }

  /// The cell under a point of the canvas, in CSS pixels; null outside.
  cell_at(left, top) {
    if (!this.place) return null;
    const { columns, rows, cell, tall, y } = this.place;
    const x = Math.floor(left * this.ratio / cell), row = Math.floor((top * this.ratio - y) / tall);
    if (x < 0 || x >= columns) return null;
    return { x, y: Math.min(rows - 1, Math.max(0, row)) };
  }
}
