// SPDX-License-Identifier: Apache-2.0
// The planner page: settings on the left, the best choice, charts and a table on the right. Its state is in the address, after the #.

const planner = (() => {
  const TCP = "tcp";
  const FIELDS = [
    { group: "Channel" },
    { name: "p", label: "Units erased, p", low: 1e-5, high: 0.3, log: true, usual: 0.01 },
    { name: "burst", label: "Mean burst (1: none)", low: 1, high: 50, step: 0.5, unit: "units", usual: 1 },
    { name: "d", label: "Delay one way, D", low: 0.1, high: 1500, log: true, unit: "ms", usual: 200 },
    { name: "c", label: "Line rate, C", low: 0.064, high: 10000, log: true, unit: "Mb/s", usual: 2 },
    { group: "Traffic" },
    { name: "connections", label: "TCP connections", low: 1, high: 100, whole: true, usual: 10, mode: TCP },
    { name: "rest", label: "Wired round trip, T", low: 0, high: 1000, unit: "ms", usual: 80, mode: TCP },
    { name: "packet", label: "Packet", low: 64, high: 9000, whole: true, unit: "bytes", usual: 1500, lengths: "one" },
    { name: "loss", label: "Packets lost, at most", low: 1e-12, high: 0.5, log: true, usual: 1e-6, goal: "loss" },
    { name: "bound", label: "0.99 of delays, at most", low: 0.1, high: 10000, log: true, unit: "ms", usual: 600, goal: "delay" },
    { group: "Build" },
    { name: "k", label: "Data units, K", low: 1, high: 32, whole: true, usual: 10 },
    { name: "parity", label: "Parity units, at most", low: 1, high: 16, whole: true, usual: 8 },
    { name: "unit", label: "Payload of a unit", low: 8, high: 1024, whole: true, log: true, unit: "bytes", usual: 25 },
    { name: "window", label: "Window of the link", low: 32, high: 262144, whole: true, power: true, unit: "frames", usual: 4096 },
  ];
  const CHOICES = { mode: [TCP, "datagrams"], lengths: ["one", "imix"], goal: ["goodput", "loss", "delay"], axis: ["n", "delta"] };
  const NUMBERS = FIELDS.filter((field) => field.name);
  const USUAL = { ...Object.fromEntries(NUMBERS.map(({ name, usual }) => [name, usual])), ...Object.fromEntries(Object.entries(CHOICES).map(([name, [first]]) => [name, first])) };
  const HEADER = 16; // bytes of a unit's header and CRC
  const MOST_CLOCKS = 2 ** 20 - 1; // of delay, that the channel of the tools has room for
  const DRAWN = [0, 1, 2, 3, 5, Infinity]; // persistencies that have a curve
  const OVER = [0, 1, 2, 3, 4, 5, 6, 8, 10, 14, Infinity]; // those on the axis
  const LEAST_LOSS = 1e-12; // that is drawn
  const SLICE = 12; // milliseconds of work between two looks at what the user does
  const CHARTS = [
    { name: "u", title: "U: goodput by line rate", value: (plan) => plan.utilization, range: () => [0, 1], format: (y) => text.number(y), key: "U" },
    {
      name: "loss", title: "Packet loss", value: (plan) => plan.loss, log: true, key: "packet loss",
      range: (low) => [10 ** Math.floor(Math.log10(Math.min(low ?? 0.01, 0.01) * 1.001)), 1], format: (y) => (y <= LEAST_LOSS ? "≤1e-12" : text.number(y)),
    },
    { name: "delay", title: "Mean delay, in sequence, ms", value: (plan) => 1e3 * plan.delay, range: (low, high) => [0, 1.1 * (high || 1)], format: (y) => text.number(y), key: "delay ms" },
  ];

  const state = { ...USUAL };
  const controls = {};
  const shown = { rows: [], plots: [], best: null, curves: "", drawn: 0, isDone: false };
  const find = (id) => document.getElementById(id);
  const delta = (value) => (value === Infinity ? "∞" : String(value));

  const isMixed = () => state.mode !== TCP && state.lengths === "imix";
  const longest = () => (isMixed() ? Math.max(...Object.keys(IMIX)) : state.packet);

  // The state in the address ---------------------------------------------------------------------------------------

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    Object.assign(state, USUAL);
    for (const field of NUMBERS) {
      const number = text.parse(given.get(field.name) ?? "");
      if (!Number.isNaN(number) && !fields.refusal(field, number)) state[field.name] = number;
    }
    for (const [name, values] of Object.entries(CHOICES)) if (values.includes(given.get(name))) state[name] = given.get(name);
  }

  function write() {
    const changed = Object.keys(USUAL).filter((name) => state[name] !== USUAL[name]);
    history.replaceState(null, "", `#${new URLSearchParams(changed.map((name) => [name, state[name]]))}`);
  }

  // What the model is asked ------------------------------------------------------------------------------------------

  const link = () => ({
    p: state.p, burst: state.burst, delay: state.d / 1e3, rate: state.c * 1e6, connections: state.mode === TCP ? state.connections : 0,
    rest: state.rest / 1e3, packetBytes: longest(), ...(isMixed() && { mix: IMIX }), unitBytes: state.unit, parity: state.parity, window: state.window,
  });
  const goal = () => ({ goodput: {}, loss: { loss: state.loss }, delay: { delay: state.bound / 1e3 } })[state.goal];

  function plan(n, nr, delta) {
    const found = new model.Plan(shown.link, { k: shown.k, n, nr, delta });
    return found.isHopeless ? null : found;
  }

  /** Place of a persistency on the axis; between its neighbours where it has no place of its own. */
  function place(value) {
    const after = OVER.findIndex((other) => other >= value);
    if (OVER[after] === value) return after;
    return after - (OVER[after] - value) / (OVER[after] - OVER[after - 1]);
  }

  /** Rows of all curves: { curve, x, n, delta, plan }. */
  function compute() {
    shown.link = link();
    shown.k = model.lengthOfFrame(shown.link, state.k);
    const ns = Array.from({ length: state.parity + 1 }, (_, i) => shown.k + i);
    const byN = state.axis === "n";
    shown.xs = byN ? ns : OVER.map((_, i) => i);
    shown.names = byN ? DRAWN.map((value) => `δ = ${delta(value)}`) : ns.map((n) => `N = ${n}`);
    shown.rows = (byN ? DRAWN : ns).flatMap((curve, c) =>
      (byN ? ns : OVER).map((along, i) => {
        const [n, d] = byN ? [along, curve] : [curve, along];
        return { curve: c, x: shown.xs[i], n, delta: d, plan: plan(n, n, d) };
      }));
  }

  // Charts -----------------------------------------------------------------------------------------------------------

  /** Values of one chart, a list for each curve; null: not drawn. Delays of datagrams take long, so they come when they are known. */
  function data({ name, value, log }) {
    const isKnown = (plan) => plan && (name !== "delay" || state.mode === TCP || Object.hasOwn(plan, "busyDelay"));
    const y = ({ plan }) => {
      const number = isKnown(plan) ? value(plan) : NaN;
      return Number.isFinite(number) ? (log ? Math.max(number, LEAST_LOSS) : number) : null;
    };
    return [shown.xs, ...shown.names.map((_, c) => shown.rows.filter((row) => row.curve === c).map(y))];
  }

  /** The best choice in one chart, and those that differ from it along the axis. */
  function mark({ value, log }) {
    const { best, through } = shown;
    if (!best) return null;
    const y = (plan) => (plan && Number.isFinite(value(plan)) ? (log ? Math.max(value(plan), LEAST_LOSS) : value(plan)) : null);
    const x = (plan) => (state.axis === "n" ? plan.n : place(plan.delta));
    return { x: x(best), y: y(best), curve: through.map((plan) => [x(plan), y(plan)]), colour: theme.colour("text") };
  }

  /** Plans that differ from the best one along the axis. */
  function neighbours(best) {
    const more = best.nr - best.n;
    const list = state.axis === "n"
      ? shown.xs.map((n) => plan(n, Math.min(n + more, shown.k + state.parity), best.delta))
      : [...new Set([...OVER, best.delta])].sort((a, b) => a - b).map((value) => plan(best.n, value ? best.nr : best.n, value));
    return list.filter((found) => found);
  }

  function rebuild() {
    const colours = charts.colours(shown.names.length, state.axis !== "n");
    const curves = shown.names.map((name, i) => ({ name, colour: colours[i], dash: state.axis === "n" ? i : 0 }));
    shown.plots.forEach((plot) => plot.destroy());
    shown.plots = CHARTS.map((chart) => {
      const container = find(`chart-${chart.name}`);
      const plot = charts.make(container, {
        curves, format: chart.format, log: chart.log,
        label: state.axis === "n" ? "N" : "δ",
        ticks: (x) => (state.axis === "n" ? String(x) : delta(OVER[x])),
        range: (low, high) => {
          const all = [low, high, shown.best && mark(chart).y].filter((y) => typeof y === "number");
          return chart.range(all.length ? Math.min(...all) : null, all.length ? Math.max(...all) : null);
        },
        mark: () => mark(chart),
      });
      plot.hooks.setCursor = [(u) => readOut(u, chart)];
      return plot;
    });
    charts.keys(find("keys"), curves, () => shown.plots);
  }

  /** Values under the pointer, beside the chart. */
  function readOut(plot, chart) {
    const i = plot.cursor.idx;
    const x = i === null || i === undefined ? null : shown.xs[i];
    const values = shown.names.map((name, c) => [name, plot.data[c + 1]?.[i]]).filter(([, y]) => typeof y === "number");
    const where = state.axis === "n" ? `N = ${x}` : `δ = ${delta(OVER[x])}`;
    find(`readout-${chart.name}`).textContent = x === null ? "" : `${where}:  ${values.map(([name, y]) => `${name}: ${chart.format(y)}`).join(",  ")}`;
  }

  function draw() {
    const curves = [state.axis, ...shown.names].join();
    if (curves !== shown.curves) rebuild();
    shown.curves = curves;
    shown.plots.forEach((plot, i) => plot.setData(data(CHARTS[i])));
  }

  // Words --------------------------------------------------------------------------------------------------------------

  const strong = (words) => text.element("strong", {}, words);

  function sentence(best) {
    if (!best) return [`No N and δ of this build ${state.goal === "goodput" ? "gets frames through" : "reaches this goal"}.`];
    const { k, n, nr } = best;
    const clipped = k < state.k ? `, as long as a packet` : "";
    const again = best.delta && nr !== n ? ` (${nr} in retransmissions)` : "";
    const lost = best.loss === 0 ? "no packet is lost" : `packet loss ${text.number(best.loss)}`;
    const parts = [
      strong(`K = ${k}`), `${clipped}, `, strong(`N = ${n}`), `${again}, `, strong(`δ = ${delta(best.delta)}`),
      ": ", strong(`U = ${text.number(best.utilization)}`), ` (${text.number(best.utilization * state.c)} Mb/s), ${lost}, mean delay ${text.number(1e3 * best.delay)} ms. `,
    ];
    const fec = most(Array.from({ length: state.parity + 1 }, (_, i) => plan(k + i, k + i, 0)));
    const arq = most(model.DELTAS.slice(1).map((value) => plan(k, k, value)));
    if (fec) parts.push(`FEC alone (δ = 0) gets ${text.number(fec.utilization)} at most, with N = ${fec.n}`);
    parts.push(arq ? `; ARQ alone (N = K) ${text.number(arq.utilization)}, with δ = ${delta(arq.delta)}.` : ".");
    parts.push(` U is an upper bound, limited by ${best.limit}.`);
    return parts;
  }

  const most = (plans) => plans.reduce((found, one) => (one && (!found || one.utilization > found.utilization) ? one : found), null);

  /** Whether a configuration is built so that it can have these settings. */
  function fits(config) {
    const clocks = ((state.d / 1e3) * state.c * 1e6 * (1 + HEADER / state.unit)) / 8 / config.data_bytes;
    return config.unit_bytes === state.unit && shown.k <= config.max_k && longest() <= config.max_packet_bytes && clocks <= MOST_CLOCKS;
  }

  const isBuiltAs = (config) => config.unit_bytes === state.unit && config.max_parity === state.parity && config.window_frames === state.window;

  /** Command lines of the same settings: [{ what, line }]; a line is null where no configuration has them. */
  function commands(best) {
    const named = Object.entries(CONFIGURATIONS).filter(([, config]) => fits(config));
    const planned = named.find(([, config]) => isBuiltAs(config));
    const simulated = planned ?? named.find(([, config]) => best && best.nr <= shown.k + config.max_parity);
    const bursts = model.chain(state.p, state.burst);
    const losses = bursts ? `--loss ge:${bursts.toBad},${bursts.toGood},0,1` : `--loss ${state.p}`;
    const path = `${losses} --delay-ms ${state.d} --rate-mbps ${state.c} --packet-bytes ${isMixed() ? "imix" : state.packet}`;
    const traffic = state.mode === TCP ? ` --connections ${state.connections} --rest-ms ${state.rest}` : "";
    const limit = { goodput: "", loss: ` --goal loss=${state.loss}`, delay: ` --goal delay=${state.bound}` }[state.goal];
    const found = [{ what: "The same choice", line: planned ? `arqlink plan --config ${planned[0]} --k ${shown.k} ${path}${traffic}${limit}` : null }];
    if (state.mode === TCP && best) {
      const wire = state.c > 5 ? ` --sender-mbps ${Math.min(1e6, 10 * state.c)} --receiver-mbps ${Math.min(1e6, 10 * state.c)}` : "";
      const code = `--k ${best.k} --n ${best.n} --nr ${best.nr} --delta ${best.delta === Infinity ? "inf" : best.delta}`;
      const ends = `--sender-ms ${state.rest / 4} --receiver-ms ${state.rest / 4}${wire} --window-frames ${state.window}`;
      found.push({ what: "A simulation of it", line: simulated ? `arqlink tcp --config ${simulated[0]} ${code} ${path} --connections ${state.connections} ${ends}` : null });
    }
    return found;
  }

  function tell(best) {
    find("best").replaceChildren(...sentence(best));
    const none = "no configuration has these units, limits and delays; choose one under Build, or a lower rate.";
    find("commands").replaceChildren(...commands(best).map(({ what, line }) => {
      if (line === null) return text.element("p", { class: "quiet" }, `${what}: ${none}`);
      const button = text.element("button", { type: "button", "aria-label": `Copy: ${what}` }, "Copy");
      button.addEventListener("click", () => text.copy(line, button));
      return text.element("div", {}, text.element("span", { class: "quiet" }, `${what}:`), text.element("div", { class: "command" }, text.element("code", {}, line), button));
    }));
    CHARTS.forEach((chart) => {
      const where = best ? ` Best choice: N = ${best.n}, δ = ${delta(best.delta)}, ${chart.format(chart.value(best))}.` : "";
      const over = state.axis === "n" ? "over N, a curve for each δ" : "over δ, a curve for each N";
      find(`chart-${chart.name}`).setAttribute("aria-label", `${chart.title}, ${over}.${where} The table below has all values.`);
    });
  }

  const heads = () => ["K", "N", "δ", ...CHARTS.map(({ key }) => key)];
  const cells = (row, write) => [shown.k, row.n, delta(row.delta), ...CHARTS.map(({ value }) => (row.plan ? write(value(row.plan)) : "–"))];

  function fillTable() {
    const line = (kind, values) => text.element("tr", {}, ...values.map((value) => text.element(kind, kind === "th" ? { scope: "col" } : {}, String(value))));
    const body = shown.rows.map((row) => line("td", cells(row, (value) => text.number(value, 4))));
    document.querySelector("#values table").replaceChildren(
      text.element("thead", {}, line("th", heads())), text.element("tbody", {}, ...body));
  }

  const csv = () => [heads(), ...shown.rows.map((row) => cells(row, String))].map((line) => line.join(",")).join("\n") + "\n";

  // Work ---------------------------------------------------------------------------------------------------------------

  /** What takes longer than a redraw: the best choice, delays of datagrams, and the table. */
  function* afterwards() {
    const best = yield* model.choose(shown.link, shown.k, goal());
    shown.best = best;
    shown.through = best ? neighbours(best) : [];
    for (const found of [best, ...shown.through]) if (found) { found.delay; yield; }
    tell(best);
    draw();
    yield;
    for (const row of shown.rows) if (row.plan) { row.plan.delay; yield; }
    draw();
    yield;
    fillTable();
    find("best").removeAttribute("aria-busy");
    shown.isDone = true;
  }

  let latest = null;

  function start(job) {
    latest = job;
    const step = () => {
      if (latest !== job) return; // there are newer settings
      const end = performance.now() + SLICE;
      while (performance.now() < end) if (job.next().done) return;
      setTimeout(step);
    };
    setTimeout(step);
  }

  /** Draws the state, and has the rest done. */
  function update() {
    const begin = performance.now();
    shown.isDone = false;
    shown.best = null;
    compute();
    draw();
    showControls();
    write();
    find("best").setAttribute("aria-busy", "true");
    start(afterwards());
    queueMicrotask(() => { shown.drawn = performance.now() - begin; }); // the charts draw before that
  }

  // Controls -------------------------------------------------------------------------------------------------------------

  function showControls() {
    for (const { name, mode, goal, lengths } of NUMBERS) {
      controls[name].element.hidden = Boolean((mode && mode !== state.mode) || (goal && goal !== state.goal) || (lengths && isMixed()));
    }
    find("lengths").hidden = state.mode === TCP;
    const same = Object.entries(CONFIGURATIONS).find(([, config]) => isBuiltAs(config));
    find("config").value = same ? same[0] : "";
  }

  function showState() {
    for (const { name } of NUMBERS) controls[name].show(state[name]);
    for (const name of ["mode", "lengths", "axis"]) document.querySelector(`input[name=${name}][value=${state[name]}]`).checked = true;
    find("goal").value = state.goal;
  }

  /** Takes what a configuration is built with. */
  function takeConfiguration(config) {
    Object.assign(state, { unit: config.unit_bytes, parity: config.max_parity, window: config.window_frames });
    state.k = Math.min(state.k, config.max_k);
    state.packet = Math.min(state.packet, config.max_packet_bytes);
    showState();
    update();
  }

  function select(id, label, options, change) {
    const list = text.element("select", { id }, ...options.map(([value, words]) => text.element("option", { value }, words)));
    list.addEventListener("change", () => change(list.value));
    return text.element("div", { class: "field" }, text.element("label", { for: id }, label), list);
  }

  function radio(name, value, label) {
    const button = text.element("input", { type: "radio", name, value });
    return text.element("label", {}, button, ` ${label}`);
  }

  function makeControls() {
    const form = find("controls");
    form.addEventListener("submit", (event) => event.preventDefault());
    let group;
    for (const field of FIELDS) {
      if (field.group) {
        group = text.element("fieldset", {}, text.element("legend", {}, field.group));
        form.append(group);
        if (field.group === "Traffic") {
          group.append(text.element("div", { class: "field choices" }, radio("mode", TCP, "TCP"), radio("mode", "datagrams", "datagrams that fill the line")));
          const mix = Object.entries(IMIX).map(([bytes, count]) => `${count} of ${bytes}`).join(", ");
          group.append(text.element("div", { class: "field choices", id: "lengths" }, radio("lengths", "one", "packets of one length"), radio("lengths", "imix", `IMIX: ${mix} bytes`)));
          const goals = [["goodput", "most goodput"], ["loss", "… within a packet loss"], ["delay", "… within a delay"]];
          group.append(select("goal", "Goal", goals, (value) => { state.goal = value; update(); }));
        }
        if (field.group === "Build") {
          const names = [["", "own values"], ...Object.keys(CONFIGURATIONS).map((name) => [name, name])];
          group.append(select("config", "Configuration", names, (name) => (name ? takeConfiguration(CONFIGURATIONS[name]) : undefined)));
        }
      } else {
        controls[field.name] = fields.make(group, field, (value) => { state[field.name] = value; update(); });
      }
    }
    const reset = text.element("button", { type: "button" }, "RR-4752's values");
    reset.addEventListener("click", () => { Object.assign(state, USUAL); showState(); update(); });
    const share = text.element("button", { type: "button" }, "Copy address");
    share.addEventListener("click", () => text.copy(location.href, share));
    form.append(text.element("div", { class: "choices" }, reset, share));
    document.querySelectorAll("input[type=radio]").forEach((button) => {
      button.addEventListener("change", () => { state[button.name] = button.value; update(); });
    });
    find("csv").addEventListener("click", () => text.copy(csv(), find("csv")));
  }

  function makeCharts() {
    for (const { name, title } of CHARTS) {
      const container = text.element("div", { class: "chart", id: `chart-${name}`, role: "img" });
      find("charts").append(text.element("section", {}, text.element("h3", {}, title), container, text.element("div", { class: "readout", id: `readout-${name}` })));
      charts.follow(container, () => shown.plots[CHARTS.findIndex((chart) => chart.name === name)]);
    }
  }

  makeControls();
  makeCharts();
  theme.button(find("theme"));
  theme.onChange(() => { rebuild(); draw(); });
  addEventListener("hashchange", () => { read(); showState(); update(); });
  read();
  showState();
  update();
  return { state, shown, csv };
})();
