# SPDX-License-Identifier: Apache-2.0
"""TCP of Linux through the gateway: all modes at once, each on connections of its own, over a line with delay and loss."""

import errno
import math

import pytest

from arqlink.gateway.gateway import LAN, LINK
from tests.live import linux_path

from .connections import CLASSES, MODES, Case

pytestmark = pytest.mark.needs("namespaces")

ADDRESSES = {False: ("10.77.0.1", "10.77.0.2"), True: ("fd77::1", "fd77::2")}


@pytest.fixture(scope="module")
def hosts():
    with linux_path.namespaces() as (names, devices):
        yield names, devices, ADDRESSES


@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("control", [b"reno", b"cubic", b"bbr"], ids=bytes.decode)
def test_both_directions_at_once(hosts, control, v6):
    case = Case(hosts, loss=0.01)
    for mode in MODES:
        case.connect(mode, v6, control).send(LAN, 200000).send(LINK, 200000)
    case.finish()


@pytest.mark.parametrize("direction", [LAN, LINK], ids=["there", "back"])
@pytest.mark.parametrize("opener", [LAN, LINK], ids=["from_lan", "from_link"])
def test_one_direction_whoever_opens(hosts, opener, direction):
    """Also a server that speaks first."""
    case = Case(hosts, loss=0.005)
    for mode in MODES:
        case.connect(mode, opener=opener).send(direction, 150000)
    case.finish()


def test_a_handful_of_bytes(hosts):
    case = Case(hosts)
    for mode in MODES:
        for opener in (LAN, LINK):
            case.connect(mode, opener=opener).send(LINK, 1).send(LAN, 3)
    case.finish()


@pytest.mark.parametrize("words", ["", "advertise=third", "both reserve=0.5"], ids=["usual", "third", "reserve"])
def test_a_cache_of_eight_packets(hosts, words):
    classes = "\n".join(f"{line} {words if 'split' in line else ''}" for line in CLASSES.split("\n"))
    case = Case(hosts, "cache 8", classes, loss=0.01)
    for mode in MODES:
        case.connect(mode).send(LAN, 50000).send(LINK, 20000)
    case.finish()


@pytest.mark.parametrize("advertise", ["room", "third", "receiver"])
@pytest.mark.parametrize("cache", [8, 64])
def test_a_receiver_that_reads_slowly_into_a_tiny_buffer(hosts, cache, advertise):
    """Its window closes again and again, and is smaller than a segment."""
    classes = "\n".join(line if "split" not in line else f"{line} advertise={advertise}" for line in CLASSES.split("\n"))
    case = Case(hosts, f"cache {cache}", classes, loss=0.005)
    for mode in MODES:
        case.connect(mode, buffer=4096).send(LAN, 40000, slow=0.02)
    case.finish()


def test_many_connections(hosts):
    case = Case(hosts, "cache 32", loss=0.01)
    for mode in MODES:
        for i in range(6):
            case.connect(mode, v6=i % 2 == 1).send(LAN, 30000).send(LINK, 10000)
    case.finish()


def test_a_line_that_is_dark_for_three_seconds(hosts):
    case = Case(hosts, rate=8e6, dark=(0.3, 3.3))
    for mode in MODES:
        case.connect(mode).send(LAN, 150000).send(LINK, 20000)
    assert case.run(lambda: case.path.now() > 3.3)
    case.finish()
    assert case.path.there.lost > 0


@pytest.mark.parametrize("mode", ["split", "proxy"])
def test_more_connections_than_entries(hosts, mode):
    case = Case(hosts, "flows 2", loss=0.005)
    for _ in range(6):
        case.connect(mode).send(LAN, 60000).send(LINK, 20000)
    case.finish()
    counts = case.gateway.counters()
    assert counts["flows_evicted"] + counts["flows_refused"] >= 4


def test_a_connection_that_is_refused(hosts):
    case = Case(hosts)
    for mode in MODES:
        for opener in (LAN, LINK):
            case.connect(mode, opener=opener, listen=False)
    assert case.run(lambda: all(c.errors[c.opener] for c in case.connections))
    assert {c.errors[c.opener] for c in case.connections} == {errno.ECONNREFUSED}
    case.close()


@pytest.mark.parametrize("side", [LAN, LINK], ids=["source", "receiver"])
def test_a_reset(hosts, side):
    """In the middle of a transfer: the other host learns it soon."""
    case = Case(hosts, rate=8e6)
    for mode in MODES:
        case.connect(mode).send(LAN, 3000000)
    assert case.run(lambda: all(c.streams[LAN].count > 20000 for c in case.connections))
    for connection in case.connections:
        connection.abort(side)
    assert case.run(lambda: all(c.errors[1 - side] for c in case.connections)), [str(c) for c in case.connections]
    assert {c.errors[1 - side] for c in case.connections} <= {errno.ECONNRESET, errno.EPIPE}
    assert case.run(lambda: case.gateway.flows == 0)
    assert case.gateway.cache_used == 0
    case.close()


def test_a_receiver_that_is_killed_while_data_are_owed(hosts):
    """Its kernel closes what it had, with data unread."""
    case = Case(hosts, rate=8e6)
    for mode in MODES:
        case.connect(mode, buffer=8192).send(LAN, 1000000, slow=3)
    assert case.run(lambda: all(c.streams[LAN].count for c in case.connections) and case.gateway.cache_used > 20)
    for connection in case.connections:
        connection.ends[LINK].close()
        connection.ends[LINK] = None
    assert case.run(lambda: all(c.errors[LAN] for c in case.connections)), [str(c) for c in case.connections]
    assert case.run(lambda: case.gateway.flows == 0)
    assert case.gateway.cache_used == 0
    case.close()


def test_a_receiver_that_is_silent_is_given_up(hosts):
    classes = "class split give_up=1.5"
    case = Case(hosts, classes=classes, rate=8e6)
    connection = case.connect("split").send(LAN, 200000)
    (sent,) = filter(None, connection.streams)
    assert case.run(lambda: sent.count)
    for line in case.lines:
        line.dark = (0, math.inf)
    assert case.run(lambda: connection.errors[LAN])
    assert connection.errors[LAN] in (errno.ECONNRESET, errno.EPIPE)
    assert case.gateway.cache_used == 0
    case.close()
