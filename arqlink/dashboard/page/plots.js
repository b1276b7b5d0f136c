// SPDX-License-Identifier: Apache-2.0
// Charts of the last minute, of both directions, with the values of now as text.

const plots = (() => {
  const HEIGHT = 150;
  const FONT = "11px system-ui, sans-serif";
  const CHARTS = [
    { title: "Rate", unit: "Mb/s", of: (way) => way.mbps, least: 0.01 },
    { title: "Units lost", unit: "%", of: (way) => (way.loss === null ? null : 100 * way.loss), least: 1 },
    { title: "Window in use", unit: "%", of: (way) => 100 * way.window, least: 1 },
    { title: "Backlog", unit: "packets", of: (way) => way.backlog, least: 4 },
  ];
  let made = [];

  function plot(chart, container) {
    const grid = { stroke: theme.colour("grid"), width: 1 };
    const axis = { stroke: theme.colour("quiet"), font: FONT, grid, ticks: grid };
    const curve = (label, colour, dash) => ({ label, stroke: theme.colour(colour), width: 1.7, dash, points: { show: false } });
    const drawn = new uPlot(
      {
        width: Math.max(160, container.clientWidth), height: HEIGHT, legend: { show: false }, cursor: { show: false },
        scales: { x: { time: false, range: [-past.SECONDS, 0] }, y: { range: (_, __, most) => [0, Math.max(chart.least, 1.1 * (most ?? 0))] } },
        axes: [{ ...axis, size: 24, values: (_, splits) => splits.map((x) => (x ? `${x} s` : "now")) }, { ...axis, size: 44 }],
        series: [{}, curve("a → b", "curve-0"), curve("b → a", "curve-1", [5, 4])],
      },
      [[], [], []],
      container,
    );
    drawn.root.setAttribute("aria-hidden", "true"); // the caption has the numbers
    return drawn;
  }

  function draw() {
    made.forEach((one) => {
      one.plot?.destroy();
      one.plot = plot(one.chart, one.container);
    });
    show();
  }

  function make(element) {
    made = CHARTS.map((chart) => {
      const values = ["ab", "ba"].map((way) => text.element("span", { class: `of-${way}` }));
      const container = text.element("div", { class: "chart" });
      element.append(text.element("figure", {}, text.element("figcaption", {}, text.element("b", {}, `${chart.title}, ${chart.unit}`), ...values), container));
      new ResizeObserver(() => {
        const one = made.find((other) => other.container === container);
        if (one.plot && one.plot.width !== container.clientWidth) one.plot.setSize({ width: Math.max(160, container.clientWidth), height: HEIGHT });
      }).observe(container);
      return { chart, container, values };
    });
    draw();
    theme.onChange(draw);
  }

  function show() {
    const samples = past.all();
    const now = samples.at(-1)?.at;
    for (const { chart, plot: one, values } of made) {
      const curves = ["ab", "ba"].map((way) => samples.map((sample) => chart.of(sample.directions[way])));
      one.setData([samples.map((sample) => sample.at - now), ...curves]);
      values.forEach((value, i) => { value.textContent = `${i ? "b → a" : "a → b"} ${text.number(curves[i].at(-1) ?? NaN, 3)}`; });
    }
  }

  return { make, show };
})();
