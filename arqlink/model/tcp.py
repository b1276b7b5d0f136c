# SPDX-License-Identifier: Apache-2.0
"""Long-lived TCP connections over the hybrid link: RR-4752 (Barakat and Al Fawal, 2003), section 4, eqs. 1, 2 and 11, Proposition 1.

What the link does to a packet comes from `LinkModel`: loss P (eq. 3), useful share alpha (eq. 6), and the time through the
link (sections 4.2.3 and 4.5). Here are what TCP makes of it, the time that packets wait for those before them, and the
throughput at which both agree. Rates are in bytes of packets a second, times in seconds.

Valid while the window of the connections and the queues are long enough, while errors and not congestion cause the losses
(eq. 2 takes the rest: what TCP would send beyond the line's rate is not sent), and for packets of X full frames.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import integrate, optimize, special

from arqlink.errors import UserError

DELAYED_ACK = 2
"""Packets that one acknowledgement covers: b of eq. 1."""

RTT_TO_RTO = 4
"""Retransmission timeout in round trips, as eq. 1 assumes it."""


def rate(loss, round_trip, packet, b=DELAYED_ACK):
    """R: bytes a second that one connection delivers; eq. 1 (Padhye et al. 2000, without a limit of the window). Arrays as well.

    `loss` is P of a packet, `round_trip` A, `packet` its length S in bytes. Without loss R has no limit."""
    loss, round_trip = np.asarray(loss, float), np.asarray(round_trip, float)
    halvings = np.sqrt(2 * b * loss / 3)
    timeouts = RTT_TO_RTO * np.minimum(1, 3 * np.sqrt(3 * b * loss / 8)) * loss * (1 + 32 * loss**2)
    with np.errstate(divide="ignore"):
        return packet / (round_trip * (halvings + timeouts)) * (1 - loss)


def wait_proposition_1(arrivals, through):
    """Mean time in the resequencer by Proposition 1, with `arrivals` packets a second (lambda) that need `through` seconds
    (1/mu) on the average. A low-load expansion: it is never above through/2 (errata 5)."""
    load = np.asarray(arrivals) * through
    return through / 2 * load / (1 + load)


def wait_poisson(arrivals, through):
    """The same, exact where packets come as a Poisson process and their times through the link are exponential and independent:
    a packet leaves when no earlier one is on its way, so P(delay <= x) = (1 - u) exp(-load u), u = exp(-mu x)."""
    load = np.asarray(arrivals, float) * through
    # Ein(load) is the integral of (1 - exp(-load u)) / u over 0 to 1.
    with np.errstate(divide="ignore", invalid="ignore"):
        ein = special.exp1(load) + np.log(load) + np.euler_gamma
        extra = ein + (-np.expm1(-load)) / load - 1
    return through * np.where(load < 1e-6, load / 2, extra)


def wait_periodic(arrivals, through):
    """The same for packets that come at equal distances: eq. 11 less the time through the link. P(delay <= x) is the product of
    1 - u q^i over all i >= 0, u = exp(-mu x), q = exp(-mu/lambda)."""

    def one(arrivals):
        if arrivals == 0:
            return 0.0
        steps = np.arange(1, math.ceil(40 * arrivals * through) + 2) / (arrivals * through)
        earlier = np.exp(-steps)

        def late(u):
            """P(delay > x) / u, less 1, which is the packet's own time."""
            return -math.expm1(math.log1p(-u) + float(np.log1p(-u * earlier).sum())) / u - 1 if u else float(earlier.sum())

        return through * integrate.quad(late, 0, 1, limit=200)[0]

    return np.vectorize(one, otypes=[float])(arrivals)


WAITS = {"none": lambda arrivals, through: 0 * np.asarray(arrivals), "proposition1": wait_proposition_1, "poisson": wait_poisson, "periodic": wait_periodic}
"""Laws of the resequencer, by name. `full-load` is that of LinkModel.resequenced."""
FULL_LOAD = "full-load"


@dataclass(frozen=True)
class Operation:
    """Where link and connections agree. `goodput`: bytes a second of all connections; `utilization`: U of eq. 2; `round_trip`: A_i,
    queues before the link left out; `wait`: its share in the resequencer; `busy`: pi, share of time in which the line is busy."""

    goodput: float
    utilization: float
    round_trip: float
    wait: float
    busy: float

    @property
    def is_full(self):
        """The line, not TCP, limits the goodput; then queues grow before it, and `round_trip` is only a part of TCP's."""
        return self.busy >= 1


class TcpOverLink:
    """`connections` TCP connections (C) that share a link.

    link         LinkModel, of packets of one length and with a unit time
    rest         T: round trip without the link's propagation delay, in seconds
    resequencing one of WAITS, or `full-load`: what resequencing adds where the line is always busy, whatever the load
    through      time through the link: `medium` (section 4.5, all frames of a packet leave before the first NACK), or `general` (eq. 7)
    variant      `paper`: share of answers that cause a retransmission as in section 4.5; `exact`: as in errata 4
    """

    def __init__(self, link, connections, rest, resequencing="proposition1", through="medium", variant="paper", b=DELAYED_ACK):
        if len(link.packets) != 1:
            raise UserError("The TCP model needs packets of one length.")
        if not link.unit_time:
            raise UserError("The TCP model needs the time of a unit on the line.")
        if resequencing not in (*WAITS, FULL_LOAD):
            raise UserError(f"resequencing is '{resequencing}'; it must be one of {', '.join((*WAITS, FULL_LOAD))}.")
        if through not in ("medium", "general"):
            raise UserError(f"through is '{through}'; it must be medium or general.")
        self.link, self.connections, self.rest, self.b = link, connections, rest, b
        self.resequencing, self.law, self.variant = resequencing, through, variant
        (self.packet,) = link.packets

    @property
    def line_rate(self):
        """B: bytes of units' payload a second."""
        return self.link.unit_bytes / self.link.unit_time

    @cached_property
    def loss(self):
        """P of a packet (eq. 3)."""
        return self.link.packet_loss

    @cached_property
    def capacity(self):
        """alpha B: bytes of delivered packets a second where the line is always busy."""
        return self.link.alpha * self.line_rate

    def through(self, busy):
        """1/mu: mean seconds through the link without resequencing, propagation included."""
        if self.law == "general":
            return self.link.crossing(self.link.code.frames(self.packet, self.link.unit_bytes), busy=busy).mean()
        return self.link.mean_delay_medium(round(self.link.frames_per_packet), busy, self.variant)

    @cached_property
    def full_load_wait(self):
        """Seconds in the resequencer where the line is always busy."""
        return self.link.resequenced().mean() - self.link.unordered().mean()

    def wait(self, goodput, through):
        """Seconds in the resequencer at a goodput of all connections."""
        if self.resequencing == FULL_LOAD:
            return self.full_load_wait
        arrivals = goodput / self.packet / (1 - self.loss)
        return float(WAITS[self.resequencing](arrivals, through))

    def round_trip(self, goodput):
        """(A_i, its share in the resequencer) at a goodput of all connections. The way back takes T + D."""
        through = self.through(min(1.0, goodput / self.capacity))
        wait = self.wait(goodput, through)
        return self.rest + self.link.delay + through + wait, wait

    def offered(self, goodput):
        """C R: what the connections would deliver with the round trip that there is at `goodput`."""
        return self.connections * float(rate(self.loss, self.round_trip(goodput)[0], self.packet, self.b))

    def operation(self):
        """The fixed point of R = f(R), section 4.5: more goodput makes round trips longer, and these less goodput, so there is one."""
        if not self.capacity or self.loss >= 1:
            return Operation(0.0, 0.0, math.inf, math.nan, 1.0 if self.loss >= 1 else 0.0)
        goodput = self.capacity
        if self.offered(goodput) < goodput:
            goodput = optimize.root_scalar(lambda x: self.offered(x) - x, bracket=(0, goodput), xtol=1e-14 * goodput).root
        total, wait = self.round_trip(goodput)
        return Operation(goodput, goodput / self.line_rate, total, wait, min(1.0, goodput / self.capacity))
