// SPDX-License-Identifier: Apache-2.0
// Sliders and buttons that steer the link. They show what is active, but for what the user is just changing.

const controls = (() => {
  const SETTLED = 1500; // ms after a change until the link's own value is shown again
  const MOST_LOSS = 30; // % on a slider; the text field takes any
  const LOSSES = { loss: "a → b", feedback_loss: "b → a" };
  let form, made, wanted, active, changed, limits; // `wanted`: null where what is active is to be shown

  function group(title) {
    const box = text.element("fieldset", {}, text.element("legend", {}, title));
    form.append(box);
    return box;
  }

  function choice(parent, id, label, change) {
    const input = text.element("input", { type: "checkbox", id });
    input.addEventListener("change", () => change(input.checked));
    parent.append(text.element("div", { class: "choices" }, text.element("span", {}, input, " ", text.element("label", { for: id }, label))));
    return input;
  }

    /** K, N and N of retransmissions, of which one moves the others, and persistency. */
  function set(values) {
    if (!active) return; // the first message says what is
    wanted = { ...(wanted ?? active), ...values };
    const within = (n) => Math.min(Math.max(n, wanted.k), wanted.k + limits.max_parity);
    Object.assign(wanted, { n: within(wanted.n), nr: within(wanted.nr) });
    showSettings();
    connection.send("set", { ...wanted, delta: wanted.delta === Infinity ? "inf" : wanted.delta });
  }

  function showSettings() {
    for (const name of ["k", "n", "nr"]) made[name].show(wanted[name]);
    if (wanted.delta !== Infinity) made.delta.show(wanted.delta);
    made.infinite.checked = wanted.delta === Infinity;
    made.ord.checked = wanted.ord === 1;
  }

  function code() {
    const box = group("Code and persistency");
    const most = limits.max_k + limits.max_parity;
    const field = (name, label, high, low = 1) => (made[name] = fields.make(box, { name, label, low, high, whole: true }, (value) => set({ [name]: value })));
    field("k", "K, data units", limits.max_k);
    field("n", `N, at most K + ${limits.max_parity}`, most);
    field("nr", "N of retransmissions", most);
    field("delta", "δ, retransmissions", 14, 0);
    made.infinite = choice(box, "infinite", "δ infinite: never given up", (is) => set({ delta: is ? Infinity : 3 }));
    made.ord = choice(box, "ord", "ord: packets leave in sequence", (is) => set({ ord: Number(is) }));
  }

  function line(delays) {
    const box = group("Line");
    for (const [name, way] of Object.entries(LOSSES)) {
      const p = fields.make(box, { name, label: `Loss ${way}`, low: 0, high: MOST_LOSS, unit: "%", step: 0.1 }, (value) => connection.send(name, `bernoulli:${Number((value / 100).toPrecision(9))}`));
      const model = text.element("input", { type: "text", id: `${name}-model`, spellcheck: "false", maxlength: 200 });
      model.addEventListener("change", () => connection.send(name, model.value));
      model.addEventListener("keydown", (event) => { if (event.key === "Escape") model.value = made[name].active; });
      box.append(text.element("label", { class: "model-entry" }, `its model, such as ge:0.001,0.1,0,1`, model));
      made[name] = { p, model };
    }
    made.delay = fields.make(box, { name: "delay", label: "Delay, one way", low: delays[0], high: delays[1], unit: "ms" }, (value) => connection.send("delay_ms", value));
  }

  function restarts() {
    const box = text.element("div", { class: "buttons" });
    group("Restart").append(box);
    for (const end of ["A", "B"]) {
      const button = text.element("button", { type: "button" }, `Restart end ${end}`);
      button.addEventListener("click", () => connection.send("restart", end));
      box.append(button);
    }
  }

  /** For the link of a greeting. */
  function make(element, hello) {
    form = element;
    form.replaceChildren();
    form.onsubmit = (event) => event.preventDefault();
    form.oninput = () => { changed = performance.now(); };
    [made, wanted, active, changed, limits] = [{}, null, null, -Infinity, hello.limits];
    code();
    line(hello.delay_ms);
    restarts();
    for (const group of form.children) group.disabled = hello.locked !== null;
  }

  function show(sample) {
    const { k, n, nr, delta, ord } = sample.ends.a;
    active = { k, n, nr, delta: delta === 15 ? Infinity : delta, ord: Number(ord) };
    if (performance.now() - changed < SETTLED) return;
    if (!wanted || Object.keys(active).some((name) => active[name] !== wanted[name])) {
      wanted = { ...active };
      showSettings();
    }
    for (const name of Object.keys(LOSSES)) {
      if (made[name].active === sample[name]) continue;
      made[name].active = made[name].model.value = sample[name];
      const p = sample[name] === "none" ? 0 : Number(/^bernoulli:(.*)$/.exec(sample[name])?.[1]);
      if (100 * p <= MOST_LOSS) made[name].p.show(Number((100 * p).toPrecision(9)));
    }
    if (made.delay.active !== sample.delay_ms) made.delay.show((made.delay.active = sample.delay_ms));
  }

  /** What was refused is not so: what is active is shown at once. */
  function refused() {
    changed = -Infinity;
    wanted = null;
    for (const name of [...Object.keys(LOSSES), "delay"]) made[name].active = null;
  }

  return { make, show, refused };
})();
