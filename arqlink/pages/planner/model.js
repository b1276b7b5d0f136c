// SPDX-License-Identifier: Apache-2.0
// The equations of RR-4752 as arqlink.model has them: analytic.py, loss.py, tcp.py and planner.py. Tests hold each number here to theirs.
// Times are in seconds, rates in bytes a second, lengths in bytes.

const model = (() => {
  const TAIL = 1e-15; // shares of retransmissions below this are left out
  const MOST_TRANSMISSIONS = 1000; // of a frame; a plan that needs more is none
  const EQUAL = 1e-3; // goodputs that differ by a smaller share are equal; then the shorter delay counts
  const SLIGHT = 0.01; // a limit that takes a smaller share of what is left does not count
  const RARE = 1e-9; // where fewer packets are lost, persistency is worth nothing by itself; it may still save parity
  const DELTAS = [...Array(15).keys(), Infinity];
  const EXTRA = [0, 1, 2, 4, Infinity]; // units that a retransmission has more than a first transmission
  const HIGH = 0.99; // quantile of the delay that a goal bounds
  const COARSE = 200; // points of delay distributions
  const DELAYED_ACK = 2; // b of eq. 1
  const RTT_TO_RTO = 4;
  const TINY = 1e-300;

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  /** base^exponent with 1^Infinity = 1. */
  const power = (base, exponent) => (base === 1 ? 1 : base ** exponent);

  /** 1 - base^exponent, exact where the power is close to 1. */
  const complementOfPower = (base, exponent) => (exponent === 0 || base === 1 ? 0 : -Math.expm1(exponent * Math.log(base)));

  // Losses of units ----------------------------------------------------------------------------------------------

  /** Transition probabilities of bursts with this mean length in units, in which all units are erased, and none between them; null where the
   * losses are independent: those have bursts of 1/(1 - p). */
  function chain(p, burst) {
    if (burst <= 1 / (1 - p)) return null;
    return { toBad: p / (1 - p) / burst, toGood: 1 / burst, bad: p };
  }

  function binomialTail(p, n, k) {
    let total = 0;
    let ways = 1;
    for (let i = 0; i <= n; i++) {
      if (i > n - k) total += ways * p ** i * (1 - p) ** (n - i);
      ways = (ways * (n - i)) / (i + 1);
    }
    return Math.min(1, total);
  }

  /** [failed, received]: probability of each by the chain's state at start and end, as [good-good, good-bad, bad-good, bad-bad]. */
  function failureMatrices(chain, n, k) {
    const { toBad, toGood } = chain;
    let weight = Array.from({ length: n - k + 2 }, () => [0, 0, 0, 0]); // by erasures; the last has all that fail
    weight[0] = [1, 0, 0, 1];
    for (let unit = 0; unit < n; unit++) {
      const next = weight.map((w) => [w[0], 0, w[2], 0]); // received in the good state
      weight.forEach((w, e) => {
        const row = next[Math.min(e + 1, next.length - 1)];
        row[1] += w[1];
        row[3] += w[3];
      });
      weight = next.map(([a, b, c, d]) => [
        a * (1 - toBad) + b * toGood, a * toBad + b * (1 - toGood),
        c * (1 - toBad) + d * toGood, c * toBad + d * (1 - toGood),
      ]);
    }
    const failed = weight.pop();
    return [failed, [0, 1, 2, 3].map((i) => sum(weight.map((w) => w[i])))];
  }

  /** P_T, eq. 4: more than n - k of n consecutive units are erased. */
  function failure(p, burst, n, k) {
    const bursts = chain(p, burst);
    if (!bursts) return binomialTail(p, n, k);
    const [failed] = failureMatrices(bursts, n, k);
    return (1 - p) * (failed[0] + failed[1]) + p * (failed[2] + failed[3]);
  }

  // Transmissions of a frame -------------------------------------------------------------------------------------

  /** `first`, `again`: P_T of its first transmission, and of each of at most `delta` retransmissions. */
  class Attempts {
    constructor(first, again, delta) {
      Object.assign(this, { first, again, delta });
      this.lost = delta === Infinity ? (again === 1 ? first : 0) : first * again ** delta; // P_F, eq. 5
      this.meanRetransmissions = this.#meanRetransmissions();
    }

    #meanRetransmissions() {
      const { first, again, delta } = this;
      if (delta === 0 || first === 0) return 0;
      return again === 1 ? first * delta : (first * complementOfPower(again, delta)) / (1 - again);
    }

    /** Largest retransmission count worth summing up to. */
    get last() {
      const { first, again, delta } = this;
      if (delta === 0 || first === 0 || again === 0) return Math.min(delta, first === 0 ? 0 : 1);
      return again === 1 ? delta : Math.min(delta, Math.ceil(Math.log(TAIL) / Math.log(again)));
    }

    /** P(more than i retransmissions | delivered) for i = 0 to `last`, the complement of eq. 8; the last one is 0. */
    beyond(last) {
      const values = new Float64Array(last + 1);
      for (let i = 0, left = this.first / (1 - this.lost); i < last; i++, left *= this.again) {
        values[i] = left * complementOfPower(this.again, this.delta - i);
      }
      return values;
    }

    /** E[M]: mean of the largest retransmission count of a packet's frames (eq. 10 divided by 2D). */
    meanMost(frames) {
      let total = 0;
      for (const value of this.beyond(this.last)) total -= Math.expm1(frames * Math.log1p(-value));
      return total;
    }

    /** E[Y]: mean of the largest index of a frame that needs the most retransmissions (appendix A). The inner sum over y is a geometric one. */
    meanLastWorst(frames) {
      const X = frames;
      let total = 0;
      let before = 1;
      for (const value of this.beyond(this.last)) {
        const e = (before - value) / (1 - value);
        const left = Math.exp(X * Math.log1p(-value));
        if (e === 1) total += X * left;
        else if (e * X > 1e-3) total += left * (X + ((1 - e) * Math.expm1(X * Math.log1p(-e))) / e);
        else total += (left * e * X * (X + 1) * (1 - ((X - 1) * e) / 3 * (1 - ((X - 2) * e) / 4))) / 2;
        before = value;
      }
      return total;
    }

    /** Share of answers that cause a retransmission. */
    get nackShare() {
      return this.meanRetransmissions === Infinity ? 1 : this.meanRetransmissions / (1 + this.meanRetransmissions);
    }

    /** The same as in section 4.5 (errata 4). */
    get nackShareOfPaper() {
      const { first, delta } = this;
      return first * (1 - (delta === Infinity ? 0 : first ** delta) / (delta + 1));
    }
  }

  /** A step distribution function: ascending values, and the function at each. */
  class Steps {
    constructor(values, cdf) {
      Object.assign(this, { values, cdf });
    }

    /** At each of ascending points. */
    at(points) {
      let i = 0;
      return points.map((x) => {
        while (i < this.values.length && this.values[i] <= x) i++;
        return i ? this.cdf[i - 1] : 0;
      });
    }

    get mean() {
      let total = 0;
      this.values.forEach((value, i) => { total += value * (this.cdf[i] - (i ? this.cdf[i - 1] : 0)); });
      return total / this.cdf.at(-1);
    }

    quantile(q) {
      const found = this.cdf.findIndex((level) => level >= q * this.cdf.at(-1));
      return this.values[found < 0 ? this.values.length - 1 : found];
    }
  }

  const unique = (values) => values.sort().filter((value, i, all) => i === 0 || value !== all[i - 1]); // of a Float64Array

  function linspace(low, high, points) {
    const step = (high - low) / (points - 1);
    return Float64Array.from({ length: points }, (_, i) => (i === points - 1 ? high : i * step + low));
  }

  function concatenate(arrays) {
    const all = new Float64Array(sum(arrays.map((array) => array.length)));
    let filled = 0;
    for (const array of arrays) {
      all.set(array, filled);
      filled += array.length;
    }
    return all;
  }

  /** Steps of [share, Steps] that are mixed. */
  function mixture(parts) {
    if (parts.length === 1) return parts[0][1];
    const values = unique(concatenate(parts.map(([, steps]) => steps.values)));
    const levels = parts.map(([share, steps]) => steps.at(values).map((level) => share * level));
    return new Steps(values, values.map((_, i) => sum(levels.map((level) => level[i]))));
  }

  // TCP (eqs. 1, 2 and Proposition 1) -----------------------------------------------------------------------------

  /** R: bytes a second that one connection delivers, eq. 1. */
  function tcpRate(loss, roundTrip, packet) {
    const b = DELAYED_ACK;
    const halvings = Math.sqrt((2 * b * loss) / 3);
    const timeouts = RTT_TO_RTO * Math.min(1, 3 * Math.sqrt((3 * b * loss) / 8)) * loss * (1 + 32 * loss ** 2);
    return (packet / (roundTrip * (halvings + timeouts))) * (1 - loss);
  }

  /** Mean time in the resequencer, Proposition 1. */
  function resequencing(arrivals, through) {
    const load = arrivals * through;
    return ((through / 2) * load) / (1 + load);
  }

  // One choice for a link ----------------------------------------------------------------------------------------

  const cached = (object, name, value) => {
    Object.defineProperty(object, name, { value });
    return value;
  };

  /** One choice, and what it gives.
   *
   * link    p, burst: share of units erased, and mean burst in units; delay: D; rate: C in bits a second of units' payload; connections:
   *         TCP connections, 0: datagrams that fill the line; rest: T, round trip of TCP outside of the link; packetBytes: of a packet, or of
   *         the longest one of `mix`: { bytes: number of such packets }, for datagrams; unitBytes;
   *         parity: most parity units; window: frames of the link's window
   * choice  k, n, nr: units of a frame, of its first transmission and of retransmissions; delta: persistency */
  class Plan {
    constructor(link, choice) {
      Object.assign(this, { link, ...choice });
      this.unitTime = (link.unitBytes * 8) / link.rate;
      this.frameTime = this.n * this.unitTime;
      this.tau = 2 * link.delay + this.nr * this.unitTime;
      this.kinds = Object.entries(link.mix ?? { [link.packetBytes]: 1 }).map(([bytes, count]) => ({ bytes: Number(bytes), count, frames: this.framesOf(Number(bytes)) }));
      this.packets = sum(this.kinds.map(({ count }) => count));
      this.frames = new Map(); // number of them by data units
      for (const { count, frames } of this.kinds) {
        const add = (k, more) => this.frames.set(k, (this.frames.get(k) ?? 0) + count * more);
        if (frames.length > 1) add(this.k, frames.length - 1);
        add(frames.at(-1), 1);
      }
      this.allFrames = sum([...this.frames.values()]);
      this.byUnits = new Map([...new Set([this.k, ...this.frames.keys()])].map((k) => [k, this.attempts(k)]));
      this.full = this.byUnits.get(this.k);
    }

    /** Data units of each frame of a packet, of which the last one may be shorter. */
    framesOf(bytes) {
      const units = Math.ceil(bytes / this.link.unitBytes);
      const rest = units % this.k;
      return [...Array(Math.floor(units / this.k)).fill(this.k), ...(rest ? [rest] : [])];
    }

    attempts(k) {
      const { p, burst } = this.link;
      return new Attempts(failure(p, burst, k + this.n - this.k, k), failure(p, burst, k + this.nr - this.k, k), this.delta);
    }

    /** P(fewer than two units of a retransmission arrive | it fails). */
    silent(k, { again }) {
      const { p, burst } = this.link;
      return again && failure(p, burst, k + this.nr - this.k, Math.min(k, 2)) / again;
    }

    /** Frames in a packet, the mean where packets differ. */
    get framesPerPacket() {
      return this.allFrames / this.packets;
    }

    /** Mean over all frames. */
    perFrame(value) {
      let total = 0;
      for (const [k, count] of this.frames) total += count * value(k, this.byUnits.get(k));
      return total / this.allFrames;
    }

    get meanTransmissions() {
      return 1 + this.perFrame((k, attempts) => attempts.meanRetransmissions);
    }

    /** Whether frames get through before MOST_TRANSMISSIONS. */
    get isHopeless() {
      return !(this.meanTransmissions <= MOST_TRANSMISSIONS);
    }

    /** P of a packet that has these frames, eq. 3; with bursts neighbouring frames fail together. */
    lossOf(frames) {
      const bursts = chain(this.link.p, this.link.burst);
      const [others, end] = [frames.length - 1, frames.at(-1)];
      if (!bursts) {
        const survives = (k) => Math.log1p(-this.byUnits.get(k).lost);
        return -Math.expm1((others && others * survives(this.k)) + survives(end));
      }
      const of = (k) => [failureMatrices(bursts, k + this.n - this.k, k), power(this.byUnits.get(k).again, this.delta)];
      const [full, last] = [of(this.k), of(end)];
      let [good, bad, lost] = [1 - bursts.bad, bursts.bad, 0];
      frames.forEach((k, i) => {
        const [[f, r], again] = i === others ? last : full; // again: P(all retransmissions fail)
        lost += (good * (f[0] + f[1]) + bad * (f[2] + f[3])) * again;
        const step = r.map((value, j) => value + f[j] * (1 - again));
        [good, bad] = [good * step[0] + bad * step[2], good * step[1] + bad * step[3]];
      });
      return lost;
    }

    /** Losses of the kinds of packets. */
    get losses() {
      return cached(this, "losses", this.kinds.map(({ frames }) => this.lossOf(frames)));
    }

    /** P of a packet. */
    get loss() {
      return cached(this, "loss", sum(this.kinds.map(({ count }, i) => count * this.losses[i])) / this.packets);
    }

    get unitsPerFrame() {
      const [first, again] = [this.n - this.k, this.nr - this.k];
      return this.perFrame((k, { meanRetransmissions: mean }) => k + first + (mean && (k + again) * mean));
    }

    /** Useful share of what is sent, eq. 6. */
    get alpha() {
      const good = sum(this.kinds.map(({ bytes, count }, i) => bytes * count * (1 - this.losses[i])));
      return cached(this, "alpha", good / this.link.unitBytes / (this.unitsPerFrame * this.allFrames));
    }

    /** The utilization that neither the code nor the window lets exceed: so many frames take as long as the line needs for them, or as the one that
     * is sent most often needs, whichever is longer. */
    get most() {
      const { link, k: full, nr, delta, unitTime } = this;
      const line = link.window * this.unitsPerFrame * unitTime;
      if (!this.alpha || line === Infinity) return cached(this, "most", 0);
      const turn = 2 * link.delay + this.perFrame((k) => k + nr - full) * unitTime;
      const last = Math.max(...[...this.frames.keys()].map((k) => this.byUnits.get(k).last));
      let [time, before] = [0, 0];
      for (let i = 0; i <= last; i++) {
        const more = ({ first, again }) => (i < Math.min(delta, last) ? first * again ** i : 0);
        const now = Math.exp(link.window * this.perFrame((k, attempts) => Math.log1p(-more(attempts)))); // P(no frame needs more)
        time += (now - before) * Math.max(line, turn * (1 + i));
        before = now;
      }
      return cached(this, "most", (this.alpha * line) / time);
    }

    /** What limits `utilization`. */
    get limit() {
      if (this.link.connections && this.operation.utilization < this.most * (1 - SLIGHT)) return "losses of packets, which TCP takes for congestion";
      return this.most < this.alpha * (1 - SLIGHT) ? "the window of the link" : "the line";
    }

    /** E[sigma]: time from one first transmission to the next. */
    slotTime(busy, share) {
      return busy * share >= 1 ? Infinity : this.frameTime / (1 - busy * share);
    }

    /** Where link and connections agree, section 4.5: goodput in bytes a second, its share of the line, round trip without the queue before the
     * link, and the delay of a packet over the link, in sequence. */
    get operation() {
      const { link, loss, full } = this;
      const lineRate = link.rate / 8;
      const capacity = this.alpha * lineRate;
      if (!capacity || loss >= 1) return cached(this, "operation", { goodput: 0, utilization: 0, roundTrip: Infinity, delay: Infinity });
      const still = link.delay + this.tau * full.meanMost(this.framesPerPacket);
      const worst = full.meanLastWorst(this.framesPerPacket);
      const share = full.nackShareOfPaper;
      const delay = (goodput) => {
        const through = still + worst * this.slotTime(Math.min(1, goodput / capacity), share);
        return through + resequencing(goodput / link.packetBytes / (1 - loss), through);
      };
      const roundTrip = (goodput) => link.rest + link.delay + delay(goodput);
      const offered = (goodput) => link.connections * tcpRate(loss, roundTrip(goodput), link.packetBytes);
      let [low, high] = [0, capacity];
      if (offered(capacity) >= capacity) low = capacity;
      for (let middle; (middle = (low + high) / 2) > low && middle < high;) {
        if (offered(middle) > middle) low = middle;
        else high = middle;
      }
      return cached(this, "operation", { goodput: low, utilization: low / lineRate, roundTrip: roundTrip(low), delay: delay(low) });
    }

    /** U: bytes of delivered packets in shares of the line's rate for unit payload. */
    get utilization() {
      return cached(this, "utilization", this.link.connections ? Math.min(this.most, this.operation.utilization) : this.most);
    }

    /** Time until all of a packet's frames are through, section 4.2.3. Unless `conditional`, an abandoned frame counts as one that needs
     * delta retransmissions, or delta + 1 where the receiver learns from a notice to skip it. */
    crossing(frames, conditional) {
      const notice = Number(!conditional && this.delta > 0);
      const slot = this.slotTime(1, this.full.nackShare) / this.n;
      const levelsOf = (k) => {
        const attempts = this.byUnits.get(k);
        const last = attempts.last + notice;
        if (conditional) return attempts.beyond(last).map((value) => 1 - value);
        const failed = Float64Array.from({ length: last }, (_, i) => attempts.first * attempts.again ** i);
        if (notice) failed[last - 1] *= this.silent(k, attempts);
        return Float64Array.from({ length: last + 1 }, (_, i) => 1 - (failed[i] ?? 0));
      };
      const [full, last] = [levelsOf(this.k), levelsOf(frames.at(-1))];
      let offset = 0;
      const parts = frames.map((k, i) => {
        offset += (k + this.n - this.k) * slot;
        return { end: offset, levels: i === frames.length - 1 ? last : full };
      });
      const values = unique(concatenate(parts.map(({ end, levels }) => levels.map((_, i) => end + i * this.tau))));
      const cdf = values.map((value) => {
        let product = 1;
        for (const { end, levels } of parts) {
          const index = Math.floor(((value - end) / this.tau) * (1 + 1e-12) + 1e-9);
          product *= index < 0 ? 0 : levels[Math.min(index, levels.length - 1)];
        }
        return product;
      });
      return new Steps(values.map((value) => value + this.link.delay), cdf);
    }

    /** The same of all packets, or of those that are delivered: of long ones more are lost. */
    crossings(conditional) {
      const shares = this.kinds.map(({ count }, i) => count * (conditional ? 1 - this.losses[i] : 1));
      const total = sum(shares);
      return mixture(this.kinds.map(({ frames }, i) => [total ? shares[i] / total : 1 / shares.length, this.crossing(frames, conditional)]));
    }

    /** Delay of delivered packets in sequence with the line always busy, appendix B: [mean, quantile HIGH]. */
    resequenced(points = COARSE) {
      const gap = this.unitsPerFrame * this.framesPerPacket * this.unitTime;
      const own = this.crossings(true);
      const other = this.crossings(false);
      const low = own.values[0];
      const high = other.values.at(-1);
      if (!(high < Infinity)) return [Infinity, Infinity];
      const every = Math.floor(own.values.length / points) + 1;
      const grid = unique(concatenate([linspace(low, high, points), own.values.filter((_, i) => i % every === 0)]));
      const logs = own.at(grid).map((level) => Math.log(Math.max(level, TINY)));
      const otherLogs = other.cdf.map((level) => Math.log(Math.max(level, TINY)));
      const count = Math.floor((high - low) / gap) + 1;
      let shifts = Array.from({ length: Math.min(count, 2000) }, (_, i) => i + 1);
      // Every so many packets represent their neighbours.
      if (count > 2000) shifts = [...unique(linspace(1, count, 2000).map(Math.trunc))];
      shifts.forEach((shift, s) => {
        const weight = (s + 1 < shifts.length ? shifts[s + 1] : count + 1) - shift;
        const moved = shift * gap;
        for (let g = 0, i = 0; g < grid.length && i < otherLogs.length; g++) {
          while (i < otherLogs.length && other.values[i] <= grid[g] + moved) i++;
          logs[g] += weight * (i ? otherLogs[i - 1] : Math.log(TINY));
        }
      });
      const cdf = logs.map(Math.exp);
      const steps = new Steps(grid, cdf.map((level) => level / cdf.at(-1)));
      return [steps.mean, steps.quantile(HIGH)];
    }

    get busyDelay() {
      return cached(this, "busyDelay", this.resequenced());
    }

    /** Mean delay over the link, in sequence: of TCP's packets, or with a line that is always busy. */
    get delay() {
      return this.link.connections ? this.operation.delay : this.busyDelay[0];
    }

    /** Of the longest packet, if it meets no loss. */
    get leastDelay() {
      return this.link.delay + Math.max(...this.kinds.map(({ frames }) => sum(frames) + frames.length * (this.n - this.k))) * this.unitTime;
    }

    /** `goal`: loss, or delay in seconds of HIGH of the packets; neither: no limit. */
    meets(goal) {
      if (goal.loss !== undefined) return this.loss <= goal.loss;
      return goal.delay === undefined || (this.leastDelay <= goal.delay && this.busyDelay[1] <= goal.delay);
    }
  }

  // The best choice: arqlink.model.planner --------------------------------------------------------------------------

  const isShorter = ([mean, high], [otherMean, otherHigh]) => mean < otherMean || (mean === otherMean && high < otherHigh);

  /** The plan with the shortest delay among those with the most goodput, or hardly less; null: there is none. */
  function* bestOf(plans) {
    const least = Math.max(0, ...plans.map((plan) => plan.utilization)) * (1 - EQUAL);
    let found = null;
    for (const plan of plans.filter(({ utilization }) => utilization >= least)) {
      if (!found || isShorter(plan.busyDelay, found.busyDelay)) found = plan;
      yield;
    }
    return found;
  }

  function* bestOfDelta(link, k, delta, goal) {
    const tried = [];
    for (let n = k; n <= k + link.parity; n++) {
      for (const nr of new Set((delta ? EXTRA : [0]).map((more) => Math.min(n + more, k + link.parity)))) {
        const plan = new Plan(link, { k, n, nr, delta });
        if (!plan.isHopeless) tried.push([plan.most, plan]);
      }
      yield;
    }
    const found = [];
    let reached = 0;
    for (const [most, plan] of tried.sort((a, b) => b[0] - a[0])) {
      if (most < reached * (1 - EQUAL)) break;
      if (plan.meets(goal)) {
        found.push(plan);
        reached = Math.max(reached, plan.utilization);
      }
      yield;
    }
    return yield* bestOf(found);
  }

  /** The best plan for a link and this K, or null where none meets the goal. A generator, that others may have the processor. */
  function* choose(link, k, goal = {}) {
    const rows = [];
    const improves = (plan) => plan && plan.utilization > rows.at(-1).utilization * (1 + EQUAL);
    let endless;
    for (const delta of DELTAS) {
      const plan = delta === Infinity && endless !== undefined ? endless : yield* bestOfDelta(link, k, delta, goal);
      if (plan && rows.length && rows.at(-1).loss < RARE && !improves(plan)) {
        if (endless === undefined) endless = yield* bestOfDelta(link, k, Infinity, goal);
        if (!improves(endless)) break;
      }
      if (plan) rows.push(plan);
      else if (goal.delay !== undefined && delta) break; // more persistency does not shorten delays
    }
    return yield* bestOf(rows);
  }

  /** K of a packet that has no more units than this. */
  const lengthOfFrame = (link, k) => Math.min(k, Math.ceil(link.packetBytes / link.unitBytes));

  return { DELTAS, Attempts, Plan, chain, failure, choose, lengthOfFrame };
})();
