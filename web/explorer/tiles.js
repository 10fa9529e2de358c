// The slots that stand out, large: each with its phases as hands of small clocks, its number and who was written there.
import { h } from "../src/dom.js";
import { css_colour } from "./colours.js";
import { kHeldTurn, radians } from "./inside_text.js";
import { slot_turns, strongest, turn_of } from "./measure.js";
import { pixel_of } from "./strip.js";

const kMost = 6, kClock = 15, kAcross = 8;  // clocks of so many pixels, so many in a row

function draw_clocks(canvas, phases, scale) {
  const ratio = devicePixelRatio || 1, size = Math.round(kClock * ratio), down = Math.ceil(phases.length / kAcross);
  const [wide, high] = [size * kAcross, size * down];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  canvas.style.setProperty("width", `${wide / ratio}px`);
  canvas.style.setProperty("height", `${high / ratio}px`);
  const context = canvas.getContext("2d"), pixel = pixel_of(true, scale), full = scale || Math.PI;
  context.clearRect(0, 0, wide, high);
  phases.forEach((phase, i) => {
    const turn = turn_of(phase), angle = Math.PI * Math.max(-1, Math.min(1, turn / full)) * (scale ? 0.8 : 1);
    const x = (i % kAcross + 0.5) * size, y = (Math.floor(i / kAcross) + 0.5) * size, r = size * 0.44;
    context.fillStyle = css_colour(pixel(turn));
    context.beginPath();
    context.arc(x, y, r, 0, 7);
    context.fill();
    context.strokeStyle = "rgb(255 255 255 / 0.9)";
    context.lineWidth = 1.1 * ratio;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + r * Math.sin(angle), y - r * Math.cos(angle));
    context.stroke();
  });
}

export function tiles_view() {
  const element = h("div", { class: "tiles" });
  const tiles = Array.from({ length: kMost }, () => {
    const canvas = h("canvas", { "aria-hidden": "true" }), text = h("span", {});
    const tile = h("div", { class: "tile", hidden: true }, canvas, text);
    element.append(tile);
    return { tile, canvas, text };
  });
  return {
    element,
    /// The slots that `ranked` turns most, with the phases of `part`.
    draw(part, ranked, scale, tags) {
      const addresses = new Map(tags);
      const held = strongest(slot_turns(ranked), kHeldTurn, kMost);
      element.hidden = !held.length;
      tiles.forEach(({ tile, canvas, text }, i) => {
        tile.hidden = i >= held.length;
        if (tile.hidden) return;
        const [slot, turn] = held[i];
        draw_clocks(canvas, part.values.subarray(slot * part.columns, (slot + 1) * part.columns), scale);
        const said = `slot ${slot}${addresses.has(slot) ? `, ${addresses.get(slot).includes(",") ? "addresses" : "address"} ${addresses.get(slot)}` : ""}, ${radians(turn)} rad`;
        if (text.textContent !== said) text.textContent = said;
      });
    },
  };
}
