# SPDX-License-Identifier: Apache-2.0
"""Chooses K, N, N of retransmissions and persistency of a link by the analytic models: RR-4752, eqs. 3 to 8, for datagrams, and section 4
(arqlink.model.tcp) for TCP. The tuner (arqlink.model.tuner, and that of the driver) chooses N and persistency alone, in integers.

K cuts a packet into frames of equal length. A retransmission has as many units as a first transmission, one, two or four more, or all
the parity.
"""

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property

from arqlink.errors import UserError
from arqlink.model import limits
from arqlink.model.link_setup import INFINITE_DELTA, LinkSetup
from arqlink.model.prospects import MOST_TRANSMISSIONS
from arqlink.model.tcp import TcpOverLink

DELTAS = (*range(INFINITE_DELTA), math.inf)
EQUAL = 1e-3
"""Goodputs that differ by a smaller share are equal; then the shorter delay counts."""
RARE = 1e-9
"""Where fewer packets are lost, persistency is worth nothing by itself; it may still save parity."""

EXTRA = (0, 1, 2, 4, math.inf)
"""Units that a retransmission has more than a first transmission."""

SYNTAX = "goodput, loss=P or delay=MS"
HIGH = 0.99
"""Quantile of the delay that a goal bounds."""
COARSE = 200
"""Points of delay distributions in the search."""


@dataclass(frozen=True)
class Goal:
    """The most goodput of the plans that lose `loss` of the packets at most, or delay 0.99 of them by `delay_ms` at most with the line
    always busy; None: no such limit."""

    loss: float | None = None
    delay_ms: float | None = None

    def __str__(self):
        return f"loss={self.loss:g}" if self.loss is not None else f"delay={self.delay_ms:g}" if self.delay_ms is not None else "goodput"


def parse_goal(text):
    """A Goal as the user writes it."""
    name, equals, value = text.partition("=")
    try:
        number = float(value) if equals else math.inf
    except ValueError:
        number = math.nan
    if text == "goodput":
        return Goal()
    if name == "loss" and 0 < number < 1:
        return Goal(loss=number)
    if name == "delay" and 0 < number < math.inf:
        return Goal(delay_ms=number)
    raise UserError(f"The goal is '{text}'; it must be {SYNTAX}, with P between 0 and 1 and MS above 0.")


class Plan:
    """One choice, and what it gives. `setup`: LinkSetup with it; `connections`: TCP connections, 0: datagrams that fill the line;
    `rest_ms`: T, the round trip of TCP outside of the link."""

    def __init__(self, setup, connections=0, rest_ms=0.0):
        self.setup, self.connections, self.rest_ms = setup, connections, rest_ms
        self.model = setup.model()

    @cached_property
    def packet_loss(self):
        return self.model.packet_loss

    @cached_property
    def most(self):
        """The utilization that neither the code nor the window lets exceed: alpha, or less where the window is short."""
        return self.model.through_window(self.setup.limits["window_frames"])

    @cached_property
    def utilization(self):
        """U: bytes of delivered packets in shares of the line's rate for unit payload."""
        if not self.connections:
            return self.most
        return min(self.most, self._operation.utilization)

    @cached_property
    def _operation(self):
        return TcpOverLink(self.model, self.connections, self.rest_ms * 1e-3).operation()

    @property
    def limit(self):
        """What limits `utilization`."""
        return limits.lowest(self.model.alpha, self.most, self._operation.utilization if self.connections else math.inf)

    def delays_ms(self, points=2000):
        """(mean, quantile HIGH) of the delay of a packet with the line always busy."""
        steps = self.model.resequenced(points)
        return 1e3 * steps.mean(), 1e3 * steps.quantile(HIGH)

    @property
    def least_delay_ms(self):
        """Of a packet that meets no loss."""
        setup = self.setup
        units = sum(k + setup.n - setup.k for k in setup.code.frames(setup.packet_bytes, setup.unit_bytes))
        return 1e3 * (self.model.delay + units * self.model.unit_time)

    @cached_property
    def coarse_delays_ms(self):
        return self.delays_ms(COARSE)

    def meets(self, goal):
        if goal.loss is not None:
            return self.packet_loss <= goal.loss
        return goal.delay_ms is None or (self.least_delay_ms <= goal.delay_ms and self.coarse_delays_ms[1] <= goal.delay_ms)

    def values(self):
        """As the JSON report names them."""
        setup, (mean, high) = self.setup, self.delays_ms()
        return {
            "k": setup.k,
            "n": setup.n,
            "nr": setup.nr,
            "delta": "inf" if math.isinf(setup.delta) else int(setup.delta),
            "utilization": self.utilization,
            "goodput_mbps": self.utilization * setup.rate_mbps,
            "packet_loss": self.packet_loss,
            "delay_ms": {"mean": mean, "p99": high},
        }


def lengths_of_frame(setup):
    """K that cut a packet, or one of a mix, into frames of equal length, as far as its units allow: one for each number of frames."""
    lengths = set()
    for length in setup.mix or [setup.packet_bytes]:
        units = -(-length // setup.unit_bytes)
        most = min(units, setup.limits["max_k"])
        lengths |= {-(-units // frames) for frames in range(-(-units // most), units + 1)}
    return sorted(lengths)


def choose(plans):
    """The one with the shortest delay among those with the most goodput, or hardly less."""
    least = max(plan.utilization for plan in plans) * (1 - EQUAL)
    return min((plan for plan in plans if plan.utilization >= least), key=lambda plan: plan.coarse_delays_ms)


def improves(plan, other):
    return plan.utilization > other.utilization * (1 + EQUAL)


def best_of_delta(setup, lengths, delta, goal, connections, rest_ms):
    """The best plan with one persistency; None if none meets the goal. Plans are tried in the order of what they can give at most, so
    that few have to be computed. One whose frames need more than MOST_TRANSMISSIONS is none."""
    parity, tried, found, most = setup.limits["max_parity"], [], [], 0.0
    for k in lengths:
        for n in range(k, k + parity + 1):
            for nr in sorted({min(n + more, k + parity) for more in (EXTRA if delta else (0,))}):
                plan = Plan(replace(setup, k=k, n=n, nr=nr, delta=delta), connections, rest_ms)
                if plan.model.mean_transmissions <= MOST_TRANSMISSIONS:
                    tried.append(plan)
    for plan in sorted(tried, key=lambda plan: -plan.most):
        if plan.most < most * (1 - EQUAL):
            break
        if plan.meets(goal):
            found.append(plan)
            most = max(most, plan.utilization)
    return choose(found) if found else None


def plans(setup: LinkSetup, goal: Goal, connections=0, rest_ms=0.0, k=None):
    """The best plan of each persistency that meets the goal, up to the one that more persistency does not improve; `k`: of this K alone.
    UserError where none meets it."""
    lengths, rows = [k] if k else lengths_of_frame(setup), []

    @cache
    def best(delta):
        return best_of_delta(setup, lengths, delta, goal, connections, rest_ms)

    for delta in DELTAS:
        plan = best(delta)
        if plan and rows and rows[-1].packet_loss < RARE and not improves(plan, rows[-1]):
            endless = best(math.inf)
            if not endless or not improves(endless, rows[-1]):
                break
        if plan:
            rows.append(plan)
        elif goal.delay_ms is not None and delta:
            break  # more persistency does not shorten delays
    if not rows:
        raise UserError(f"No K, N and persistency of configuration '{setup.config}' reaches {goal}.")
    return rows
