# SPDX-License-Identifier: Apache-2.0
"""Analytic model of the hybrid link: RR-4752 (Barakat and Al Fawal, 2003), eqs. 3 to 8 and appendices A and B.

The paper's formulas are widened in four ways. Retransmissions may have an N of their own, persistency may be
infinite, packets may have shortened last frames, and units may be erased in bursts. Losses are computed with
expm1/log1p, so that a packet loss far below 1e-16 is not rounded to 0. Times are in seconds.
"""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

HEADER_BYTES = 16
"""Header and CRC of a unit."""

TAIL = 1e-15
"""Retransmission counts whose share of all retransmissions is below this are left out of delay distributions."""


def complement_of_power(base, exponent):
    """1 - base^exponent for exponents of 0 to infinity (arrays as well), exact where the power is close to 1."""
    exponent = np.asarray(exponent, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.abs(np.expm1(exponent * np.log(base)))
    return np.where((exponent == 0) | (base == 1), 0.0, value)


def any_of(probability, count):
    """1 - (1 - probability)^count, exact for the smallest probabilities (eq. 3)."""
    if probability >= 1:
        return 1.0 if count else 0.0
    return -math.expm1(count * math.log1p(-probability))


@dataclass(frozen=True)
class Attempts:
    """How often one frame is sent: failure probability `p_first` of its first transmission, `p_retx` of each
    retransmission, at most `delta` retransmissions (math.inf: for ever)."""

    p_first: float
    p_retx: float
    delta: float

    def failed_through(self, i):
        """P(transmissions 0 to i all fail)."""
        if i < 0:
            return 1.0
        return self.p_first * self.p_retx**i

    @property
    def p_f(self):
        """Frame loss P_F: eq. 5 with P_T^(delta+1) split into first and other transmissions."""
        if math.isinf(self.delta):
            return self.p_first if self.p_retx == 1 else 0.0
        return self.failed_through(int(self.delta))

    @property
    def mean_retransmissions(self):
        """Mean number of retransmissions, over delivered and abandoned frames: the sum of P(retransmission i)."""
        if self.delta == 0 or self.p_first == 0:
            return 0.0
        if self.p_retx == 1:
            return self.p_first * self.delta
        return float(self.p_first * complement_of_power(self.p_retx, self.delta) / (1 - self.p_retx))

    @property
    def mean_transmissions(self):
        return 1 + self.mean_retransmissions

    @property
    def mean_failures(self):
        """Mean number of failed transmissions of a frame: the sum of P(transmissions 0 to i all fail)."""
        return self.mean_retransmissions + self.p_f

    def last_attempt(self):
        """Largest retransmission count worth summing up to."""
        if self.delta == 0 or self.p_first == 0 or self.p_retx == 0:
            return min(self.delta, 0 if self.p_first == 0 else 1)
        if self.p_retx == 1:
            return self.delta
        return int(min(self.delta, math.ceil(math.log(TAIL) / math.log(self.p_retx))))

    def beyond(self, i):
        """P(more than i retransmissions | delivered): the complement of eq. 8's distribution function."""
        if i >= self.delta or self.p_f >= 1:
            return 0.0
        return float(self.beyond_up_to(i + 1)[i]) if i >= 0 else 1.0

    def beyond_up_to(self, last):
        """`beyond` of 0 to `last`; the last value is 0."""
        i = np.arange(last, dtype=float)
        some_succeeds = complement_of_power(self.p_retx, self.delta - i)
        return np.append(self.p_first * self.p_retx**i * some_succeeds / (1 - self.p_f), 0.0)

    def cdf(self, i):
        """P(at most i retransmissions | delivered), eq. 8."""
        return 1 - self.beyond(i)

    def pmf(self, i):
        """P(exactly i retransmissions | delivered), eq. 8."""
        if i < 0 or i > self.delta or self.p_f >= 1:
            return 0.0
        success = (1 - self.p_first) if i == 0 else self.failed_through(i - 1) * (1 - self.p_retx)
        return success / (1 - self.p_f)


def mean_most_retransmissions(attempts, frames):
    """E[M]: mean of the largest retransmission count of a packet's frames (eq. 10 divided by 2D)."""
    if attempts.p_f >= 1:
        return math.nan  # no packet is ever delivered
    return float(np.abs(np.expm1(frames * np.log1p(-attempts.beyond_up_to(attempts.last_attempt())))).sum())


def mean_last_worst(attempts, frames):
    """E[Y]: mean of the largest index, from 1, of a frame that needs the most retransmissions (appendix A)."""
    if attempts.p_f >= 1:
        return math.nan
    now = 1 - attempts.beyond_up_to(attempts.last_attempt())
    before = np.concatenate(([0.0], now[:-1]))
    return sum(float((now**frames - before ** (frames - y + 1) * now ** (y - 1)).sum()) for y in range(1, frames + 1))


def nack_share(attempts, variant="exact"):
    """P(an outcome causes a retransmission). The paper's P_T(1 - P_T^delta/(delta+1)) is an approximation (errata 4)."""
    if variant == "paper":
        power = 0.0 if math.isinf(attempts.delta) else attempts.p_first**attempts.delta
        return attempts.p_first * (1 - power / (attempts.delta + 1))
    if math.isinf(attempts.mean_transmissions):
        return 1.0
    return attempts.mean_retransmissions / attempts.mean_transmissions


@dataclass(frozen=True)
class Code:
    """Active code and persistency: `n_first` units in a first transmission, `n_retx` in a retransmission."""

    k: int
    n_first: int
    n_retx: int
    delta: float

    def frames(self, packet_bytes, unit_bytes):
        """Data units in each frame of a packet; the last frame is shortened."""
        units = -(-packet_bytes // unit_bytes)
        full, rest = divmod(units, self.k)
        return (self.k,) * full + ((rest,) if rest else ())


class Steps:
    """A step distribution function of a delay: `values` ascending, `cdf` at each."""

    def __init__(self, values, cdf):
        self.values = np.asarray(values, float)
        self.cdf = np.asarray(cdf, float)

    def at(self, x):
        return np.concatenate(([0.0], self.cdf))[np.searchsorted(self.values, x, side="right")]

    def mean(self):
        return float(np.dot(self.values, np.diff(self.cdf, prepend=0.0)) / self.cdf[-1])

    def quantile(self, q):
        index = np.searchsorted(self.cdf, q * self.cdf[-1])
        return float(self.values[min(index, len(self.values) - 1)])


class LinkModel:
    """All analytic values of a link.

    code        Code
    channel     loss process of the data direction, see arqlink.model.loss
    packets     packet lengths in bytes: one number, or any iterable of them
    unit_bytes  payload of a unit
    unit_time   seconds that a unit, header included, takes on the line (0: unknown, no delays)
    delay       one-way propagation delay in seconds

    Attributes that a faster core makes negligible, in seconds, 0 unless they are set:

    wait        of a retransmission on a full line, from the report of the failure to its first unit
    early       from the K-th unit received, which completes a frame, to the end of its transmission
    drain       mean time of a packet at the user port: packets that leave in sequence follow each other no faster
    """

    wait = 0.0
    early = 0.0
    drain = 0.0

    def __init__(self, code, channel, packets, unit_bytes, unit_time=0.0, delay=0.0):
        self.code = code
        self.channel = channel
        self.unit_bytes = unit_bytes
        self.unit_time = unit_time
        self.delay = delay
        self.packets = Counter([packets] if isinstance(packets, int) else packets)
        self._attempts = {}

    def attempts(self, k=None):
        """Attempts of a frame of `k` data units; each transmission keeps its full parity."""
        k = k or self.code.k
        if k not in self._attempts:
            first, again = (k + n - self.code.k for n in (self.code.n_first, self.code.n_retx))
            self._attempts[k] = Attempts(self.channel.failure(first, k), self.channel.failure(again, k), self.code.delta)
        return self._attempts[k]

    @cached_property
    def _classes(self):
        """Number of packets by their frames."""
        classes = Counter()
        for length, count in self.packets.items():
            classes[self.code.frames(length, self.unit_bytes)] += count
        return classes

    @cached_property
    def _frames(self):
        """Number of frames by data units."""
        frames = Counter()
        for packet, count in self._classes.items():
            for k in packet:
                frames[k] += count
        return frames

    @property
    def frames_per_packet(self):
        """X, the mean where packets differ."""
        return self._frames.total() / self._classes.total()

    def _per_frame(self, value):
        return math.fsum(c * value(k, self.attempts(k)) for k, c in self._frames.items()) / self._frames.total()

    @property
    def p_t(self):
        """Share of transmissions that fail; eq. 4 where first transmissions and retransmissions are alike."""
        failures = self._per_frame(lambda k, a: a.mean_failures)
        transmissions = self.mean_transmissions
        return 1.0 if math.isinf(transmissions) else failures / transmissions

    @property
    def p_f(self):
        """Share of frames that are abandoned (eq. 5)."""
        return self._per_frame(lambda k, a: a.p_f)

    @property
    def mean_transmissions(self):
        return self._per_frame(lambda k, a: a.mean_transmissions)

    def loss_of(self, frames):
        """P of a packet that has these frames (eq. 3). In a burst channel neighbouring frames fail together; a
        retransmission is assumed to find the channel stationary, as it comes a round trip later."""
        survive = 0.0
        if not self.channel.gilbert_elliott:
            for k in frames:
                p_f = self.attempts(k).p_f
                survive += math.log1p(-p_f) if p_f < 1 else -math.inf
            return -math.expm1(survive)
        row, lost = self.channel.stationary(), 0.0
        for k in frames:
            failed, received = self.channel.failure_matrices(k + self.code.n_first - self.code.k, k)
            again = self.attempts(k).p_retx ** self.code.delta  # 1 at delta = 0, 0 at delta = inf
            lost += float((row @ failed).sum()) * again
            row = row @ (received + failed * (1 - again))
        return lost

    @property
    def packet_loss(self):
        total = self._classes.total()
        return math.fsum(c * self.loss_of(f) for f, c in self._classes.items()) / total

    @property
    def units_per_frame(self):
        """Mean number of units that are sent for a frame, over all its transmissions."""
        parity_first, parity_retx = self.code.n_first - self.code.k, self.code.n_retx - self.code.k
        return self._per_frame(lambda k, a: k + parity_first + (a.mean_retransmissions and (k + parity_retx) * a.mean_retransmissions))

    @property
    def alpha(self):
        """Useful share of what is sent, in unit payloads: eq. 6; filling bytes of a packet's last unit are not useful."""
        good = math.fsum(length * c * (1 - self.loss_of(self.code.frames(length, self.unit_bytes))) for length, c in self.packets.items())
        return good / self.unit_bytes / (self.units_per_frame * self._frames.total())

    @property
    def data_units(self):
        """Mean number of data units of a frame."""
        return self._per_frame(lambda k, a: k)

    def through_window(self, window):
        """Utilization of a line for which there are always frames, through a window of so many. So many frames take as long as the line needs for
        them, or as the one that is sent most often needs until it is through, whichever is longer. Where the line is the longer one it is `alpha`.

        Exact for delta = 0, else an estimate: the frames ahead of that one let the window move on meanwhile, so that where it is much too short for
        retransmissions the estimate is up to an eighth too low."""
        line = window * self.units_per_frame * self.unit_time
        turn = 2 * self.delay + (self.data_units + self.code.n_retx - self.code.k) * self.unit_time + self.wait
        if not self.alpha or math.isinf(line):
            return 0.0
        total, last = self._frames.total(), max(self.attempts(k).last_attempt() for k in self._frames)
        retransmissions = np.arange(last + 1, dtype=float)
        most = np.zeros(last + 1)  # log P(no frame of the window needs more)
        for k, count in self._frames.items():
            attempts = self.attempts(k)
            more = np.where(retransmissions < self.code.delta, attempts.p_first * attempts.p_retx**retransmissions, 0.0)
            with np.errstate(divide="ignore"):
                most += window * count / total * np.log1p(-more)
        most[-1] = 0.0  # beyond that nothing counts
        times = np.maximum(line, turn * (1 + retransmissions))
        return float(self.alpha * line / np.dot(np.diff(np.exp(most), prepend=0.0), times))

    @property
    def alpha_with_header(self):
        return self.alpha * self.unit_bytes / (self.unit_bytes + HEADER_BYTES)

    # Delays. T of the paper, the rest of TCP's path, is 0; delays are one-way, so D and not 2D is added.

    @property
    def frame_time(self):
        return self.code.n_first * self.unit_time

    @property
    def tau(self):
        """From the start of a transmission to the start of the next one of the same frame."""
        return 2 * self.delay + self.code.n_retx * self.unit_time + self.wait

    def slot_time(self, busy=1.0, variant="exact"):
        """E[sigma]: time from one first transmission to the next, retransmissions in between (section 4.5)."""
        share = busy * nack_share(self.attempts(), variant)
        return math.inf if share >= 1 else self.frame_time / (1 - share)

    def mean_delay_medium(self, frames, busy=1.0, variant="exact"):
        """D + tau E[M] + E[Y] E[sigma]: section 4.5, a packet of `frames` full frames, without resequencing."""
        attempts = self.attempts()
        return self.delay + self.tau * mean_most_retransmissions(attempts, frames) + mean_last_worst(attempts, frames) * self.slot_time(busy, variant)

    def mean_delay_large(self, frames):
        """D + 2D E[M]: eq. 10, transmission times neglected."""
        return self.delay + 2 * self.delay * mean_most_retransmissions(self.attempts(), frames)

    def crossing(self, frames, conditional=True, busy=1.0):
        """Steps: time until all frames of a packet are through, section 4.2.3 with E[sigma] for sigma. Unless
        `conditional`, an abandoned frame counts as one that needs delta retransmissions: two units of its last try tell the
        receiver to skip it. Where fewer arrive, the sender's notice comes a retransmission later; with delta = 0 the next frame
        shows that it has failed."""
        notice = not conditional and self.code.delta > 0
        parts = [self.attempts(k) for k in frames]
        if any(attempts.p_first == 1 == attempts.p_retx for attempts in parts):
            return Steps([math.inf], [1.0])  # nothing ever comes through
        slot, offset, ends = self.slot_time(busy) / self.code.n_first, 0.0, []
        for k in frames:
            offset += (k + self.code.n_first - self.code.k) * slot
            ends.append(offset)
        points, levels = [], []
        for k, attempts, end in zip(frames, parts, ends):
            last = int(attempts.last_attempt()) + notice
            points.append(end + np.arange(last + 1) * self.tau)
            if conditional:
                levels.append(1 - attempts.beyond_up_to(last))
            else:
                failed = attempts.p_first * attempts.p_retx ** np.arange(last, dtype=float)
                if notice:
                    failed[-1] *= self._silent(k)
                levels.append(np.append(1 - failed, 1.0))
        values = np.unique(np.concatenate(points))
        cdf = np.ones(len(values))
        for level, end in zip(levels, ends):
            index = np.floor((values - end) / self.tau * (1 + 1e-12) + 1e-9).astype(int) if self.tau else None
            index = np.where(values >= end, len(level) - 1, -1) if index is None else np.clip(index, -1, len(level) - 1)
            cdf *= np.concatenate((level, [0.0]))[index]
        return Steps(self.delay + values - self.early, cdf)

    def _silent(self, k):
        """P(fewer than two units of a retransmission arrive | it fails)."""
        units, failed = k + self.code.n_retx - self.code.k, self.attempts(k).p_retx
        return self.channel.failure(units, min(k, 2)) / failed if failed else 0.0

    def _delivered(self):
        """(share, crossing) of the delivered packets by their frames: of long ones more are lost."""
        counts = {frames: count * (1 - self.loss_of(frames)) for frames, count in self._classes.items()}
        total = math.fsum(counts.values())
        return [(count / total if total else 1 / len(counts), self.crossing(frames)) for frames, count in counts.items()]

    def resequenced(self, points=2000):
        """Steps: delay of delivered packets with resequencing, for packets that come at the constant rate that just
        fills the line. Appendix B's product, P(delay <= x) = prod_i F(x + i/lambda), with the true distribution of
        crossing times in place of an exponential one (errata 5).

        A packet leaves at the earliest i times `drain` after the i-th one before it was complete, if all between are delivered; with
        1/lambda - drain in place of 1/lambda the product holds for this, too."""
        total = self._classes.total()
        mean_units = self.units_per_frame * self._frames.total() / total
        gap = mean_units * self.unit_time - self.drain * (1 - self.packet_loss)
        if gap < 0:  # the port is slower than the line: the queue before it grows for ever
            return Steps([math.inf], [1.0])
        own = self._delivered()
        other = [(c / total, self.crossing(f, conditional=False)) for f, c in self._classes.items()]
        low = min(s.values[0] for _, s in own)
        high = max(s.values[-1] for _, s in other)
        if math.isinf(high):
            return Steps([math.inf], [1.0])
        steps = np.unique(np.concatenate([s.values for _, s in own]))
        grid = np.unique(np.concatenate((np.linspace(low, high, points), steps[:: len(steps) // points + 1])))
        log_cdf = np.log(np.maximum(sum(w * s.at(grid) for w, s in own), 1e-300))
        count = int((high - low) / gap) + 1 if gap else 0
        shifts = np.arange(1, count + 1)
        if count > 2000:  # every so many packets represent their neighbours
            shifts = np.unique(np.linspace(1, count, 2000).astype(int))
        weights = np.diff(shifts, append=count + 1)
        for shift, weight in zip(shifts, weights):
            earlier = sum(w * s.at(grid + shift * gap) for w, s in other)
            log_cdf += weight * np.log(np.maximum(earlier, 1e-300))
        cdf = np.exp(log_cdf)
        return Steps(grid, cdf / cdf[-1])

    def unordered(self):
        """Steps: delay of delivered packets that leave as soon as they are complete (ord = 0)."""
        own = self._delivered()
        values = np.unique(np.concatenate([s.values for _, s in own]))
        return Steps(values, sum(w * s.at(values) for w, s in own))
