# SPDX-License-Identifier: Apache-2.0
"""TCP of Linux through the gateway, between an Ethernet and a router with smaller packets: what hosts, cards and routers do, in each mode."""

import pytest

from arqlink.gateway.gateway import LAN, LINK

from . import routed
from .connections import CLASSES, END_TO_END, MODES, Case

pytestmark = pytest.mark.needs("namespaces")
VERSIONS = pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])


@pytest.fixture(scope="module")
def network():
    with routed.network() as (names, devices):
        yield names, devices


def case_on(network, **more):
    names, devices = network
    return Case(((names[0], names[2]), devices, routed.ADDRESSES), **more)


@pytest.fixture
def names(network):
    """As they are while a test runs: then everything is as it was."""
    a, r, b = network[0]
    routed.set_longest((a, r, b), 1500)
    yield a, r, b
    routed.set_tcp((a, b), sack=1, timestamps=1)
    routed.move_return_path((a, r, b), False)


@VERSIONS
def test_rfc1191_packets_that_do_not_fit_behind_the_router(network, names, v6):
    """From the first packet on: the gateway has acknowledged what the router does not let pass."""
    routed.set_longest(names, routed.SHORT)
    case = case_on(network, loss=0.005)
    for mode in MODES:
        case.connect(mode, v6).send(LAN, 100000).send(LINK, 30000)
    case.finish()
    assert case.gateway.counters()["too_big"] >= 1


@VERSIONS
def test_rfc1191_a_path_that_shrinks_under_traffic(network, names, v6):
    case = case_on(network, rate=8e6)
    for mode in MODES:
        case.connect(mode, v6).send(LAN, 250000)
    assert case.run(lambda: all(c.streams[LAN].count > 20000 for c in case.connections))
    routed.set_longest(names, routed.SHORT)
    case.finish()
    assert case.gateway.counters()["too_big"] >= 1


@pytest.mark.parametrize("control", [b"reno", b"cubic", b"bbr"], ids=bytes.decode)
@pytest.mark.parametrize(
    "sack, timestamps",
    [pytest.param(1, 1, id="both"), pytest.param(0, 1, id="no sack"), pytest.param(1, 0, id="no timestamps"), pytest.param(0, 0, id="neither")],
)
def test_rfc2018_and_7323_hosts_with_and_without_options(network, names, control, sack, timestamps):
    """Ethernet pads each ACK that has no timestamps."""
    routed.set_tcp((names[0], names[2]), sack, timestamps)
    case = case_on(network, loss=0.01)
    for mode in MODES:
        for v6 in (False, True):
            case.connect(mode, v6, control=control).send(LAN, 30000).send(LINK, 30000)
    case.finish()
    counts = case.gateway.counters()
    assert counts["malformed"] == 0 and counts["flows_opened"] == 2 * (len(MODES) - 1)


@VERSIONS
def test_a_return_path_that_moves_away_under_traffic(network, names, v6):
    """All that was sent arrives; or, where the gateway has acknowledged what nobody knows to have arrived, both hosts are told."""
    classes = "\n".join(f"{line} give_up=6" if "split" in line or "proxy" in line else line for line in CLASSES.split("\n"))
    case = case_on(network, rate=8e6, classes=classes)
    try:
        for mode in MODES:
            case.connect(mode, v6).send(LAN, 1000000)
        assert case.run(lambda: all(c.streams[LAN].count > 20000 for c in case.connections))
        routed.move_return_path(names, True)
        assert case.run(lambda: all(c.is_done for c in case.connections)), [str(c) for c in case.connections]
        for connection in case.connections:
            if not any(connection.errors):
                connection.check()
        assert all(c.errors == [None, None] for c in case.connections if c.mode in END_TO_END)
        broken = [c for c in case.connections if any(c.errors)]
        assert case.run(lambda: all(all(c.errors) for c in broken)), [str(c) for c in broken]
        assert case.gateway.counters()["flows_failed"] >= len(broken), "of others, what was owed had arrived before they were given up"
    finally:
        case.close()


@VERSIONS
def test_a_return_path_that_comes_back(network, names, v6):
    """While it is away, a gateway that acknowledges may wait, as it hears nothing; the others go on, and all do when it is back."""
    case = case_on(network, rate=8e6)
    for mode in MODES:
        case.connect(mode, v6).send(LAN, 600000)
    others = [c for c in case.connections if c.mode in END_TO_END]
    for size in (20000, 60000, 120000):
        assert case.run(lambda size=size: all(c.streams[LAN].count > size for c in case.connections)), [str(c) for c in case.connections]
        routed.move_return_path(names, True)
        assert case.run(lambda size=size: all(c.streams[LAN].count > size + 20000 for c in others)), [str(c) for c in others]
        routed.move_return_path(names, False)
    case.finish()
