// Side by side: up to three models live through the same rows.
import { fresh_id, h, replace } from "../src/dom.js";
import { whole } from "../src/format.js";
import { swatch } from "../src/marks.js";
import { judge, mini_row, right_text } from "./answers.js";
import { memory_of } from "./reading.js";
import { colour_scale, Strip } from "./strip.js";

const kMost = 3;

export function models_view(session, act) {
  const title = fresh_id("models");
  const cards = session.models.map((model, i) => build(model, i));
  const element = h("section", { id: "models", "aria-labelledby": title }, h("h2", { id: title }, "Side by side"),
    h("p", { class: "lead" }, "The same rows for up to three models. A model that joins later first lives through everything that was."),
    h("div", { class: "cards" }, cards.map((one) => one.element)));

  function build(model, i) {
    const run = h("input", { type: "checkbox", onchange: () => toggle(i) });
    const look = h("button", { type: "button", class: "button quiet", "data-look": i, onclick: () => act.show(i) }, "Look inside");
    const body = h("div", { class: "card-body" });
    const canvas = h("canvas", { role: "img" });
    return { run, look, body, canvas, strip: new Strip(canvas), element: h("div", { class: "card", "data-model": i },
      h("label", { class: "card-name" }, run, swatch(model.name), h("strong", {}, model.title), h("small", {}, model.name)), body, canvas, look) };
  }

  function toggle(i) {
    const wanted = session.models.map((_, k) => k).filter((k) => (k === i ? cards[k].run.checked : session.running.includes(k)));
    if (!wanted.length || wanted.length > kMost) {
      cards[i].run.checked = session.running.includes(i);
      act.complain(wanted.length ? "Three models run side by side, and no more." : "One model has to run.");
      return;
    }
    act.set_models(wanted, session.shown);
  }

  function draw() {
    session.models.forEach((model, i) => {
      const { run, look, body, canvas, strip, element: card } = cards[i];
      const lane = session.lane(i), on = session.running.includes(i);
      run.checked = on;
      card.classList.toggle("on", on);
      look.hidden = !on;
      look.setAttribute("aria-pressed", String(i === session.shown));
      canvas.hidden = !lane?.inside;
      const facts = `${whole(model.parameters)} parameters, ${whole(model.state_size)} numbers of state`;
      if (!lane?.believed) {
        replace(body, h("p", { class: "aside" }, facts));
        return;
      }
      const answers = judge(lane.believed, session.truth);
      replace(body, h("p", { class: "count" }, right_text(answers)), mini_row(answers, model.title), h("p", { class: "aside" }, facts));
      const part = memory_of(lane.inside.layers.at(-1));
      strip.fit(card.clientWidth - 34, part, true);
      strip.draw(part, colour_scale([part]), { colours: {} });
      canvas.setAttribute("aria-label", `State of the last layer of ${model.title}`);
    });
  }

  return { element, update: (what) => what !== "busy" && what !== "progress" && draw() };
}
