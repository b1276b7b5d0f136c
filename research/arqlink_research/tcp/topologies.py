# SPDX-License-Identifier: Apache-2.0
"""Paths with a name: what they are made of, and the settings that they have where nothing else is said."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Topology:
    """structure  as the simulator has it: direct, split (of segments, without a gateway that looks into packets), or onboard (two links with a
               satellite between them)
    what       a sentence
    settings   defaults
    """

    structure: str
    what: str
    settings: dict = field(default_factory=dict)

    @property
    def gateway(self):
        """Number of the node where --gateway is: the satellite, or before the link."""
        return 1 if self.structure == "onboard" else 0


GEO_MS = 125.0
"""From a terminal to a geostationary satellite."""
BETWEEN_GEO_MS = 207.0
"""Between satellites that are 95 degrees apart: 2 · 42,164 km · sin 47.5°."""
_SPACE = {"connections": 1, "sender_ms": 0.0, "receiver_ms": 0.0, "sender_mbps": 100.0, "receiver_mbps": 100.0, "ack_every": 1}

TOPOLOGIES = {
    "direct": Topology("direct", "TCP from end to end"),
    "split": Topology("split", "TCP ends at the gateway before the link, which trusts the link; needs --copies"),
    "reservation": Topology(
        "direct", "Zhu, Roy & Kim's ACK reservation: a terrestrial round trip of 50 ms, one of 500 ms over the link",
        {"connections": 1, "delay_ms": 248.0, "sender_ms": 25.0, "receiver_ms": 0.0, "sender_mbps": 5.0, "receiver_mbps": 100.0, "rate_mbps": 0.54,
         "packet_bytes": 250, "loss": 0, "n": 10, "delta": "inf", "poll_ms": 100.0, "ack_every": 1, "window": 2000, "gateway": "split,reserve=0.88,cache=185"},
    ),
    "onboard": Topology("onboard", "Luglio et al.: terminal, geostationary satellite, terminal", _SPACE | {"delay_ms": GEO_MS, "gateway": "proxy"}),
    "double-geo": Topology(
        "onboard", "Luglio et al.: two geostationary satellites, of which the second has the gateway",
        _SPACE | {"delay_ms": GEO_MS + BETWEEN_GEO_MS, "second_ms": GEO_MS, "gateway": "proxy"},
    ),
    "vsat-star": Topology(
        "direct", "Peng et al.: five terminals behind a hub with the gateway",
        {"connections": 5, "delay_ms": 250.0, "sender_mbps": 10.0, "sender_ms": 50.0, "receiver_mbps": 10.0, "receiver_ms": 0.0, "rate_mbps": 6.0,
         "packet_bytes": 1024, "gateway": "snoop,cache=1000,queue=50"},
    ),
    "leo": Topology(
        "direct", "Peng et al.: a terminal and a gateway station under Teledesic",
        {"connections": 1, "delay_ms": 40.0, "orbit": "new-york,san-francisco", "sender_mbps": 10.0, "sender_ms": 50.0, "receiver_mbps": 10.0,
         "receiver_ms": 0.0, "rate_mbps": 1.5, "packet_bytes": 1024, "gateway": "snoop,cache=1000,queue=50"},
    ),
}  # fmt: skip
