// SPDX-License-Identifier: Apache-2.0
// Frames by their fate: shares of each interval as a column, newest at the right, and the sums of the last minute in words.

const strip = (() => {
  const FATES = [
    ["clean", "clean"], ["repaired", "repaired by the code"], ["again-1", "retransmitted once"], ["again-2", "twice"], ["again-3", "three times"],
    ["again-4", "more often"], ["abandoned", "abandoned"],
  ];
  let made = [];

  /** Numbers of frames, in the order of FATES. */
  const numbers = ({ clean, repaired, again, abandoned }) => [clean, repaired, ...again.slice(0, 3), again.slice(3).reduce((sum, value) => sum + value, 0), abandoned];

  function make(element) {
    made = Object.entries(past.WAYS).map(([way, [, , name]]) => {
      const canvas = text.element("canvas", { role: "img", "aria-labelledby": `fates-${way}` });
      const sums = FATES.map(([kind, words]) => {
        const value = text.element("span");
        return { value, item: text.element("li", { class: kind }, text.element("i"), `${words} `, value) };
      });
      const list = text.element("ul", { class: "fates", id: `fates-${way}`, "aria-label": `Frames of the last minute, ${name}` }, ...sums.map((one) => one.item));
      element.append(text.element("div", { class: "strip" }, text.element("b", {}, name), canvas, list));
      return { way, canvas, sums };
    });
    theme.onChange(show);
  }

  function draw(canvas, columns, now) {
    const width = (canvas.width = Math.round(canvas.clientWidth * devicePixelRatio));
    const height = (canvas.height = Math.round(canvas.clientHeight * devicePixelRatio));
    const context = canvas.getContext("2d");
    const colours = FATES.map(([kind]) => theme.colour(kind));
    const place = (at) => Math.round(width * (1 + (at - now) / past.SECONDS));
    for (const { at, span, values } of columns) {
      const total = values.reduce((sum, value) => sum + value, 0);
      const [left, right] = [place(at - span), place(at)];
      let below = height;
      values.forEach((value, i) => {
        if (!value) return;
        const high = Math.max(2, (height * value) / total); // a single frame of many is still seen
        context.fillStyle = colours[i];
        context.fillRect(left, below - high, Math.max(1, right - left), high);
        below -= (height * value) / total;
      });
    }
  }

  function show() {
    const samples = past.all();
    if (!samples.length) return;
    for (const { way, canvas, sums } of made) {
      const columns = samples.map((sample) => ({ ...sample, values: numbers(sample.directions[way].fates) }));
      draw(canvas, columns, samples.at(-1).at);
      const totals = FATES.map((_, i) => columns.reduce((sum, { values }) => sum + values[i], 0));
      const all = totals.reduce((sum, value) => sum + value, 0);
      totals.forEach((total, i) => { sums[i].value.textContent = `${Math.round(total).toLocaleString("en")}${all ? ` (${text.number((100 * total) / all, 2)} %)` : ""}`; });
    }
  }

  return { make, show };
})();
