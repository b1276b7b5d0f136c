# SPDX-License-Identifier: Apache-2.0
"""Connections of Linux through a gateway: their sockets live in this process, and are served between the packets, so a case takes no longer than its
packets do."""

import errno
import hashlib
import socket
import struct
from itertools import count

from arqlink.gateway.gateway import LAN, Gateway
from tests import seeds
from tests.live import linux_path

from .tcp_through import described

END_TO_END = "pass clamp snoop".split()
"""Modes in which the hosts alone acknowledge."""
MODES = [*END_TO_END, "split", "proxy"]
FIRST_PORT = 5000
MOST = 90
"""Seconds that something may take on a busy machine; alone it takes a few."""
CLASSES = "\n".join(f"class {mode} ports={FIRST_PORT + 100 * i}-{FIRST_PORT + 100 * i + 99}" for i, mode in enumerate(MODES))
"""The port of a server says which mode its connections get."""

fresh = {mode: count(FIRST_PORT + 100 * i) for i, mode in enumerate(MODES)}


class Case:
    """Connections over one gateway and one line."""

    def __init__(self, hosts, description="cache 256", classes=CLASSES, seconds=0.015, loss=0.0, rate=40e6, dark=()):
        self.names, devices, self.addresses = hosts
        for device in devices:  # what an earlier case left
            list(device.read())
        self.gateway = Gateway(described(f"{description}\n{classes}"))
        self.lines = there, back = tuple(linux_path.Line(seconds, loss, rate, seed, dark) for seed in (1, 2))
        self.path = linux_path.Path(self.gateway, devices, there, back)
        self.connections = []

    def connect(self, mode, v6=False, control=b"cubic", buffer=0, opener=LAN, listen=True):
        connection = Connection(self.names, self.addresses[v6], next(fresh[mode]), mode, v6, control, buffer, opener, listen)
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

    def __init__(self, names, addresses, port, mode, v6, control, buffer, opener, listen):
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
                self.listener.bind((addresses[server_side], port))
                self.listener.listen()
        with linux_path.inside(names[opener]):
            client = self._socket(family, control, buffer)
        self.ends[opener] = client
        assert client.connect_ex((addresses[server_side], port)) in (0, errno.EINPROGRESS)

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
