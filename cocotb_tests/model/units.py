# SPDX-License-Identifier: Apache-2.0
"""Units on the wire, as docs/architecture.md ("Wire format") lays them out byte by byte."""

import os
import zlib
from dataclasses import dataclass, replace

VERSION = 2
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
    attempt: int
    pad: int
    fsn: int
    tsn: int
    payload: bytes
    last_try: bool = False  # type 2: a last try that is announced
    version: int = VERSION

    @property
    def transmission(self):
        """Everything that is the same in all units of a transmission."""
        return replace(self, index=0, payload=b"")

    def build(self):
        """Bytes of the unit, CRC included."""
        first = self.version << 6 | self.last_try << 5 | self.preset << 2 | self.sop << 1 | self.eop
        head = bytes([first, self.epoch, self.k, self.n, self.index])
        head += (self.attempt << 12 | self.pad).to_bytes(2, "big")
        head += (wired(self.fsn) << 20 | wired(self.tsn)).to_bytes(5, "big")
        return seal(head + self.payload)


@dataclass(frozen=True)
class ControlUnit:
    """A control unit; `param` holds packetCrc, options that this version does not know, window and unitBytes in a hello, else ackTsn.
    `reserved` are the reserved bits of bytes 0, 2 and 19, which are zero in a unit that a link sends."""

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
        body = bytes([self.version << 6 | 1 << 4 | self.reserved[0], self.epoch, flags, self.peer_epoch])
        param = self.param if self.hello else self.param - self.ack_tsn + wired(self.ack_tsn)
        body += param.to_bytes(3, "big")
        body += (wired(self.tx_base) << 20 | wired(self.tx_edge)).to_bytes(5, "big")
        body += (wired(self.rx_base) << 20 | wired(self.rx_next)).to_bytes(5, "big")
        body += (wired(self.bitmap_base) << 4 | self.reserved[2]).to_bytes(3, "big")
        body += self.bitmap.to_bytes(8, "big")
        return seal(body)


def parse(raw, unit_bytes, max_k=255, max_parity=255, erased=False):
    """The DataUnit or ControlUnit in `raw`; Rejected when the deframer would not let it through.

    The first of these that applies decides: flag, length, CRC, header.
    """
    if erased:
        raise Rejected("rx_erased_flag", "flagged by the PHY")
    kind = raw[0] >> 4 & 3 if raw else 0
    data = HEADER + unit_bytes + CRC
    expected = {0: data, 1: CONTROL_BYTES, 2: data}.get(kind, len(raw))  # type 3 has no length that could be wrong
    if len(raw) != expected:
        raise Rejected("rx_erased_length", f"{len(raw)} bytes, not {expected}")
    if zlib.crc32(raw[:-CRC]) != int.from_bytes(raw[-CRC:], "little"):
        raise Rejected("rx_erased_crc", "CRC differs")
    if raw[0] >> 6 != VERSION:
        raise Rejected("rx_bad_header", f"version {raw[0] >> 6}", mismatch=True)
    if kind in (0, 2):
        return _data(raw, unit_bytes, max_k, max_parity)
    if kind == 1:
        return _control(raw)
    raise Rejected("rx_bad_header", f"type {kind}")


def _data(raw, unit_bytes, max_k, max_parity):
    numbers = int.from_bytes(raw[7:12], "big")
    unit = DataUnit(
        preset=raw[0] >> 2 & 3,
        sop=bool(raw[0] & 2),
        eop=bool(raw[0] & 1),
        epoch=raw[1],
        k=raw[2],
        n=raw[3],
        index=raw[4],
        attempt=raw[5] >> 4,
        pad=(raw[5] & 15) << 8 | raw[6],
        fsn=unwired(numbers >> 20),
        tsn=unwired(numbers % SN),
        payload=raw[HEADER:-CRC],
        last_try=bool(raw[0] & 32),
    )
    if not 1 <= unit.k <= max_k or not unit.k <= unit.n <= unit.k + max_parity:
        raise Rejected("rx_bad_header", f"K {unit.k}, N {unit.n}")
    if unit.index >= unit.n or unit.pad >= unit_bytes or unit.preset > 2:
        raise Rejected("rx_bad_header", f"index {unit.index}, pad {unit.pad}, preset {unit.preset}")
    return unit


def _control(raw):
    if raw[0] & 15 or raw[2] & 0xC0 or raw[19] & 15:
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
    )
