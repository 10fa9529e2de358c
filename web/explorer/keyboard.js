// Keys that work everywhere but in a field: space plays and pauses, and so on.
import { h } from "../src/dom.js";

export const kKeys = [
  ["Space", "play and pause"], [", and .", "a step back, a step forward"], ["1 2 3 4", "wait 1, 96, 1,536, 100,000 rows"], ["/", "go to the script line"],
  ["d", "go to the addresses"], ["0 … 9", "on an address: write that value"], ["i", "go to the picture inside"], ["f", "fork here"], ["t", "the tour"], ["?", "this list"], ["Esc", "stop, close"],
];

const is_field = (element) => element.matches("input:not([type=range]):not([type=checkbox]):not([type=radio]), select, textarea");

/// `actions`: a function for each key.
export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.key !== "Escape" && is_field(target)) return;
    if ((event.key === " " || event.key === "Enter") && target.closest("button, a, input, summary, [role=dialog]")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

export const key_list = () => h("dl", { class: "keys" }, kKeys.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)]));
