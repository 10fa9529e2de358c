import { ablation_section } from "./ablation.js";
import { claims_section } from "./claims.js";
import { cost_section } from "./cost.js";
import { curves_section } from "./curves.js";
import { append, h } from "./dom.js";
import { whole } from "./format.js";
import { best_recipe, headline } from "./headline.js";
import { know_models } from "./marks.js";
import { runs_section } from "./runs.js";
import { tables_section } from "./tables.js";
import { theme_switch } from "./theme.js";
import { writes_section } from "./writes.js";

const data = JSON.parse(document.getElementById("payload").textContent);
know_models(data.models.map((model) => model.name));
data.first_recipe = best_recipe(data);
const colours = theme_switch();
const sections = [curves_section(data), writes_section(data), claims_section(data), tables_section(data), cost_section(data), ablation_section(data),
  runs_section(data)].filter(Boolean);
const plural = (count, one, many) => `${whole(count)} ${count === 1 ? one : many}`;

append(document.getElementById("page"), [
  h("a", { class: "skip", href: "#curves" }, "Skip to the curves"),
  h("header", { class: "top" },
    h("div", { class: "wide" },
      h("h1", {}, "SchemaMem", h("span", {}, "results beside the paper’s")),
      h("p", { class: "facts" }, [plural(data.runs.length, "run", "runs"), data.recipes.length
        ? `${data.recipes.length === 1 ? "recipe" : "recipes"} ${data.recipes.map((one) => data.recipe_texts[one]).join(", ")}` : "no recipe",
      plural(data.eval_seeds.length, "set of evaluation episodes", "sets of evaluation episodes"), `schemamem ${data.program.version}`].join(" · ")),
      headline(data))),
  h("nav", { class: "sections", "aria-label": "Sections" }, h("div", { class: "wide" },
    h("div", { class: "links" }, sections.map((one) => h("a", { href: `#${one.id}` }, one.querySelector("h2").textContent))), colours)),
  h("main", { class: "wide" }, sections),
  h("footer", { class: "wide" }, h("p", {}, "Made by ", h("code", {}, data.command), `, schemamem ${data.program.version}, commit ${data.program.commit}. `,
    "The paper: Goo, Yun, Jung, SchemaMem: Schema-Indexed Recurrent Memory for Delayed State Retrieval. Charts: uPlot, MIT licence, notice in this file. ",
    "This page loads nothing from a network.")),
]);
document.documentElement.dataset.ready = "yes";
