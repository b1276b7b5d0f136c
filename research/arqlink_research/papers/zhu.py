# SPDX-License-Identifier: Apache-2.0
"""Zhu, Roy and Kim: one TCP connection over a terrestrial and a satellite path, end to end (Figs. 6 to 9, 14 to 17) and split at the gateway
between them (Figs. 11 to 13, 15, 16).

Their satellite link carries 250 segments a second, one link packet each. So does this one: a segment is a frame of ten units, 250 bytes at
0.5 Mb/s, where the paper has 500 bytes at 1 Mb/s. A frame is lost where one of its units is: N = K, persistency infinite. TCP is Reno, as
both of their reports say: RFC 5681, without partial ACKs.
"""

import math
from functools import partial

import numpy as np

from arqlink_research.papers.figure import Curve, Figure
from arqlink_research.papers.trace import Trace
from arqlink_research.tcp import measurement
from arqlink_research.tcp import point as points

K = 10
RATE = 250.0
"""mu: segments a second."""
FRAME_MS = 1e3 / RATE
FIXED = {
    "variant": "classic", "k": K, "n": K, "delta": "inf", "rate_mbps": 0.5, "packet_bytes": 250, "connections": 1, "copies": True, "ack_every": 1,
    "sender_mbps": 100.0, "receiver_mbps": 100.0, "receiver_ms": 0.0, "window": 10_000,
}  # fmt: skip
DIRECT, SPLIT = {"topology": "direct"}, {"topology": "split"}
LOSSES = (0.1, 0.2, 0.3, 0.4, 0.5)
NAME_OF = {"direct": "end to end", "split": "split"}


def loss(p):
    """p: share of segments that the satellite link loses."""
    return {"loss": -math.expm1(math.log1p(-p) / K)}


def terrestrial(ms):
    """T1."""
    return {"sender_ms": ms / 2}


def satellite(ms):
    """T2, in which the frame's own time is contained."""
    return {"delay_ms": (ms - FRAME_MS) / 2}


def times_x_ln_x(y, ms):
    """A buffer of y x ln x segments, x = mu T2: by eq. 53 the throughput depends on y alone."""
    x = RATE * ms * 1e-3
    return {"buffer": round(y * x * math.log(x))}


def pipes(y, ms):
    """A buffer of y x segments, x = mu T2."""
    return {"buffer": round(y * RATE * ms * 1e-3)}


def normalized_buffer(x, alpha, ms):
    """x = beta/(1 + 2 alpha), eq. 50, by the buffer."""
    return pipes(x * (1 + 2 * alpha), ms)


def compared(alpha, topology):
    """A curve of Fig. 13: T1 and the buffers follow from alpha, for T2 = 50 ms and p = 0.1."""
    p, ms = 0.1, 50.0
    label = f"{NAME_OF[topology['topology']]}, α = {alpha:g}"
    return Curve(label, topology | loss(p) | satellite(ms) | terrestrial(alpha * ms / (1 - p)), place=partial(normalized_buffer, alpha=alpha, ms=ms))


def fading(rate, share=0.1):
    """f = X/m, eq. 55: fades a second, by their length."""
    return {"loss": f"fading:{1e3 * share / rate!r},{share}"}


EQUAL = terrestrial(100) | satellite(100)
"""T1 = T2 = 100 ms, as in Fig. 9."""
_figure = partial(Figure, axis_of_value="λ/μ: goodput by the line's rate", repeated=2)


def _of_loss(**more):
    return tuple(Curve(f"p = {p:g}", loss(p), **more) for p in (0.1, 0.3))


P_AXIS, B_AXIS = "p: segments that the satellite path loses", "B: segments that the gateway stores"

FIGURES = (
    _figure(
        "zhu-fig6", "Fig. 6", "End to end, T1 = 0, B = 50", loss, P_AXIS, LOSSES,
        tuple(Curve(f"T2 = {ms} ms", satellite(ms)) for ms in (100, 250, 500)), FIXED | DIRECT | terrestrial(0) | {"buffer": 50},
        rtl=(("T2 = 100 ms", 0.1), ("T2 = 250 ms", 0.3)), rtl_seeds=24,
    ),
    _figure(
        "zhu-fig7", "Fig. 7", "End to end, T1 = 100 ms, B = 50", satellite, "T2: round trip over the satellite in ms", (50, 100, 150, 200, 300, 500),
        _of_loss(), FIXED | DIRECT | terrestrial(100) | {"buffer": 50},
        rtl=(("p = 0.1", 200),),
    ),
    _figure(
        "zhu-fig8", "Fig. 8", "End to end, T2 = 100 ms, B = 50", terrestrial, "T1: terrestrial round trip in ms", (0, 50, 100, 200, 300, 500),
        _of_loss(), FIXED | DIRECT | satellite(100) | {"buffer": 50},
        rtl=(("p = 0.1", 0), ("p = 0.3", 300)), rtl_seeds=12,
    ),
    _figure(
        "zhu-fig9", "Fig. 9", "End to end, T1 = T2 = 100 ms", "buffer", B_AXIS, (10, 25, 50, 75, 100, 150),
        _of_loss(), FIXED | DIRECT | EQUAL,
        rtl=(("p = 0.1", 100),), rtl_seeds=8,
    ),
    _figure(
        "zhu-eq53", "Eq. 53", "End to end, T1 = 0, p = 0.1", "", "B / (x ln x), x = μ T2", (0.25, 0.5, 0.75, 1.0, 1.5, 2.0),
        tuple(Curve(f"T2 = {ms} ms", satellite(ms), place=partial(times_x_ln_x, ms=ms)) for ms in (50, 100, 250, 500)),
        FIXED | DIRECT | terrestrial(0) | loss(0.1),
    ),
    _figure(
        "zhu-eq53-pipes", "Eq. 53", "End to end, T1 = 0, p = 0.1", "", "B / x, x = μ T2", (0.64, 1.28, 1.92, 2.56, 3.84, 5.12),
        tuple(Curve(f"T2 = {ms} ms", satellite(ms), place=partial(pipes, ms=ms)) for ms in (50, 100, 250)), FIXED | DIRECT | terrestrial(0) | loss(0.1),
    ),
    _figure(
        "zhu-fig11", "Fig. 11", "Split, T1 = 100 ms, p = 0.1", "buffer", B_AXIS, (10, 25, 50, 100, 150, 200),
        tuple(Curve(f"T2 = {ms} ms", satellite(ms)) for ms in (10, 500)), FIXED | SPLIT | terrestrial(100) | loss(0.1),
        rtl=(("T2 = 10 ms", 25), ("T2 = 500 ms", 150)),
    ),
    _figure(
        "zhu-fig12", "Fig. 12", "Split, T1 = 100 ms, B = 50", loss, P_AXIS, LOSSES,
        tuple(Curve(f"T2 = {ms} ms", satellite(ms)) for ms in (10, 250, 500)), FIXED | SPLIT | terrestrial(100) | {"buffer": 50},
        rtl=(("T2 = 250 ms", 0.3),),
    ),
    _figure(
        "zhu-fig13", "Fig. 13", "Split and end to end, T2 = 50 ms, p = 0.1", "", "β / (1 + 2α)", (0.2, 0.4, 0.6, 0.8, 1.0, 1.4),
        tuple(compared(alpha, topology) for alpha in (0.1, 1, 10) for topology in (SPLIT, DIRECT)), FIXED,
        rtl=(("split, α = 1", 0.8), ("end to end, α = 1", 0.8)),
    ),
    _figure(
        "zhu-leo", "Section VI", "A satellite in a low orbit, T1 = 100 ms, T2 = 10 ms, p = 0.1", "buffer", B_AXIS, (3, 5, 10, 25, 50, 100),
        (Curve("end to end", DIRECT), Curve("split", SPLIT)), FIXED | terrestrial(100) | satellite(10) | loss(0.1),
    ),
    _figure(
        "zhu-fig14", "Fig. 14", "End to end, T1 = T2 = 100 ms, B = 50", "delta", "persistency δ", (0, 1, 2, 3, 4, 6, 8, 10),
        _of_loss(model={"delta": "inf"}), FIXED | DIRECT | EQUAL | {"buffer": 50},
        rtl=(("p = 0.1", 2),), rtl_seeds=8,
    ),
    _figure(
        "zhu-fig15", "Fig. 15", "Fading for a tenth of the time, T1 = T2 = 100 ms, B = 50", fading, "f: fades a second", (0.1, 0.5, 1, 5, 10, 25),
        (Curve("end to end", DIRECT), Curve("split", SPLIT)), FIXED | EQUAL | {"buffer": 50},
        rtl=(("end to end", 5), ("split", 5)), rtl_seeds=8, logarithmic=True,
    ),
    _figure(
        "zhu-fig16", "Fig. 16", "Connections that share the link, T1 = T2 = 100 ms, p = 0.1", "connections", "N: connections", (1, 2, 4, 6, 8, 10),
        tuple(Curve(f"{NAME_OF[topology['topology']]}, B = {buffer}", topology | {"buffer": buffer}) for topology in (SPLIT, DIRECT) for buffer in (30, 60)),
        FIXED | EQUAL | loss(0.1),
        rtl=(("split, B = 60", 2), ("end to end, B = 60", 4)),
    ),
)  # fmt: skip

TRACES = (
    Trace(
        "zhu-fig17", "Fig. 17", "Two connections end to end, T1 = T2 = 100 ms, p = 0.1, B = 50",
        FIXED | DIRECT | EQUAL | loss(0.1) | {"buffer": 50, "connections": 2, "warm_up": 100, "seconds": 150},
    ),
)  # fmt: skip


def synchronization(p, seed, seconds=900, every=0.25):
    """Of Fig. 17's two connections, where the satellite link loses p: the correlation of their windows, the share of falls (by a third and more from one
    sample to the next) with one of the other connection no further than a sample away, and the share that would be by chance."""
    settings = TRACES[0].settings | loss(p) | {"seconds": seconds}
    windows = np.array(measurement.simulate(points.from_settings(settings), seed, every).windows)[:, 1:]
    falls = windows[1:] < windows[:-1] * 2 / 3
    near = falls.copy()
    near[1:] |= falls[:-1]
    near[:-1] |= falls[1:]
    return float(np.corrcoef(windows.T)[0, 1]), float((falls & near[:, ::-1]).sum() / falls.sum()), float(near.mean())
