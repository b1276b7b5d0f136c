// SPDX-License-Identifier: Apache-2.0
// The link as a picture: each direction's blocks in a row, or three in a row where there is no room, with live numbers on them.

const picture = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const [WIDTH, HEIGHT, GAP, HEAD] = [118, 66, 14, 26];
  const narrow = matchMedia("(max-width: 900px)");
  const count = (value) => Math.round(value).toLocaleString("en");
  const per = (value) => `${value >= 100 ? count(value) : text.number(value, 2)} /s`;
  const percent = (share) => (share === null ? "–" : `${text.number(100 * share, 3)} %`);

  // What packets come from and go to: a device of Linux, or files and generators of a run.
  const enters = ({ way, from, rate, counter }) => {
    if (from.now.tap) return [`${per(rate(from, (end) => end.tap.in))} in`, count(from.now.tap.in)];
    return [`${text.number(8e-6 * counter(from, "tx_bytes"), 3)} Mb/s`, `${count(way.backlog)} wait`];
  };
  const leaves = ({ way, to, rate }) => [`${text.number(way.mbps, 3)} Mb/s`, to.now.tap ? `${per(rate(to, (end) => end.tap.out))} out` : `${count(to.now.counters.rx_packets)} packets`];

  // Blocks in the order in which packets pass: name, and [value, note, mark] of what is there now.
  const BLOCKS = [
    ["Port", enters],
    ["Segmenter", ({ from, counter }) => [`${per(counter(from, "tx_packets"))}`, `${count(from.now.counters.tx_packets)} packets`]],
    ["Sender", ({ way, from, counter }) => [`window ${percent(way.window)}`, `again ${per(counter(from, "tx_retx"))}`, way.retransmitted && "again"]],
    ["RS encoder", ({ from, counter }) => [`${from.now.k} → ${from.now.n} units`, `${per(counter(from, "tx_units") + counter(from, "tx_retx_units"))}`]],
    ["Line", ({ way, delay }) => [`lost ${percent(way.loss)}`, `${text.number(delay, 4)} ms`]],
    ["Receiver", ({ to, counter }) => [`${per(counter(to, "rx_units"))}`, `${count(to.now.counters.rx_units)} units`]],
    ["RS decoder", ({ way, to, counter }) => [`repairs ${per(counter(to, "rx_frames_repaired"))}`, `${count(to.now.counters.rx_frames_repaired)} frames`, way.repaired && "repaired"]],
    ["Resequencer", ({ way, to }) => [`skipped ${count(to.now.counters.rx_frames_skipped)}`, to.now.ord ? "in sequence" : "any sequence", way.fates.abandoned && "abandoned"]],
    ["Port", leaves],
  ];
  let container, shown;
  let ports = { a: "a", b: "b" };

  function add(parent, name, attributes, content = "") {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = content;
    parent.append(made);
    return made;
  }

  /** Left upper corner of block i of a direction. */
  function place(way, i) {
    const [x, y] = [WIDTH + GAP, HEIGHT + GAP + 8];
    if (!narrow.matches) return [GAP + (way === "ab" ? i : 8 - i) * x, HEAD + (way === "ab" ? 0 : HEIGHT + 34)];
    const row = Math.floor(i / 3);
    return [GAP + (row % 2 ? 2 - (i % 3) : i % 3) * x, HEAD + row * y + (way === "ab" ? 0 : 3 * y + HEAD)];
  }

  function arrow(svg, [x0, y0], [x1, y1], kind = "") {
    add(svg, "path", { class: `arrow ${kind}`, d: `M${x0} ${y0}L${x1} ${y1}`, "marker-end": "url(#head)" });
  }

  /** From one block to the next one: to the side, or down. */
  function join(svg, [x0, y0], [x1, y1]) {
    if (y0 === y1) arrow(svg, [x1 > x0 ? x0 + WIDTH : x0, y0 + HEIGHT / 2], [x1 > x0 ? x1 - 3 : x1 + WIDTH + 3, y0 + HEIGHT / 2]);
    else arrow(svg, [x0 + WIDTH / 2, y0 + HEIGHT], [x1 + WIDTH / 2, y1 - 3]);
  }

  function frame(svg) {
    const [left, right] = [GAP / 2, WIDTH + GAP];
    for (const [i, name] of [[0, "end A"], [5, "end B"]]) {
      add(svg, "rect", { class: "end", x: left + i * right + (i ? 2 : 0), y: 4, width: 4 * right - 2, height: 2 * HEIGHT + 34 + HEAD + 4, rx: 10 });
      add(svg, "text", { class: "label", x: left + (i + 2) * right, y: 18 }, name);
    }
    for (const [way, other] of [["ab", "ba"], ["ba", "ab"]]) {
      const [[x, y0], [, y1]] = [place(way, 5), place(other, 3)];
      arrow(svg, [x + WIDTH / 2, y1 > y0 ? y0 + HEIGHT : y0], [x + WIDTH / 2, y1 > y0 ? y1 - 3 : y1 + HEIGHT + 3], "report");
      add(svg, "text", { class: "label", x: x + WIDTH / 2 + 24, y: HEAD + HEIGHT + 21 }, "reports");
    }
  }

  function draw() {
    const isWide = !narrow.matches;
    const [, y] = place("ba", 8);
    const width = 2 * GAP + (isWide ? 9 : 3) * (WIDTH + GAP) - GAP;
    container.replaceChildren();
    const svg = add(container, "svg", { viewBox: `0 0 ${width} ${y + HEIGHT + 12}`, role: "img", "aria-labelledby": "picture-title picture-words" });
    add(svg, "desc", { id: "picture-words" });
    const head = add(add(svg, "defs", {}), "marker", { id: "head", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 5, markerHeight: 5, orient: "auto" });
    add(head, "path", { d: "M0 0L6 3L0 6z" });
    if (isWide) frame(svg);
    shown = {};
    for (const [way, [from, to, name]] of Object.entries(past.WAYS)) {
      const places = BLOCKS.map((_, i) => place(way, i));
      if (!isWide) add(svg, "text", { class: "label", x: width / 2, y: places[0][1] - 9 }, name);
      places.slice(1).forEach((there, i) => join(svg, places[i], there));
      shown[way] = BLOCKS.map(([block], i) => {
        const group = add(svg, "g", {});
        const [left, top] = places[i];
        add(group, "rect", { x: left, y: top, width: WIDTH, height: HEIGHT, rx: 7 });
        const line = (kind, at) => add(group, "text", { class: kind, x: left + WIDTH / 2, y: top + at });
        const label = block === "Port" ? ports[i ? to : from] : block;
        line("name", 19).textContent = label;
        return { label, group, value: line("value", 38), note: line("note", 55) };
      });
    }
  }

  function show(sample) {
    const words = [];
    for (const [way, [from, to, name]] of Object.entries(past.WAYS)) {
      const rate = (end, of) => past.rate(end.name, of);
      const now = {
        way: sample.directions[way], delay: sample.delay_ms, rate,
        from: { name: from, now: sample.ends[from] }, to: { name: to, now: sample.ends[to] },
        counter: (end, counter) => rate(end, (one) => one.counters[counter]),
      };
      words.push(name);
      BLOCKS.forEach(([, of], i) => {
        const [value, note, mark] = of(now);
        const block = shown[way][i];
        block.value.textContent = value;
        block.note.textContent = note;
        block.group.setAttribute("class", `block ${block.label === "Line" ? "line" : ""} ${mark || ""}`);
        words.push(`${block.label}: ${value}, ${note}`);
      });
    }
    container.querySelector("desc").textContent = words.join("; ");
  }

  function make(element) {
    container = element;
    draw();
    narrow.addEventListener("change", () => {
      draw();
      if (past.all().at(-1)?.ends) show(past.all().at(-1));
    });
  }

  /** For the link of a greeting. */
  function begin(hello) {
    ports = hello.ports;
    draw();
  }

  return { make, begin, show };
})();
