# SPDX-License-Identifier: Apache-2.0
"""Packet captures: reads pcap and pcapng of any link type, writes classic pcap."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from arqlink.errors import UserError

ETHERNET = 1
MAGICS = {b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x0a\x0d\x0d\x0a"}


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


def is_capture(path):
    """Whether the file begins like a pcap or pcapng file."""
    with open(path, "rb") as handle:
        return handle.read(4) in MAGICS


def read(path):
    """Reads a capture; all packets must be of one link type."""
    logging.getLogger("scapy").setLevel(logging.ERROR)
    from scapy.error import Scapy_Exception
    from scapy.utils import RawPcapNgReader, RawPcapReader

    capture = Capture()
    try:
        with RawPcapReader(str(path)) as reader:
            block_format = isinstance(reader, RawPcapNgReader)
            capture.nano = block_format or reader.nano
            types = set() if block_format else {reader.linktype}
            packets = cast(Iterable[tuple[bytes, Any]], reader)  # the two formats describe a packet in different ways
            for data, meta in packets:
                if block_format:
                    types.add(meta.linktype)
                    ticks = (meta.tshigh << 32) | meta.tslow
                    time = ticks * 10**9 // meta.tsresol
                else:
                    time = meta.sec * 10**9 + meta.usec * (1 if reader.nano else 1000)
                capture.add(data, time, meta.wirelen)
    except (Scapy_Exception, EOFError, OSError) as error:
        raise UserError(f"The capture {path} cannot be read: {error}.") from None
    if len(types) > 1:
        raise UserError(f"The capture {path} mixes the link types {sorted(types)}; only one can be sent.")
    capture.link_type = types.pop() if types else ETHERNET
    return capture


def write(path, capture, endian="<"):
    """Writes a classic pcap file, with nanoseconds if the capture has them; `endian` is "<" or ">"."""
    from scapy.utils import RawPcapWriter

    scale = 1 if capture.nano else 1000
    try:
        with RawPcapWriter(str(path), linktype=capture.link_type, nano=capture.nano, endianness=endian) as writer:
            writer.write_header(None)
            for data, time, length in zip(capture.packets, capture.times, capture.wire_lengths):
                seconds, rest = divmod(time, 10**9)
                writer.write_packet(data, sec=seconds, usec=rest // scale, caplen=len(data), wirelen=length)
    except OSError as error:
        raise UserError(f"The file {path} cannot be written: {error.strerror}.") from None
