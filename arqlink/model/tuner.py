# SPDX-License-Identifier: Apache-2.0
"""Choice of N and persistency for a target packet loss or for goodput: the rule of docs/driver.md in floating point, on
RR-4752, eqs. 3 to 6 (arqlink.model). The driver's tuner has the same rule in integers."""

from dataclasses import dataclass

from arqlink.model.analytic import any_of
from arqlink.model.loss import Bernoulli

GREATEST_DELTA = 14
"""The greatest finite persistency."""


@dataclass(frozen=True)
class Goal:
    """`loss`: target packet loss; None: goodput alone. Times are in any one unit; `delay_bound` None: no bound."""

    k: int
    max_parity: int
    frames: int
    loss: float | None = None
    unit_time: float = 1.0
    delay: float = 0.0
    delay_bound: float | None = None

    def greatest_delay(self, n, delta):
        """Of a packet that is delivered, with an idle line; a retransmission costs tau = 2 D + n units."""
        frame = n * self.unit_time
        return self.frames * frame + self.delay + delta * (2 * self.delay + frame)

    def deltas(self, n):
        """Persistencies that the delay bound allows."""
        return [d for d in range(GREATEST_DELTA + 1) if self.delay_bound is None or self.greatest_delay(n, d) <= self.delay_bound]

    def packet_loss(self, p, n, delta):
        return any_of(Bernoulli(p).failure(n, self.k) ** (delta + 1), self.frames)

    def alpha(self, p, n, delta):
        """Eq. 6."""
        p_t = Bernoulli(p).failure(n, self.k)
        return (1 - p_t ** (delta + 1)) ** (self.frames - 1) * (1 - p_t) * self.k / n


def choose(goal, p, p_high=None):
    """(n, delta, met) for the erasure probability p, the target being met up to p_high; None where the delay bound is too short.
    If no pair meets the target, the one with the least loss, and met is False."""
    p_high = p if p_high is None else p_high
    candidates, safest = [], []
    for n in range(goal.k, goal.k + goal.max_parity + 1):
        deltas = goal.deltas(n)
        if not deltas:
            continue
        if goal.loss is None:
            candidates.append((goal.alpha(p, n, deltas[-1]), -n, deltas[-1]))
            continue
        good = [d for d in deltas if goal.packet_loss(p_high, n, d) <= goal.loss]
        if good:
            candidates.append((goal.alpha(p, n, good[0]), -n, good[0]))
        safest.append((-goal.packet_loss(p_high, n, deltas[-1]), -n, deltas[-1]))
    if candidates:
        _, n, delta = max(candidates)
        return -n, delta, True
    if safest:
        _, n, delta = max(safest)
        return -n, delta, False
    return None
