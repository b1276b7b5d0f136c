// SPDX-License-Identifier: Apache-2.0
// Samples of the last minute.

const past = (() => {
  const SECONDS = 60;
  const RATE = 4; // samples that a rate looks back: a second
  const WAYS = { ab: ["a", "b", "a → b"], ba: ["b", "a", "b → a"] };
  let samples = [];

  function begin(first) {
    samples = first;
  }

  function add(sample) {
    if (samples.length && sample.time < samples.at(-1).time) samples = [];
    samples.push(sample);
    while (samples[0].time < sample.time - SECONDS) samples.shift();
  }

  /** A second's rate of what `of(end)` counts, at an end ("a", "b") now. */
  function rate(end, of) {
    const recent = samples.slice(-1 - RATE).filter((sample) => sample.ends);
    const [first, last] = [recent[0], recent.at(-1)];
    if (recent.length < 2 || last.time <= first.time) return 0;
    return (of(last.ends[end]) - of(first.ends[end])) / (last.time - first.time);
  }

  return { SECONDS, WAYS, begin, add, rate, all: () => samples };
})();
