import { copy_button } from "./controls.js";
import { h, replace } from "./dom.js";
import { whole } from "./format.js";
import { swatch } from "./marks.js";
import { section } from "./section.js";

const kStatus = { passed: "target reached", "step-limit": "step limit †", unfinished: "not finished" };
const short = (hash) => (hash ? hash.slice(0, 12) : "–");

function document_block(title, text) {
  return h("div", { class: "code" }, h("h4", {}, title), copy_button(text, title), h("pre", { tabindex: "0" }, text));
}

function run_entry(run) {
  return h("details", { class: "run", "data-run": run.name },
    h("summary", {},
      h("span", { class: "name" }, swatch(run.model), h("code", {}, run.name)),
      h("span", { class: `status ${run.status}` }, kStatus[run.status] ?? run.status),
      h("span", { class: "number" }, run.steps === null ? "" : `${whole(run.steps)} steps`),
      h("code", { class: "hash", title: run.checkpoints.join("\n") }, run.checkpoints.length ? short(run.checkpoints[0]) : "no evaluation")),
    h("div", { class: "inside" },
      run.command && document_block("Command", run.command),
      run.checkpoints.length > 0 && document_block("SHA-256 of the evaluated weights", run.checkpoints.join("\n")),
      run.evaluations.length > 0 && h("div", { class: "scroll" }, h("table", { class: "data" },
        h("thead", {}, h("tr", {}, ["Evaluation", "Mode"].map((head) => h("th", { scope: "col" }, head)),
          ["Episodes' seed", "Episodes", "Cells"].map((head) => h("th", { class: "number", scope: "col" }, head)), h("th", { scope: "col" }, "Instruction set"))),
        h("tbody", {}, run.evaluations.map((one) => h("tr", {}, h("td", {}, one.kind), h("td", {}, one.mode),
          [String(one.eval_seed), whole(one.episodes), whole(one.cells)].map((text) => h("td", { class: "number" }, text)), h("td", {}, one.isa)))))),
      document_block("Manifest", JSON.stringify(run.manifest, null, 2))));
}

const kFewRuns = 12;  // up to here a list is short enough to stand open

function grouped(data, runs, open) {
  const groups = new Map();
  for (const run of runs) {
    const label = data.models.find((model) => model.name === run.model)?.label ?? run.model;
    const key = `${run.recipe} · ${label}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups].map(([name, members]) => {
    const passed = members.filter((run) => run.status === "passed").length;
    return h("details", { class: "runs", open }, h("summary", {}, swatch(members[0].model), h("strong", {}, name),
      h("span", {}, `${whole(members.length)} ${members.length === 1 ? "run" : "runs"}, ${passed === members.length ? "all reached their target" : `${whole(passed)} reached their target`}`)),
    members.map(run_entry));
  });
}

export function runs_section(data) {
  const list = h("div", {});
  const count = h("p", { class: "key", role: "status" });
  function redraw(words) {
    const wanted = data.runs.filter((run) => words.every((word) =>
      `${run.name} ${run.model} ${run.setting} ${run.recipe} ${run.status} ${run.checkpoints.join(" ")}`.toLowerCase().includes(word)));
    replace(list, grouped(data, wanted, words.length > 0 || data.runs.length <= kFewRuns));
    count.textContent = words.length ? `${whole(wanted.length)} of ${whole(data.runs.length)} runs` : "";
  }
  redraw([]);
  return section("runs", "Runs, manifests and hashes",
    "Every number above comes from these folders. The manifest says what was asked for and by which program; the hash names the weights that were evaluated.",
    h("div", { class: "controls" }, h("label", { class: "search" }, h("span", {}, "Find a run"),
      h("input", { type: "search", placeholder: "model, setting, recipe or hash", oninput: (event) =>
        redraw(event.target.value.toLowerCase().split(/\s+/).filter(Boolean)) }))),
    count, list);
}
