// The database: every address with what the model answers, what is true and how sure it is of each bit. A click chooses an
// address, which can then be asked and written.
import { fresh_id, h, replace } from "../src/dom.js";
import { about_answers } from "./explain.js";
import { count_right, describe, judge, kMeanings, kSigns } from "./answers.js";

export function database_view(session, act) {
  let chosen = 0, cells = [];
  const title = fresh_id("knows");
  const score = h("p", { class: "score" });
  const grid = h("div", { class: "cells", role: "group", "aria-label": "Addresses; arrow keys move, Enter asks, a digit writes" });
  const detail = h("div", { class: "detail" });
  const element = h("section", { id: "knows", class: "panel", "aria-labelledby": title },
    h("div", { class: "panel-head" }, h("h2", { id: title }, "What it answers"), score),
    grid,
    h("p", { class: "key" }, Object.entries(kSigns).map(([kind, sign]) => h("span", { class: kind }, h("b", { "aria-hidden": "true" }, sign), ` ${kMeanings[kind]}`))),
    detail, about_answers());

  function build() {
    const { addresses } = session.model.task;
    chosen = Math.min(chosen, addresses - 1);
    cells = Array.from({ length: addresses }, (_, a) => h("button", { type: "button", class: "cell", "data-address": a, onclick: () => choose(a) }));
    grid.classList.toggle("many", addresses > 8);
    replace(grid, cells);
  }

  function choose(address) {
    chosen = address;
    draw();
    return act.choose({ ask: address });
  }

  grid.addEventListener("keydown", (event) => {
    const columns = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
    const move = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (/^[0-9]$/.test(event.key) && Number(event.key) < session.model.task.values) { event.preventDefault(); act.step({ do: "write", address: chosen, value: Number(event.key) }); }
    if (event.key === "Enter") { event.preventDefault(); choose(chosen); act.step({ do: "ask", address: chosen }); }
    if (move === undefined) return;
    event.preventDefault();
    const to = chosen + move;
    if (to < 0 || to >= cells.length) return;
    choose(to);
    cells[to].focus();
  });

  function draw_cell(cell, one, beside) {
    const is_chosen = one.address === chosen;
    cell.className = `cell ${one.kind} ${one.written ? "written" : "untouched"}`;
    cell.setAttribute("aria-pressed", String(is_chosen));
    cell.setAttribute("aria-label", describe(one));
    cell.tabIndex = is_chosen ? 0 : -1;
    replace(cell,
      h("span", { class: "address" }, String(one.address)),
      h("span", { class: "sign", "aria-hidden": "true" }, kSigns[one.kind]),
      h("span", { class: "value" }, String(one.answer)),
      beside && beside.answer !== one.answer ? h("span", { class: "truth beside" }, cells.length > 8 ? `≠ ${beside.answer}` : `beside: ${beside.answer}`)
        : h("span", { class: "truth" }, one.kind === "wrong" ? `is ${one.value}` : one.written ? "written" : "default"),
      h("span", { class: "bits", "aria-hidden": "true" }, one.sure.map((sure, bit) =>
        h("span", { class: "bit", title: `bit ${bit}: ${(one.answer >> bit) & 1}, sure ${sure.toFixed(3)}` },
          h("i", { style: { height: `${Math.round(100 * Math.max(0, 2 * sure - 1))}%` } })))));
  }

  function draw_detail(one) {
    const { values } = session.model.task;
    const heading = h("p", {}, h("strong", {}, `Address ${one.address}`),
      one.written ? ` was written ${one.value}.` : ` was never written; its default is ${one.value}.`,
      ` The model answers ${one.answer}, sure ${one.confidence.toFixed(3)}.`);
    const focus = detail.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    replace(detail, heading, h("div", { class: "row" },
      h("button", { type: "button", class: "button", "data-key": "ask", onclick: () => act.step({ do: "ask", address: chosen }) }, `Ask ${one.address}`),
      h("span", { class: "write-label", id: "write-label" }, "Write"),
      h("div", { class: "values", role: "group", "aria-labelledby": "write-label" }, Array.from({ length: values }, (_, v) =>
        h("button", { type: "button", class: `value-button${one.written && v === one.value ? " now" : ""}`, "data-key": `v${v}`,
          "aria-label": `Write ${v} to address ${one.address}`, onclick: () => act.step({ do: "write", address: chosen, value: v }) }, String(v))))));
    if (focus) detail.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }

  let drawn = "";
  function draw() {
    const lane = session.lane();
    if (!lane?.believed) return;
    if (cells.length !== session.model.task.addresses) build();
    const answers = judge(lane.believed, session.truth);
    const other = session.other?.believed ? judge(session.other.believed, session.truth) : null;
    const now = JSON.stringify([chosen, answers.map((one) => [one.answer, one.value, one.written, one.sure.map((x) => x.toFixed(2))]), other?.map((one) => one.answer)]);
    if (now === drawn) return;
    drawn = now;
    answers.forEach((one, a) => draw_cell(cells[a], one, other?.[a]));
    const right = count_right(answers);
    replace(score, h("b", {}, `${right} of ${answers.length}`), " right");
    score.classList.toggle("bad", right < answers.length);
    draw_detail(answers[chosen]);
  }

  return { element, update: (what) => what !== "busy" && what !== "progress" && draw(), choose, get chosen() { return chosen; } };
}
