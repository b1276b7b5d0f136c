# SPDX-License-Identifier: Apache-2.0
"""Erasure processes of the channel: exact frame failure probabilities, and their channel emulator settings."""

import hashlib
import math
from dataclasses import dataclass, field

import numpy as np

from arqlink import files
from arqlink.errors import UserError

SYNTAX = "P or bernoulli:P, ge:P_GB,P_BG,P_GOOD,P_BAD, fading:MS,SHARE, trace:FILE or none"


def to_fraction(probability):
    """A probability as the emulator's 32-bit fraction; 1 becomes 0xFFFFFFFF."""
    return min(round(probability * 2**32), 0xFFFFFFFF)


class OneState:
    """An erasure process whose frames fail independently of each other, with the probability `failure`."""

    gilbert_elliott = False

    def failure(self, n, k):
        """P(more than n - k of n consecutive units are erased)."""
        raise NotImplementedError

    def failure_matrices(self, n, k):
        """(failed, received): probability of each by channel state at start and end; one state here."""
        p_t = self.failure(n, k)
        return np.array([[p_t]]), np.array([[1 - p_t]])

    def stationary(self):
        return np.array([1.0])


@dataclass(frozen=True)
class Bernoulli(OneState):
    """Units are erased independently, each with probability `p`."""

    p: float

    def mean(self):
        """Share of units that is erased."""
        return self.p

    def failure(self, n, k):
        """P_T, RR-4752 eq. 4: more than n - k of n units are erased."""
        p, q = self.p, 1 - self.p
        return min(1.0, math.fsum(math.comb(n, i) * p**i * q ** (n - i) for i in range(n - k + 1, n + 1)))

    def registers(self):
        """Channel emulator registers that make this process."""
        return {"P_GOOD": to_fraction(self.p), "P_BAD": 0, "P_GB": 0, "P_BG": 0}

    def __str__(self):
        return f"bernoulli:{self.p:g}" if self.p else "none"


@dataclass(frozen=True)
class GilbertElliott:
    """Two-state Markov chain, one step per unit: transition probabilities `p_gb` (good to bad) and `p_bg`, and
    erasure probabilities `p_good` and `p_bad` of a unit in each state."""

    p_gb: float
    p_bg: float
    p_good: float
    p_bad: float

    def stationary(self):
        """Probabilities of the good and the bad state; a chain that never leaves its state starts good."""
        total = self.p_gb + self.p_bg
        return np.array([self.p_bg, self.p_gb]) / total if total else np.array([1.0, 0.0])

    def mean(self):
        return float(self.stationary() @ [self.p_good, self.p_bad])

    def bad_units(self):
        """Mean duration of the bad state, in units, of the process in time that a unit of length 1 samples as this chain; 0 if the
        state of a unit does not depend on the one before."""
        together = self.p_gb + self.p_bg
        if together > 1:
            raise UserError(f"The chain {self} changes faster than a process in time can: P_GB and P_BG are above 1 together.")
        if together in (0, 1):
            return 0.0
        return float(-1 / math.log1p(-together) / self.stationary()[0])

    def failure_matrices(self, n, k):
        """Exact recursion over the units: weight[e, i, j] is the probability of e erasures so far and state j now,
        having begun in state i. Counts above n - k are gathered in the last row, for they all fail."""
        step = np.array([[1 - self.p_gb, self.p_gb], [self.p_bg, 1 - self.p_bg]])
        erased = np.array([self.p_good, self.p_bad])
        weight = np.zeros((n - k + 2, 2, 2))
        weight[0] = np.eye(2)
        for _ in range(n):
            lost = weight * erased
            kept = weight * (1 - erased)
            kept[1:] += lost[:-1]
            kept[-1] += lost[-1]
            weight = kept @ step
        return weight[-1], weight[:-1].sum(axis=0)

    def failure(self, n, k):
        """P(more than n - k of n consecutive units are erased), the chain being stationary."""
        failed, _ = self.failure_matrices(n, k)
        return float(self.stationary() @ failed.sum(axis=1))

    def registers(self):
        names = {"P_GOOD": self.p_good, "P_BAD": self.p_bad, "P_GB": self.p_gb, "P_BG": self.p_bg}
        return {name: to_fraction(value) for name, value in names.items()}

    gilbert_elliott = True

    def __str__(self):
        return f"ge:{self.p_gb:g},{self.p_bg:g},{self.p_good:g},{self.p_bad:g}"


@dataclass(frozen=True)
class Trace(OneState):
    """A recorded trace: `units` has 1 for each unit that is erased and 0 for each other, control units included, and begins again at its end.
    Frames are taken as independent. Of a retransmission, which comes a round trip later, this is nearly true."""

    path: str
    units: bytes = field(repr=False)
    sha256: str
    """Of `units`: the same trace under two names is told from another one under the same."""

    def mean(self):
        return sum(self.units) / len(self.units)

    def failure(self, n, k):
        """Share of all n consecutive units, those across the end too, of which more than n - k are erased."""
        lost = np.frombuffer(self.units, np.uint8).astype(np.int64)
        total = np.concatenate(([0], np.cumsum(np.tile(lost, 1 + -(-n // len(lost))))))
        return float(np.mean(total[n : n + len(lost)] - total[: len(lost)] > n - k))

    def registers(self):
        """The units come from outside of the emulator, which erases none by itself."""
        return {"P_GOOD": 0, "P_BAD": 0, "P_GB": 0, "P_BG": 0}

    def __str__(self):
        return f"trace:{self.path}"


def read_trace(path):
    """The trace in a text file: 0 and 1 with any white space; a line that begins with # is a comment."""
    name = files.label(path, "on standard input")
    lines = [b"" if line.lstrip().startswith(b"#") else line for line in files.read(path).splitlines()]
    for number, line in enumerate(lines, 1):
        if other := line.translate(None, b"01 \t"):
            symbol = repr(other[:1])[1:]  # in quotes, and printable
            raise UserError(f"The trace {name} has {symbol} in line {number}; it must have 0 and 1 alone.")
    units = b"".join(lines).translate(bytes(byte & 1 for byte in range(256)), b" \t")
    if not units:
        raise UserError(f"The trace {name} has no units.")
    return Trace(path, units, hashlib.sha256(units).hexdigest())


@dataclass(frozen=True)
class Fading:
    """The link loses all units for `bad_ms` on average, which is the share `share` of the time, and none between. Both durations are
    exponential (m and X of Zhu, Roy and Kim, section V.C)."""

    bad_ms: float
    share: float

    def chain(self, unit_time):
        """The same as units see it that take `unit_time` seconds each."""
        changes = -math.expm1(-unit_time / (self.bad_ms * 1e-3 * (1 - self.share)))
        return GilbertElliott(changes * self.share, changes * (1 - self.share), 0.0, 1.0)


def refuse_all(process):
    """Refuses a process that lets nothing through."""
    if process.mean() >= 1:
        raise UserError(f"The loss {process} erases all units; some have to pass.")


def parse(text):
    """Reads the command line's notation of an erasure process; a number alone is the probability of independent losses."""
    name, colon, rest = text.strip().partition(":")
    if name == "trace" and rest:
        return read_trace(rest)
    counts = {"none": 0, "bernoulli": 1, "ge": 4, "fading": 2}
    if not colon and name not in counts:
        name, rest = "bernoulli", name
    try:
        values = [float(v) for v in rest.split(",")] if rest else []
    except ValueError:
        values = None
    if name not in counts or values is None or len(values) != counts[name]:
        raise UserError(f"The loss model '{text}' is not understood; write {SYNTAX}.")
    if name == "fading":
        if not (0 < values[0] < math.inf and 0 < values[1] < 1):
            raise UserError(f"The loss model '{text}' must have a duration above 0 ms, and a share above 0 and below 1.")
        return Fading(*values)
    for value in values:
        if not 0 <= value <= 1:
            raise UserError(f"The loss model '{text}' has the probability {value:g}; it must be from 0 to 1.")
    if name == "ge":
        return GilbertElliott(*values)
    return Bernoulli(values[0] if values else 0.0)
