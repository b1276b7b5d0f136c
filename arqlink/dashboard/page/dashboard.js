// SPDX-License-Identifier: Apache-2.0
// The page: what comes from the link goes to its parts.

const dashboard = (() => {
  const at = (id) => document.getElementById(id);
  const REFUSED = 6000; // ms that a refusal stays
  let link, refusal, logged;

  function hello(what, history) {
    link = what;
    document.title = at("title").textContent = what.title;
    at("steering").textContent = what.locked ?? "They go to both ends, by the driver. What is shown is what is active.";
    at("measuring").textContent = what.look_back === null ? "since the beginning" : `over the last ${what.look_back} s, or since a setting changed`;
    at("about").textContent = `${what.name}: configuration ${what.config}, ${what.rate_mbps} Mb/s`;
    at("footer").textContent = `arqlink ${what.version}`;
    controls.make(at("controls"), what);
    picture.begin(what);
    past.begin(history);
    at("alarms").replaceChildren();
    logged = what.log.at(-1)?.[0] ?? -1;
    what.log.forEach((event) => tables.event(at("alarms"), event, what.events));
  }

  function sample(one) {
    past.add(one);
    controls.show(one);
    tables.states(at("states"), one);
    if (one.time > logged) events(one);
    if (document.hidden) return;
    picture.show(one);
    plots.show();
    strip.show();
    tables.model(at("model"), one);
    if (at("all").open) tables.counters(at("counters"), one, link.counters);
  }

  function events(one) {
    for (const end of ["a", "b"]) one.ends[end].events.forEach((name) => tables.event(at("alarms"), [one.time, end, name], link.events));
  }

  function answer({ refused = "" }) {
    if (refused) controls.refused();
    clearTimeout(refusal);
    at("refused").textContent = refused;
    refusal = setTimeout(() => { at("refused").textContent = ""; }, REFUSED);
  }

  function state(sentence, isLost) {
    if (at("connection").textContent !== sentence) at("connection").textContent = sentence;
    at("connection").classList.toggle("lost", isLost);
    at("main").classList.toggle("stale", isLost);
  }

  theme.button(at("theme"));
  picture.make(at("picture"));
  plots.make(at("charts"));
  strip.make(at("strips"));
  connection.begin({ hello, sample, answer, state });
  return { latest: () => past.all().at(-1) };
})();
