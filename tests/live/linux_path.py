# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces of Linux with a gateway and a lossy line between them, for tests of the gateway with TCP that nobody here wrote."""

import heapq
import itertools
import os
import select
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from arqlink.gateway.gateway import LAN, LINK
from arqlink.live.namespaces import IFF_TUN, inside, open_device
from tests import seeds

MTU = 1500


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


@contextmanager
def namespaces():
    """Two namespaces, `a` with 10.77.0.1 and fd77::1, `b` with .2 and ::2, and the TUN device of each."""
    tag = f"arq{os.getpid():x}"
    names = [f"{tag}-{side}" for side in "ab"]
    files = []
    made = []
    try:
        for i, name in enumerate(names):
            run("ip", "netns", "add", name)
            made.append(name)
            with inside(name):
                files.append(open_device("tun0", IFF_TUN))
            there = ["ip", "-n", name]
            run(*there, "link", "set", "lo", "up")
            run(*there, "link", "set", "tun0", "mtu", str(MTU), "up")
            run(*there, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "tun0")
            run(*there, "addr", "add", f"fd77::{i + 1}/64", "dev", "tun0", "nodad")
        yield names, [Device(file) for file in files]
    finally:
        for file in files:
            os.close(file)
        for name in made:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


@dataclass
class Line:
    """One direction of the line behind the gateway: packets leave at a rate, are lost by chance, and arrive after a delay."""

    seconds: float
    loss: float
    bits_per_second: float
    seed: int
    dark: tuple = ()
    """Times from and until which all is lost."""

    def __post_init__(self):
        self.random = seeds.rng(self.seed)
        self.free = 0.0
        self.under_way, self.count = [], itertools.count()
        self.lost = 0

    def send(self, packet, now):
        self.free = max(self.free, now) + len(packet) * 8 / self.bits_per_second
        if self.random.random() < self.loss or (self.dark and self.dark[0] <= now < self.dark[1]):
            self.lost += 1
            return
        heapq.heappush(self.under_way, (self.free + self.seconds, next(self.count), packet))

    def next(self):
        return self.under_way[0][0] if self.under_way else float("inf")

    def arrived(self, now):
        while self.under_way and self.under_way[0][0] <= now:
            yield heapq.heappop(self.under_way)[2]


class Device:
    """A TUN device: IP packets."""

    def __init__(self, file):
        self.file = file

    def fileno(self):
        return self.file

    def read(self):
        for _ in range(64):
            try:
                yield os.read(self.file, 65536)
            except BlockingIOError:
                return

    def write(self, packet):
        with suppress(OSError):  # a full queue drops, as a wire's would
            os.write(self.file, packet)


class Path:
    """a -- gateway -- line -- b, in real time, between two devices."""

    def __init__(self, gateway, devices, there, back):
        self.gateway, self.devices, self.there, self.back = gateway, devices, there, back
        self.start = time.monotonic()

    def now(self):
        return time.monotonic() - self.start

    def run(self, until, most):
        """Carries packets until `until()` is true; False: it was not within `most` seconds."""
        end = self.now() + most
        while not until():
            now = self.now()
            if now > end:
                return False
            self._move(now)
            soonest = min(self.there.next(), self.back.next(), self.gateway.deadline(), now + 0.05)
            if self.gateway.waiting(LINK):
                soonest = min(soonest, self.there.free)
            select.select(self.devices, [], [], max(0.0, soonest - self.now()))
        return True

    def _move(self, now):
        gateway = self.gateway
        gateway.advance(now)
        near, far = self.devices
        for packet in near.read():
            gateway.receive(LAN, packet, now)
        for packet in far.read():
            self.back.send(packet, now)
        for packet in self.back.arrived(now):
            gateway.receive(LINK, packet, now)
        for packet in self.there.arrived(now):
            far.write(packet)
        while self.there.free <= now and (packet := gateway.take(LINK, now)):
            self.there.send(packet, now)
        for packet in gateway.all(LAN, now):
            near.write(packet)


def in_namespace(name, *command, **options):
    return subprocess.Popen(["ip", "netns", "exec", name, *command], **options)
