# SPDX-License-Identifier: Apache-2.0
"""What none of the papers has: each mode of the gateway, with each TCP, over a link that repairs nothing, some or all of its losses. One connection at
2 Mb/s over a geostationary satellite; a unit in 3333 is lost, so without ARQ a packet in 56."""

from arqlink_research.papers.figure import Curve, Figure

INFINITE = 15
"""Its place on the axis."""
MODES = {"no gateway": "none", "clamp": "clamp,cache=256", "snoop": "snoop,cache=1000", "split": "split,cache=256", "proxy": "proxy,cache=768"}
TCPS = {"reno": "NewReno without SACK", "NewReno": "NewReno", "Cubic": "Cubic", "Hybla": "Hybla", "WestwoodPlus": "Westwood+"}
FIXED = {"connections": 1, "delay_ms": 250, "loss": 0.0003, "n": 10, "window": 600, "seconds": 100, "warm_up": 20}


def persistency(delta):
    return {"delta": "inf" if delta == INFINITE else delta}


FIGURES = tuple(
    Figure(
        f"modes-{variant.lower()}", "", f"Modes of the gateway, {name}", persistency, "persistency δ; 15: infinite", (0, 1, 3, INFINITE),
        tuple(Curve(mode, {"gateway": gateway}, has_model=False) for mode, gateway in MODES.items()), FIXED | {"variant": variant}, repeated=2,
    )
    for variant, name in TCPS.items()
)  # fmt: skip
