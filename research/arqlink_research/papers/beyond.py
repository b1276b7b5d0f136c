# SPDX-License-Identifier: Apache-2.0
"""What the papers did not measure: FEC on retransmissions only, other K and packets, bursts, windows of the link, newer TCP."""

from arqlink_research.papers.figure import Curve, Figure
from arqlink_research.papers.rr4752 import KARN

COMMON = KARN | {"connections": 10, "delay_ms": 200}
UNIT_MS = 0.1
"""A unit of 25 bytes at 2 Mb/s."""


def of_parity(parity):
    """Parity units of retransmissions alone: N is that of the curve."""
    return {"nr": 10 + parity}


def burst(units, lost=0.01):
    """Losses of `units` units in a row on average."""
    return {"loss": f"fading:{units * UNIT_MS:g},{lost}"}


def _of_k(parity, delta):
    return Curve(f"N = K + {parity}, δ = {delta}", {"delta": delta}, place=lambda k: {"k": k, "n": k + parity})


FIGURES = (
    Figure(
        "beyond-retransmissions", "", "FEC on retransmissions, D = 200 ms", of_parity, "parity units of a retransmission", (0, 1, 2, 3, 4),
        tuple(
            Curve(f"first N = {n}, δ = {delta}, p = {p}", {"n": n, "delta": delta, "loss": p})
            for n, delta, p in ((10, 1, 0.01), (10, 2, 0.01), (10, 1, 0.03), (11, 1, 0.03))
        ),
        COMMON, rtl=(("first N = 10, δ = 1, p = 0.01", 1),),
    ),
    Figure(
        "beyond-k", "", "Length of frames, p = 0.01, D = 200 ms", "k", "K, data units of a frame", (2, 3, 5, 6, 10),
        (_of_k(0, 1), _of_k(0, 3), _of_k(1, 0), _of_k(1, 1)), COMMON | {"loss": 0.01}, rtl=(("N = K + 1, δ = 1", 5),),
    ),
    Figure(
        "beyond-packets", "", "Length of packets, p = 0.01, D = 200 ms", "packet_bytes", "bytes of a packet", (250, 500, 1500, 3000, 9000),
        tuple(Curve(f"N = {n}, δ = {delta}", {"n": n, "delta": delta}) for n, delta in ((10, 1), (10, 3), (11, 0), (11, 1))), COMMON | {"loss": 0.01},
        logarithmic=True, rtl=(("N = 11, δ = 1", 500),),
    ),
    Figure(
        "beyond-bursts", "", "Losses in bursts, one unit of 100, D = 200 ms", burst, "mean burst in units", (1, 2, 4, 8, 16, 32),
        tuple(Curve(f"N = {n}, δ = {delta}", {"n": n, "delta": delta}, has_model=False) for n, delta in ((12, 0), (14, 0), (10, 1), (11, 1), (14, 1), (10, 3))),
        COMMON, logarithmic=True, rtl=(("N = 14, δ = 1", 4),),
    ),
    Figure(
        "beyond-window", "", "Window of the link, 10 Mb/s, D = 200 ms: a round trip has 2000 frames", "window_frames", "window in frames",
        (512, 1024, 2048, 4096),
        tuple(Curve(f"p = {p}, N = {n}", {"loss": p, "n": n}, has_model=False) for p, n in ((0.001, 10), (0.01, 10), (0.01, 11))),
        COMMON | {"delta": 14, "rate_mbps": 10.0, "sender_mbps": 100.0, "receiver_mbps": 100.0, "window": 100, "buffer": 1000}, logarithmic=True,
    ),
    Figure(
        "beyond-variants", "", "TCP of today over ARQ alone, p = 0.01, D = 200 ms", "delta", "persistency δ", (0, 1, 2, 5),
        tuple(Curve(label, {"variant": variant}, has_model=False) for label, variant in (
            ("NewReno, no SACK", "reno"), ("NewReno", "NewReno"), ("Cubic", "Cubic"), ("BBR", "Bbr"), ("Hybla", "Hybla"),
        )), COMMON | {"loss": 0.01, "n": 10, "window": 600, "seconds": 200, "warm_up": 50, "timestamps": True}, rtl=(("Cubic", 2),),
    ),
)  # fmt: skip
