// The page of `diff DIR --html`: a row for each pass, with all that `diff` says of it. It computes nothing, and puts every
// text on the page as text.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const OUTCOMES = {
    same: ["the same computation", "good"],
    rounded: ["the same but for rounding", "good"],
    same_reads: ["the same reads", "good"],
    unknown: ["unknown", "doubt"],
    computed_otherwise: ["computed differently", "bad"],
    changed: ["changed", "bad"],
    left_out: ["left out", "doubt"],
  };
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const hidden = new Set();
  const rows = data.passes.map((pass) => {
    const [words, kind] = OUTCOMES[pass.outcome];
    const state = make("span", { class: "state " + kind }, words);
    const head = make("summary", {}, state, make("span", { class: "mono" }, pass.pass));
    const answers = pass.answers.map((answer) => make("pre", {}, answer));
    const body = answers.length > 0 ? answers : [make("p", { class: "faint" }, "Nothing differs.")];
    const row = make("details", { class: "pass" + (pass.first ? " first" : "") }, head, ...body);
    // The first change of a module is what one came for.
    row.open = Boolean(pass.first);
    return { row, outcome: pass.outcome };
  });
  const show = () => rows.forEach(({ row, outcome }) => (row.hidden = hidden.has(outcome)));

  const filters = Object.entries(OUTCOMES).map(([outcome, [words]]) => {
    const number = rows.filter((row) => row.outcome === outcome).length;
    if (number === 0) return "";
    const box = make("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(outcome);
      else hidden.add(outcome);
      show();
    });
    return make("label", {}, box, " " + words + " (" + number + ") ");
  });
  document.body.append(
    make(
      "main",
      {},
      make("h1", {}, "Passes of " + data.directory),
      ...data.modules.map((line) => make("p", { class: "module" }, line)),
      make("p", { class: "faint" }, data.summary),
      make("p", {}, ...filters),
      ...rows.map(({ row }) => row),
    ),
  );
})();
