import { choice } from "./controls.js";

const kKey = "schemamem-report-theme";
const kThemes = [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]];
const listeners = new Set();

/// Calls back whenever colours may have changed: canvases do not follow a style sheet by themselves.
export const on_theme = (callback) => listeners.add(callback);
const announce = () => listeners.forEach((callback) => callback());

function stored() {
  try {
    return localStorage.getItem(kKey) ?? "auto";
  } catch {
    return "auto";  // some browsers keep nothing for local files
  }
}

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  announce();
}

let probe;
/// The colour that a custom property has at this moment, as a canvas understands it.
export function colour(name) {
  if (!probe) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

export function theme_switch() {
  const first = kThemes.some(([name]) => name === stored()) ? stored() : "auto";
  apply(first);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);
  // Paper is white: canvases are redrawn in light colours for the printer.
  addEventListener("beforeprint", () => apply("light"));
  addEventListener("afterprint", () => apply(stored()));
  return choice({
    label: "Colours", options: kThemes, value: first, quiet: true, compact: true,
    change(theme) {
      try {
        localStorage.setItem(kKey, theme);
      } catch {
        // the choice then lasts as long as the page
      }
      apply(theme);
    },
  });
}
