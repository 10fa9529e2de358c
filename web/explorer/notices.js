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

  /// Something that went wrong; it stays until it is closed, or until something else went well.
  complain(error) { this.show(error instanceof Error ? error.message : String(error), "trouble", 0); }
  settled() { this.element.querySelectorAll(".notice.trouble").forEach((one) => one.remove()); }

  /// A remark with something to do about it.
  offer(text, label, action) {
    this.polite.textContent = text;
    this.show(text, "remark", 3 * kShownFor, [label, action]);
  }

  show(text, kind, time, [label, action] = []) {
    this.element.querySelectorAll(".notice").forEach((one) => one.remove());
    const notice = h("div", { class: `notice ${kind}`, role: kind === "trouble" ? "alert" : undefined },
      h("p", {}, text, label && h("button", { type: "button", class: "button", onclick: () => { notice.remove(); action(); } }, label)), h("button", { type: "button", class: "close", "aria-label": "Close this message", onclick: () => notice.remove() }, "×"));
    this.element.append(notice);
    if (time) setTimeout(() => notice.remove(), time);
  }

  clear() { replace(this.element, this.polite); }
}

/// A job whose failure is a sentence on the page.
export const guarded = (notices, job) => async (...given) => {
  try {
    const result = await job(...given);
    notices.settled();
    return result;
  } catch (error) {
    notices.complain(error);
    return undefined;
  }
};
