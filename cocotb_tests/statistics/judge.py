# SPDX-License-Identifier: Apache-2.0
"""Exact tests of what a run counted."""

from dataclasses import dataclass

from scipy.stats import binomtest

from .formulas import Totals
from .grid import PACKET_FRAMES

LEVEL = 0.001
"""Two-sided level of every test: 99.9 % confidence."""

LAST_ATTEMPT = 14
"""tx_acked_15 gathers all later retransmissions, so it is no binomial count."""


@dataclass(frozen=True)
class Verdict:
    """One test: what was measured, what the model says, and the two-sided p-value."""

    quantity: str
    measured: float
    model: float
    p_value: float

    @property
    def accepted(self):
        return self.p_value >= LEVEL

    def __str__(self):
        return f"{self.quantity}: measured {self.measured:.6g}, model {self.model:.6g}, p-value {self.p_value:.3g}"


def binomial(events, trials, probability):
    """Exact two-sided p-value."""
    return float(binomtest(events, trials, probability).pvalue)


def two_sided(low, high):
    """Twice the smaller tail; both tails include what was seen."""
    return float(min(1.0, 2 * min(low, high)))


def judge(point, counted, expected=None):
    """Verdicts about a run of `point` with independent erasures, against `expected` (by default the point's own).

    P_T        failures of first transmissions, which are independent: binomial
    P_T of i   failures of retransmission i among the frames that got that far: binomial, given their number
    P_F        abandoned frames: binomial with eq. 5
    P          lost packets: binomial with eq. 3
    E          retransmissions of all frames: exact distribution
    alpha      eq. 6: exact distribution of the ratio
    """
    e = expected or point.expected
    a = counted["a"]
    frames, packets = a["tx_frames"], point.packets
    lost, retx = a["tx_packets_lost"], a["tx_retx"]
    verdicts = []

    left = frames
    for i in range(int(min(e.delta, LAST_ATTEMPT)) + 1):
        p_t = e.p_retx if i else e.p_first
        failed = left - a[f"tx_acked_{i}"]
        if left:
            name = f"P_T of retransmission {i}" if i else "P_T"
            verdicts.append(Verdict(name, failed / left, p_t, binomial(failed, left, p_t)))
        left = failed

    abandoned = a["tx_frames_abandoned"]
    verdicts.append(Verdict("P_F", abandoned / frames, e.p_f, binomial(abandoned, frames, e.p_f)))
    verdicts.append(Verdict("P", lost / packets, e.packet_loss, binomial(lost, packets, e.packet_loss)))
    totals = Totals(e, packets)
    mean = 1 + retx / frames
    verdicts.append(Verdict("transmissions", mean, e.mean_transmissions, two_sided(*totals.retransmission_tails(retx))))
    delivered_units = (packets - lost) * PACKET_FRAMES * point.k
    alpha = delivered_units / (a["tx_units"] + a["tx_retx_units"])
    verdicts.append(Verdict("alpha", alpha, e.alpha, two_sided(*totals.alpha_tails(lost, retx))))
    return verdicts


def rejected(verdicts):
    return [v for v in verdicts if not v.accepted]


def judge_burst(point, counted):
    """Verdict about P_T of a run in bursts, against the exact chain; delta infinite and n = nr.

    The chain moves with each unit, so successive transmissions are one Markov chain whatever the clock does, and the
    number of transmissions until all frames are received has an exact distribution. A control unit moves the chain
    too. Its extra step changes the state with probability 2 p_gb p_bg / (p_gb + p_bg), at most 3 % here, and the chain
    forgets that within a few transmissions, so on average less than 0.05 outcomes differ per control unit. The test
    allows for one: it is made for both ends of that range, and the larger p-value counts.
    """
    a = counted["a"]
    frames, sent = a["tx_frames"], a["tx_frames"] + a["tx_retx"]
    touched = counted["control_units"]
    burst = point.burst
    low, _ = burst.transmission_tails(point.k, point.n, frames, sent + touched)
    _, high = burst.transmission_tails(point.k, point.n, frames, max(frames, sent - touched))
    return Verdict("P_T", a["tx_retx"] / sent, burst.transmission_failure(point.k, point.n), two_sided(low, high))


def lag_of(point):
    """About how many units cross between a transmission's end and its retransmission: those of the round trip."""
    unit_clocks, pipeline = 6, 150
    return (2 * point.delay + pipeline) // unit_clocks
