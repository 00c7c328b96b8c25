// What stands beside the session: examples, and the rules that simplify.

import { button, element } from "./show.js";

export function examples(gallery, show) {
  const shown = [];
  let page = "";
  for (const example of gallery) {
    if (example.page !== page) {
      page = example.page;
      shown.push(element("h2", "", page));
    }
    shown.push(button(example.title, () => show(example), "example"));
  }
  return shown;
}

/** The rules, found by their names; each can be read, and switched off and on, as `rules` does it. */
export async function rules(engine, submit) {
  const { rules } = await engine.ask({ do: "rules" });
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "find a rule";
  search.setAttribute("aria-label", "find a rule");
  const list = element("div", "");
  const fill = () => {
    const found = rules.filter(({ name }) => name.includes(search.value.trim()));
    list.replaceChildren(
      ...found.map((rule) => {
        const box = document.createElement("input");
        box.type = "checkbox";
        box.checked = rule.on;
        box.setAttribute("aria-label", `use ${rule.name}`);
        box.addEventListener("change", () => {
          rule.on = box.checked;
          submit(`rules ${rule.on ? "on" : "off"} ${rule.name}`);
        });
        return element("div", "rule", box, button(rule.name, () => submit(`rules show ${rule.name}`)));
      }),
    );
  };
  search.addEventListener("input", fill);
  fill();
  const hint = element("p", "faint", "`rule name: left => right` at the prompt adds one of your own.");
  return [element("h2", "", `${rules.length} rules`), search, hint, list];
}
