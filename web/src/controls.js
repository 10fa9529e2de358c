import { fresh_id, h } from "./dom.js";

function group({ label, quiet, compact, name }, inputs) {
  return h("fieldset", { class: `control${compact ? " compact" : ""}`, "data-control": name ?? label.toLowerCase() },
    h("legend", { class: quiet ? "unseen" : undefined }, label), h("div", { class: "segments" }, inputs));
}

function segment(type, name, value, text, checked, change, extra) {
  return h("label", { class: "segment" },
    h("input", { type, name, value, checked, onchange: change }), h("span", {}, extra, text));
}

/// One of several: native radio buttons in a row, so that arrow keys work as everywhere.
export function choice({ options, value, change, ...rest }) {
  const name = fresh_id("choice");
  return group(rest, options.map(([key, text]) =>
    segment("radio", name, key, text, key === value, () => change(key))));
}

/// Any of several, at least one of them.
export function choices({ options, values, change, ...rest }) {
  const name = fresh_id("choices");
  const chosen = new Set(values);
  return group(rest, options.map(([key, text, extra]) =>
    segment("checkbox", name, key, text, chosen.has(key), (event) => {
      if (event.target.checked) chosen.add(key);
      else if (chosen.size > 1) chosen.delete(key);
      else event.target.checked = true;
      change(options.map(([one]) => one).filter((one) => chosen.has(one)));
    }, extra?.())));
}

/// Tabs as the ARIA authoring practices have them: one stop for Tab, arrows, Home and End inside.
export function tabs({ label, pages, change }) {
  const panel_id = fresh_id("panel");
  const panel = h("div", { role: "tabpanel", id: panel_id, tabindex: "-1" });
  const buttons = pages.map(([key, text]) => h("button", {
    type: "button", role: "tab", id: fresh_id("tab"), "data-tab": key, "aria-controls": panel_id,
    onclick: () => select(key),
  }, text));
  function select(key, focus = false) {
    for (const button of buttons) {
      const on = button.dataset.tab === key;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      if (!on) continue;
      panel.setAttribute("aria-labelledby", button.id);
      if (focus) button.focus();
    }
    change(key, panel);
  }
  function press(event) {
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    select(buttons[(to + buttons.length) % buttons.length].dataset.tab, true);
  }
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: press }, buttons);
  select(pages[0][0]);
  return [list, panel];
}

export function copy_button(text, what) {
  const status = h("span", { class: "unseen", role: "status" });
  const button = h("button", {
    type: "button", class: "copy", "aria-label": `Copy ${what}`,
    async onclick() {
      const done = await copy(text);
      button.firstChild.textContent = done ? "Copied" : "Select and copy";
      status.textContent = done ? `${what} copied` : "The browser refused to copy";
      setTimeout(() => { button.firstChild.textContent = "Copy"; }, 1500);
    },
  }, h("span", {}, "Copy"));
  return [button, status];
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Local files have no clipboard interface in some browsers; a selected text field is the older way.
    const field = h("textarea", { class: "unseen" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
