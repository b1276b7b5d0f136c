// SPDX-License-Identifier: Apache-2.0
// Charts of several curves over common values of x, in the colours of the page. They share one list of keys, with which curves are hidden.

const charts = (() => {
  const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 4], [4, 4]];
  const FONT = "12px system-ui, sans-serif";
  const HEIGHT = 260;

  /** Colours of so many curves: of their own, or a ramp where there are more than those. */
  function colours(count, ramp = false) {
    if (!ramp) return Array.from({ length: count }, (_, i) => theme.colour(`curve-${i % DASHES.length}`));
    const [hue, saturation, from, to] = theme.colour("ramp").split(",").map((part) => part.trim());
    return Array.from({ length: count }, (_, i) => {
      const lightness = parseFloat(from) + ((parseFloat(to) - parseFloat(from)) * i) / Math.max(1, count - 1);
      return `hsl(${Number(hue) - (i * 110) / Math.max(1, count - 1)}, ${saturation}, ${lightness}%)`;
    });
  }

  /** Powers of ten between two, six at most. */
  function decades(low, high) {
    const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
    const every = Math.max(1, Math.ceil((last - first) / 6));
    return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => 10 ** (first + i * every));
  }

  /** A chart in `container`.
   *
   * curves  [{ name, colour, dash }]
   * label   of the x axis; ticks: what is written at each x
   * range   (least, most) => [low, high] of the y axis; log: whether it is logarithmic
   * format  a value of y as text; mark: () => { x, y, curve, colour } of a point to mark, with the curve through it, or null */
  function make(container, { curves, label, ticks, range, log, format, mark }) {
    const quiet = theme.colour("quiet");
    const grid = { stroke: theme.colour("grid"), width: 1 };
    const axis = { stroke: quiet, font: FONT, labelFont: FONT, grid, ticks: grid };
    const plot = new uPlot(
      {
        width: Math.max(200, container.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { sync: { key: "x", setSeries: false }, drag: { x: false, y: false }, points: { size: 6 } },
        scales: {
          x: { time: false, range: (_, low, high) => [low - 0.4, high + 0.4] },
          y: { distr: log ? 3 : 1, range: (_, low, high) => range(low, high) },
        },
        axes: [
          { ...axis, label, labelSize: 20, size: 30, splits: (u) => u.data[0], values: (_, splits) => splits.map((x) => ticks(x)) },
          { ...axis, size: 52, ...(log && { splits: (u) => decades(u.scales.y.min, u.scales.y.max), filter: (_, splits) => splits }), values: (_, splits) => splits.map((y) => (log && y < 0.01 ? y.toExponential(0) : format(y))) },
        ],
        series: [
          {},
          ...curves.map(({ name, colour, dash }) => ({ label: name, stroke: colour, width: 2, dash: DASHES[dash % DASHES.length], points: { show: true, size: 5, fill: colour } })),
        ],
        hooks: { draw: [(u) => drawMark(u, mark())] },
      },
      [[], ...curves.map(() => [])],
      container,
    );
    plot.root.setAttribute("aria-hidden", "true"); // the table has the numbers
    return plot;
  }

  /** A ring around a point, and the curve through it. */
  function drawMark(u, mark) {
    if (!mark) return;
    const { ctx } = u;
    const at = (x, y) => [u.valToPos(x, "x", true), u.valToPos(y, "y", true)];
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.strokeStyle = mark.colour;
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    mark.curve.forEach(([x, y], i) => ctx[i && mark.curve[i - 1][1] !== null ? "lineTo" : "moveTo"](...at(x, y ?? 0)));
    ctx.stroke();
    ctx.lineWidth = 3 * ratio;
    ctx.beginPath();
    ctx.arc(...at(mark.x, mark.y), 8 * ratio, 0, 2 * Math.PI);
    ctx.stroke();
    ctx.restore();
  }

  /** Buttons for curves, that show and hide them in all `plots()`. */
  function keys(list, curves, plots) {
    list.replaceChildren(...curves.map(({ name, colour, dash }, i) => {
      const sample = `<svg width="26" height="8" aria-hidden="true"><line x2="26" y1="4" y2="4" stroke="${colour}" stroke-width="2.5" stroke-dasharray="${DASHES[dash % DASHES.length]}"/></svg>`;
      const button = text.element("button", { type: "button", "aria-pressed": "true" });
      button.innerHTML = sample;
      button.append(name);
      button.addEventListener("click", () => {
        const shown = button.getAttribute("aria-pressed") === "false";
        button.setAttribute("aria-pressed", String(shown));
        for (const plot of plots()) plot.setSeries(i + 1, { show: shown });
      });
      return text.element("li", {}, button);
    }));
  }

  /** Keeps a chart as wide as its container. */
  function follow(container, plot) {
    new ResizeObserver(() => {
      const now = plot();
      if (now && container.clientWidth && now.width !== container.clientWidth) now.setSize({ width: container.clientWidth, height: HEIGHT });
    }).observe(container);
  }

  return { make, colours, keys, follow };
})();
