# SPDX-License-Identifier: Apache-2.0
"""Hosts, Ethernet, a gateway, a line, a router and a network of smaller packets behind it, all but the gateway and the line by Linux:

    a --Ethernet-- gateway --line-- r --1280 bytes-- b
    +-------------------- another way -----+

`a` does not know of the smaller packets, and `b` asks for long ones: so the router has to say that they do not fit."""

import os
import subprocess
from contextlib import contextmanager

from arqlink.live.namespaces import ETHERNET, IFF_TAP, IFF_TUN, inside, open_device
from tests.live import linux_path
from tests.live.linux_path import run

SHORT = 1280
"""Bytes of the longest packet behind the router; the least that IPv6 allows."""
ADDRESSES = {False: ("10.77.1.1", "10.77.2.1"), True: ("fd77:1::1", "fd77:2::1")}
HOST_MAC, GATEWAY_MAC = "02:00:00:00:77:01", "02:00:00:00:77:fe"
LEAST = 60
"""Bytes of a frame without its check sum: a shorter one is padded."""


class Ethernet(linux_path.Device):
    """The gateway's port on the network of `a`: frames come padded, as a card delivers them."""

    def read(self):
        for frame in super().read():
            if frame[12:14] in (b"\x08\x00", b"\x86\xdd"):
                yield frame[ETHERNET:].ljust(LEAST - ETHERNET, b"\0")

    def write(self, packet):
        kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
        header = bytes.fromhex((HOST_MAC + GATEWAY_MAC).replace(":", "")) + kind
        super().write((header + packet).ljust(LEAST, b"\0"))


def sysctl(name, setting):
    run("ip", "netns", "exec", name, "sysctl", "-q", "-w", setting)


@contextmanager
def network():
    """Names of a, r and b, and the devices of both ports of the gateway's path."""
    tag = f"arr{os.getpid():x}"
    a, r, b = names = [f"{tag}-{letter}" for letter in "arb"]
    files, made = [], []
    try:
        for name in names:
            run("ip", "netns", "add", name)
            made.append(name)
            run("ip", "-n", name, "link", "set", "lo", "up")
            for setting in ("net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0", "net.ipv6.conf.default.accept_dad=0"):
                sysctl(name, setting)
        for setting in ("net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"):
            sysctl(r, setting)
        with inside(a):
            files.append(open_device("eth0", IFF_TAP))
        with inside(r):
            files.append(open_device("tun0", IFF_TUN))
        run("ip", "link", "add", "short0", "netns", r, "type", "veth", "peer", "name", "short0", "netns", b)
        run("ip", "link", "add", "other0", "netns", a, "type", "veth", "peer", "name", "other0", "netns", r)
        run("ip", "-n", a, "link", "set", "eth0", "address", HOST_MAC)
        for name, device, own, other in (
            (a, "eth0", 1, None),
            (r, "tun0", None, 1),
            (r, "short0", 254, None),
            (b, "short0", 1, None),
            (a, "other0", 1, None),
            (r, "other0", 254, None),
        ):
            network_of = {"eth0": 1, "tun0": 1, "short0": 2, "other0": 3}[device]
            there = ["ip", "-n", name]
            run(*there, "link", "set", device, "up")
            if own:
                run(*there, "addr", "add", f"10.77.{network_of}.{own}/24", "dev", device)
                run(*there, "addr", "add", f"fd77:{network_of}::{own:x}/64", "dev", device, "nodad")
            if other:
                run(*there, "route", "add", f"10.77.{network_of}.0/24", "dev", device)
                run(*there, "-6", "route", "add", f"fd77:{network_of}::/64", "dev", device)
        for version, via, to in (("-4", "10.77.1.254", "10.77.2.0/24"), ("-6", "fd77:1::fe", "fd77:2::/64")):
            run("ip", "-n", a, version, "neigh", "add", via, "lladdr", GATEWAY_MAC, "dev", "eth0")
            run("ip", "-n", a, version, "route", "add", to, "via", via, "dev", "eth0")
        for version, via in (("-4", "10.77.2.254"), ("-6", "fd77:2::fe")):
            run("ip", "-n", b, version, "route", "add", "default", "via", via, "dev", "short0", "mtu", str(SHORT), "advmss", "1460")
        yield names, (Ethernet(files[0]), linux_path.Device(files[1]))
    finally:
        for file in files:
            os.close(file)
        for name in made:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def set_longest(names, size):
    """Bytes of the longest packet that the router sends to `b`. What hosts have learned of it is forgotten."""
    a, r, _ = names
    run("ip", "-n", r, "link", "set", "short0", "mtu", str(size))
    for version in ("-4", "-6"):
        run("ip", "-n", a, version, "route", "flush", "cache")


def set_tcp(names, sack, timestamps):
    """What hosts negotiate in connections to come."""
    for name in names:
        sysctl(name, f"net.ipv4.tcp_sack={sack}")
        sysctl(name, f"net.ipv4.tcp_timestamps={timestamps}")


def move_return_path(names, away):
    """What goes to `a` takes the other way, or the gateway's again."""
    _, r, _ = names
    for version, host, via in (("-4", "10.77.1.1/32", "10.77.3.1"), ("-6", "fd77:1::1/128", "fd77:3::1")):
        if away:
            run("ip", "-n", r, version, "route", "replace", host, "via", via, "dev", "other0")
        else:
            run("ip", "-n", r, version, "route", "flush", "exact", host)
