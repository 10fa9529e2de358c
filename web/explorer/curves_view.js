// Why it forgets: what is still right, and how far the memory has moved, against the rows since the last write.
import { fresh_id, h, replace } from "../src/dom.js";
import { fixed, whole } from "../src/format.js";
import { about_forgetting, following } from "./explain.js";
import { kHeldTurn, radians } from "./inside_text.js";
import { decades, LiveChart } from "./live_chart.js";
import { first_flip, frailest, peak } from "./measure.js";
import { words_of } from "./model_words.js";

const kLayerColours = ["--model-3", "--model-4", "--model-5", "--model-6", "--model-7"];
const kFloor = 1e-7;  // what a logarithmic axis shows of no drift at all

export function curves_view(session, act) {
  const accuracy = new LiveChart({ title: "Answers that are right", describe: "Percent of all addresses, for each model that runs.", y: {
    left: 42, range: () => [0, 104], ticks: () => [0, 25, 50, 75, 100], label: (tick) => `${tick}%`, text: (value) => `${fixed(value, 1)} %` } });
  const drift = new LiveChart({ title: "How far S has moved", describe: "Largest turn of each layer since the last write, in radians; the dashed lines are how deep the layers' memory is.", y: {
    left: 50, log: true, range: (chart) => drift_range(chart), ticks: decades,
    label: (tick) => (tick >= 0.0009 ? String(Number(tick.toPrecision(1))) : tick.toExponential(0).replace("-", "−")),
    text: (value) => (value <= kFloor ? "none" : `${radians(value)} ${is_phase() ? "rad" : "of its norm"}`) } });
  const title = fresh_id("forgets");
  const sentence = h("p", { class: "lead", role: "status" });
  const jump = h("button", { type: "button", class: "button", hidden: true, onclick: () => act.jump() }, "Go to the first flip");
  const legend = h("p", { class: "legend" }), models = h("p", { class: "legend" });
  accuracy.element.append(models);
  drift.element.append(legend);
  const about = following(session, about_forgetting);
  const element = h("section", { id: "forgets", "aria-labelledby": title }, h("div", { class: "panel-head" }, h("h2", { id: title }, "Why it forgets"), jump),
    sentence, h("div", { class: "charts two-charts" }, accuracy.element, drift.element), about.element);

  const is_phase = () => session.model.has_phases;

  function drift_range(chart) {
    const all = [...chart.lines.flatMap((line) => line.values), ...chart.levels.map((one) => one.value)].filter((one) => one > kFloor);
    if (!all.length) return [1e-7, 1];
    return [10 ** Math.floor(Math.log10(Math.min(...all))), 10 ** Math.ceil(Math.log10(Math.max(...all) * 1.05))];
  }

  const lanes = () => session.past.lanes.filter((lane) => lane.marks.length);
  const name = (lane) => lane.model.title + (lane.touched ? ", changed" : "");

  let drawn = "";
  function draw() {
    about.update();
    const now = JSON.stringify([session.shown, session.version, session.past.name, lanes().map((lane) => [name(lane), lane.marks.length, lane.marks.at(-1)?.delay])]);
    if (now === drawn) return;
    drawn = now;
    drift.title(words_of(session.model).moved);
    const { addresses } = session.model.task;
    const flip = flip_of(session.lane());
    accuracy.show({ marks: flip ? [flip.delay] : [], lines: lanes().map((lane) => ({ label: name(lane), colour: `--model-${session.models.indexOf(lane.model)}`,
      dash: lane.touched ? [2, 3] : [], delays: lane.marks.map((one) => one.delay), values: lane.marks.map((one) => 100 * (1 - one.wrong.length / addresses)) })) });
    const shown = [session.lane(), session.lane(session.shown, true)].filter((lane) => lane?.marks.length);
    drift.show({ marks: flip ? [flip.delay] : [],
      lines: shown.flatMap((lane) => lane.marks[0].drift.map((_, layer) => ({ label: `layer ${layer + 1}${lane.touched ? ", changed" : ""}`, colour: kLayerColours[layer % 5],
        dash: lane.touched ? [2, 3] : [], delays: lane.marks.slice(1).map((one) => one.delay), values: lane.marks.slice(1).map((one) => Math.max(kFloor, one.drift[layer])) }))),
      levels: is_phase() && shown.length ? shown[0].marks[0].depth.map((value, layer) => ({ value, colour: kLayerColours[layer % 5] })).filter(({ value }) => value >= kHeldTurn) : [] });
    replace(models, lanes().map((lane) => h("span", {}, lane.touched ? h("i", { class: "dash-key fine" }) : h("i", { class: "line-key", style: { background: `var(--model-${session.models.indexOf(lane.model)})` } }), name(lane))));
    replace(legend, (shown[0]?.marks[0].drift ?? []).map((_, layer) => h("span", {}, h("i", { class: "line-key", style: { background: `var(${kLayerColours[layer % 5]})` } }), `layer ${layer + 1}`)),
      shown.length > 0 && is_phase() && h("span", {}, h("i", { class: "dash-key" }), "how far a layer was turned at the last write"),
      shown.length > 1 && h("span", {}, h("i", { class: "dash-key fine" }), "changed memory"),
      flip && h("span", {}, h("i", { class: "dotted flip-key" }), "first flip"));
    jump.hidden = !flip;
    sentence.textContent = sentence_of(session.lane(), flip);
  }

  function flip_of(lane) {
    const at = lane ? first_flip(lane.marks) : -1;
    if (at < 1) return null;
    const addresses = lane.marks[at].wrong.filter((one) => !lane.marks[0].wrong.includes(one));
    return { delay: lane.marks[at].delay, before: lane.marks[at - 1].delay, addresses, answers: addresses.map((one) => lane.marks[at].values[one]) };
  }

  function sentence_of(lane, flip) {
    if (!lane?.marks.length) return "Every question that passes also moves the memory a little. Write something, wait, and see how far.";
    const last = lane.marks.at(-1);
    const phase = is_phase();
    const { depth } = lane.marks[0], [worst, most] = peak(last.drift), frail = phase ? frailest(last.drift, depth, kHeldTurn) : -1;
    const moved = most < kFloor ? "nothing has moved" : !phase ? `layer ${worst + 1} has moved by ${radians(100 * most)} % of its size`
      : frail < 0 ? `layer ${worst + 1} has moved by ${radians(most)} rad` : `layer ${frail + 1}, which was turned by ${radians(depth[frail])} rad, has moved by ${radians(last.drift[frail])} rad`;
    const fate = flip ? ` ${flip.addresses.length > 1 ? "Addresses" : "Address"} ${flip.addresses.join(", ")} flipped first, between ${whole(flip.before)} and ${whole(flip.delay)} rows, to ${flip.answers.join(", ")}.`
      : " No answer has flipped yet.";
    return `After ${whole(last.delay)} rows ${moved}.${fate}`;
  }

  return { element, update: (what) => what !== "busy" && draw(), marks: () => lanes().map((lane) => ({ name: name(lane), lane })) };
}
