// Beside: the memory changed by hand, or that of another past, next to the untouched one, address by address and layer by layer.
import { fresh_id, h, replace } from "../src/dom.js";
import { whole } from "../src/format.js";
import { judge, mini_row, right_text } from "./answers.js";
import { radians } from "./inside_text.js";
import { layer_drift } from "./measure.js";
import { words_of } from "./model_words.js";
import { memory_of } from "./reading.js";
import { place_text } from "./timeline.js";
import { print_step } from "./script.js";

export function beside_view(session, act) {
  const title = fresh_id("beside");
  const zero = h("div", { class: "row", role: "group", });
  const zero_label = h("span", {}), noise_label = h("label", { for: "noise" }), floor_label = h("label", { for: "floor" });
  const freeze = h("button", { type: "button", class: "button", "aria-pressed": "false", "data-touch": "freeze", onclick: () => act.step({ do: session.touches?.frozen ? "thaw" : "freeze" }) });
  const noise = h("input", { type: "number", id: "noise", min: "0", max: "4", step: "any", value: "0.02" });
  const floor = h("input", { type: "number", id: "floor", min: "0", max: "4", step: "any", value: "0.001" });
  const drop = h("select", { id: "drop", "aria-label": "Write to leave out" });
  const mend = h("button", { type: "button", class: "button quiet", "data-touch": "mend", onclick: () => act.step({ do: "mend" }) }, "Throw the copy away");
  const pasts = h("div", { class: "row", role: "group", "aria-label": "Pasts" });
  const compared = h("select", { id: "compare", onchange: () => act.compare(compared.value) });
  const result = h("div", { class: "result" });
  const number = (field) => (Number(field.value) >= 0 && Number(field.value) <= 4 && field.value !== "" ? Number(Number(field.value).toPrecision(6)) : null);
  const applied = (field, make) => () => {
    const value = number(field);
    if (value === null) return act.complain(`A number from 0 to 4 is expected here; found “${field.value.slice(0, 20)}”.`);
    return act.step(make(value));
  };
  const element = h("section", { id: "beside", "aria-labelledby": title },
    h("h2", { id: title }, "What if"),
    h("p", { class: "lead" }, "Do something to a copy of the memory; what you do to it adds up. From then on both live through the same rows, and the untouched one stays what it was."),
    h("div", { class: "beside-grid" },
      h("div", { class: "hands" },
        h("h3", {}, "Change the copy"),
        h("div", { class: "hand" }, zero_label, zero),
        h("div", { class: "hand" }, h("span", {}, "Nothing is stored any more"), freeze),
        h("div", { class: "hand" }, h("label", { for: "drop" }, "As if never written"), h("div", { class: "row" }, drop, h("button", { type: "button", class: "button", "data-touch": "drop", onclick: () => drop.value && act.step({ do: "drop", write: Number(drop.value) }) }, "Leave out"))),
        h("div", { class: "hand" }, noise_label, h("div", { class: "row" }, noise, h("button", { type: "button", class: "button", "data-touch": "noise", onclick: applied(noise, (radians_) => ({ do: "noise", radians: radians_ })) }, "Add noise"))),
        h("div", { class: "hand" }, floor_label, h("div", { class: "row" }, floor, h("button", { type: "button", class: "button", "data-touch": "floor", onclick: applied(floor, (value) => ({ do: "floor", value })) }, "Set the floor"))),
        mend,
        h("h3", {}, "Pasts"),
        pasts,
        h("label", { class: "inline" }, "compare with ", compared)),
      result));

  function draw_hands() {
    const layers = session.model.layers, words = words_of(session.model);
    zero.setAttribute("aria-label", words.zero);
    for (const [label, text] of [[zero_label, words.zero], [noise_label, words.noise], [floor_label, words.floor]]) label.textContent = text;
    if (zero.childElementCount !== layers + 1) {
      replace(zero, [["all", -1], ...Array.from({ length: layers }, (_, i) => [`layer ${i + 1}`, i])].map(([text, layer]) =>
        h("button", { type: "button", class: "button", "data-touch": `zero${layer}`, onclick: () => act.step({ do: "zero", layer }) }, text)));
    }
    const frozen = Boolean(session.touches?.frozen);
    freeze.setAttribute("aria-pressed", String(frozen));
    freeze.textContent = frozen ? words.thaw : words.freeze;
    mend.hidden = !session.touches;
    const writes = session.steps.slice(0, session.cursor.step + 1).filter((step) => step.do === "write");
    const key = writes.map(print_step).join();
    if (drop.dataset.key !== key) {
      drop.dataset.key = key;
      replace(drop, writes.length ? writes.map((step, i) => h("option", { value: i + 1 }, `${i + 1}: ${print_step(step)}`)) : h("option", { value: "" }, "nothing written yet"));
    }
    drop.disabled = !writes.length;
  }

  function draw_pasts() {
    const key = JSON.stringify([session.pasts.map((one) => [one.name, one.steps.length, one.cursor]), session.past.name, session.beside, Boolean(session.touches)]);
    if (pasts.dataset.key === key) return;
    pasts.dataset.key = key;
    replace(pasts, session.pasts.map((one) => h("button", { type: "button", class: "button quiet", "aria-pressed": String(one === session.past), "data-past": one.name,
      title: place_text(one.steps, one.cursor), onclick: () => act.switch_to(one.name) }, one.name)));
    replace(compared, h("option", { value: "" }, session.touches ? "the changed copy" : "nothing"), session.pasts.filter((one) => one !== session.past).map((one) => h("option", { value: one.name, selected: one.name === session.beside }, one.name)));
    compared.disabled = session.pasts.length < 2;
  }

  function side(name, lane, truth) {
    const answers = judge(lane.believed, truth);
    return h("div", { class: "side" }, h("p", {}, h("strong", {}, name), h("span", { class: "count" }, right_text(answers))), mini_row(answers, name));
  }

  let drawn = "";
  function draw() {
    draw_hands();
    draw_pasts();
    const lane = session.lane(), other = session.other;
    if (!lane?.believed) return;
    if (!other?.believed || !other.inside) {
      if (drawn !== "none") replace(result, h("p", { class: "gap" }, "Nothing beside it yet: change the copy, or go back in time and do something else."));
      drawn = "none";
      return;
    }
    const apart = lane.inside.layers.map((layer, i) => {
      return layer_drift(memory_of(layer), memory_of(other.inside.layers[i]).values);
    });
    const there = session.beside ? session.pasts.find((one) => one.name === session.beside) : null;
    const touched = session.touches && session.steps.slice(session.touches.from, session.cursor.step + 1).filter((step) => act.is_touch(step)).map(print_step).join("; ");
    const words = words_of(session.model), behind = there && act.rows_of(there) < session.rows;
    const now = JSON.stringify([session.shown, session.beside, behind, touched, [...lane.believed.values], [...other.believed.values], session.truth, apart.map((one) => one.toPrecision(3))]);
    if (now === drawn) return;
    drawn = now;
    replace(result,
      side(there ? session.past.name : "Untouched", lane, session.truth),
      side(there ? there.name : "Changed", other, there ? act.truth_of(there) : session.truth),
      h("table", { class: "data" }, h("thead", {}, h("tr", {}, h("th", {}, words.apart), apart.map((_, i) => h("th", { class: "number" }, `layer ${i + 1}`)))),
        h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, words.unit), apart.map((one) => h("td", { class: "number" }, radians(one)))))),
      h("p", { class: "aside" }, there ? `${there.name}: ${place_text(there.steps, there.cursor)}. ` : `The copy: ${touched}. `, "“Difference” in the picture above shows where they part."),
      behind && h("button", { type: "button", class: "button", onclick: () => act.level() }, `Let ${there.name} wait until row ${whole(session.rows)} too`));
  }

  return { element, update: (what) => what !== "busy" && what !== "progress" && draw() };
}
