// The page of `report`: arranges what the commands answered. It computes nothing about the module, and puts every
// text on the page as text.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { words, cards, computations } = data;
  const CHUNK = 80; // cards that are added at once while scrolling
  const MAPS = 8; // maps of an array that are shown at once
  const ROW = 5; // boxes in a row of the graph, unless all are asked for

  const FLAGS = {
    warned: ["warnings", "doubt", "hlo warns of something"],
    unknown: ["unknown reads", "doubt", "the maps of an operand are not known"],
    at_most: ["upper bounds", "doubt", "a map may be larger than the reads"],
    uncoalesced: ["misses coalescing", "bad", "warps of 32 threads along the output take more transactions than the ideal"],
    moves: ["moves bytes", "bad", "only moves elements to other positions"],
    free: ["moves nothing", "good", "every element is already at its position"],
    reread: ["reads again", "", "a fusion may read an element of an operand more than once"],
    partly: ["reads a part", "", "some elements of an operand are not read"],
  };

  // Elements. Children are elements or texts; a text never becomes markup.
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else if (value !== undefined && value !== null) element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // What follows from the order of the cards.
  cards.forEach((card, number) => {
    card.number = number;
    card.users = [];
    card.flags = card.flags || [];
    card.is_fusion = words[card.opcode] === "fusion";
    card.has_memory = computations[card.computation].has_memory;
  });
  cards.forEach((card) => new Set(card.operands || []).forEach((at) => cards[at].users.push(card.number)));
  const callers = computations.map(() => []);
  cards.forEach((card) => (card.calls || []).forEach((at) => callers[at].push(card.number)));

  const home = (card) => computations[card.computation].name;
  const anchor = (card) => "#" + encodeURIComponent(home(card) + "/" + card.name);
  const link = (card, text) => make("a", { href: anchor(card), class: "mono" }, text || card.name);
  const best = (card, value) => Math.max(0, ...(card.arrays || []).map(value));
  const ratio = (card) => best(card, (array) => Math.max(0, ...array.maps.map((map) => (map.access ? map.access.ratio : 0))));
  const unread = (card) => best(card, (array) => (array.use && array.use[0] !== null ? 1 - array.use[0] : 0));
  const moved = (card) => (card.moves && card.moves[1]) || 0;
  const haystack = (card) => {
    card.text = card.text ||
      [card.name, words[card.opcode], words[card.shape], home(card), card.given === undefined ? "" : words[card.given]].join("\n").toLowerCase();
    return card.text;
  };

  const KINDS = {
    fusions: ["fusions", (card) => card.is_fusion],
    memory: ["outside fusions", (card) => card.has_memory],
    all: ["all", () => true],
  };
  const SORTS = {
    order: ["in the order of the module", null],
    ratio: ["most transactions by the ideal first", ratio],
    moved: ["most bytes moved first", moved],
    unread: ["largest part not read first", unread],
  };
  const state = { kind: cards.some((card) => card.is_fusion) ? "fusions" : "memory", flags: new Set(), sort: "order", query: "", at: null };
  const open = new Set();
  let shown = [];
  let placed = 0;

  // A bar for a share from 0 to 1.
  const bar = (use) => {
    const share = use && use[0];
    if (share === null || share === undefined) return make("span", { class: "bar none", title: use ? words[use[1]] : "not known" });
    const inner = make("i");
    inner.style.width = (100 * share).toFixed(2) + "%";
    const kind = words[use[1]].startsWith("at most") ? " bound" : share === 1 ? " full" : "";
    return make("span", { class: "bar" + kind, title: words[use[1]] }, inner);
  };

  const flag = (name, more) => {
    const [text, kind, meaning] = FLAGS[name];
    return make("span", { class: "flag " + kind, title: meaning }, text + more);
  };

  const head = (card) => {
    const used = (card.arrays || []).filter((array) => array.use);
    const badges = card.flags.map((name) => flag(name, name === "uncoalesced" ? " " + ratio(card).toFixed(2) + "×" : ""));
    return make("button", { class: "head", "aria-expanded": String(open.has(card.number)), on: { click: () => toggle(card) } },
      make("span", { class: "name mono" }, card.name),
      make("span", { class: "what mono" }, words[card.opcode] + " " + words[card.shape] + (computations[card.computation].is_entry ? "" : ", in " + home(card))),
      make("span", { class: "side" },
        make("span", { class: "flags" }, ...badges),
        make("span", { class: "minis" }, ...used.slice(0, 10).map((array) => bar(array.use)))));
  };

  const line = (word) => {
    const text = words[word];
    const doubtful = /^(at most|unknown|the search stopped|sampled|warning)/.test(text);
    return make("span", { class: "sub mono" + (doubtful ? " doubtful" : "") }, text);
  };

  const mapLines = (map) => {
    const text = words[map.text];
    const cut = map.is_map ? text.indexOf(", domain:") : -1;
    const lines = [make("span", { class: "map mono" + (map.is_map ? "" : text.startsWith("unknown") ? " doubtful" : " dim") },
      map.output ? make("span", { class: "to" }, map.output + " reads ") : null,
      cut < 0 ? text : text.slice(0, cut), cut < 0 ? null : make("span", { class: "dom" }, text.slice(cut)))];
    lines.push(...(map.notes || []).map(line));
    return lines;
  };

  const access = (map, number, all) => {
    const { ratio, is_more: isMore, lines } = map.access;
    const which = all > 1 ? "map " + (number + 1) + ": " : "";
    const verdict = isMore ? ratio.toFixed(2) + " times the ideal number of transactions" : "as few transactions as can be";
    return make("details", {},
      make("summary", {}, which, make("span", { class: "flag " + (isMore ? "bad" : "good") }, verdict)),
      make("pre", { class: "mono" }, lines.map((word) => words[word]).join("\n")));
  };

  const arrayPart = (card, array) => {
    const operand = cards[(card.operands || [])[array.operand]];
    const title = operand ? [link(operand, operand.name + (array.path || "")), make("span", { class: "mono dim" }, " " + words[array.shape === undefined ? operand.shape : array.shape])] : ["operand " + array.operand];
    const part = make("div", { class: "array" }, make("div", { class: "title" }, ...title));
    if (array.use) part.append(make("div", { class: "use" }, bar(array.use), make("span", {}, words[array.use[1]])));
    const counts = (map, number) => (map.access ? [access(map, number, array.maps.length)] : []);
    if (array.maps.length && array.maps.every((map) => !map.is_map && !map.notes && map.text === array.maps[0].text)) {
      part.append(...mapLines({ ...array.maps[0], output: "" }));
      return part;
    }
    const some = array.maps.length > MAPS ? array.maps.slice(0, MAPS - 2) : array.maps;
    some.forEach((map) => part.append(...mapLines(map)));
    some.forEach((map, number) => part.append(...counts(map, number)));
    if (some.length < array.maps.length) {
      const others = array.maps.slice(some.length);
      part.append(make("details", {}, make("summary", {}, others.length + " more maps"),
        ...others.flatMap(mapLines), ...others.flatMap((map, number) => counts(map, some.length + number))));
    }
    return part;
  };

  const heading = (text, command) => make("h3", {}, text + " ", command ? make("code", {}, command) : null);

  const bodyOf = (card) => {
    const body = make("div", { class: "body" });
    const called = callers[card.computation].map((at) => cards[at]);
    const facts = make("p", { class: "facts" }, "in ", make("code", {}, home(card)));
    if (called.length) facts.append(", called by ", link(called[0]), called.length > 1 ? " and " + (called.length - 1) + " more" : "");
    if (computations[card.computation].root === card.number) facts.append(", its root");
    if (card.given !== undefined) facts.append(make("br"), "op_name ", make("code", {}, words[card.given]));
    body.append(facts);
    if (card.notes) body.append(...card.notes.map(line));
    if (card.moves) body.append(heading("Movement", "hlo --free"), make("div", {}, words[card.moves[0]]));
    if (card.arrays) body.append(heading("Reads", card.has_memory ? "hlo --utilisation" : "hlo"), ...card.arrays.map((array) => arrayPart(card, array)));
    if ((card.arrays || []).some((array) => array.maps.some((map) => map.access)))
      body.append(make("p", { class: "small" }, "Transactions are those of warps of 32 threads along the output, its minor dimension first: ", make("code", {}, "coalesce --preset linear"), "."));
    if (card.tiles) body.append(heading("Tiles", "hlo --tile"), make("pre", { class: "mono" }, card.tiles.map((word) => words[word]).join("\n")));
    body.append(heading("Graph", "operands above, users below"), graph(card));
    for (const at of card.calls || []) {
      const inner = computations[at];
      const list = make("ul", { class: "inside" });
      for (const one of cards.slice(inner.first, inner.first + inner.count)) {
        const from = (one.operands || []).map((operand) => cards[operand].name).join(", ");
        list.append(make("li", { class: "mono" }, link(one), " = " + words[one.shape] + " " + words[one.opcode] + "(" + from + ")"));
      }
      body.append(make("details", inner.count <= 12 ? { open: "" } : {}, make("summary", {}, "Inside: ", make("code", {}, inner.name), ", " + inner.count + " instructions"), list));
    }
    body.append(heading("Ask again", ""), make("pre", { class: "mono" }, "affinor hlo " + quoted(data.file) + " --computation " + quoted(home(card)) + " --instruction " + quoted(card.name)));
    return body;
  };

  // As a shell takes it.
  const quoted = (text) => (/^[\w.\/%+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

  const clip = (text, most) => (text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + "…" + text.slice(1 - Math.floor(most / 2)));

  // The instruction with two steps of operands above it and two of users below.
  const graph = (card) => {
    const all = new Set(); // rows that are shown in full
    const holder = make("div", { class: "graph" });
    const next = (numbers, step) => [...new Set(numbers.flatMap((number) => step(cards[number])))];
    const operands = (one) => one.operands || [];
    const users = (one) => one.users;
    const render = () => {
      const seen = new Set([card.number]);
      const fresh = (numbers) => numbers.filter((number) => !seen.has(number) && seen.add(number));
      const cutRow = (numbers, place) => (all.has(place) || numbers.length <= ROW ? { numbers, more: 0 } : { numbers: numbers.slice(0, ROW), more: numbers.length - ROW });
      const up = cutRow(fresh(next([card.number], operands)), 1);
      const down = cutRow(fresh(next([card.number], users)), 3);
      const top = cutRow(fresh(next(up.numbers, operands)), 0);
      const bottom = cutRow(fresh(next(down.numbers, users)), 4);
      const rows = [top, up, { numbers: [card.number], more: 0 }, down, bottom].map((row, place) => ({ ...row, place })).filter((row) => row.numbers.length);
      const width = 170, height = 38, gapX = 12, gapY = 34, margin = 22;
      const length = (row) => row.numbers.length + (row.more ? 1 : 0);
      const full = Math.max(...rows.map(length)) * (width + gapX) - gapX + 2 * margin;
      const tall = rows.length * (height + gapY) - gapY + 2 * margin;
      const at = new Map();
      rows.forEach((row, y) => row.numbers.forEach((number, x) => {
        const start = (full - length(row) * (width + gapX) + gapX) / 2;
        at.set(number, [start + x * (width + gapX), margin + y * (height + gapY)]);
      }));
      const svg = draw("svg", { width: full, height: tall, viewBox: "0 0 " + full + " " + tall, role: "img", "aria-label": "operands above, users below" });
      for (const [number, [x, y]] of at) {
        for (const operand of new Set(operands(cards[number]))) {
          if (!at.has(operand)) continue;
          const [fromX, fromY] = at.get(operand);
          // Down to a lower row; between neighbours of a row, over their heads.
          const isLower = fromY < y;
          const [x1, y1, x2, y2] = [fromX + width / 2, isLower ? fromY + height : fromY, x + width / 2, y];
          const bend = isLower ? (y2 - y1) / 2 : -18;
          svg.append(draw("path", { d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${isLower ? y2 - bend : y2 + bend} ${x2} ${y2}` }));
        }
      }
      const box = (x, y, kind, title, texts, act) => {
        const group = draw("g", { class: "node " + kind, tabindex: "0", role: "link" }, draw("title", {}, title), draw("rect", { x, y, width, height, rx: 5 }));
        texts.forEach((text, place) => group.append(draw("text", { x: x + width / 2, y: y + 16 + 14 * place, "text-anchor": "middle", class: place ? "small" : "" }, text)));
        group.addEventListener("click", act);
        group.addEventListener("keydown", (event) => event.key === "Enter" && act());
        svg.append(group);
      };
      for (const [number, [x, y]] of at) {
        const one = cards[number];
        const kind = number === card.number ? "self" : (one.flags.some((name) => FLAGS[name][1] === "bad") ? "warn " : "") + (one.is_fusion ? "fusion" : "");
        const shape = words[one.shape].replace(/\{[^}]*\}/g, "");
        box(x, y, kind, one.name + " = " + words[one.shape] + " " + words[one.opcode],
          [clip(one.name, 24), clip(words[one.opcode] + " " + shape, 27)], () => (location.hash = anchor(one)));
      }
      rows.filter((row) => row.more).forEach((row) => {
        const [x, y] = at.get(row.numbers[row.numbers.length - 1]);
        box(x + width + gapX, y, "more", "show all", ["+ " + row.more + " more"], () => { all.add(row.place); render(); });
      });
      holder.replaceChildren(svg);
      const [x, y] = at.get(card.number);
      requestAnimationFrame(() => holder.scrollTo(x + width / 2 - holder.clientWidth / 2, y + height / 2 - holder.clientHeight / 2));
    };
    render();
    return holder;
  };

  const element = (card) => {
    const article = make("article", { class: "card" + (state.at === card.number ? " at" : ""), "data-number": card.number }, head(card));
    if (open.has(card.number)) article.append(bodyOf(card));
    return article;
  };

  const toggle = (card, isOpen = !open.has(card.number)) => {
    if (isOpen) open.add(card.number); else open.delete(card.number);
    const old = list.querySelector('[data-number="' + card.number + '"]');
    if (!old) return;
    const fresh = element(card);
    old.replaceWith(fresh);
    fresh.querySelector(".head").focus({ preventScroll: true });
  };

  const place = (until) => {
    const end = Math.min(shown.length, Math.max(until, placed + CHUNK));
    list.append(...shown.slice(placed, end).map(element));
    placed = end;
    more.hidden = placed === shown.length;
  };

  const matches = (card, terms) => terms.every((term) => haystack(card).includes(term));
  const chosen = (flags, kind) => {
    const terms = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    return cards.filter((card) => KINDS[kind][1](card) && [...flags].every((name) => card.flags.includes(name)) && matches(card, terms));
  };

  const update = () => {
    shown = chosen(state.flags, state.kind);
    const value = SORTS[state.sort][1];
    if (value) shown.sort((a, b) => value(b) - value(a) || a.number - b.number);
    const elsewhere = state.kind === "all" ? 0 : chosen(state.flags, "all").length - shown.length;
    counted.textContent = shown.length + (shown.length === 1 ? " instruction" : " instructions") + (state.query && elsewhere ? ", " + elsewhere + " more under “all”" : "");
    kinds.replaceChildren(...Object.entries(KINDS).map(([kind, [text]]) =>
      chip(text, chosen(state.flags, kind).length, state.kind === kind, () => { state.kind = kind; update(); })));
    const present = Object.keys(FLAGS).filter((name) => cards.some((card) => card.flags.includes(name)));
    flags.replaceChildren(...present.map((name) =>
      chip(FLAGS[name][0], chosen(new Set([...state.flags, name]), state.kind).length, state.flags.has(name), () => {
        if (!state.flags.delete(name)) state.flags.add(name);
        update();
      }, FLAGS[name][2])));
    list.replaceChildren();
    placed = 0;
    place(0);
    if (!shown.length) list.append(make("p", { class: "none-found" }, "No instruction is left. ", elsewhere ? make("a", { href: "#", on: { click: (event) => { event.preventDefault(); state.kind = "all"; update(); } } }, "Show the " + elsewhere + " under “all”.") : ""));
  };

  const chip = (text, count, pressed, act, title) =>
    make("button", { class: "chip", "aria-pressed": String(pressed), title, on: { click: act } }, text, make("b", {}, String(count)));

  // Opens the card that the address names.
  const follow = () => {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const card = name && cards.find((card) => home(card) + "/" + card.name === name);
    if (!card) return;
    state.at = card.number;
    open.add(card.number);
    if (!shown.includes(card)) {
      search.value = state.query = "";
      state.flags.clear();
      if (!KINDS[state.kind][1](card)) state.kind = card.has_memory ? "memory" : "all";
    }
    update();
    place(shown.indexOf(card) + 1);
    list.querySelector('[data-number="' + card.number + '"]').scrollIntoView();
  };

  // Light or dark: as chosen, else as the system is.
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem("affinor-theme"); } catch { return null; } };
  const setTheme = (theme) => {
    root.dataset.theme = theme;
    themeButton.textContent = theme === "dark" ? "Light" : "Dark";
    themeButton.setAttribute("aria-label", "switch to " + (theme === "dark" ? "light" : "dark"));
  };
  const themeButton = make("button", { class: "plain", id: "theme", on: { click: () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("affinor-theme", theme); } catch { /* not kept */ }
    setTheme(theme);
  } } });
  setTheme(stored() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));

  let timer = 0;
  const search = make("input", { id: "search", type: "search", placeholder: "Search names, opcodes, shapes, op_name  ( / )", "aria-label": "search", autocomplete: "off", spellcheck: "false", on: {
    input: () => { clearTimeout(timer); timer = setTimeout(() => { state.query = search.value; update(); }, 60); },
  } });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); search.select(); }
    if (event.key === "Escape" && document.activeElement === search) { search.value = state.query = ""; update(); }
  });

  const kinds = make("div", { class: "chips", id: "kinds", role: "group", "aria-label": "which instructions" });
  const flags = make("div", { class: "chips", id: "flags", role: "group", "aria-label": "only those that" });
  const counted = make("span", { id: "count", "aria-live": "polite" });
  const sort = make("select", { id: "sort", "aria-label": "order", on: { change: () => { state.sort = sort.value; update(); } } },
    ...Object.entries(SORTS).map(([key, [text]]) => make("option", { value: key }, text)));
  const list = make("div", { id: "list" });
  const more = make("p", { class: "count" }, "…");
  const about = make("div", { class: "about" }, make("p", {}, make("code", {}, data.file)),
    ...data.errors.map((text) => make("p", { class: "error" }, text)), ...data.summary.map((text) => make("p", {}, text)));
  document.body.append(
    make("header", {}, make("div", { class: "bar-top" }, make("h1", {}, data.module || data.file), search, themeButton)),
    make("main", {}, about, kinds, flags, make("p", { class: "count" }, counted, ",", sort), list, more));
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && placed < shown.length && place(0), { rootMargin: "800px" }).observe(more);
  update();
  window.addEventListener("hashchange", follow);
  follow();
})();
