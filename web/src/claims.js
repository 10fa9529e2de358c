import { choice, copy_button } from "./controls.js";
import { h, replace } from "./dom.js";
import { quantity, suffix } from "./format.js";
import { badge, eval_seed_options, kVerdicts, section } from "./section.js";

export const verdict_of = (claim, recipe, seed) =>
  claim.results.find((one) => one.recipe === recipe && String(one.eval_seed) === seed)?.verdict ?? "unmeasured";

function value_cell(value, term) {
  if (!value || value.value === null) return h("td", { class: "number gap" }, "–");
  const partial = value.have < value.of;
  return h("td", { class: "number", title: partial ? `${value.have} of ${value.of} measured` : undefined },
    quantity(value.value, term.unit, 2), suffix(term.unit),
    value.sd !== null && value.sd !== undefined && h("small", {}, ` ± ${quantity(value.sd, term.unit, 1)}`),
    partial && h("small", { class: "partial" }, ` ${value.have}/${value.of}`));
}

/// Training and evaluation of every run that the numbers were made from.
function commands_of(data, results) {
  return results.flatMap(({ made_by }) => {
    if (!made_by?.runs.length) return [];
    const runs = made_by.runs.map((index) => data.runs[index]);
    const folders = runs.map((run) => run.folder).join(" ");
    return [...runs.map((run) => run.command).filter(Boolean),
      ...made_by.commands.map((one) => `schemamem ${one.command} ${folders} ${one.arguments}`)];
  });
}

function claim_article(data, claim, seed) {
  const results = data.recipes.map((recipe) => ({ recipe,
    ...claim.results.find((one) => one.recipe === recipe && String(one.eval_seed) === seed) }));
  const commands = commands_of(data, results);
  return h("article", { class: "claim", id: `claim-${claim.id}`, "data-verdicts": results.map((one) => one.verdict).join(" ") },
    h("div", { class: "said" },
      h("p", { class: "where" }, claim.section),
      h("blockquote", {}, h("p", {}, `“${claim.quote}”`)),
      claim.note && h("p", { class: "aside" }, claim.note)),
    h("div", { class: "found" },
      h("div", { class: "scroll" }, h("table", { class: "data" },
        h("thead", {}, h("tr", {}, h("td", {}), h("th", { class: "number", scope: "col" }, "Paper"),
          results.map((one) => h("th", { class: "number", scope: "col" }, `Ours, ${one.recipe}`)))),
        h("tbody", {}, claim.terms.map((term, i) => h("tr", {}, h("th", { scope: "row" }, term.label),
          h("td", { class: "number theirs" }, term.stated === null ? "–" : [quantity(term.stated, term.unit, 2), suffix(term.unit)]),
          results.map((one) => value_cell(one.values?.[i], term))))),
        h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "Claim"), h("td", {}),
          results.map((one) => h("td", { class: "number" }, badge(one.verdict ?? "unmeasured"))))))),
      h("details", {}, h("summary", {}, "How it is judged, and the commands"),
        h("p", {}, "Holds when ", h("span", { class: "rule" }, claim.rule), ".",
          " A missing setting or run leaves it undecided as long as it could change the answer."),
        commands.length > 0 && h("div", { class: "code" }, copy_button(commands.join("\n"), "the commands"),
          h("pre", { tabindex: "0", "aria-label": "Commands" }, commands.join("\n"))))));
}

/// Arrow keys inside a strip, which is one stop for Tab.
function walk(event) {
  const cells = [...event.currentTarget.children];
  const to = cells[cells.indexOf(event.target) + { ArrowRight: 1, ArrowLeft: -1 }[event.key]];
  if (!to) return;
  event.preventDefault();
  cells.forEach((cell) => { cell.tabIndex = cell === to ? 0 : -1; });
  to.focus();
}

/// A line of squares a recipe, one a claim: all of them at a glance.
function scoreboard(data) {
  const seed = String(data.eval_seeds[0]?.seed);
  return h("div", { class: "scoreboard" }, data.recipes.map((recipe) => {
    const count = { holds: 0, fails: 0, unmeasured: 0 };
    data.claims.forEach((claim) => { count[verdict_of(claim, recipe, seed)] += 1; });
    const words = Object.entries(count).filter(([, n]) => n).map(([name, n]) => `${n} ${name === "holds" && n > 1 ? "hold" : name === "fails" && n > 1 ? "do not hold" : kVerdicts[name].text}`);
    return h("div", { class: "score" },
      h("p", {}, h("strong", {}, recipe), h("span", {}, ` ${words.join(", ")}`)),
      h("div", { class: "strip", role: "group", "aria-label": `Claims, ${recipe}`, onkeydown: walk }, data.claims.map((claim, i) => {
        const verdict = verdict_of(claim, recipe, seed);
        return h("a", { href: `#claim-${claim.id}`, class: `cell ${verdict}`, title: claim.quote, tabindex: i ? -1 : 0,
          "aria-label": `${kVerdicts[verdict].text}: ${claim.quote}` }, h("span", { "aria-hidden": "true" }, kVerdicts[verdict].sign));
      })));
  }));
}

export function claims_section(data) {
  const state = { seed: String(data.eval_seeds[0]?.seed), show: "all" };
  const list = h("div", { class: data.recipes.length > 2 ? "claims many" : "claims" });
  function redraw() {
    const wanted = data.claims.filter((claim) => state.show === "all" ||
      data.recipes.some((recipe) => verdict_of(claim, recipe, state.seed) === state.show));
    replace(list, wanted.length ? wanted.map((claim) => claim_article(data, claim, state.seed))
      : h("p", { class: "gap" }, "No claim is of this kind."));
  }
  redraw();
  return section("claims", "Claim by claim",
    "What the paper says, in its words, and what our runs give. A claim is judged by a fixed rule on the measured means; the rule is shown with it.",
    scoreboard(data),
    h("div", { class: "controls" },
      choice({ label: "Show", value: state.show, change: (value) => { state.show = value; redraw(); },
        options: [["all", "All"], ["holds", "Holds"], ["fails", "Does not hold"], ["unmeasured", "Not measured"]] }),
      data.eval_seeds.length > 1 && choice({ label: "Evaluation episodes", name: "claim-episodes", value: state.seed,
        options: eval_seed_options(data), change: (value) => { state.seed = value; redraw(); } })),
    list);
}
