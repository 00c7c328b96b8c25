// The page: entries and answers in order, files that are dropped, links, panels.

import { Engine } from "./engine.js";
import { Entry } from "./entry.js";
import * as link from "./link.js";
import { examples, rules } from "./panels.js";
import { answer, button, download, element, file } from "./show.js";

const find = (selector) => document.querySelector(selector);
const log = find("#log");
const notice = find("#notice");
/** The engine, which examples and tests give files. */
export const engine = new Engine();
let running = 0;
let queue = Promise.resolve();

function say(text) {
  notice.textContent = text;
}

function busy(change) {
  running += change;
  find("#stop").hidden = running === 0;
}

/** Events of a command as elements below `block`. */
function shower(block, canUnfold) {
  return (event) => {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    if (event.kind === "answer") {
      block.append(answer(event.pieces));
      if (event.number && canUnfold) {
        block.append(tools(event.number));
      }
    } else if (event.kind === "error") {
      block.append(element("pre", event.text.includes("\n") ? "error wide" : "error", event.text));
    } else if (event.kind === "file") {
      block.append(file(event.name, event.text));
    } else if (event.kind === "progress") {
      say(`working: ${event.done} of ${event.all}; Esc stops`);
    }
    if (atEnd) {
      log.scrollTop = log.scrollHeight;
    }
  };
}

/** What may be asked of an answer that is a map, below it; why it is so, as long as it is the last. */
function tools(number) {
  document.querySelectorAll(".tools .why").forEach((why) => why.remove());
  const asks = [["why", "why"], ["range", `range _${number}`], ["C", `emit _${number} --as c`], ["draw", `draw _${number}`]];
  const row = element("div", "tools");
  for (const [name, command] of asks) {
    const one = button(name, async () => {
      one.disabled = true;
      const block = element("div", "unfolded");
      row.after(block);
      await perform(command, block, false);
    });
    one.classList.toggle("why", name === "why");
    one.setAttribute("aria-label", `${name} of answer ${number}`);
    row.append(one);
  }
  return row;
}

/** Runs an entry behind those before it; its answers appear below `block`. */
function perform(text, block, canUnfold = true) {
  const run = async () => {
    busy(1);
    const slow = setTimeout(() => say("working; Esc stops"), 800);
    try {
      const reply = await engine.enter(text, shower(block, canUnfold));
      if (reply.quit) {
        log.replaceChildren();
        say("a new session");
      } else {
        say("");
      }
    } catch (error) {
      block.append(element("pre", "error", error.message));
      say("");
    }
    clearTimeout(slow);
    busy(-1);
    log.scrollTop = log.scrollHeight;
  };
  queue = queue.then(run);
  return queue;
}

function submit(text) {
  if (text.trim() === "clear" || log.querySelector("#welcome")) {
    log.replaceChildren();
  }
  document.querySelectorAll(".tools .why").forEach((why) => why.remove());
  const block = element("section", "");
  if (text.trim()) {
    block.append(element("pre", "given", text.trimEnd()));
  }
  log.append(block);
  log.scrollTop = log.scrollHeight;
  history.replaceState(null, "", location.pathname + location.search);
  return perform(text, block);
}

function stop() {
  if (!running) {
    return false;
  }
  say("stopping");
  engine.stop();
  return true;
}

const entry = new Entry(engine, { submit, stop, say });

/** Keeps files by names that need no quotes, and asks for the report of each module. */
async function take(files) {
  for (const dropped of files) {
    const name = dropped.name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^[-.]+/, "") || "file";
    await engine.keep(name, new Uint8Array(await dropped.arrayBuffer()));
    say(`kept as ${name}; commands find it by that name`);
    if (/\.(hlo|mlir|txt)(\.gz)?$/.test(name)) {
      await submit(`report ${name} --html ${name}.html`);
    }
  }
}

function toggle(id, fill) {
  const panel = find("#panel");
  const opener = find(id);
  opener.addEventListener("click", async () => {
    const opens = opener.getAttribute("aria-expanded") !== "true";
    for (const other of document.querySelectorAll("[aria-controls=panel]")) {
      other.setAttribute("aria-expanded", String(opens && other === opener));
    }
    panel.hidden = !opens;
    if (opens) {
      panel.replaceChildren(...(await fill()));
    }
  });
}

const gallery = fetch("gallery.json").then((reply) => reply.json());
gallery.catch(() => {});

async function showExample(example) {
  for (const [name, text] of Object.entries(example.files)) {
    await engine.keep(name, new TextEncoder().encode(text));
  }
  for (const command of example.commands) {
    await submit(command);
  }
}

toggle("#examples", async () => examples(await gallery, showExample));
toggle("#rules", () => rules(engine, submit));

find("#link").addEventListener("click", async () => {
  try {
    const fragment = await link.written(engine.entries);
    history.replaceState(null, "", fragment);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    const files = engine.files.size ? " Files are not in it." : "";
    say(`The link to this session is in the address bar, and copied where the browser allows it.${files}`);
  } catch (error) {
    say(error.message);
  }
});

find("#script").addEventListener("click", () => {
  const anchor = download("session.affinor", engine.entries.join("\n") + "\n");
  anchor.click();
});

find("#file").addEventListener("change", (event) => take(event.target.files));
find("#entry").addEventListener("submit", (event) => {
  event.preventDefault();
  entry.enter();
});
find("#stop").addEventListener("click", stop);

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") {
      take(event.dataTransfer.files);
    }
  });
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;
const theme = () => root.dataset.chosen ?? (dark.matches ? "dark" : "light");
const wear = () => (root.dataset.theme = theme());
dark.addEventListener("change", wear);
find("#theme").addEventListener("click", () => {
  root.dataset.chosen = theme() === "dark" ? "light" : "dark";
  wear();
});
wear();

/** What there is to do, until something is entered. */
function welcome() {
  const first = [
    "tour",
    "simplify (i, j) -> ((i * 8 + j) floordiv 8, j mod 8), domain: i in [0, 3], j in [0, 7]",
    "op reshape f32[10,10,10] -> f32[50,20] | reshape -> f32[10,10,10]",
    "(x >> 3) * 8 + (x & 7)",
    "layout f32[3,5]{1,0:T(2,2)} --draw",
    "layout compose (4,8):(8,1) ; (8,4):(4,1)",
  ];
  const shown = element("div", "");
  shown.id = "welcome";
  shown.append(
    element("p", "", "Which elements of its operands does each element of a tensor op read? Enter a map, code, HLO, StableHLO, a shape or a command; or drop a module here. Everything runs in this page: nothing is sent anywhere."),
    ...first.map((text) => button(text, () => submit(text), "first")),
  );
  log.append(shown);
}

async function begin() {
  say("loading the engine");
  try {
    await engine.ready;
    say("");
    const fragment = location.hash;
    const entries = await link.read(fragment);
    const example = /^#x=(\d+)$/.exec(fragment) && (await gallery)[Number(fragment.slice(3))];
    if (example) {
      await showExample(example);
      history.replaceState(null, "", fragment);
    }
    for (const text of entries) {
      await submit(text);
      history.replaceState(null, "", fragment);
    }
    if (!entries.length && !example) {
      welcome();
    }
  } catch (error) {
    say(error.message);
  }
  root.dataset.ready = "true";
  entry.line.focus();
}

window.addEventListener("hashchange", () => /^#[sx]=/.test(location.hash) && location.reload());
begin();
