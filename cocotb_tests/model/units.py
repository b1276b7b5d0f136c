# SPDX-License-Identifier: Apache-2.0
"""Units on the wire, as docs/architecture.md ("Wire format") lays them out byte by byte."""

import os
import zlib
from dataclasses import dataclass, replace

VERSION = 3
HEADER = 12
CRC = 4
CONTROL_BYTES = 32
SN = 1 << 20
FIRST = int(os.environ.get("ARQLINK_FIRST_SN", 0))
"""What the wire has for FSN and TSN 0 of the models: 0, but for a build whose numbers begin elsewhere so that they wrap soon."""


def wired(sn):
    """A sequence number on the wire."""
    return (sn + FIRST) % SN


def unwired(sn):
    return (sn - FIRST) % SN


def distance(x, base):
    """Signed distance from `base` up to `x` modulo 2^20: -2^19 to 2^19 - 1."""
    return ((x - base + SN // 2) % SN) - SN // 2


def unwrap(sn, near):
    """The unbounded sequence number that is `sn` modulo 2^20 and nearest to `near`."""
    return near + distance(sn, near)


class Rejected(Exception):
    """A unit that the deframer does not let through; `counter` is the counter it belongs to, `mismatch`: the peer speaks
    another version."""

    def __init__(self, counter, reason, mismatch=False):
        super().__init__(reason)
        self.counter = counter
        self.mismatch = mismatch


def seal(body):
    """Appends the CRC to header and payload."""
    return body + zlib.crc32(body).to_bytes(CRC, "little")


def _castagnoli():
    table = []
    for state in range(256):
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
        table.append(state)
    return table


CASTAGNOLI = _castagnoli()


def crc32c(data):
    state = 0xFFFFFFFF
    for byte in data:
        state = state >> 8 ^ CASTAGNOLI[(state ^ byte) & 0xFF]
    return state ^ 0xFFFFFFFF


def trailer(packet):
    """What goes with a packet where both ends are built with packetCrc."""
    return crc32c(packet).to_bytes(CRC, "little")


def hidden_damage(raw, at):
    """`raw` with the unit CRC's polynomial added from bit `at` on: what no CRC of a unit sees."""
    raw, polynomial = bytearray(raw), 1 << 32 | 0x04C11DB7
    for i in range(33):
        raw[(at + i) // 8] ^= (polynomial >> (32 - i) & 1) << (at + i) % 8
    return bytes(raw)


@dataclass(frozen=True)
class DataUnit:
    """One unit of a transmission; `payload` has unitBytes bytes."""

    preset: int
    sop: bool
    eop: bool
    epoch: int
    k: int
    n: int
    index: int
    pad: int
    fsn: int
    tsn: int
    payload: bytes
    last_try: bool = False  # type 2 or 3: a last try that is announced
    all_below: bool = False  # type 3: it is a first transmission, and every incomplete frame below is abandoned
    odd: bool = False  # so is the attempt
    link: int = 0
    several: bool = False
    fresh: bool = False
    version: int = VERSION

    @property
    def kind(self):
        """The type."""
        return self.last_try << 1 | self.all_below

    @property
    def transmission(self):
        """Everything that is the same in all units of a transmission."""
        return replace(self, index=0, payload=b"")

    def build(self):
        """Bytes of the unit, CRC included."""
        first = self.version << 6 | self.kind << 4 | self.several << 3 | self.odd << 2 | self.link
        head = bytes([first, self.epoch, self.fresh << 7 | self.k - 1, self.n, self.index])
        head += (self.preset << 14 | self.sop << 13 | self.eop << 12 | self.pad).to_bytes(2, "big")
        head += (wired(self.fsn) << 20 | wired(self.tsn)).to_bytes(5, "big")
        return seal(head + self.payload)


@dataclass(frozen=True)
class ControlUnit:
    """A control unit; `param` holds packetCrc, options that this version does not know, window and unitBytes in a hello, else ackTsn.
    `reserved` are the reserved bits of bytes 0, 2 and 19, which are zero in a unit that a link sends; those of byte 0 are above the link's number."""

    epoch: int
    hello: bool = False
    peer_known: bool = False
    poll: bool = False
    reply: bool = False
    peer_epoch: int = 0
    param: int = 0
    tx_base: int = 0
    tx_edge: int = 0
    rx_base: int = 0
    rx_next: int = 0
    bitmap_base: int = 0
    bitmap: int = 0
    deaf: bool = False
    abandons: bool = False
    version: int = VERSION
    reserved: tuple = (0, 0, 0)
    link: int = 0

    @property
    def ack_tsn(self):
        return self.param % SN

    @property
    def packet_crc(self):
        return bool(self.param >> 23)

    @property
    def unknown_options(self):
        return self.param >> 21 & 3

    @property
    def window_log2(self):
        return self.param >> 16 & 31

    @property
    def unit_bytes(self):
        return self.param & 0xFFFF

    def build(self):
        """Bytes of the unit, CRC included."""
        flags = self.hello | self.peer_known << 1 | self.poll << 2 | self.reply << 3 | self.deaf << 4 | self.abandons << 5
        flags |= self.reserved[1] << 6
        body = bytes([self.version << 6 | 1 << 4 | self.reserved[0] << 2 | self.link, self.epoch, flags, self.peer_epoch])
        param = self.param if self.hello else self.param - self.ack_tsn + wired(self.ack_tsn)
        body += param.to_bytes(3, "big")
        body += (wired(self.tx_base) << 20 | wired(self.tx_edge)).to_bytes(5, "big")
        body += (wired(self.rx_base) << 20 | wired(self.rx_next)).to_bytes(5, "big")
        body += (wired(self.bitmap_base) << 4 | self.reserved[2]).to_bytes(3, "big")
        body += self.bitmap.to_bytes(8, "big")
        return seal(body)


def parse(raw, unit_bytes, max_k=128, max_parity=255, erased=False, link=0):
    """The DataUnit or ControlUnit in `raw`; Rejected when the deframer of this `link` would not let it through.

    The first of these that applies decides: flag, another link's number with a good CRC and this version, length, CRC, header.
    """
    if erased:
        raise Rejected("rx_erased_flag", "flagged by the PHY")
    is_control = bool(raw) and raw[0] >> 4 & 3 == 1
    expected = CONTROL_BYTES if is_control else HEADER + unit_bytes + CRC
    is_intact = len(raw) >= CRC and zlib.crc32(raw[:-CRC]) == int.from_bytes(raw[-CRC:], "little")
    if is_intact and raw[0] >> 6 == VERSION and raw[0] & 3 != link:
        raise Rejected("rx_units_other_link", f"link {raw[0] & 3}")
    if len(raw) != expected:
        raise Rejected("rx_erased_length", f"{len(raw)} bytes, not {expected}")
    if not is_intact:
        raise Rejected("rx_erased_crc", "CRC differs")
    if raw[0] >> 6 != VERSION:
        raise Rejected("rx_bad_header", f"version {raw[0] >> 6}", mismatch=True)
    return _control(raw) if is_control else _data(raw, unit_bytes, max_k, max_parity)


def _data(raw, unit_bytes, max_k, max_parity):
    numbers = int.from_bytes(raw[7:12], "big")
    unit = DataUnit(
        preset=raw[5] >> 6,
        sop=bool(raw[5] & 32),
        eop=bool(raw[5] & 16),
        epoch=raw[1],
        k=(raw[2] & 127) + 1,
        n=raw[3],
        index=raw[4],
        pad=(raw[5] & 15) << 8 | raw[6],
        fsn=unwired(numbers >> 20),
        tsn=unwired(numbers % SN),
        payload=raw[HEADER:-CRC],
        last_try=bool(raw[0] & 32),
        all_below=bool(raw[0] & 16),
        odd=bool(raw[0] & 4),
        link=raw[0] & 3,
        several=bool(raw[0] & 8),
        fresh=bool(raw[2] & 128),
    )
    if unit.several or unit.fresh:
        raise Rejected("rx_bad_header", "what this build has not")
    if unit.k > max_k or not unit.k <= unit.n <= unit.k + max_parity:
        raise Rejected("rx_bad_header", f"K {unit.k}, N {unit.n}")
    if unit.index >= unit.n or unit.pad >= unit_bytes or unit.preset > 2:
        raise Rejected("rx_bad_header", f"index {unit.index}, pad {unit.pad}, preset {unit.preset}")
    return unit


def _control(raw):
    if raw[0] & 12 or raw[2] & 0xC0 or raw[19] & 15:
        raise Rejected("rx_bad_header", "reserved bits are set")
    if int.from_bytes(raw[17:20], "big") % 512:
        raise Rejected("rx_bad_header", "bitmapBase is not a multiple of 32")
    tx = int.from_bytes(raw[7:12], "big")
    rx = int.from_bytes(raw[12:17], "big")
    param, hello = int.from_bytes(raw[4:7], "big"), bool(raw[2] & 1)
    return ControlUnit(
        epoch=raw[1],
        hello=hello,
        peer_known=bool(raw[2] & 2),
        poll=bool(raw[2] & 4),
        reply=bool(raw[2] & 8),
        peer_epoch=raw[3],
        param=param if hello else param - param % SN + unwired(param % SN),
        tx_base=unwired(tx >> 20),
        tx_edge=unwired(tx % SN),
        rx_base=unwired(rx >> 20),
        rx_next=unwired(rx % SN),
        bitmap_base=unwired(int.from_bytes(raw[17:20], "big") >> 4),
        bitmap=int.from_bytes(raw[20:28], "big"),
        deaf=bool(raw[2] & 16),
        abandons=bool(raw[2] & 32),
        link=raw[0] & 3,
    )
