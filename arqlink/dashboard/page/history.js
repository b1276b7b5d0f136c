// SPDX-License-Identifier: Apache-2.0
// Samples of the last minute of real time: `at` counts it. `time` is the link's, which a simulation lives through faster or more slowly.

const past = (() => {
  const SECONDS = 60;
  const RATE = 1.1; // seconds that a rate looks back: one, and what messages are late
  const WAYS = { ab: ["a", "b", "a → b"], ba: ["b", "a", "b → a"] };
  let samples = [];

  function begin(first) {
    samples = first;
  }

  function add(sample) {
    if (samples.length && sample.time < samples.at(-1).time) samples = [];
    samples.push(sample);
    while (samples[0].at < sample.at - SECONDS) samples.shift();
  }

  /** Rate, in a second of the link, of what `of(end)` counts, at an end ("a", "b") now. */
  function rate(end, of) {
    const now = samples.at(-1)?.at;
    const recent = samples.filter((sample) => sample.ends && sample.at >= now - RATE);
    const [first, last] = [recent[0], recent.at(-1)];
    if (recent.length < 2 || last.time <= first.time) return 0;
    return (of(last.ends[end]) - of(first.ends[end])) / (last.time - first.time);
  }

  return { SECONDS, WAYS, begin, add, rate, all: () => samples };
})();
