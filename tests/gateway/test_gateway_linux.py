# SPDX-License-Identifier: Apache-2.0
"""TCP of Linux through the gateway: all modes at once, each on connections of its own, over a line with delay and loss.

Sockets of both hosts live in this process, and are served between the packets: so a case takes no longer than its packets do."""

import errno
import hashlib
import math
import socket
import struct
from itertools import count

import pytest

from arqlink.gateway.gateway import LAN, LINK, Gateway
from tests import seeds
from tests.live import linux_path

from .tcp_through import described

pytestmark = pytest.mark.needs("namespaces")

MODES = "pass clamp snoop split proxy".split()
ADDRESSES = {False: ("10.77.0.1", "10.77.0.2"), True: ("fd77::1", "fd77::2")}
FIRST_PORT = 5000
MOST = 90
"""Seconds that something may take on a busy machine; alone it takes a few."""
CLASSES = "\n".join(f"class {mode} ports={FIRST_PORT + 100 * i}-{FIRST_PORT + 100 * i + 99}" for i, mode in enumerate(MODES))
"""The port of a server says which mode its connections get."""


@pytest.fixture(scope="module")
def hosts():
    with linux_path.namespaces() as (names, files):
        yield names, files


fresh = {mode: count(FIRST_PORT + 100 * i) for i, mode in enumerate(MODES)}


class Case:
    """Connections over one gateway and one line."""

    def __init__(self, hosts, description="cache 256", classes=CLASSES, seconds=0.015, loss=0.0, rate=40e6, dark=()):
        self.names, files = hosts
        for file in files:  # what an earlier case left
            list(linux_path._read(file))
        self.gateway = Gateway(described(f"{description}\n{classes}"))
        self.lines = there, back = tuple(linux_path.Line(seconds, loss, rate, seed, dark) for seed in (1, 2))
        self.path = linux_path.Path(self.gateway, files, there, back)
        self.connections = []

    def connect(self, mode, v6=False, control=b"cubic", buffer=0, opener=LAN, listen=True):
        connection = Connection(self.names, next(fresh[mode]), mode, v6, control, buffer, opener, listen)
        self.connections.append(connection)
        return connection

    def run(self, until, most=MOST):
        def serve():
            for connection in self.connections:
                connection.serve(self.path.now())
            return until()

        return self.path.run(serve, most)

    def finish(self, most=MOST):
        """All transfers arrive as they were sent, and the gateway keeps nothing."""
        assert self.run(lambda: all(c.is_done for c in self.connections), most), [str(c) for c in self.connections if not c.is_done]
        for connection in self.connections:
            connection.check()
            connection.close()
        assert self.run(lambda: self.gateway.flows == 0), self.gateway.counters()
        assert self.gateway.cache_used == 0

    def close(self):
        for connection in self.connections:
            connection.close()
        self.path.run(lambda: False, 0.02)


class Stream:
    """One direction: bytes of a seed, by socket to socket."""

    def __init__(self, size, seed, slow=0.0):
        self.bytes = seeds.rng(seed).randbytes(size)
        self.sent, self.received = 0, hashlib.sha256()
        self.count, self.is_ended = 0, False
        self.slow, self.last = slow, 0.0
        """Seconds between two reads."""

    def write(self, end):
        while self.sent < len(self.bytes):
            try:
                self.sent += end.send(self.bytes[self.sent : self.sent + 65536])
            except BlockingIOError:
                return
            if self.sent == len(self.bytes):
                end.shutdown(socket.SHUT_WR)

    def read(self, end, now):
        if self.slow and now < self.last + self.slow:
            return
        self.last = now
        while not self.is_ended:
            try:
                data = end.recv(2048)
            except BlockingIOError:
                return
            self.is_ended = not data
            self.received.update(data)
            self.count += len(data)
            if self.slow:
                return


class Connection:
    """A server and a client, which may be on either side. Ends are by side: 0 is at the LAN."""

    def __init__(self, names, port, mode, v6, control, buffer, opener, listen):
        self.mode, self.opener, self.port = mode, opener, port
        family, server_side = socket.AF_INET6 if v6 else socket.AF_INET, 1 - opener
        self.ends: list[socket.socket | None] = [None, None]
        self.errors: list[int | None] = [None, None]
        self.streams: list[Stream | None] = [None, None]
        self.listener = None
        if listen:
            with linux_path.inside(names[server_side]):
                self.listener = self._socket(family, control, buffer)
                self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self.listener.bind((ADDRESSES[v6][server_side], port))
                self.listener.listen()
        with linux_path.inside(names[opener]):
            client = self._socket(family, control, buffer)
        self.ends[opener] = client
        assert client.connect_ex((ADDRESSES[v6][server_side], port)) in (0, errno.EINPROGRESS)

    @staticmethod
    def _socket(family, control, buffer):
        s = socket.socket(family, socket.SOCK_STREAM)
        s.setblocking(False)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
        if buffer:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        return s

    def send(self, side, size, slow=0.0):
        """`side` will send so many bytes."""
        self.streams[side] = Stream(size, self.port * 2 + side, slow)
        return self

    def serve(self, now):
        if self.listener and self.ends[1 - self.opener] is None:
            try:
                accepted, _ = self.listener.accept()
                accepted.setblocking(False)
                self.ends[1 - self.opener] = accepted
            except BlockingIOError:
                pass
        for side, end in enumerate(self.ends):
            if end is None or self.errors[side]:
                continue
            try:
                if (error := end.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)) != 0:
                    raise OSError(error, "")
                outgoing, incoming = self.streams[side], self.streams[1 - side]
                if outgoing:
                    outgoing.write(end)
                if incoming:
                    incoming.read(end, now)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.ENOTCONN):
                    self.errors[side] = error.errno

    @property
    def is_done(self):
        return any(self.errors) or all(s is None or s.is_ended for s in self.streams)

    def check(self):
        assert self.errors == [None, None], str(self)
        for stream in filter(None, self.streams):
            assert stream.received.digest() == hashlib.sha256(stream.bytes).digest(), str(self)

    def abort(self, side):
        """The host's end is gone at once, with a reset."""
        self.ends[side].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.ends[side].close()
        self.ends[side] = None

    def close(self):
        for s in filter(None, [*self.ends, self.listener]):
            s.close()
        self.ends[:] = [None, None]
        self.listener = None

    def __str__(self):
        progress = [s and f"{s.count} of {len(s.bytes)}" for s in self.streams]
        return f"{self.mode}, port {self.port}: {progress}, errors {self.errors}"


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
    assert case.gateway.flows == case.gateway.cache_used == 0
    case.close()
