# SPDX-License-Identifier: Apache-2.0
"""Captures of either byte order and resolution survive a round trip, and scapy agrees."""

import struct

import pytest

from arqlink.errors import UserError
from arqlink.run import pcap


def capture(nano, link_type=101):
    c = pcap.Capture(link_type=link_type, nano=nano)
    c.add(b"\x45" + bytes(range(40)), 1_700_000_000_123_456_000 + (789 if nano else 0))
    c.add(b"x", 1_700_000_001_000_000_000, wire_length=1500)
    return c


@pytest.mark.parametrize("nano", [False, True])
@pytest.mark.parametrize("endian", "<>")
def test_round_trip(tmp_path, nano, endian):
    path, original = tmp_path / "a.pcap", capture(nano)
    pcap.write(path, original, endian)
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    assert path.read_bytes()[:4] == struct.pack(endian + "I", magic)
    assert pcap.is_capture(path)
    assert pcap.read(path) == original


def test_bytes_of_a_record(tmp_path):
    path = tmp_path / "a.pcap"
    pcap.write(path, capture(False))
    raw = path.read_bytes()
    assert struct.unpack_from("<HHiIII", raw, 4) == (2, 4, 0, 0, 65535, 101)
    assert struct.unpack_from("<IIII", raw, 24) == (1_700_000_000, 123_456, 41, 41)
    assert len(raw) == 24 + 16 + 41 + 16 + 1


def test_reads_pcapng(tmp_path):
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import Ether
    from scapy.utils import wrpcapng

    packet = Ether() / IP(dst="192.0.2.1") / UDP(dport=53) / b"hello"
    packet.time = 1_700_000_000.25
    wrpcapng(str(tmp_path / "a.pcapng"), [packet])
    read = pcap.read(tmp_path / "a.pcapng")
    assert read.packets == [bytes(packet)]
    assert read.link_type == pcap.ETHERNET
    assert read.times[0] == pytest.approx(1_700_000_000_250_000_000, abs=1000)


def test_empty_capture(tmp_path):
    pcap.write(tmp_path / "a.pcap", pcap.Capture(link_type=12))
    assert pcap.read(tmp_path / "a.pcap") == pcap.Capture(link_type=12)


def test_errors(tmp_path):
    bad = tmp_path / "bad.pcap"
    bad.write_bytes(b"\xd4\xc3\xb2\xa1\x02")
    with pytest.raises(UserError, match="cannot be read"):
        pcap.read(bad)
    with pytest.raises(UserError, match="cannot be written"):
        pcap.write(tmp_path / "missing" / "a.pcap", capture(False))
    (tmp_path / "text").write_text("no capture")
    assert not pcap.is_capture(tmp_path / "text")
