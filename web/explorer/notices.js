// Sentences to the reader: what went wrong, and what was done. Always text, never markup.
import { h, replace } from "../src/dom.js";

const kShownFor = 9000;

export class Notices {
  constructor() {
    this.element = h("div", { class: "notices" });
    this.polite = h("div", { class: "unseen", role: "status" });
    this.element.append(this.polite);
  }

  /// A remark; it goes away by itself.
  say(text) {
    this.polite.textContent = text;
    this.show(text, "remark", kShownFor);
  }

  /// Something that went wrong; it stays until it is closed.
  complain(error) { this.show(error instanceof Error ? error.message : String(error), "trouble", 0); }

  show(text, kind, time) {
    const shown = [...this.element.querySelectorAll(".notice")];
    shown.filter((one) => one.dataset.text === text || one.classList.contains("remark")).forEach((one) => one.remove());
    if (shown.length > 2) shown[0].remove();
    const notice = h("div", { class: `notice ${kind}`, role: kind === "trouble" ? "alert" : undefined, "data-text": text },
      h("p", {}, text), h("button", { type: "button", class: "close", "aria-label": "Close this message", onclick: () => notice.remove() }, "×"));
    this.element.append(notice);
    if (time) setTimeout(() => notice.remove(), time);
  }

  clear() { replace(this.element, this.polite); }
}

/// A job whose failure is a sentence on the page.
export const guarded = (notices, job) => async (...given) => {
  try {
    return await job(...given);
  } catch (error) {
    notices.complain(error);
    return undefined;
  }
};
