// The tour: a card that walks through the page, does what it tells and shows where to look.
import { h, replace } from "../src/dom.js";
import { kTour, tour_writes } from "./tour_steps.js";

export function tour(session, act, inside) {
  let at = -1, stopped = false, running = false, kept = null;  // kept: what was there before the tour
  const title = h("h3", { tabindex: "-1", id: "tour-title" });
  const body = h("div", { class: "tour-body", role: "status" });
  const count = h("p", { class: "tour-count" });
  const back = h("button", { type: "button", class: "button quiet", onclick: () => go(at - 1) }, "Back");
  const next = h("button", { type: "button", class: "button strong", onclick: () => (running ? skip() : go(at + 1)) });
  const close = h("button", { type: "button", class: "close", "aria-label": "End the tour", onclick: () => end() }, "×");
  const card = h("aside", { class: "tour", role: "dialog", "aria-labelledby": "tour-title", hidden: true }, close, count, title, body, h("div", { class: "row" }, back, next));

  const sm = () => session.models.findIndex((model) => model.has_phases);
  /// Marks a section and scrolls to it, once what was asked for is drawn.
  const light = async (id) => {
    document.querySelectorAll(".lit").forEach((one) => one.classList.remove("lit"));
    document.body.classList.toggle("touring", Boolean(id));
    const section = id && document.getElementById(id);
    if (!section) return;
    section.classList.add("lit");
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    const narrow = matchMedia("(max-width: 640px)").matches;
    ((narrow && section.querySelector(".layers, .charts, .result, .cards")) || section).scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  };

  function skip() {
    stopped = true;
    session.stop();
  }

  function show(state) {
    const last = at === kTour.length - 1;
    count.textContent = `${at + 1} of ${kTour.length}`;
    back.disabled = at === 0 || state === "running";
    next.textContent = state === "running" ? "Stop waiting" : last ? "End of the tour" : "Next";
    card.dataset.state = state;
    card.dataset.step = String(at + 1);
  }

  async function go(to) {
    if (running) return;
    if (to >= kTour.length) { end(); return; }
    at = Math.max(0, to);
    const step = kTour[at];
    stopped = false;
    running = true;
    card.hidden = false;
    title.textContent = step.title;
    replace(body, h("p", { class: "aside" }, "The model is at work …"));
    show("running");
    light(step.at);
    card.classList.toggle("left", step.at === "inside" || step.at === "models");
    if (step.view) inside.set_view(step.view);
    try {
      const model = sm();
      const text = await step.run({ session, model, writes: tour_writes(session.models[model].task), stopped: () => stopped, select: act.select });
      replace(body, text.map((one) => h("p", {}, one)));
      await light(step.at);
    } catch (error) {
      replace(body, h("p", {}, `This step did not work out: ${error.message}`));
    }
    running = false;
    show("done");
    title.focus({ preventScroll: true });
  }

  function begin() {
    kept = session.kept();
    return go(0);
  }

  function end() {
    skip();
    act.offer_back(kept);
    kept = null;
    card.hidden = true;
    light(null);
    act.focus_tour_button();
  }

  return { element: card, start: () => (sm() < 0 ? act.complain("The tour needs a SchemaMem model in the page; schemamem explore takes one.") : begin()), end, get open() { return !card.hidden; } };
}
