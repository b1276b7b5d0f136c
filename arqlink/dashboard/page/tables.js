// SPDX-License-Identifier: Apache-2.0
// Numbers in tables and lists: state, model, events, counters.

const tables = (() => {
  const GOOD = ["link_up"]; // events that are no alarm
  const EVENTS = 100;
  const cell = (content) => text.element("td", {}, content);
  const head = (content, scope) => text.element("th", { scope }, content);
  const share = (value) => (value === null ? "–" : text.number(value, 3));

  function states(list, sample) {
    const { a, b } = sample.ends;
    const end = (name, one) => [`End ${name}`, one.state + (one.stalled ? ", stalled" : ""), one.state === "up" ? "good" : "wrong"];
    const tiles = [end("A", a), end("B", b), ["Time of the link", `${sample.time.toFixed(1)} s`, ""], ...(sample.progress ? run(sample.progress) : live(sample))];
    list.replaceChildren(...tiles.map(([name, value, kind]) => text.element("li", { class: kind }, name, text.element("b", {}, value))));
  }

  /** Tiles of a link in real time. */
  function live(sample) {
    const late = sample.rests ? "at rest" : `late ${text.number(1000 * sample.late, 2)} ms`;
    return [
      ["Real time", `${late}, missed ${sample.missed} of ${sample.deadlines}`, sample.missed ? "wrong" : ""],
      ["Skipped", `${text.number(sample.skipped, 2)} s`, sample.skipped ? "wrong" : ""],
    ];
  }

  /** Tiles of a run of the simulator. */
  function run({ done, total, clocks_per_s: clocks, pace }) {
    return [
      ["Frames done", `${done.toLocaleString("en")} of ${total.toLocaleString("en")}, ${Math.floor((100 * done) / Math.max(1, total))} %`, ""],
      ["Simulation", `${Math.round(clocks).toLocaleString("en")} clocks/s, ${text.number(pace, 2)} × real time`, ""],
    ];
  }

  function model(table, sample) {
    const ways = Object.keys(past.WAYS).map((way) => sample.directions[way]);
    const names = text.element("tr", {}, cell(""), ...Object.values(past.WAYS).map(([, , name]) => text.element("th", { scope: "colgroup", colspan: 2 }, name)));
    const kinds = text.element("tr", {}, cell(""), ...ways.flatMap(() => [head("measured", "col"), head("model", "col")]));
    const row = (name, of) => text.element("tr", {}, head(name, "row"), ...ways.flatMap(of).map(cell));
    const shares = [["P_T", "p_t"], ["P_F", "p_f"], ["α", "alpha"]].map(([name, key]) => row(name, (way) => [share(way.measured[key]), share(way.model[key])]));
    const counted = row("transmissions", (way) => [way.measured.transmissions.toLocaleString("en"), ""]);
    table.replaceChildren(names, kinds, ...shares, counted, row("bytes in a packet", (way) => ["", String(way.model.packet_bytes)]));
  }

  /** Adds an event, the newest first. */
  function event(list, [time, end, name], docs) {
    const kind = GOOD.includes(name) ? "good" : "wrong";
    list.prepend(text.element("li", { class: kind }, `${time.toFixed(1)} s, end ${end.toUpperCase()}: `, text.element("b", {}, name), `, ${docs[name]}`));
    while (list.children.length > EVENTS) list.lastChild.remove();
  }

  function counters(table, sample, docs) {
    const top = text.element("tr", {}, ...["counter", "counts", "A", "A, /s", "B", "B, /s"].map((name) => head(name, "col")));
    const rows = Object.entries(docs).map(([name, doc]) => {
      const values = ["a", "b"].flatMap((end) => [sample.ends[end].counters[name].toLocaleString("en"), text.number(past.rate(end, (one) => one.counters[name]), 3)]);
      return text.element("tr", {}, head(name, "row"), cell(doc), ...values.map(cell));
    });
    table.replaceChildren(top, ...rows);
  }

  return { states, model, event, counters };
})();
