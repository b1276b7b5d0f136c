# SPDX-License-Identifier: Apache-2.0
"""The points that are sampled: settings, erasures, seed."""

import math
import os
import zlib
from dataclasses import dataclass, replace

from tests.seeds import SEED

from .formulas import Burst, Expected

INFINITE = math.inf
PACKET_FRAMES = 6
"""X of RR-4752, section 3."""


def frames():
    """First transmissions of a point, from the environment variable ARQLINK_STATS_FRAMES."""
    return int(float(os.environ.get("ARQLINK_STATS_FRAMES", "20000")))


@dataclass(frozen=True)
class Point:
    """One run of the pair in configuration `montecarlo`; A sends to B.

    p         erasure probability of a unit from A to B
    feedback  erasure probability of a unit from B to A
    burst     Gilbert-Elliott channel in place of p
    mode      how units are erased: 0 vanish, 1 bit flipped, 2 tuser, 3 any
    delay     of each channel, in clocks
    gap       clocks between packets
    """

    name: str
    k: int
    n: int
    nr: int
    delta: float
    p: float
    feedback: float = 0.0
    burst: Burst | None = None
    mode: int = 3
    delay: int = 200
    gap: int = 0

    @property
    def seed(self):
        """32 bits that follow from the name and ARQLINK_SEED; docs/statistics.md has those of 1."""
        return zlib.crc32(self.name.encode(), SEED - 1)

    @property
    def packets(self):
        return -(-frames() // PACKET_FRAMES)

    @property
    def expected(self):
        return Expected(self.k, self.n, self.nr, self.delta, self.p, PACKET_FRAMES)

    @property
    def again(self):
        """The same setting with another seed."""
        return replace(self, name=f"{self.name}-again")


def _point(k, n, delta, p, nr=None, **more):
    nr = n if nr is None else nr
    name = f"k{k}-n{n}" + (f"-nr{nr}" if nr != n else "") + f"-d{delta}-p{p:g}"
    return Point(name, k, n, nr, delta, p, **more)


GRID = [
    # RR-4752's frames: K = 10, N = 10 to 14, delta = 0 to 3
    _point(10, 10, 0, 0.01),
    _point(10, 10, 1, 0.01),
    _point(10, 10, 2, 0.05),
    _point(10, 10, 3, 0.1),
    _point(10, 11, 0, 0.01, mode=0),
    _point(10, 11, 1, 0.05, mode=1),
    _point(10, 11, 2, 0.1, mode=2),
    _point(10, 11, 3, 0.1),
    _point(10, 12, 0, 0.05, mode=0),
    _point(10, 12, 1, 0.1, mode=1),
    _point(10, 12, 2, 0.1, mode=2),
    _point(10, 12, 3, 0.2),
    _point(10, 13, 0, 0.1),
    _point(10, 13, 1, 0.1),
    _point(10, 13, 2, 0.2),
    _point(10, 13, 3, 0.2),
    _point(10, 14, 0, 0.1),
    _point(10, 14, 1, 0.1),
    _point(10, 14, 2, 0.2),
    _point(10, 14, 3, 0.3),
    # other codes
    _point(1, 1, 2, 0.2),
    _point(1, 3, 1, 0.3),
    _point(4, 5, 3, 0.2),
    _point(7, 8, 14, 0.35),
    _point(16, 18, 1, 0.05),
    _point(16, 24, 2, 0.3),
    # N of retransmissions of its own; infinite persistency
    _point(10, 10, 1, 0.05, nr=12),
    _point(10, 12, 2, 0.1, nr=10),
    _point(4, 4, 3, 0.3, nr=8),
    _point(10, 11, INFINITE, 0.1),
    _point(10, 10, INFINITE, 0.1, nr=13),
    _point(10, 11, INFINITE, 0.01, delay=5000),
]

_BURSTS = {
    # mean 0.05 each; bursts of 4 erased units, of 10 with two thirds erased, and of 30 with half
    "ge-short": Burst(p_gb=0.05 * 0.25 / 0.95, p_bg=0.25, p_good=0.0, p_bad=1.0),
    "ge-medium": Burst(p_gb=0.008, p_bg=0.1, p_good=0.01, p_bad=0.55),
    "ge-long": Burst(p_gb=1 / 270, p_bg=1 / 30, p_good=0.0, p_bad=0.5),
}


def _bursts():
    for name, burst in _BURSTS.items():
        for n in (10, 12):
            yield Point(f"{name}-n{n}", 10, n, n, INFINITE, burst.mean, burst=burst)


BURSTS = list(_bursts())

# Bursts of 60 units, half of them erased; the round trip is shorter and much longer than that.
_BURST = Burst(p_gb=1 / 540, p_bg=1 / 60, p_good=0.0, p_bad=0.5)
NEAR, FAR = (Point(f"ge-{name}", 10, 12, 12, 1, _BURST.mean, burst=_BURST, delay=delay) for name, delay in (("near", 10), ("far", 20_000)))

FEEDBACK = [Point(f"feedback-{q:g}-d{delta}", 10, 11, 11, delta, 0.05, feedback=q, delay=2000, gap=500) for q in (0, 0.01, 0.1, 0.4) for delta in (1, INFINITE)]

# (what the hardware is set to, what is claimed): the tests have to refuse each.
_CLAIM = _point(10, 11, 1, 0.05)
WRONG = [
    (Point("wrong-p-high", 10, 11, 11, 1, 0.055), _CLAIM),
    (Point("wrong-p-low", 10, 11, 11, 1, 0.045), _CLAIM),
    (Point("wrong-delta-0", 10, 11, 11, 0, 0.05), _CLAIM),
    (Point("wrong-delta-2", 10, 11, 11, 2, 0.05), _CLAIM),
    (Point("wrong-n", 10, 12, 12, 1, 0.05), _CLAIM),
    (Point("wrong-nr", 10, 11, 12, 1, 0.05), _CLAIM),
    (Point("wrong-k", 9, 11, 11, 1, 0.05), _CLAIM),
]

ALL = [*GRID, *BURSTS, NEAR, FAR, *FEEDBACK, *(actual for actual, _ in WRONG)]

QUICK = {
    "k10-n11-d1-p0.05",
    "k1-n3-d1-p0.3",
    "k4-n5-d3-p0.2",
    "k10-n11-dinf-p0.1",
    "ge-long-n12",
    "feedback-0.4-dinf",
    "wrong-delta-2",
}
"""Points that `make test` samples: persistency 1, 3 and infinite, each way of losing units, bursts, lost feedback, and a wrong claim."""
