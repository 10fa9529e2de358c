import { append, h, replace } from "../src/dom.js";
import { know_models } from "../src/marks.js";
import { theme_switch } from "../src/theme.js";
import { judge } from "./answers.js";
import { beside_view } from "./beside_view.js";
import { boot, read_payload } from "./boot.js";
import { curves_view } from "./curves_view.js";
import { database_view } from "./database_view.js";
import { answers_csv, curves_csv, download, file_name, picture_bytes, script_text } from "./export.js";
import { inside_view } from "./inside_view.js";
import { key_list, listen } from "./keyboard.js";
import { parse_link, print_link } from "./link.js";
import { models_view } from "./models_view.js";
import { guarded, Notices } from "./notices.js";
import { account_at, kTouches, rows_at } from "./past.js";
import { script_view } from "./script_view.js";
import { parse_script } from "./script.js";
import { Session } from "./session.js";
import { time_view } from "./time_view.js";
import { tour } from "./tour.js";

const page = document.getElementById("page");
const notices = new Notices();
const kLargestState = 16_000_000;  // bytes of a state file that is looked at

function assemble(session, payload) {
  const safely = (job) => guarded(notices, job);
  let database, inside, curves, script, guide;
  /// What a job puts an end to can be brought back.
  const keeping = async (job) => {
    const kept = session.kept();
    await job();
    act.offer_back(kept);
  };
  const act = {
    step: safely((step) => session.do_step(step)),
    steps: safely((steps, each, trouble) => session.do_steps(steps, each).catch(trouble)),
    scenario: safely((name, delay, each) => keeping(() => session.do_scenario(name, delay, each))),
    play: safely((pace) => session.play(pace)),
    seek: safely((place) => session.seek(place)),
    fork: safely(() => session.fork_here()),
    begin: safely(() => keeping(() => session.begin())),
    level: safely(() => session.bring_level()),
    jump: safely(() => session.jump_to_flip()),
    choose: safely((token) => session.choose(token)),
    show: safely((model) => session.show(model)),
    set_models: safely((running, shown) => session.set_models(running, shown)),
    switch_to: safely((name) => session.switch_to(name)),
    compare: safely((name) => session.compare_with(name)),
    complain: (text) => notices.complain(text),
    offer_back: (kept) => kept && notices.offer("What was here before is not lost. ", "Bring it back", safely(() => session.bring_back(kept))),
    chosen_address: () => database.chosen,
    select: (address) => database.choose(address),
    task: () => ({ ...session.model.task, layers: session.model.layers }),
    truth_of: (past) => account_at(past.steps, past.cursor, session.first_account),
    rows_of: (past) => (session.origin?.rows ?? 0) + rows_at(past.steps, past.cursor),
    is_touch: (step) => kTouches.has(step.do),
    inside_lines: () => inside.lines(),
    save_state: safely(async () => download(await session.state_bytes(), file_name(session, "state"), "application/octet-stream")),
    focus_tour_button: () => tour_button.focus(),
  };

  const link_now = () => print_link({ models: [session.shown, ...session.running.filter((i) => i !== session.shown)], seed: session.seed, script: script_text(session.script()) });
  const copy_link = safely(async () => {
    if (session.origin) throw new Error("A session that began with a state file does not fit into a link; save the state instead.");
    history.replaceState(null, "", link_now());
    try {
      await navigator.clipboard.writeText(location.href);
      notices.say("The link is in the clipboard and in the address bar; it carries the whole session.");
    } catch {
      notices.say("The link is in the address bar; it carries the whole session.");
    }
  });
  const file = h("input", { type: "file", id: "state-file", class: "unseen", tabindex: "-1", "aria-label": "State file", onchange: () => { if (file.files[0]) load(file.files[0]); file.value = ""; } });
  const load = safely(async (chosen) => {
    if (chosen.size > kLargestState) throw new Error(`${chosen.name} is no state of this model: it has ${chosen.size.toLocaleString("en-US")} bytes.`);
    await session.load_state(new Uint8Array(await chosen.arrayBuffer()), chosen.name);
    notices.say(`${chosen.name} is loaded: ${session.rows.toLocaleString("en-US")} rows read so far.`);
  });
  const answers = () => judge(session.lane().believed, session.truth);
  const takes = [
    ["Picture of the inside (PNG)", "png", safely(async () => download(await picture_bytes(inside.canvases(), `${session.model.title}, ${session.model.name}, row ${session.rows}`), file_name(session, "png"), "image/png"))],
    ["Answers (CSV)", "answers", safely(async () => download(answers_csv(answers()), file_name(session, "answers.csv"), "text/csv"))],
    ["Curves (CSV)", "curves", safely(async () => download(curves_csv(curves.marks()), file_name(session, "curves.csv"), "text/csv"))],
    ["State file", "state", act.save_state],
  ];
  const tour_button = h("button", { type: "button", class: "button strong", id: "tour", onclick: () => guide.start() }, "Take the tour");
  const menu = h("details", { class: "menu" }, h("summary", { class: "button" }, "Save and load"), h("div", { class: "menu-body" },
    takes.map(([text, key, job]) => h("button", { type: "button", "data-take": key, onclick: () => { menu.open = false; job(); } }, text)),
    h("button", { type: "button", "data-take": "load", onclick: () => { menu.open = false; file.click(); } }, "Load a state file …")));
  const help = h("dialog", { class: "help", "aria-label": "Keys" }, h("h2", {}, "Keys"), key_list(), h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")));

  const looked_at = h("div", { class: "row looked-at" });
  function draw_models() {
    const key = `${session.shown} ${session.running}`;
    if (looked_at.dataset.key === key) return;
    looked_at.dataset.key = key;
    const { model } = session;
    replace(looked_at, h("strong", {}, model.title), h("span", { class: "facts" },
      `${model.name} · ${model.task.addresses} addresses, ${model.task.values} values · ${model.parameters.toLocaleString("en-US")} weights · the real model, in this page; nothing is sent anywhere`));
  }

  database = database_view(session, act);
  script = script_view(session, act, notices);
  inside = inside_view(session, act);
  curves = curves_view(session, act);
  const views = [database, script, inside, curves, beside_view(session, act), models_view(session, act), time_view(session, act)];
  const [, , , , beside, models, time] = views;
  guide = tour(session, act, inside);
  database.element.append(script.element);

  replace(page);
  append(page, [
    h("a", { class: "skip", href: "#knows", onclick: (event) => { event.preventDefault(); page.querySelector(".cell")?.focus(); } }, "Skip to the addresses"),
    h("header", { class: "top wide" },
      h("div", { class: "head-row" }, h("h1", {}, "SchemaMem", h("span", {}, "look inside a memory")),
        h("div", { class: "row actions" }, tour_button, h("button", { type: "button", class: "button", id: "copy-link", onclick: copy_link }, "Copy a link"), menu,
          h("button", { type: "button", class: "button", id: "keys", onclick: () => help.showModal() }, "Keys"), theme_switch())),
      h("p", { class: "opening" }, "A small neural network that was trained to be a memory runs in this page. Write to it, let time pass, ask again, and see where in it the answer is."),
      looked_at),
    notices.element,
    h("main", { class: "wide" }, h("div", { class: "desk" }, database.element, inside.element), curves.element, beside.element, models.element),
    h("footer", { class: "wide" }, h("p", {}, "Made by ", h("code", {}, String(payload.command ?? "schemamem explore")), `, schemamem ${payload.program?.version ?? ""}, commit ${payload.program?.commit ?? ""}. `,
      "The paper: Goo, Yun, Jung, SchemaMem: Schema-Indexed Recurrent Memory for Delayed State Retrieval. This page loads nothing from a network.")),
    time.element, guide.element, help, file,
  ]);

  let asked = false, last = null;
  const draw = () => {
    asked = false;
    views.forEach((one) => one.update(last));
    draw_models();
    last = null;
    if (session.busy) document.documentElement.dataset.busy = session.busy.what;
    else delete document.documentElement.dataset.busy;
  };
  session.on((what) => {
    if (what?.forked) {
      notices.say(`You acted in the past: it goes on as ${what.forked}, and what came after is kept beside it.`);
      return;
    }
    if (session.busy) document.documentElement.dataset.busy = session.busy.what;
    last = last === "all" || what === "all" ? "all" : last === "progress" || what === "progress" ? "progress" : what;
    if (!asked) { asked = true; requestAnimationFrame(draw); }
  });
  last = "all";
  draw();

  const play_key = { " ": () => time.toggle(), ",": () => time.go(-1), ".": () => time.go(1), f: act.fork, t: () => guide.start(), "?": () => help.showModal(),
    "/": () => document.getElementById("script").focus(), d: () => page.querySelector('.cell[tabindex="0"]')?.focus(), i: () => page.querySelector("#inside canvas")?.focus(),
    Escape: () => { session.stop(); menu.open = false; if (guide.open) guide.end(); } };
  [1, 96, 1536, 100000].forEach((rows, i) => { play_key[String(i + 1)] = () => act.step({ do: "wait", rows }); });
  listen(play_key);
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer?.files[0]) load(event.dataTransfer.files[0]); });
  return { act, script };
}

/// The session of the address bar; a mistake in it is a sentence, and the page begins empty.
async function follow_link(session, act) {
  try {
    const link = parse_link(location.hash, session.models.length);
    if (!link) return;
    const steps = parse_script(link.script, act.task());
    session.set_seed(link.seed);
    await session.set_models(link.models, link.models[0]);
    await session.do_steps(steps);
  } catch (error) {
    notices.complain(error);
  }
}

async function main() {
  try {
    const payload = read_payload();
    const { engine, models } = await boot(payload);
    know_models(models.map((model) => model.name));
    const session = new Session(engine, models);
    await session.start();
    const { act } = assemble(session, payload);
    document.documentElement.dataset.ready = "yes";
    await follow_link(session, act);
    addEventListener("hashchange", () => guarded(notices, async () => { await session.begin(); await follow_link(session, act); })());
  } catch (error) {
    replace(page.querySelector(".loading") ?? page, h("span", { role: "alert", class: "trouble" }, error instanceof Error ? error.message : String(error)));
    document.documentElement.dataset.ready = "failed";
  }
}

main();
