// The line that is typed: colours, hint, completions and history. The engine says what each part is; while it is busy the line
// is plain.

import { spans } from "./show.js";

const encoder = new TextEncoder();
const bytes = (text) => encoder.encode(text).length;

export class Entry {
  constructor(engine, { submit, stop, say }) {
    this.engine = engine;
    this.submit = submit;
    this.stop = stop;
    this.say = say;
    this.line = document.querySelector("#line");
    this.painted = document.querySelector("#painted");
    this.list = document.querySelector("#candidates");
    this.history = [];
    this.at = 0;
    this.typed = null;
    this.asked = false;
    this.line.addEventListener("input", () => this.changed());
    this.line.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("selectionchange", () => document.activeElement === this.line && this.paint());
    this.list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) {
        this.take(item.textContent);
      }
    });
  }

  set(text) {
    this.line.value = text;
    this.line.setSelectionRange(text.length, text.length);
    this.changed();
    this.line.focus();
  }

  changed() {
    this.hide();
    this.line.style.height = "auto";
    this.line.style.height = `${this.line.scrollHeight}px`;
    this.typed = null;
    this.painted.replaceChildren(...spans([["plain", this.line.value]]));
    this.paint();
  }

  /** Asks about the line as it stands; one request at a time, the last one counts. */
  async paint() {
    if (this.asked) {
      this.again = true;
      return;
    }
    this.asked = true;
    do {
      this.again = false;
      const line = this.line.value;
      const cursor = bytes(line.slice(0, this.line.selectionStart));
      const typed = await this.engine.ask({ do: "type", line, cursor }).catch(() => null);
      if (typed && line === this.line.value) {
        this.typed = typed;
        const hint = typed.rest + typed.usage;
        this.painted.replaceChildren(...spans([...typed.pieces, ["hint", hint]]));
      }
    } while (this.again);
    this.asked = false;
  }

  async key(event) {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    const plain = !shiftKey && !ctrlKey && !metaKey && !altKey;
    const { selectionStart: start, selectionEnd: end, value } = this.line;
    if (ctrlKey && key === "c" && start === end) {
      event.preventDefault();
      if (!this.stop()) {
        this.set("");
      }
    } else if (key === "Enter" && plain) {
      event.preventDefault();
      this.enter();
    } else if (key === "Escape") {
      if (!this.hide() && !this.stop()) {
        this.set("");
      }
    } else if (key === "Tab" && !shiftKey && value.trim()) {
      event.preventDefault();
      this.complete();
    } else if (!this.list.hidden && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault();
      this.move(key === "ArrowDown" ? 1 : -1);
    } else if (key === "ArrowRight" && plain && start === value.length && this.typed?.rest) {
      event.preventDefault();
      this.set(value + this.typed.rest);
    } else if (key === "ArrowUp" && plain && !value.slice(0, start).includes("\n")) {
      event.preventDefault();
      this.recall(-1);
    } else if (key === "ArrowDown" && plain && !value.slice(end).includes("\n")) {
      event.preventDefault();
      this.recall(1);
    }
  }

  async enter() {
    const chosen = this.list.querySelector("[aria-selected=true]");
    if (chosen) {
      this.take(chosen.textContent);
      return;
    }
    const text = this.line.value;
    const { open } = await this.engine.ask({ do: "type", line: text, cursor: bytes(text) }).catch(() => ({ open: false }));
    if (open && !text.endsWith("\n")) {
      this.line.setRangeText("\n", text.length, text.length, "end");
      this.changed();
      this.say("a bracket is open: the command goes on in this line; Enter on an empty line ends it, Esc leaves it");
      return;
    }
    if (text.trim() && this.history.at(-1) !== text) {
      this.history.push(text);
    }
    this.at = this.history.length;
    this.set("");
    this.submit(text);
  }

  recall(step) {
    const at = this.at + step;
    if (at >= 0 && at <= this.history.length) {
      this.at = at;
      this.set(this.history[at] ?? "");
    }
  }

  async complete() {
    const line = this.line.value;
    const before = line.slice(0, this.line.selectionStart);
    const typed = await this.engine.ask({ do: "type", line, cursor: bytes(before) }).catch(() => null);
    if (!typed || line !== this.line.value) {
      return;
    }
    const head = new TextDecoder().decode(encoder.encode(before).slice(0, typed.start));
    const word = before.slice(head.length);
    let candidates = typed.candidates;
    if (typed.takes_file && !candidates.length) {
      candidates = [...this.engine.files.keys()].filter((name) => name.startsWith(word)).sort();
    }
    this.head = head;
    this.rest = line.slice(before.length);
    if (candidates.length === 1) {
      this.take(candidates[0]);
    } else if (candidates.length) {
      let common = candidates[0];
      while (!candidates.every((candidate) => candidate.startsWith(common))) {
        common = common.slice(0, -1);
      }
      if (common.length > word.length) {
        this.take(common, "");
      }
      this.list.replaceChildren(
        ...candidates.map((candidate) => {
          const item = document.createElement("li");
          item.setAttribute("role", "option");
          item.textContent = candidate;
          return item;
        }),
      );
      this.list.hidden = false;
    } else {
      this.say("nothing completes this");
    }
  }

  move(step) {
    const items = [...this.list.children];
    const at = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
    items[at]?.removeAttribute("aria-selected");
    const next = items[(at + step + items.length + (at < 0 && step < 0 ? 1 : 0)) % items.length];
    next.setAttribute("aria-selected", "true");
    next.scrollIntoView({ block: "nearest" });
  }

  take(word, after = " ") {
    const space = this.rest.startsWith(" ") ? "" : after;
    this.set(this.head + word + space + this.rest);
    const at = (this.head + word + space).length;
    this.line.setSelectionRange(at, at);
  }

  hide() {
    const was = !this.list.hidden;
    this.list.hidden = true;
    return was;
  }
}
