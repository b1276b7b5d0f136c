# SPDX-License-Identifier: Apache-2.0
"""Zhu, Roy and Kim: splitting with ACK reservation, where the link is dark for 10 of each 40 seconds. One connection of Reno, 250 segments a second
over the link at most, a round trip of 500 ms over it, and of T1 to the gateway, which stores B packets.

Without reservation the paper's sources run into timeouts, as the window never closes there: `advertise=open`. With TCP's own rules it does
close, and opens with the link: `advertise=room`.
"""

import numpy as np

from arqlink_research.papers.figure import Curve, Figure
from arqlink_research.papers.trace import Trace
from arqlink_research.tcp import measurement
from arqlink_research.tcp import point as points
from arqlink_research.tcp.topologies import TOPOLOGIES

OUTAGE = {"outage": "10000,40000", "variant": "classic", "warm_up": 40.0, "seconds": 800.0}
FIXED = {"topology": "reservation"} | OUTAGE
RATE = TOPOLOGIES["reservation"].settings["rate_mbps"]
SEGMENTS, SEGMENT_BITS = 250.0, 2000
"""mu, which the line has for segments beside its reports on ACKs; and what a segment has."""
SHARE = RATE * 1e6 / (SEGMENTS * SEGMENT_BITS)
"""From shares of the line's rate to shares of mu."""


def gateway(buffer, threshold=1.0, advertise="room"):
    """B in packets; K."""
    return {"gateway": f"split,cache={buffer},reserve={threshold},advertise={advertise}"}


def terrestrial(ms):
    """T1."""
    return {"sender_ms": ms / 2}


def _threshold(buffer):
    return lambda k: gateway(buffer, k, "room" if k < 1 else "open")


_K, _TH = "K: share of the buffer above which ACKs are held back; 1: none are", "Th/μ"

FIGURES = (
    Figure(
        "reservation-fig8", "Fig. 8", "ACK reservation, T1 = 50 ms, 10 of 40 s dark", "", _K, (0.5, 0.6, 0.7, 0.8, 0.88, 0.95, 1.0),
        tuple(Curve(f"B = {b}", {}, place=_threshold(b)) for b in (140, 155, 170, 185)), FIXED | terrestrial(50), axis_of_value=_TH, scale=SHARE,
    ),
    Figure(
        "reservation-table1", "Table I", "ACK reservation, T1 = 100 ms, 10 of 40 s dark", "", _K, (0.75, 0.85, 0.86, 0.95, 1.0),
        tuple(Curve(f"B = {b}", {}, place=_threshold(b)) for b in (175, 200)), FIXED | terrestrial(100) | {"min_rto": 1.3}, axis_of_value=_TH, scale=SHARE,
    ),
    Figure(
        "reservation-buffer", "", "Least buffer, T1 = 50 ms, K of eq. 11, 10 of 40 s dark", lambda b: gateway(round(b), round(1 - 22.66 / b, 4)),
        "B: packets that the gateway stores", (130, 140, 150, 160, 170, 183, 200, 220), (Curve("Reno", {}), Curve("NewReno", {"variant": "reno"})),
        FIXED | terrestrial(50), axis_of_value=_TH, scale=SHARE,
    ),
)  # fmt: skip

_RUN = {"topology": "reservation", "outage": "10000,40000", "variant": "classic", "warm_up": 40.0, "seconds": 80.0}

TRACES = (
    Trace(
        "reservation-fig3", "Fig. 3", "Without reservation, B = 150, 10 of 40 s dark", _RUN | terrestrial(50) | gateway(150, 1.0, "open"),
        {f"longest timeout {s} s": {"max_rto": float(s)} for s in (50, 5)},
    ),
    Trace(
        "reservation-fig6", "Fig. 6", "Queue of the gateway around an outage, B = 183, K = 0.88", _RUN | terrestrial(50) | {"seconds": 40.0},
        {"B = 183": gateway(183, 0.88)}, what="cached", every=0.1,
    ),
    Trace("reservation-fig7", "Fig. 7", "With reservation, B = 150, 10 of 40 s dark", _RUN | terrestrial(50), {"K = 0.85": gateway(150, 0.85)}),
)  # fmt: skip

CYCLE, DARK = 40.0, 10.0


def recovery_times(settings, seed=1, every=0.02):
    """Seconds from the first ACK after each outage until the source's window is B1 + T2/T1 for good, where the path is full again (eq. 18)."""
    point = points.from_settings(settings)
    windows = np.array(measurement.simulate(point, seed, every).windows)
    t1, t2 = 2e-3 * settings["sender_ms"], 0.5
    full = SEGMENTS * t1 + t2 / t1
    begins = np.arange(CYCLE / 2 + DARK, windows[-1, 0] - CYCLE / 2, CYCLE)  # outages begin in the middle of a cycle
    times = []
    for begin in begins[begins > windows[0, 0]]:
        time, window = windows[(windows[:, 0] >= begin) & (windows[:, 0] < begin + CYCLE / 2)].T
        first = np.argmax(window > 1.5)
        times.append(time[np.flatnonzero(window < full)[-1]] - time[first])
    return times
