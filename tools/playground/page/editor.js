// The editor: a text area over a coloured copy of its text, with numbers of lines.

import { toHtml } from "./highlight.js";

// Larger texts have no colours, so that typing stays quick.
const COLOURED = 60_000;

export class Editor {
  #marks = [];

  constructor(root, onChange) {
    this.area = root.querySelector("textarea");
    this.copy = root.querySelector(".copy");
    this.numbers = root.querySelector(".numbers");
    this.onChange = onChange;
    this.area.addEventListener("input", () => {
      this.#marks = [];
      this.#draw();
      this.onChange();
    });
    this.area.addEventListener("scroll", () => this.#follow());
    this.area.addEventListener("keydown", (event) => this.#key(event));
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.area.setSelectionRange(0, 0);
    this.#marks = [];
    this.#draw();
  }

  // Marks the places of messages.
  mark(messages) {
    const starts = lineStarts(this.text);
    this.#marks = messages
      .filter(({ place }) => place)
      .map(({ place, severity }) => {
        const start = this.#offset(starts, place.line, place.column);
        const end = this.#offset(starts, place.end_line, place.end_column);
        if (end > start) return { start, end, kind: severity };
        // What is missing at the end of a line is marked at the character before.
        const shift = start > 0 && [undefined, "\n"].includes(this.text[start]) ? 1 : 0;
        return { start: start - shift, end: start - shift + 1, kind: severity };
      });
    this.#draw();
  }

  // Puts the cursor at a place of a message.
  go(place) {
    const starts = lineStarts(this.text);
    const start = this.#offset(starts, place.line, place.column);
    const end = this.#offset(starts, place.end_line, place.end_column);
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (place.line - 1) * height - this.area.clientHeight / 2);
  }

  // Columns of messages count characters; offsets count UTF-16 units.
  #offset(starts, line, column) {
    const start = starts[Math.min(line, starts.length) - 1];
    let offset = start;
    for (let count = 1; count < column && offset < this.text.length; ++count) {
      offset += this.text.codePointAt(offset) > 0xffff ? 2 : 1;
    }
    return offset;
  }

  #draw() {
    const { text } = this;
    const parts = text.length > COLOURED ? [] : undefined;
    // A last empty line has a height only with something on it.
    this.copy.innerHTML = `${toHtml(text, this.#marks, parts)}\n`;
    const wrong = new Map();
    for (const { start, kind } of this.#marks) {
      const line = text.slice(0, start).split("\n").length;
      if (wrong.get(line) !== "error") wrong.set(line, kind);
    }
    const count = text.split("\n").length;
    this.numbers.innerHTML = Array.from({ length: count }, (_, index) => {
      const kind = wrong.get(index + 1);
      return kind ? `<span class="n-${kind}">${index + 1}</span>` : `${index + 1}`;
    }).join("\n");
    this.#follow();
  }

  #follow() {
    const { scrollLeft, scrollTop } = this.area;
    this.copy.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.numbers.style.transform = `translateY(${-scrollTop}px)`;
  }

  #key(event) {
    const { area } = this;
    if (event.key === "Tab" && !event.ctrlKey && !event.altKey && !event.metaKey) {
      // Escape leaves the editor, for those who move with the keyboard.
      event.preventDefault();
      this.#insert("    ");
    } else if (event.key === "Escape") {
      area.blur();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const before = this.text.slice(0, area.selectionStart);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const indent = /^\s*/.exec(line)[0];
      this.#insert(`\n${indent}${line.trimEnd().endsWith("{") ? "    " : ""}`);
    }
  }

  // Inserted so that it can be undone.
  #insert(text) {
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
      this.area.dispatchEvent(new Event("input"));
    }
  }
}

function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
