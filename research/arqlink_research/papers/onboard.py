# SPDX-License-Identifier: Apache-2.0
"""Luglio, Sanadidi, Gerla and Stepanek: a TCP proxy on board of a geostationary satellite, which splits each connection between uplink and
downlink. Sessions of 31 s with packets of 1500 bytes, one at a time; bit errors are uniform, on both links and both ways, 10^-6 where the paper names no
rate. Neither TCP has SACK: then both have about as much as in the paper, which says "both with the NewReno enhancements". `onboard-sack` says what SACK does.

The link has no code and no ARQ here (N = K, δ = 0), as in the paper; `ARQ` says what changes with it. A unit is erased where one of its 200 bits
of payload is wrong, so packets are lost as in the paper: 1.2 % on each link at 10^-6.
"""

import math

from arqlink_research.papers.figure import Curve, Figure

UNIT_BITS = 200
"""Of configuration `paper`; `paper8`, for 20 Mb/s, has 192."""
FIXED = {"topology": "onboard", "n": 10, "delta": 0, "seconds": 31.0, "warm_up": 0.0, "window": 4000, "gateway": "none", "initial_window": 1}
DOUBLE = {"topology": "double-geo"}
ARQ = {"delta": 3}
SENDERS = {"NewReno": ({"variant": "reno"}, "newreno"), "Westwood": ({"variant": "Westwood2001", "sack": False}, "westwood")}
"""TCP of the terminals, and the proxy's sender. NewReno is that of RFC 6582: ns-3's sends much again for nothing without SACK."""
WITH_SACK = {"NewReno": {"variant": "NewReno"}, "Westwood": {"variant": "Westwood2001"}}
SESSIONS, SHADOWED = 13, 125
"""Times eight: the paper's 100 sessions, and 1000 where shadows make them differ more."""
FAST = {"rate_mbps": 20.0, "window_frames": 65536, "config": "paper8", "k": 10}
SLOW = {"rate_mbps": 1.0}
STREET = {"shadowing": "38,60"}
"""New York sees a satellite at -96° at an elevation of 38°. Each session has a street of its own, and begins in sight of the satellite."""


def bit_errors(rate):
    p = -math.expm1(UNIT_BITS * math.log1p(-rate))
    return {"loss": p, "feedback_loss": f"bernoulli:{p!r}"}


def cache(sender):
    """The proxy, by the packets that it has room for."""
    return lambda packets: {"gateway": f"proxy,sender={sender},cache={packets}"}


def _by_cache(**more):
    """With a proxy and without, for both TCPs."""
    for label, (tcp, sender) in SENDERS.items():
        yield Curve(f"{label}, split on board", tcp | more, has_model=False, place=cache(sender))
        yield Curve(label, tcp | more, has_model=False, place=lambda packets: {})


def _by_errors(packets, **more):
    """The same by the rate of bit errors, with a cache that is long enough."""
    for label, (tcp, sender) in SENDERS.items():
        yield Curve(f"{label}, split on board", tcp | more | cache(sender)(packets), has_model=False)
        yield Curve(label, tcp | more, has_model=False)


def _with_and_without_sack(place):
    """`place`: settings by the proxy's sender."""
    for label, (tcp, sender) in SENDERS.items():
        for name, settings in ((f"{label}, SACK", WITH_SACK[label]), (label, tcp)):
            yield Curve(name, settings | place(sender), has_model=False)


def _by_connections(counts):
    """NewReno over the proxy, whose cache the connections share."""
    tcp, sender = SENDERS["NewReno"]
    for count in counts:
        who = "one connection" if count == 1 else f"{count} connections"
        yield Curve(who, tcp | {"connections": count}, has_model=False, place=cache(sender))


VOICE = FIXED | SLOW | WITH_SACK["NewReno"] | {"background": "voice=4", "seconds": 120.0} | cache("newreno")(100)
"""Calls need 0.32 Mb/s with their headers. They are datagrams, which the proxy passes; its queue has room for as many packets as others have."""
_VOICE_RATES = (1e-7, 1e-6, 1e-5, 5e-5)


def _voice():
    """Over no ARQ, and over ARQ with packets in sequence, as TCP wants them, and out of it."""
    for label, settings in (("no ARQ", {}), ("δ = 1", {"delta": 1}), ("δ = 3", ARQ), ("δ = 1, out of sequence", {"delta": 1, "ord": 0})):
        yield Curve(label, settings, has_model=False)


_CACHE, _ERRORS = "packets that the satellite's cache has room for", "rate of bit errors"
_RATES = (1e-8, 1e-7, 1e-6)

FIGURES = (
    Figure(
        "onboard-fig6", "Fig. 6", "A geostationary satellite, 1 Mb/s, 10⁻⁶ bit errors", "", _CACHE, (10, 20, 40, 63, 100, 200, 400),
        tuple(_by_cache()), FIXED | SLOW | bit_errors(1e-6), repeated=SESSIONS, logarithmic=True,
    ),
    Figure(
        "onboard-fig7", "Fig. 7", "A geostationary satellite, 20 Mb/s, 10⁻⁶ bit errors", "", _CACHE, (100, 300, 600, 1250, 2500, 4000),
        tuple(_by_cache()), FIXED | FAST | bit_errors(1e-6), repeated=SESSIONS, top=0.1, logarithmic=True,
    ),
    Figure(
        "onboard-fig8", "Fig. 8", "A geostationary satellite, 1 Mb/s, cache of 200 packets", bit_errors, _ERRORS, _RATES, tuple(_by_errors(200)),
        FIXED | SLOW, repeated=SESSIONS, logarithmic=True,
    ),
    Figure(
        "onboard-fig8-fast", "Fig. 8", "A geostationary satellite, 20 Mb/s, cache of 4000 packets", bit_errors, _ERRORS, _RATES, tuple(_by_errors(4000)),
        FIXED | FAST, repeated=SESSIONS, logarithmic=True,
    ),
    Figure(
        "onboard-fig9", "Fig. 9", "Two geostationary satellites, 1 Mb/s, 10⁻⁶ bit errors", "", _CACHE, (10, 20, 40, 80, 160, 400),
        tuple(_by_cache()), FIXED | DOUBLE | SLOW | bit_errors(1e-6), repeated=SESSIONS, logarithmic=True,
    ),
    Figure(
        "onboard-fig10", "Fig. 10", "Two geostationary satellites, 20 Mb/s, 10⁻⁶ bit errors", "", _CACHE, (300, 600, 1250, 2500, 4000, 6000),
        tuple(_by_cache()), FIXED | DOUBLE | FAST | bit_errors(1e-6), repeated=SESSIONS, top=0.05, logarithmic=True,
    ),
    Figure(
        "onboard-fig11", "Fig. 11", "Two geostationary satellites, 20 Mb/s, cache of 4000 packets", bit_errors, _ERRORS, _RATES, tuple(_by_errors(4000)),
        FIXED | DOUBLE | FAST, repeated=SESSIONS, top=0.2, logarithmic=True,
    ),
    Figure(
        "onboard-fig12", "Fig. 12", "A sender in a street, 1 Mb/s, 10⁻⁶ bit errors", "", _CACHE, (10, 20, 40, 80, 160, 400), tuple(_by_cache()),
        FIXED | SLOW | STREET | bit_errors(1e-6), repeated=SHADOWED, logarithmic=True,
    ),
    Figure(
        "onboard-fig13", "Fig. 13", "A sender in a street, 20 Mb/s, 10⁻⁶ bit errors", "", _CACHE, (100, 300, 600, 1250, 2500, 4000),
        tuple(_by_cache()), FIXED | FAST | STREET | bit_errors(1e-6), repeated=SHADOWED, top=0.1, logarithmic=True,
    ),
    Figure(
        "onboard-fig14", "Fig. 14", "A sender in a street, 1 Mb/s, cache of 200 packets", bit_errors, _ERRORS, _RATES, tuple(_by_errors(200)),
        FIXED | SLOW | STREET, repeated=SHADOWED, logarithmic=True,
    ),
    Figure(
        "onboard-sack", "", "End to end with SACK and without, 1 Mb/s", bit_errors, _ERRORS, _RATES, tuple(_with_and_without_sack(lambda _: {})),
        FIXED | SLOW, repeated=SESSIONS, logarithmic=True,
    ),
    Figure(
        "onboard-sack-split", "", "Split on board with SACK and without, 1 Mb/s", bit_errors, _ERRORS, _RATES,
        tuple(_with_and_without_sack(lambda sender: cache(sender)(200))), FIXED | SLOW, repeated=SESSIONS, logarithmic=True,
    ),
    Figure(
        "onboard-connections", "Section V.1", "Connections that share the cache, 1 Mb/s, 10⁻⁶ bit errors", "", _CACHE, (10, 20, 40, 63, 100, 200),
        tuple(_by_connections((1, 3, 10))), FIXED | SLOW | bit_errors(1e-6), repeated=SESSIONS, logarithmic=True,
    ),
    Figure(
        "onboard-arq", "", "The same as Fig. 8 over ARQ, δ = 3", bit_errors, _ERRORS, (1e-8, 1e-7, 1e-6, 1e-5), tuple(_by_errors(200, **ARQ)),
        FIXED | SLOW, repeated=5, logarithmic=True,
    ),
    Figure(
        "onboard-voice-loss", "", "Four calls beside TCP through the proxy, 1 Mb/s", bit_errors, _ERRORS, _VOICE_RATES,
        tuple(_voice()), VOICE, value="voice_loss", axis_of_value="datagrams that are lost", top=0.2, repeated=2, logarithmic=True,
    ),
    Figure(
        "onboard-voice-delay", "", "Four calls beside TCP through the proxy, 1 Mb/s", bit_errors, _ERRORS, _VOICE_RATES,
        tuple(_voice()), VOICE, value="voice_delay_99", axis_of_value="delay of 99 of 100 datagrams in s", top=2.0, repeated=2, logarithmic=True,
    ),
)  # fmt: skip
