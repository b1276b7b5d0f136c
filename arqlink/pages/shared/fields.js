// SPDX-License-Identifier: Apache-2.0
// A number with a label, a slider, and a text field for it. Text that is no such number gets a hint and changes nothing.

const fields = (() => {
  const STEPS = 400; // of a logarithmic slider

  /** Why a number cannot be a field's value, or "". */
  function refusal(field, value) {
    const { low, high, unit = "", whole, power } = field;
    const what = power ? "a power of two from" : whole ? "a whole number from" : "a number from";
    const isOne = value >= low && value <= high && (!whole || Number.isInteger(value)) && (!power || Number.isInteger(Math.log2(value)));
    return isOne ? "" : `This must be ${what} ${text.number(low, 7)} to ${text.number(high, 7)} ${unit}`.trim() + ".";
  }

  /** Slider position and value of a field, one from the other. */
  function scale({ low, high, log, power, whole, step = 1 }) {
    if (power) return { first: Math.log2(low), last: Math.log2(high), step: 1, value: (at) => 2 ** at, at: Math.log2 };
    if (!log) return { first: low, last: high, step, value: (at) => at, at: (value) => value };
    const ratio = Math.log(high / low);
    const rounded = (value) => Number(value.toPrecision(3));
    const value = (at) => Math.min(high, Math.max(low, whole ? Math.round(low * Math.exp((ratio * at) / STEPS)) : rounded(low * Math.exp((ratio * at) / STEPS))));
    return { first: 0, last: STEPS, step: 1, value, at: (value) => Math.round((STEPS * Math.log(value / low)) / ratio) };
  }

  /** Adds a field to `parent`. `change(value)` is called with each new value. Returns { show(value), element }.
   *
   * field  { name, label, low, high, unit, log, whole, power, step }: bounds; how the slider runs; which numbers it may be */
  function make(parent, field, change) {
    const { name, label, unit = "" } = field;
    const { first, last, step, value, at } = scale(field);
    const entry = text.element("input", { type: "text", inputmode: "decimal", id: name, "aria-describedby": `${name}-hint`, spellcheck: "false" });
    const slider = text.element("input", { type: "range", min: first, max: last, step, "aria-label": label, id: `${name}-slider` });
    const hint = text.element("span", { class: "hint", id: `${name}-hint`, role: "alert" });
    const box = text.element("div", { class: "field" },
      text.element("label", { for: name }, label),
      text.element("span", { class: "entry" }, entry, text.element("span", { class: "unit" }, unit)),
      slider, hint);
    parent.append(box);
    let shown;

    function say(why) {
      hint.textContent = why;
      if (why) entry.setAttribute("aria-invalid", "true");
      else entry.removeAttribute("aria-invalid");
    }

    function show(number) {
      shown = number;
      entry.value = text.number(number, 9);
      slider.value = at(number);
      slider.setAttribute("aria-valuetext", `${text.number(number, 9)} ${unit}`.trim());
      say("");
    }

    entry.addEventListener("input", () => {
      const number = text.parse(entry.value);
      const why = Number.isNaN(number) ? `“${entry.value.slice(0, 20)}” is not a number. ${refusal(field, NaN)}` : refusal(field, number);
      say(why);
      if (why || number === shown) return;
      shown = number;
      slider.value = at(number);
      change(number);
    });
    entry.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show(shown);
      if (event.key === "Enter") event.preventDefault();
    });
    slider.addEventListener("input", () => {
      const number = value(Number(slider.value));
      shown = number;
      entry.value = text.number(number, 9);
      slider.setAttribute("aria-valuetext", `${text.number(number, 9)} ${unit}`.trim());
      say("");
      change(number);
    });
    return { show, element: box };
  }

  return { make, refusal };
})();
