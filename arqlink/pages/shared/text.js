// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them, and text for the clipboard.

const text = {
  /** A number with so many significant digits, without an exponent where it is easy to read. */
  number(value, digits = 3) {
    if (value === Infinity) return "∞";
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const rounded = Number(value.toPrecision(digits));
    const size = Math.abs(rounded);
    if (size >= 1e-4 && size < 1e7) return String(rounded);
    return rounded.toExponential().replace("e+", "e");
  },

  /** A number that a user has typed; NaN where it is none. */
  parse: (typed) => (/^\s*\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(typed) ? Number(typed) : NaN),

  /** An element with this text or these children. */
  element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  },

  /** Copies to the clipboard; pages that were opened from a file may not be allowed the newer way. */
  async copy(what, button) {
    const label = (button.dataset.label ??= button.textContent);
    let done = true;
    try {
      await navigator.clipboard.writeText(what);
    } catch {
      const area = text.element("textarea", {}, what);
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = done ? "Copied" : "Not allowed";
    setTimeout(() => { button.textContent = label; }, 1500);
  },
};
