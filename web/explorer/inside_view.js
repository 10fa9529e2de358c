// Inside: for each layer its slots of phases as a picture, with the weights of the chosen token above and what each slot holds
// below; of models without phases their matrices. The pointer or the arrow keys read any number.
import { choice } from "../src/controls.js";
import { fresh_id, h, replace } from "../src/dom.js";
import { on_theme } from "../src/theme.js";
import { tone } from "./palette.js";
import { css_colour, phase_pixel, signed_pixel } from "./colours.js";
import { about_inside, following } from "./explain.js";
import { held_text, kHeldTurn, radians, views_of } from "./inside_text.js";
import { largest, layer_depth, slot_turns, turn_of } from "./measure.js";
import { step_rows } from "./past.js";
import { memory_of, part_of } from "./reading.js";
import { colour_scale, Strip } from "./strip.js";
import { tiles_view } from "./tiles.js";

const kShownTags = 0.45;  // a write is named below the slots that it turned at least this much of its largest turn

export function inside_view(session, act) {
  let view = "state", whole_circle = false, layers = [], shape = "", tags_key = "", tags = [];
  let read_again = null;  // tells the number that is pointed at once more, when it may have changed
  const title = fresh_id("inside");
  const views = h("div", {}), tokens = h("select", { id: "token", onchange: () => pick_token() });
  const weights_key = h("span", { class: "weights-key" });
  const zoom = h("input", { type: "checkbox", id: "zoom", onchange: () => { whole_circle = zoom.checked; draw(); } });
  const legend = h("div", { class: "scale" });
  const body = h("div", { class: "layers" });
  const caption = h("p", { class: "caption" });
  const waiting = h("p", { class: "waiting", role: "status", hidden: true });
  const readout = h("p", { class: "readout", role: "status" });
  const tip = h("div", { class: "tip inside-tip", hidden: true });
  const about = following(session, about_inside);
  const element = h("section", { id: "inside", class: "panel", "aria-labelledby": title },
    h("div", { class: "panel-head" }, h("h2", { id: title }, "Where it is kept"), h("div", { class: "row" }, views)),
    caption,
    h("div", { class: "row tools" }, h("label", { class: "inline" }, "weights of ", tokens, weights_key), h("label", { class: "inline" }, zoom, " colours for the whole circle"), legend),
    waiting, body, readout, about.element, tip);

  const is_phase = () => session.model.has_phases;

  /// The numbers that are drawn of a layer.
  function shown_part(lane, index) {
    const layer = lane.inside.layers[index], part = memory_of(layer);
    const other = session.other;
    if (view === "bank") {
      const bank = part_of(layer, "schema").values;
      return { ...part, values: part.values.map((value, i) => value + bank[i]) };
    }
    if (view === "increment") return { ...part, values: part.increment ?? new Float32Array(part.values.length) };
    if (view === "pending") return { ...part, values: part_of(layer, "pending")?.values ?? new Float32Array(part.values.length) };
    if (view === "difference" && other?.inside) {
      const there = memory_of(other.inside.layers[index]).values;
      return { ...part, values: part.values.map((value, i) => value - there[i]) };
    }
    return part;
  }

  function scale_of(parts) {
    if (view === "bank" || (whole_circle && parts[0].phase)) return 0;
    return colour_scale(parts);
  }

  function build(lane) {
    const phase = is_phase();
    const names = views_of(session.model);
    const open = Object.entries(names).filter(([key]) => key !== "difference" || session.other);
    if (!open.some(([key]) => key === view)) view = "state";
    about.update();
    replace(views, choice({ label: "What is drawn", name: "inside-view", quiet: true, compact: true, value: view,
      options: open.map(([key, { label }]) => [key, label]), change: (key) => { view = key; draw(); } }));
    zoom.parentElement.hidden = !phase;
    tokens.parentElement.hidden = !phase;
    layers = lane.inside.layers.map((_, index) => build_layer(index, phase));
    replace(body, layers.map((one) => one.element));
  }

  function build_layer(index, phase) {
    const canvas = h("canvas", { tabindex: "0", role: "img", "data-layer": index,
      onpointermove: (event) => point(index, event), onpointerleave: () => leave(), onkeydown: (event) => press(index, event), onblur: () => leave() });
    const held = h("span", { class: "held" });
    const tiles = tiles_view();
    return { canvas, held, tiles, strip: new Strip(canvas), cursor: null, element: h("div", { class: `layer${phase ? "" : " matrix"}` },
      h("p", { class: "layer-name" }, h("strong", {}, `Layer ${index + 1}`), held), h("div", { class: "picture" }, canvas), phase && tiles.element) };
  }

  function token_options() {
    const address = session.chosen?.ask ?? session.chosen?.write ?? act.chosen_address(), { value } = session.truth[address];
    const wanted = [["last", "the last row read"], ["ask", `asking address ${address}`], ["write", `writing ${value} to address ${address}`]];
    const now = session.chosen === null ? "last" : "write" in session.chosen ? "write" : "ask";
    replace(weights_key, h("i", { style: { background: `var(${now === "write" ? "--model-1" : "--model-0"})` } }), now === "write" ? "where it writes" : "where it reads");
    const key = JSON.stringify([wanted, now]);
    if (tokens.dataset.key === key) return;
    tokens.dataset.key = key;
    replace(tokens, wanted.map(([name, text]) => h("option", { value: name, selected: name === now }, text)));
  }

  /// Writes since the last commit are not in S yet, and yet they are answered: a copy is asked, which commits first.
  function draw_waiting() {
    const before = session.steps.slice(0, session.cursor.step + 1).filter((step) => step_rows(step) > 0);
    const count = is_phase() ? before.length - 1 - before.findLastIndex((step) => step.do !== "write") : 0;
    waiting.hidden = count === 0;
    waiting.textContent = `${count === 1 ? "One write waits" : `${count} writes wait`} for the commit, which comes with the next question: “Waiting” shows what S will be given. The answers on the left come from a copy that was asked, and so has committed.`;
  }

  function pick_token() {
    const address = act.chosen_address();
    act.choose(tokens.value === "last" ? null : tokens.value === "ask" ? { ask: address } : { write: address, value: session.truth[address].value });
  }

  /// Which addresses were written to which slots: the latest write of each.
  function tags_of(lane, index) {
    const key = `${session.version} ${session.cursor.step} ${session.past.name} ${session.shown} ${(lane.base ?? lane).notes.size}`;
    if (key !== tags_key) [tags_key, tags] = [key, lane.inside.layers.map((_, layer) => find_tags(lane, layer))];
    return tags[index];
  }

  function find_tags(lane, index) {
    const latest = new Map();
    session.steps.slice(0, session.cursor.step + 1).forEach((step, i) => { if (step.do === "write") latest.set(step.address, i); });
    const slots = new Map();
    for (const [address, step] of latest) {
      const turns = (lane.base ?? lane).notes.get(step)?.[index];
      const most = turns ? largest(turns) : 0;
      if (most < kHeldTurn) continue;
      turns.forEach((turn, slot) => { if (turn >= kShownTags * most) slots.set(slot, [...(slots.get(slot) ?? []), address]); });
    }
    return [...slots].map(([slot, addresses]) => [slot, addresses.sort((a, b) => a - b).join(", ")]);
  }

  /// `whole`: also what does not change from frame to frame.
  function draw(whole = true) {
    const lane = session.lane();
    if (!lane?.inside) return;
    const now = `${session.shown} ${Boolean(session.other)} ${lane.inside.layers.length}`;
    if (now !== shape) {
      shape = now;
      read_again = null;
      tip.hidden = true;
      build(lane);
    }
    const names = views_of(session.model);
    caption.textContent = names[view].title + (is_phase() ? `; ${memory_of(lane.inside.layers[0]).rows} slots across, ${memory_of(lane.inside.layers[0]).columns} phases down.` : ".");
    if (whole) {
      token_options();
      draw_waiting();
    }
    const parts = lane.inside.layers.map((_, index) => shown_part(lane, index));
    const scale = scale_of(parts);
    draw_scale(parts[0].phase, scale);
    const width = body.clientWidth;
    const colours = { ink: tone("--ink"), accent: tone("--accent"), rule: tone("--rule") };
    const tones = { read: tone("--model-0"), write: tone("--model-1"), held: tone("--muted") };
    layers.forEach((one, index) => {
      const part = parts[index];
      one.strip.fit(width, part);
      one.strip.draw(part, scale, { colours, cursor: one.cursor, bars: part.phase ? bars_of(lane, index, part, scale, tones) : [], tags: part.phase ? tags_of(lane, index) : [] });
      if (!whole) return;
      if (part.phase) one.tiles.draw(part, ranked_part(lane, index, part), scale, tags_of(lane, index));
      const held = part.phase ? held_text(ranked_part(lane, index, part), view) : matrix_text(part);
      if (one.held.textContent !== held) one.held.textContent = held;
      one.canvas.setAttribute("aria-label", `Layer ${index + 1}, ${names[view].title}: ${held}. Arrow keys read the numbers.`);
    });
  }

  const matrix_text = (part) => `${part.name}, ${part.heads ?? 1} ${part.heads > 1 ? "heads" : "head"} of ${part.rows} × ${part.columns / (part.heads ?? 1)}; norm ${layer_depth(part).toFixed(3)}`;

  /// What slots are told apart by: of E + S it is S, since E is there in all of them.
  const ranked_part = (lane, index, part) => (view === "bank" ? memory_of(lane.inside.layers[index]) : part);

  function bars_of(lane, index, part, scale, tones) {
    const weights = lane.weights?.[index];
    const ranked = ranked_part(lane, index, part);
    const turns = slot_turns(ranked), full = ranked === part ? scale || Math.PI : colour_scale(lane.inside.layers.map(memory_of));
    const writes = "write" in (session.chosen ?? {});
    return [
      weights?.read && !writes && { values: weights.read, colour: tones.read, top: true },
      weights?.write && writes && { values: weights.write, colour: tones.write, top: true },
      { values: [...turns].map((turn) => turn / full), colour: tones.held, top: false },
    ].filter(Boolean);
  }

  function draw_scale(phase, scale) {
    const ends = scale || Math.PI;
    const key = `${phase} ${scale}`;
    if (legend.dataset.key === key) return;
    legend.dataset.key = key;
    const stops = Array.from({ length: 17 }, (_, i) => {
      const at = (i / 8 - 1) * ends;
      return css_colour(phase && !scale ? phase_pixel(at) : signed_pixel(at, ends));
    });
    const unit = phase ? " rad" : "";
    const end = scale ? `${Number(scale.toPrecision(2))}` : "π";
    replace(legend, h("span", {}, `−${end}`), h("i", { style: { background: `linear-gradient(90deg, ${stops.join(", ")})` } }), h("span", {}, `+${end}${unit}`));
    legend.setAttribute("aria-label", `Colours from minus ${end} to plus ${end}${unit}, dark is zero`);
  }

  // ---- reading numbers
  function lines_at(index, { x, y }) {
    const lane = session.lane(), layer = lane.inside.layers[index], part = memory_of(layer);
    const i = part.phase ? x * part.columns + y : y * part.columns + x;
    if (!part.phase) return { head: `layer ${index + 1}, row ${y}, column ${x}`, rows: [[view === "difference" ? "difference" : "state", radians(shown_part(lane, index).values[i]), part.name], ["head", String(Math.floor(x / (part.columns / (part.heads ?? 1)))), ""]], equation: "", code: part.name };
    const bank = part_of(layer, "schema"), pending = part_of(layer, "pending");
    const weights = lane.weights?.[index], { equation, place, code } = views_of(session.model)[view];
    return { head: `layer ${index + 1}, slot ${x}, phase ${y}`, rows: [
      ["S", `${radians(turn_of(part.values[i]))} rad`, part.name],
      bank && ["E", `${radians(bank.values[i])} rad`, bank.name],
      bank && ["E + S", `${radians(turn_of(bank.values[i] + part.values[i]))} rad`, "build_bank"],
      part.increment && ["last ΔS", `${radians(part.increment[i])} rad`, "commit_phases"],
      pending && pending.values[i] !== 0 && ["waiting ΔS", `${radians(pending.values[i])} rad`, pending.name],
      weights?.read && ["read weight P_r", weights.read[x].toFixed(4), "read_rows"],
      weights?.write && ["write weight P_w", weights.write[x].toFixed(4), "write_rows"],
      session.other?.inside && ["S beside", `${radians(turn_of(memory_of(session.other.inside.layers[index]).values[i]))} rad`, ""],
    ].filter(Boolean), equation: `${equation}  (${place})`, code };
  }

  function read(index, cell, aloud) {
    if (!session.lane()?.inside) return;  // between two memories
    layers.forEach((one, i) => { one.cursor = i === index ? cell : null; });
    read_again = () => tell(index, cell, aloud);
    tell(index, cell, aloud);
    draw();
  }

  function tell(index, cell, aloud) {
    const { head, rows, equation, code } = lines_at(index, cell);
    replace(tip, h("strong", {}, head), h("table", {}, h("tbody", {}, rows.map(([name, value, where]) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, value), h("td", { class: "note" }, where && h("code", {}, where)))))),
    equation && h("p", { class: "equation" }, equation, code && h("code", {}, code)));
    tip.hidden = false;
    const canvas = layers[index].canvas.getBoundingClientRect(), home = element.getBoundingClientRect();
    const { cell: size, y, high, bars, gap } = layers[index].strip.place;
    const left = canvas.left - home.left + (cell.x + 1) * size / layers[index].strip.ratio + 12;
    const place = left + tip.offsetWidth > home.width ? left - tip.offsetWidth - 24 - size : left;
    tip.style.setProperty("left", `${Math.max(4, place)}px`);
    const below = canvas.top - home.top + (y + high + gap + bars) / layers[index].strip.ratio + 4;
    const over = canvas.top - home.top - tip.offsetHeight - 4;
    tip.style.setProperty("top", `${canvas.top + tip.offsetHeight > innerHeight - 130 ? Math.max(0, over) : canvas.top - home.top + 20 || below}px`);
    if (aloud) readout.textContent = `${head}: ${rows.map(([name, value]) => `${name} ${value}`).join(", ")}. ${equation}`;
  }

  function point(index, event) {
    const box = layers[index].canvas.getBoundingClientRect();
    const cell = layers[index].strip.cell_at(event.clientX - box.left, event.clientY - box.top);
    if (cell) read(index, cell, false);
  }

  function press(index, event) {
    const { columns, rows } = layers[index].strip.place;
    const now = layers[index].cursor ?? { x: -1, y: 0 };
    const move = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (event.key === "Escape") return leave();
    if (!move) return undefined;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1;
    return read(index, { x: Math.min(columns - 1, Math.max(0, now.x + step * move[0])), y: Math.min(rows - 1, Math.max(0, now.y + step * move[1])) }, true);
  }

  function leave() {
    tip.hidden = true;
    read_again = null;
    layers.forEach((one) => { one.cursor = null; });
    draw();
  }

  new ResizeObserver(() => draw()).observe(body);
  on_theme(() => draw());

  return {
    element, canvases: () => layers.map((one) => one.canvas),
    update(what) {
      if (what === "busy") return;
      draw(what !== "progress");
      if (what !== "progress" && session.lane()?.inside) read_again?.();
    },
    set_view(key) { view = key; shape = ""; draw(); },
    lines: () => session.lane().inside.layers.map((layer, i) => {
      const part = memory_of(layer);
      return `layer ${i + 1}: ${part.phase ? held_text(part) : matrix_text(part)}`;
    }),
  };
}
