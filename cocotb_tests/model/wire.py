# SPDX-License-Identifier: Apache-2.0
"""Builds and reads units byte by byte, from the tables of docs/architecture.md ("Wire format")."""

import zlib
from dataclasses import dataclass

HEADER_BYTES = 12
CONTROL_BYTES = 32
CRC_BYTES = 4
SN_MASK = (1 << 20) - 1


class WireError(ValueError):
    """The bytes are not a unit: too short, bad CRC, or a field that cannot be."""


@dataclass(frozen=True)
class DataUnit:
    """A data unit; `payload` is bytes, all else integers in the ranges of their fields."""

    epoch: int
    k: int
    n: int
    index: int
    attempt: int
    pad: int
    fsn: int
    tsn: int
    payload: bytes
    preset: int = 0
    sop: int = 0
    eop: int = 0
    only: int = 0
    version: int = 1


@dataclass(frozen=True)
class ControlUnit:
    """A control unit; `param` is the 24 bits of bytes 4 to 6."""

    epoch: int
    peer_epoch: int = 0
    hello: int = 0
    peer_known: int = 0
    poll: int = 0
    reply: int = 0
    deaf: int = 0
    param: int = 0
    tx_base: int = 0
    tx_edge: int = 0
    rx_base: int = 0
    rx_next: int = 0
    bitmap_base: int = 0
    bitmap: int = 0
    version: int = 1
    reserved0: int = 0
    reserved2: int = 0
    reserved19: int = 0


def seal(body):
    """Appends the CRC to header and payload."""
    return body + zlib.crc32(body).to_bytes(CRC_BYTES, "little")


def build_data(unit):
    """Bytes of a DataUnit on the wire, CRC included."""
    header = bytearray(HEADER_BYTES)
    header[0] = unit.version << 6 | unit.only << 5 | unit.preset << 2 | unit.sop << 1 | unit.eop
    header[1] = unit.epoch
    header[2] = unit.k
    header[3] = unit.n
    header[4] = unit.index
    header[5] = unit.attempt << 4 | unit.pad >> 8
    header[6] = unit.pad & 0xFF
    header[7] = unit.fsn >> 12
    header[8] = unit.fsn >> 4 & 0xFF
    header[9] = (unit.fsn & 0xF) << 4 | unit.tsn >> 16
    header[10] = unit.tsn >> 8 & 0xFF
    header[11] = unit.tsn & 0xFF
    return seal(bytes(header) + unit.payload)


def build_control(unit):
    """Bytes of a ControlUnit on the wire, CRC included."""
    head = bytes(
        [
            unit.version << 6 | 1 << 4 | unit.reserved0,
            unit.epoch,
            unit.reserved2 << 5 | unit.deaf << 4 | unit.reply << 3 | unit.poll << 2 | unit.peer_known << 1 | unit.hello,
            unit.peer_epoch,
        ]
    )
    body = (
        head
        + unit.param.to_bytes(3, "big")
        + (unit.tx_base << 20 | unit.tx_edge).to_bytes(5, "big")
        + (unit.rx_base << 20 | unit.rx_next).to_bytes(5, "big")
        + (unit.bitmap_base << 4 | unit.reserved19).to_bytes(3, "big")
        + unit.bitmap.to_bytes(8, "big")
    )
    return seal(body)


def parse(data):
    """DataUnit or ControlUnit that the bytes hold; raises WireError when they hold none."""
    if len(data) < HEADER_BYTES + CRC_BYTES:
        raise WireError(f"{len(data)} bytes are too few for a unit")
    if zlib.crc32(data[:-CRC_BYTES]) != int.from_bytes(data[-CRC_BYTES:], "little"):
        raise WireError("bad CRC")
    if data[0] >> 6 != 1:
        raise WireError(f"version {data[0] >> 6}")
    kind = data[0] >> 4 & 3
    if kind in (0, 2):
        numbers = int.from_bytes(data[7:12], "big")
        return DataUnit(
            epoch=data[1],
            k=data[2],
            n=data[3],
            index=data[4],
            attempt=data[5] >> 4,
            pad=(data[5] & 0xF) << 8 | data[6],
            fsn=numbers >> 20,
            tsn=numbers & SN_MASK,
            payload=bytes(data[HEADER_BYTES:-CRC_BYTES]),
            preset=data[0] >> 2 & 3,
            sop=data[0] >> 1 & 1,
            eop=data[0] & 1,
            only=kind >> 1,
        )
    if kind == 1 and len(data) == CONTROL_BYTES:
        sender = int.from_bytes(data[7:12], "big")
        receiver = int.from_bytes(data[12:17], "big")
        return ControlUnit(
            epoch=data[1],
            peer_epoch=data[3],
            hello=data[2] & 1,
            peer_known=data[2] >> 1 & 1,
            poll=data[2] >> 2 & 1,
            reply=data[2] >> 3 & 1,
            deaf=data[2] >> 4 & 1,
            param=int.from_bytes(data[4:7], "big"),
            tx_base=sender >> 20,
            tx_edge=sender & SN_MASK,
            rx_base=receiver >> 20,
            rx_next=receiver & SN_MASK,
            bitmap_base=int.from_bytes(data[17:20], "big") >> 4,
            bitmap=int.from_bytes(data[20:28], "big"),
            reserved0=data[0] & 0xF,
            reserved2=data[2] >> 5,
            reserved19=data[19] & 0xF,
        )
    raise WireError(f"type {kind} of {len(data)} bytes")
