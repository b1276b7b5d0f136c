# SPDX-License-Identifier: Apache-2.0
"""RR-4752 (Barakat and Al Fawal): U over N and persistency. Figs. 3 to 8 are its simulations, Figs. 9 to 14 its model of the same points."""

from arqlink_research.papers.figure import Curve, Figure

DELAYS = (20, 100, 200)
DELTAS = (0, 1, 2, 3, 4, 5)
KARN = {"timestamps": False}
"""Round trips by Karn's rule, as TCP had them then: with timestamps a segment that was sent again ends a long timeout."""
NS = (10, 11, 12, 13, 14, 15)
N_AXIS, DELTA_AXIS = "N, units of a frame with K = 10", "persistency δ"


def _of_delay():
    return tuple(Curve(f"D = {delay} ms", {"delay_ms": delay}) for delay in DELAYS)


def _of_delta():
    return tuple(Curve(f"δ = {delta}", {"delta": delta}) for delta in DELTAS)


def _hybrid(name, number, p, connections, rtl):
    who = "one connection" if connections == 1 else f"{connections} connections"
    fixed = KARN | {"loss": p, "delay_ms": 200, "connections": connections}
    return Figure(name, number, f"Hybrid, {who}, p = {p:g}, D = 200 ms", "n", N_AXIS, NS, _of_delta(), fixed, repeated=2 if connections == 1 else 1, rtl=(rtl,))


FIGURES = (
    Figure(
        "rr4752-fig3", "Figs. 3 and 9", "FEC alone, 10 connections, p = 0.01", "n", N_AXIS, NS, _of_delay(),
        KARN | {"loss": 0.01, "delta": 0, "connections": 10},
        rtl=(("D = 200 ms", 12),),
    ),
    Figure(
        "rr4752-fig4", "Figs. 4 and 10", "ARQ alone, 10 connections, p = 0.01", "delta", DELTA_AXIS, DELTAS,
        _of_delay() + tuple(Curve(f"D = {delay} ms, ord = 0", {"delay_ms": delay, "ord": 0}, False) for delay in DELAYS),
        KARN | {"loss": 0.01, "n": 10, "connections": 10}, rtl=(("D = 20 ms", 3),),
    ),
    _hybrid("rr4752-fig5", "Figs. 5 and 11", 0.01, 10, ("δ = 1", 11)),
    _hybrid("rr4752-fig6", "Figs. 6 and 12", 0.001, 10, ("δ = 1", 10)),
    _hybrid("rr4752-fig7", "Figs. 7 and 13", 0.01, 1, ("δ = 2", 12)),
    Figure(
        "rr4752-fig8", "Figs. 8 and 14", "ARQ alone, one connection, p = 0.01", "delta", DELTA_AXIS, DELTAS, _of_delay(),
        KARN | {"loss": 0.01, "n": 10, "connections": 1}, repeated=2, rtl=(("D = 20 ms", 3),),
    ),
)  # fmt: skip
