# SPDX-License-Identifier: Apache-2.0
"""Packet captures: reads pcap and pcapng of any link type, writes classic pcap.

Libraries for captures end silently where a file is cut off or damaged, so the two formats are read here, and every length is checked:
draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
"""

import struct
from dataclasses import dataclass, field

from arqlink import files
from arqlink.errors import UserError

ETHERNET = 1
SECTION = 0x0A0D0D0A
"""Type of the block that begins a section of pcapng; the same in both byte orders."""
LAST_SECOND = (1 << 32) - 1
"""Of a time in pcap, since 1970."""
MOST_BYTES = 65535
"""Of a packet in a pcap file that is written; no configuration carries longer ones."""
PCAP = {struct.pack(endian + "I", magic): (endian, nano) for endian in "<>" for magic, nano in ((0xA1B2C3D4, False), (0xA1B23C4D, True))}
ORDER = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
"""Byte order of a section of pcapng."""


@dataclass
class Capture:
    """Packets of one link type. `times` are nanoseconds since 1970; `wire_lengths` those before any truncation."""

    packets: list = field(default_factory=list)
    times: list = field(default_factory=list)
    wire_lengths: list = field(default_factory=list)
    link_type: int = ETHERNET
    nano: bool = False

    def add(self, data, time, wire_length=None):
        self.packets.append(data)
        self.times.append(time)
        self.wire_lengths.append(len(data) if wire_length is None else wire_length)


def is_capture(content):
    """Whether bytes begin like a pcap or pcapng file."""
    return content[:4] in PCAP or content[:4] == struct.pack("<I", SECTION)


def parse(content, name="The capture"):
    """The Capture in the bytes of a file; all its packets must be of one link type. What is damaged or cut off is refused with the number of the
    packet at which that is noticed; `name` is the capture's in a sentence."""
    reader = _Pcap(content) if content[:4] in PCAP else _PcapNg(content)
    try:
        reader.read()
    except (_Damaged, struct.error) as error:
        why = error if isinstance(error, _Damaged) else "it is cut off"
        where = f"packet {len(reader.capture.packets)} (counted from 0)" if reader.began else "its first header"
        raise UserError(f"{name} is damaged at {where}, byte {reader.offset}: {why}.") from None
    if len(reader.types) > 1:
        raise UserError(f"{name} mixes the link types {sorted(reader.types)}; only one can be sent.")
    reader.capture.link_type = next(iter(reader.types), ETHERNET)
    return reader.capture


class _Damaged(Exception):
    """Why a record is none; its text ends a sentence."""


class _Reader:
    """Goes through the bytes of a file; `offset` is that of the record that it reads, `began` whether the first header is behind it."""

    def __init__(self, content):
        self.content, self.offset, self.began = content, 0, False
        self.endian, self.capture, self.types = "<", Capture(), set()

    def read(self):
        """Reads all."""
        self.header()
        self.began = True
        while self.offset < len(self.content):
            self.record()

    def header(self):
        """Reads what comes before the first record."""
        raise NotImplementedError

    def record(self):
        """Reads a record, and goes to the next."""
        raise NotImplementedError

    def unpack(self, form, at):
        """Numbers at a distance from the record's beginning; struct.error where the file ends before."""
        return struct.unpack_from(self.endian + form, self.content, self.offset + at)

    def data(self, at, length, end):
        """Captured bytes, which must lie before `end`, a distance as `at` is."""
        if at + length > end:
            raise _Damaged(f"its length is {length}, but {max(end - at, 0)} bytes are left")
        return self.content[self.offset + at : self.offset + at + length]


class _Pcap(_Reader):
    def header(self):
        self.endian, self.capture.nano = PCAP[self.content[:4]]
        major, _, _, _, _, link = self.unpack("HHIIII", 4)
        if major != 2:
            raise _Damaged(f"its version is {major}, and not 2")
        self.types = {link & 0xFFFF}  # above that: what is known of check sequences
        self.offset = 24

    def record(self):
        seconds, fraction, length, wire_length = self.unpack("IIII", 0)
        data = self.data(16, length, len(self.content) - self.offset)
        if length > wire_length:
            raise _Damaged(f"its length is {length}, but {wire_length} on the wire")
        whole = 10**9 if self.capture.nano else 10**6
        if fraction >= whole:
            raise _Damaged(f"its time has {fraction} of {whole} parts of a second")
        self.capture.add(data, seconds * 10**9 + fraction * (10**9 // whole), wire_length)
        self.offset += 16 + length


@dataclass
class _Interface:
    """What a section says of an interface; a time is `ticks` / `resolution` + `epoch` seconds."""

    link_type: int
    most_bytes: int
    resolution: int = 10**6
    epoch: int = 0


class _PcapNg(_Reader):
    def header(self):
        self.capture.nano = True
        self.interfaces = []
        self.record()

    def record(self):
        (kind,) = self.unpack("I", 0)
        if kind == SECTION:
            self.endian = ORDER.get(self.content[self.offset + 8 : self.offset + 12], "")
            if not self.endian:
                raise _Damaged("its section has no byte order")
        (length,) = self.unpack("I", 4)
        if length < 12 or length % 4:
            raise _Damaged(f"its block has the length {length}")
        if self.unpack("I", length - 4) != (length,):
            raise _Damaged("its block has two lengths that differ")
        body = {SECTION: self._section, 1: self._interface, 2: self._packet, 3: self._simple_packet, 6: self._enhanced_packet}.get(kind)
        if body:
            body(length - 4)
        self.offset += length

    def _section(self, end):
        major, _ = self.unpack("HH", 12)
        if major != 1:
            raise _Damaged(f"its version is {major}, and not 1")
        self.interfaces = []

    def _interface(self, end):
        link, _, most = self.unpack("HHI", 8)
        interface = _Interface(link, most)
        for code, at, length in self._options(16, end):
            if code == 9 and length == 1:
                (value,) = self.unpack("B", at)
                interface.resolution = 2 ** (value & 127) if value & 128 else 10**value
            elif code == 14 and length == 8:
                (interface.epoch,) = self.unpack("q", at)
        self.interfaces.append(interface)

    def _options(self, at, end):
        """(code, place, length) of each option."""
        while at < end:
            code, length = self.unpack("HH", at)
            if code == 0:
                return
            if at + 4 + length > end:
                raise _Damaged("an option of its interface is longer than the block")
            yield code, at + 4, length
            at += 4 + length + -length % 4

    def _enhanced_packet(self, end):
        number, high, low, length, wire_length = self.unpack("IIIII", 8)
        self._add(number, high << 32 | low, 28, length, wire_length, end)

    def _packet(self, end):
        """The block that the enhanced one replaced."""
        number, _, high, low, length, wire_length = self.unpack("HHIIII", 8)
        self._add(number, high << 32 | low, 28, length, wire_length, end)

    def _simple_packet(self, end):
        """It has no time: that of the packet before is taken."""
        (wire_length,) = self.unpack("I", 8)
        most = self._described(0).most_bytes
        self._add(0, None, 12, min(wire_length, most or wire_length), wire_length, end)

    def _described(self, number):
        if number >= len(self.interfaces):
            raise _Damaged(f"its interface {number} is not described")
        return self.interfaces[number]

    def _add(self, number, ticks, at, length, wire_length, end):
        interface = self._described(number)
        if length > wire_length:
            raise _Damaged(f"its length is {length}, but {wire_length} on the wire")
        data = self.data(at, length, end)
        before = self.capture.times[-1] if self.capture.times else 0
        time = before if ticks is None else ticks * 10**9 // interface.resolution + interface.epoch * 10**9
        if not 0 <= time < LAST_SECOND * 10**9:
            raise _Damaged("its time is before 1970 or after 2106")
        self.types.add(interface.link_type)
        self.capture.add(data, time, wire_length)


def write(path, capture, endian="<"):
    """Writes a classic pcap file, with nanoseconds if the capture has them; `endian` is "<" or ">"."""
    magic, scale = (0xA1B23C4D, 1) if capture.nano else (0xA1B2C3D4, 1000)
    content = [struct.pack(endian + "IHHIIII", magic, 2, 4, 0, 0, MOST_BYTES, capture.link_type)]
    for data, time, length in zip(capture.packets, capture.times, capture.wire_lengths):
        seconds, rest = divmod(time, 10**9)
        content += [struct.pack(endian + "IIII", min(seconds, LAST_SECOND), rest // scale, len(data), length), data]
    files.write(path, b"".join(content))
