// Time: step by step or a hundred thousand rows at once, play and pause, and back again along the line.
import { h, replace } from "../src/dom.js";
import { whole } from "../src/format.js";
import { on_theme } from "../src/theme.js";
import { first_flip } from "./measure.js";
import { rows_at } from "./past.js";
import { draw_timeline, kPad, neighbour, place_text, spread } from "./timeline.js";

const kJumps = [1, 96, 1536, 100000];
const kPaces = [["16", "16 a second"], ["96", "96 a second"], ["1536", "1,536 a second"], ["Infinity", "at full speed"]];
const kFine = 10000;
const kKey = () => h("span", { class: "time-key", "aria-hidden": "true" }, h("i", { class: "write" }), "write", h("i", { class: "ask" }), "question", h("i", { class: "commit" }), "commit", " · long waits are drawn short");

export function time_view(session, act) {
  const play = h("button", { type: "button", class: "play", onclick: () => toggle() });
  const jumps = kJumps.map((rows) => h("button", { type: "button", class: "button", "data-wait": rows, "aria-label": `Wait ${whole(rows)} ${rows === 1 ? "row" : "rows"}`,
    onclick: () => act.step({ do: "wait", rows }) }, `+${whole(rows)}`));
  const pace = h("select", { "aria-label": "Speed of playing" }, kPaces.map(([key, text]) => h("option", { value: key, selected: key === "1536" }, text)));
  const facts = h("p", { class: "time-facts" });
  const bar = h("progress", { max: "1", value: "0", "aria-label": "Rows waited" });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const slider = h("input", { type: "range", min: "0", max: kFine, step: "1", value: kFine, "aria-label": "Time line", oninput: () => slide(), onkeydown: (event) => press(event),
    onpointermove: (event) => hover(event), onpointerleave: () => { tip.hidden = true; } });
  const tip = h("div", { class: "tip time-tip", hidden: true });
  const back = h("button", { type: "button", class: "button quiet", "data-go": "back", "aria-label": "Back to the step before", onclick: () => go(-1) }, "◂");
  const forth = h("button", { type: "button", class: "button quiet", "data-go": "forth", "aria-label": "Forward to the next step", onclick: () => go(1) }, "▸");
  const fork = h("button", { type: "button", class: "button quiet", "data-go": "fork", title: "Keep this past, and go on with a second one from here", onclick: () => act.fork() }, "Fork here");
  const again = h("button", { type: "button", class: "button quiet", "data-go": "reset", title: "Forget everything, and begin with an empty memory", onclick: () => act.begin() }, "Begin anew");
  const element = h("section", { id: "time", class: "time", "aria-label": "Time" }, h("div", { class: "wide time-inside" },
    h("div", { class: "transport" }, play, h("div", { class: "row jumps", role: "group", "aria-label": "Let rows pass" }, jumps), pace, h("div", { class: "row" }, back, forth, fork, again), facts),
    h("div", { class: "line" }, canvas, slider, tip), bar));
  let wanted = null, sliding = false;

  const playing = () => session.busy?.what === "play" || session.busy?.what === "wait" || (session.busy?.of ?? 0) > 2000;
  const toggle = () => (playing() ? session.stop() : act.play(Number(pace.value)));
  const go = (direction) => act.seek(neighbour(session.steps, session.cursor, direction));

  /// Where a click would lead: long waits are drawn short.
  function hover(event) {
    const box = slider.getBoundingClientRect();
    const place = spread(session.steps).place(Math.min(1, Math.max(0, (event.clientX - box.left - kPad) / (box.width - 2 * kPad))));
    tip.textContent = `row ${whole((session.origin?.rows ?? 0) + rows_at(session.steps, place))}, ${place_text(session.steps, place)}`;
    tip.hidden = session.steps.length === 0;
    const left = event.clientX - box.left - tip.offsetWidth / 2;
    tip.style.setProperty("left", `${Math.max(0, Math.min(box.width - tip.offsetWidth, left))}px`);
  }

  /// While the slider moves only the last place counts.
  async function slide() {
    wanted = spread(session.steps).place(Number(slider.value) / kFine);
    if (sliding) return;
    sliding = true;
    while (wanted) {
      const place = wanted;
      wanted = null;
      await act.seek(place);
    }
    sliding = false;
  }

  function press(event) {
    const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    go(direction);
  }

  function draw_facts() {
    const { busy } = session;
    const lane = session.lane();
    const parts = [h("b", {}, `row ${whole(session.rows)}`)];
    if (lane?.commits) parts.push(` · ${whole(lane.commits)} ${lane.commits === 1 ? "commit" : "commits"}`);
    if (session.delay) parts.push(` · ${whole(session.delay)} since the last write`);
    if (busy?.rate > 100) parts.push(` · ${whole(Math.round(busy.rate / 100) * 100)} rows/s`);
    if (busy?.what === "catch up") parts.push(" · catching up");
    if (busy?.what === "search") parts.push(" · looking for the row");
    replace(facts, parts, kKey());
  }

  function draw() {
    const on = playing();
    if (play.dataset.on !== String(on)) {
      play.dataset.on = String(on);
      play.setAttribute("aria-label", on ? "Pause" : "Play");
      replace(play, h("span", { "aria-hidden": "true" }, on ? "❚❚" : "▶"), h("span", { class: "play-word" }, on ? "Pause" : "Play"));
    }
    draw_facts();
    const { busy } = session;
    const share = busy?.of > 0 && busy.of < Number.MAX_SAFE_INTEGER ? busy.done / busy.of : 0;
    bar.value = share;
    bar.classList.toggle("idle", !share);
    const marks = session.lane()?.marks ?? [], flip = first_flip(marks);
    draw_timeline(canvas, session.steps, session.cursor, { chunk: session.model.chunk, flip: flip > 0 ? marks[flip].place : null });
    if (document.activeElement !== slider || !sliding) slider.value = Math.round(kFine * spread(session.steps).at(session.cursor));
    slider.setAttribute("aria-valuetext", `row ${whole(session.rows)}, ${place_text(session.steps, session.cursor)}`);
    fork.disabled = session.steps.length === 0;
  }

  new ResizeObserver(() => draw()).observe(canvas);
  on_theme(() => draw());
  return { element, update: draw, toggle, go };
}
