# SPDX-License-Identifier: Apache-2.0
"""Peng, Salamanca Cardona, Shafiee and Leung: TCPs over Snoop, in a star of terminals under a geostationary satellite, and over Teledesic: the 25 s
from the start of the connections (`peng-geo-longer`: 100 s). In the star rain falls on a subset of the five terminals, here on two. The queue before the
link has room for 50 packets, and the first window for two, as in their simulator, ns-2.31.

The link repairs nothing here (N = K, δ = 0), as in the paper; `peng-arq` and `peng-handover` say what changes with ARQ below: all terminals have
the bit errors there, on the link, where ARQ repairs them.
"""

from functools import partial

from arqlink_research.papers.figure import Curve, Figure
from arqlink_research.papers.onboard import bit_errors
from arqlink_research.papers.trace import Trace
from arqlink_research.tcp.topologies import TOPOLOGIES

HYBLA = {"variant": "Hybla", "pacing": True}
"""Pacing is a part of it: the paper's "packet spacing"."""
IN_NS3 = {
    "NewReno": {"variant": "NewReno"}, "Hybla": HYBLA, "Vegas": {"variant": "Vegas"}, "DVegas": {"variant": "DVegas"},
    "Westwood+": {"variant": "WestwoodPlus"},
}  # fmt: skip
"""Background traffic needs these."""
TCPS = {"Reno, no SACK": {"variant": "classic"}, "NewReno, no SACK": {"variant": "reno"}} | IN_NS3
FIXED = {"n": 10, "delta": 0, "seconds": 25.0, "warm_up": 0.0, "initial_window": 2}
LONGER = {"seconds": 100.0}
NOISY = 2
GEO = FIXED | {"topology": "vsat-star"}
LEO = FIXED | {"topology": "leo"}
BER = bit_errors(1e-7)
_ERRORS, _RATES = "rate of bit errors", (1e-8, 1e-7, 1e-6)
USER_MBPS = 0.015
"""What a user of the web asks for on average: a page of some 55 kB each half minute."""
LEO_MBPS = TOPOLOGIES["leo"].settings["rate_mbps"]
GAPS = (0, 50, 100, 250, 500)


def rain(rate):
    """Bit errors at some terminals alone."""
    return {"loss": 0.0, "noisy_terminals": f"{NOISY},{rate!r}"}


RAIN = rain(1e-7)


def _each(tcps):
    return tuple(Curve(label, settings, has_model=False) for label, settings in tcps.items())


def load(share):
    """Background traffic that asks for a share of the line: half of it users of the web, a quarter files, and a quarter datagrams."""
    rate = share * LEO_MBPS
    return {"background": f"web={round(rate / 2 / USER_MBPS)},ftp={rate / 4:g},udp={rate / 4:g}"} if share else {}


def handover(gap):
    return {"orbit": f"new-york,san-francisco,{gap}"}


def _over_arq():
    """ARQ delivers in sequence what has waited for a lost frame, all at once: ACKs come in bursts then, and data, which a short queue cannot take."""
    for name in ("NewReno", "Hybla"):
        for label, settings in (
            ("no ARQ", {}),
            ("δ = 3", {"delta": 3}),
            ("δ = 3, queue of 500", {"delta": 3, "gateway": LONG_QUEUE}),
            ("δ = 3, queue of 500, out of sequence", {"delta": 3, "ord": 0, "gateway": LONG_QUEUE}),
        ):
            yield Curve(f"{name}, {label}", TCPS[name] | settings, has_model=False)


LONG_QUEUE = "snoop,cache=1000,queue=500"


_STAR = "Snoop in a star under a geostationary satellite, 6 Mb/s"

_of_all = partial(Figure, x=rain, axis=f"{_ERRORS} at {NOISY} of five terminals", xs=_RATES, curves=_each(TCPS), repeated=2, logarithmic=True)
_of_noisy = partial(_of_all, value="noisy_utilization", axis_of_value="U: their goodput by two fifths of the line's rate")

FIGURES = (
    _of_noisy("peng-geo", "Fig. 3", f"{_STAR}, the terminals in rain", fixed=GEO),
    _of_all("peng-geo-all", "Fig. 3", f"{_STAR}, all terminals", fixed=GEO),
    _of_noisy("peng-geo-longer", "", f"{_STAR}, the terminals in rain, 100 s", fixed=GEO | LONGER),
    Figure(
        "peng-fig4", "Fig. 4", "Snoop over Teledesic, one connection, 1.5 Mb/s", bit_errors, _ERRORS, _RATES, _each(TCPS), LEO, repeated=2, logarithmic=True,
    ),
    Figure(
        "peng-fig5", "Fig. 5", f"The line back, {_STAR.lower()}", "return_mbps", "rate of the line back in Mb/s", (0.1, 0.25, 0.5, 2.0, 6.0), _each(TCPS),
        GEO | RAIN, repeated=2, logarithmic=True,
    ),
    Figure(
        "peng-fig6", "Fig. 6", "Other traffic over Teledesic, one connection, 1.5 Mb/s, 10⁻⁷ bit errors", load, "share of the line that other traffic asks for",
        (0, 0.2, 0.4, 0.6, 0.8), _each(IN_NS3), LEO | BER, repeated=4,
    ),
    Figure(
        "peng-fig7", "Fig. 7", "XCP and others without a gateway, 6 Mb/s, 10⁻⁷ bit errors", "connections", "connections", (1, 2, 5, 10),
        (*_each(IN_NS3), Curve("XCP", {"variant": "Xcp"}, has_model=False)), GEO | BER | {"gateway": "none", "buffer": 50}, repeated=2, logarithmic=True,
    ),
    Figure(
        "peng-arq", "", "The same star over ARQ, δ = 3", bit_errors, _ERRORS, (*_RATES, 1e-5), tuple(_over_arq()), GEO | LONGER, repeated=2, logarithmic=True,
    ),
    Figure(
        "peng-handover", "", "Gaps at the hand-overs of Teledesic, 1.5 Mb/s, 10⁻⁷ bit errors", handover, "ms without a link at a hand-over", GAPS,
        tuple(
            Curve(f"{tcp}, {name}", TCPS[tcp] | arq, has_model=False)
            for tcp in ("NewReno", "Hybla") for name, arq in (("no ARQ", {}), ("δ infinite", {"delta": "inf", "poll_ms": 50.0}))
        ), LEO | BER | {"seconds": 400.0}, repeated=2,
    ),
)  # fmt: skip

TRACES = (
    Trace("peng-fig3", "Fig. 3", f"{_STAR}, 10⁻⁷ bit errors at two of five terminals, one of these", GEO | RAIN, TCPS),
    Trace(
        "peng-start", "Fig. 5", "Goodput after the start, one connection, 2 Mb/s back, 10⁻⁷ bit errors",
        GEO | BER | {"connections": 1, "return_mbps": 2.0}, TCPS, what="rates", every=1.0,
    ),
)  # fmt: skip
