# SPDX-License-Identifier: Apache-2.0
"""A TCP connection through a gateway, segment by segment, for tests. Packets are built, read and checked by scapy, so by no code of the gateway's."""

from dataclasses import dataclass, field
from typing import Any

from scapy.layers.inet import IP, TCP, in4_chksum
from scapy.layers.inet6 import IPv6, in6_chksum
from scapy.packet import Raw
from scapy.utils import checksum

from arqlink.gateway import words
from arqlink.gateway.gateway import LAN, LINK, Gateway

ADDRESSES = {False: ("10.1.0.1", "10.2.0.1"), True: ("fd01::1", "fd02::1")}
PORTS = (40000, 80)
MSS = 1000
FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
SPACE = 1 << 32


def described(text):
    """The description of a gateway by lines: `class MODE WORD …`, or a name and its number; that of `cache` may have the bytes of a slot behind it."""
    settings: dict[str, Any] = {"classes": []}
    for name, *values in map(str.split, filter(str.strip, text.splitlines())):
        if name == "class":
            settings["classes"].append(words.flow_class(values[0], values[1:]))
        else:
            settings |= zip((name, "slot"), map(int, values))
    return settings


def pattern(begin, end):
    """The bytes of a stream from one place to another: each place has its own."""
    return bytes((i * 7 + i // 251 + 13) % 256 for i in range(begin, end))


@dataclass
class Seen:
    """A TCP packet that came out. Sequence numbers count from the first byte of data."""

    raw: bytes
    seq: int
    ack: int
    flags: int
    window: int
    data: bytes
    timestamps: tuple | None
    sack: list
    urgent: int
    dscp: int

    @property
    def end(self):
        return self.seq + len(self.data)


def is_right(raw):
    """Lengths and checksums agree."""
    if raw[0] >> 4 == 4:
        packet: Any = IP(raw)  # scapy knows its fields at run time
        head = packet.ihl * 4
        return packet.len == len(raw) and checksum(raw[:head]) == 0 and in4_chksum(6, packet, raw[head:]) == 0
    packet = IPv6(raw)
    return packet.plen + 40 == len(raw) and in6_chksum(6, packet, raw[40:]) == 0


@dataclass
class Through:
    """Both hosts, and what they have said. Settings are pairs: of the host at the LAN and of the one at the link."""

    description: str
    v6: bool = False
    isn: tuple = (1000, 5000)
    scale: tuple = (7, 7)
    timestamps: bool = True
    sack: bool = True
    mss: tuple = (MSS, MSS)
    """Bytes of data that fit beside the timestamps."""
    window: tuple = (8000, 8000)
    """As they are in the header."""
    ports: tuple = PORTS
    opener: int = LAN
    shared: Gateway | None = None
    """A gateway that other connections go through too; None: one of its own."""
    now: float = 1.0
    tos: int = 0
    ack: list = field(default_factory=lambda: [0, 0])
    """What each host has acknowledged, from the first byte of data on."""
    said: list = field(default_factory=lambda: [0, 0])
    """The last timestamp of each host."""

    def __post_init__(self):
        self.gateway = self.shared or Gateway(described(self.description))

    # Packets ---------------------------------------------------------------------------------------------------------------

    def ip(self, side, **more):
        addresses = ADDRESSES[self.v6]
        if self.v6:
            return IPv6(src=addresses[side], dst=addresses[1 - side], tc=self.tos, **more)
        return IP(src=addresses[side], dst=addresses[1 - side], tos=self.tos, **more)

    def packet(self, side, seq=0, data=b"", flags="A", ack=None, window=None, sack=(), ts=None, options=None, urgent=0):
        """`ts`: timestamps to say, in place of those that are right."""
        ack = self.ack[side] if ack is None else ack
        if options is None:
            options = []
            if self.timestamps:
                options += [("NOP", None), ("NOP", None), ("Timestamp", ts or self.timestamps_of(side))]
            if sack:
                edges = tuple((edge + self.isn[1 - side] + 1) % SPACE for block in sack for edge in block)
                options += [("NOP", None), ("NOP", None), ("SAck", edges)]
        segment = TCP(
            sport=self.ports[side],
            dport=self.ports[1 - side],
            seq=(self.isn[side] + 1 + seq) % SPACE,
            ack=(self.isn[1 - side] + 1 + ack) % SPACE if "A" in flags else 0,
            flags=flags,
            window=self.window[side] if window is None else window,
            options=options,
            urgptr=urgent,
        )
        return bytes(self.ip(side) / segment / Raw(data) if data else self.ip(side) / segment)

    def timestamps_of(self, side):
        """The clock, and the last one that the other host has said."""
        self.said[side] = self.clock(side)
        return self.said[side], self.said[1 - side]

    def clock(self, side):
        """Milliseconds, from another beginning for each host."""
        return round(self.now * 1000) + 100000 * (side + 1)

    def syn(self, side, data=b"", options=None, **more):
        """The SYN, or the answer to it."""
        if options is None:
            options = [("MSS", self.mss[side] + 12 * self.timestamps)]
            options += [("SAckOK", b"")] if self.sack else []
            options += [("Timestamp", self.timestamps_of(side))] if self.timestamps else []
            options += [("NOP", None), ("WScale", self.scale[side])] if self.scale[side] is not None else []
        return self.packet(side, -1, data, **{"flags": "S" if side == self.opener else "SA", "options": options, **more})

    def read(self, side, raw):
        """What came out for the host at `side`."""
        assert is_right(raw), raw.hex()
        tcp = (IPv6(raw) if self.v6 else IP(raw))[TCP]
        options = {name: value for name, value in tcp.options if value is not None}
        sack = options.get("SAck", ())
        relative = [self._relative(edge, self.isn[side]) for edge in sack]
        return Seen(
            raw,
            self._relative(tcp.seq, self.isn[1 - side]),
            self._relative(tcp.ack, self.isn[side]),
            int(tcp.flags),
            tcp.window,
            raw[self._head(raw) + tcp.dataofs * 4 :],
            options.get("Timestamp"),
            list(zip(relative[::2], relative[1::2])),
            tcp.urgptr,
            (IPv6(raw).tc if self.v6 else IP(raw).tos) >> 2,
        )

    @staticmethod
    def _head(raw):
        return 40 if raw[0] >> 4 == 6 else (raw[0] & 15) * 4

    @staticmethod
    def _relative(number, isn):
        distance = (number - isn - 1) % SPACE
        return distance - SPACE if distance >= SPACE // 2 else distance

    # What happens ------------------------------------------------------------------------------------------------------------

    def put(self, side, raw):
        """A packet comes in, as bytes; nothing is taken."""
        self.gateway.receive(side, raw, self.now)

    def out(self, side):
        """What waits at a port, read."""
        return [self.read(side, raw) for raw in self.gateway.all(side, self.now)]

    def take_all(self):
        """What waits at both ports is gone."""
        for side in (LAN, LINK):
            self.out(side)

    def pass_through(self, side, raw):
        """A packet comes in, and what goes out at the other port, as bytes."""
        self.put(side, raw)
        assert not self.gateway.all(side, self.now)
        return self.gateway.all(1 - side, self.now)

    def both(self):
        """What waits, read: (what goes to the LAN, what goes to the link). What leaves at one port may put more into the other one."""
        seen = ([], [])
        while self.gateway.waiting(LAN) or self.gateway.waiting(LINK):
            for side in (LINK, LAN):
                seen[side].extend(self.out(side))
        return seen

    def send(self, side, *args, **more):
        """A segment of a host; (what goes to the LAN, what goes to the link)."""
        self.put(side, self.packet(side, *args, **more))
        return self.both()

    def data(self, side, begin, end, **more):
        """A segment with these bytes of the host's stream."""
        return self.send(side, begin, pattern(begin, end), **more)

    def acknowledge(self, side, ack, **more):
        """The host acknowledges all before `ack`; `seq`: what it has sent itself."""
        self.ack[side] = ack
        return self.send(side, **more)

    def wait(self, seconds):
        """Time goes on, timers run out; what goes out then."""
        end = self.now + seconds
        seen = ([], [])
        while self.now < end:
            self.now = min(end, max(self.now, self.gateway.deadline()))
            self.gateway.advance(self.now)
            for all_seen, more in zip(seen, self.both()):
                all_seen.extend(more)
        return seen

    def open(self, seconds=0.0, repeats=None):
        """The handshake; gives itself. The host at the link takes `seconds` for each of its segments; the one at `repeats` sends its own twice."""
        first, second = self.opener, 1 - self.opener
        for side, raw in ((first, self.syn(first)), (second, self.syn(second)), (first, self.packet(first))):
            self.now += seconds if side == LINK else 0
            for wait in (0, 0.05) if side == repeats else (0,):
                self.now += wait
                self.put(side, raw)
                assert len(self.out(1 - side)) == 1
        return self

    def count(self, name):
        return self.gateway.counters()[name]
