// Pieces of text as elements. Text of the engine, of files and of links becomes text nodes alone, never markup.

const CLASS = /^[a-z]+[0-5]?$/;

export function spans(pieces) {
  return pieces
    .filter(([, text]) => text)
    .map(([role, text]) => {
      if (role === "plain" || !CLASS.test(role)) {
        return document.createTextNode(text);
      }
      const span = document.createElement("span");
      span.className = role;
      span.textContent = text;
      return span;
    });
}

export function element(name, classes, ...children) {
  const made = document.createElement(name);
  made.className = classes;
  made.append(...children);
  return made;
}

export function button(text, act, classes = "") {
  const made = element("button", classes, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** Lines of an answer that are shown before the rest is asked for. */
const LINES = 60;

/** An answer; a long one unfolds. */
export function answer(pieces) {
  const isPicture = pieces.some(([role]) => /^(tile|read)/.test(role));
  const shown = element("pre", isPicture ? "answer wide" : "answer");
  let lines = 0;
  const first = [];
  const rest = [];
  for (const [role, text] of pieces) {
    const parts = text.split("\n");
    const room = LINES - lines;
    lines += parts.length - 1;
    if (rest.length || parts.length - 1 <= room) {
      (rest.length ? rest : first).push([role, text]);
    } else {
      first.push([role, parts.slice(0, room + 1).join("\n")]);
      rest.push([role, "\n" + parts.slice(room + 1).join("\n")]);
    }
  }
  shown.append(...spans(first));
  if (!rest.length) {
    return shown;
  }
  const hidden = lines - LINES;
  const more = button(`${hidden} more lines`, () => {
    more.remove();
    shown.append(...spans(rest));
  }, "more");
  return element("div", "", shown, more);
}

export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text]));
  const anchor = element("a", "", name);
  anchor.href = url;
  anchor.download = name.split("/").at(-1);
  return anchor;
}

/** The data of a page of `report`, which its own script arranges. */
const REPORT = /<script type="application\/json" id="data">([^<]*)<\/script>/;

/** The report in a frame: `report.html` asks for the data once it is there. */
function framed(name, data) {
  const frame = element("iframe", "report");
  frame.title = `the report ${name}`;
  window.addEventListener("message", (event) => {
    if (event.source === frame.contentWindow && event.data === "data") {
      frame.contentWindow.postMessage({ data }, location.origin);
    }
  });
  frame.src = "report.html";
  return frame;
}

/** A file that a command wrote: to save, and a picture or a report to look at. */
export function file(name, text) {
  const made = element("div", "log-file", "file ", download(name, text));
  if (name.endsWith(".svg")) {
    const picture = document.createElement("img");
    picture.alt = `the picture ${name}`;
    picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    made.append(picture);
  }
  const report = name.endsWith(".html") && REPORT.exec(text);
  if (report) {
    made.append(framed(name, report[1]));
  }
  return made;
}
