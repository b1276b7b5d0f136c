// SPDX-License-Identifier: Apache-2.0
// Dark and light: as the system prefers, until the reader chooses. Charts, which are drawn and not styled, hear of a change.

const theme = (() => {
  const KEY = "arqlink-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch { /* a browser that keeps nothing for files */ }

  const current = () => chosen ?? (system.matches ? "dark" : "light");

  function apply() {
    document.documentElement.dataset.theme = current();
    listeners.forEach((listener) => listener());
  }

  /** Makes a button switch between the two. */
  function button(element) {
    const name = () => { element.textContent = current() === "dark" ? "Light colours" : "Dark colours"; };
    element.addEventListener("click", () => {
      chosen = current() === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(KEY, chosen);
      } catch { /* then it holds until the page is closed */ }
      apply();
    });
    listeners.push(name);
    name();
  }

  apply();
  system.addEventListener("change", apply);
  return { button, onChange: (listener) => listeners.push(listener), colour: (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() };
})();
