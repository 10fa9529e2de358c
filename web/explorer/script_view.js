// The script line and the scenarios of the task, which are scripts too.
import { h, replace } from "../src/dom.js";
import { right_text, judge } from "./answers.js";
import { kWords, parse_script, print_step } from "./script.js";

const kMostLines = 60;

export function script_view(session, act, notices) {
  const log = h("div", { class: "log", role: "log", "aria-label": "Answers of the script", tabindex: "0", hidden: true });
  const field = h("input", { type: "text", name: "script", id: "script", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
    placeholder: "write 5 3; wait 96; ask all", "aria-describedby": "script-help" });
  const delay = h("select", { id: "delay", "aria-label": "Delay of the scenarios, in rows" },
    [96, 384, 1536, 24576, 100000].map((rows) => h("option", { value: rows, selected: rows === 1536 }, rows.toLocaleString("en-US"))));
  const buttons = h("div", { class: "row" });
  const past = [];
  let at = 0;

  function line(text, kind = "") {
    log.hidden = false;
    log.append(h("p", { class: kind }, text));
    while (log.childElementCount > kMostLines) log.firstElementChild.remove();
    log.scrollTop = log.scrollHeight;
  }

  function reply(step) {
    const lane = session.lane();
    if (step.do === "ask") return line(`${step.address} → ${lane.answer.value}   (sure: ${lane.answer.confidence.toFixed(3)})`);
    if (step.do === "ask all") {
      const answers = judge(lane.believed, session.truth);
      return line(`${answers.map((one) => `${one.address} → ${one.answer}${one.kind === "wrong" ? "!" : ""}`).join(", ")}; ${right_text(answers)}`);
    }
    if (step.do === "fork") return line(`${session.pasts.at(-1).name} begins here; switch ${session.pasts.at(-1).name} goes on with it`);
    if (step.do === "inside") return act.inside_lines().forEach((one) => line(one));
    if (step.do === "save") return act.save_state();
    if (step.do === "help") return help();
    return undefined;
  }

  function help() {
    const before = log.childElementCount;
    Object.entries(kWords).forEach(([word, { takes, tells }]) => line(`${word} ${takes}`.trim().padEnd(20) + tells));
    log.scrollTop = log.children[Math.min(before, log.childElementCount - Object.keys(kWords).length)].offsetTop - log.offsetTop;
  }

  const trouble = (error) => { line(error.message, "trouble"); throw error; };

  async function run(text) {
    let steps;
    try {
      steps = parse_script(text, act.task());
    } catch (error) {
      line(error.message, "trouble");
      field.setAttribute("aria-invalid", "true");
      notices.complain(error);
      return;
    }
    field.removeAttribute("aria-invalid");
    await act.steps(steps, (step) => { line(`> ${print_step(step)}`, "said"); reply(step); }, trouble);
  }

  const form = h("form", { class: "script", onsubmit: (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    past.push(text);
    at = past.length;
    run(text);
  } }, h("label", { for: "script", class: "unseen" }, "Script"), field, h("button", { type: "submit", class: "button" }, "Run"));
  field.addEventListener("keydown", (event) => {
    const to = { ArrowUp: at - 1, ArrowDown: at + 1 }[event.key];
    if (to === undefined || !past.length) return;
    event.preventDefault();
    at = Math.min(past.length, Math.max(0, to));
    field.value = past[at] ?? "";
  });

  function update() {
    const { scenarios } = session.model;
    if (buttons.childElementCount || !scenarios?.length) return;
    replace(buttons, scenarios.map(({ name, summary }) => h("button", { type: "button", class: "button quiet", "data-scenario": name, title: summary,
      onclick: () => act.scenario(name, Number(delay.value), (step) => { line(`> ${print_step(step)}`, "said"); reply(step); }) }, name)),
    h("label", { class: "inline" }, "delay ", delay));
  }

  return {
    element: h("div", { class: "words" }, form,
      h("p", { class: "aside", id: "script-help" }, "The words are those of ", h("code", {}, "schemamem talk"), "; ", h("code", {}, "help"), " lists them. Arrow up: the last line again."),
      log, h("h3", {}, "The paper’s scenarios"), buttons),
    update, run, line,
  };
}
