# SPDX-License-Identifier: Apache-2.0
"""Captures of either byte order and resolution survive a round trip, scapy agrees, and what is damaged is refused with its packet."""

import struct
import subprocess
import sys
import tomllib

import pytest

from arqlink import tree
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
    assert pcap.is_capture(path.read_bytes())
    assert pcap.parse(path.read_bytes()) == original


@pytest.mark.parametrize("nano", [False, True])
@pytest.mark.parametrize("endian", "<>")
def test_scapy_reads_what_is_written(tmp_path, nano, endian):
    from scapy.utils import RawPcapReader

    path, original = tmp_path / "a.pcap", capture(nano)
    pcap.write(path, original, endian)
    with RawPcapReader(str(path)) as reader:
        assert (reader.nano, reader.linktype, reader.snaplen) == (nano, original.link_type, 65535)
        read = [(data, about.sec * 10**9 + about.usec * (1 if nano else 1000), about.wirelen) for data, about in reader]
    assert read == list(zip(original.packets, original.times, original.wire_lengths))


def test_a_capture_is_written_without_scapy(tmp_path):
    """It is a package of the tests, and not of those who install arqlink."""
    program = "import sys; sys.modules['scapy'] = None; from arqlink.cli import main; from arqlink.run import pcap; pcap.write(sys.argv[1], pcap.Capture())"
    subprocess.run([sys.executable, "-c", program, tmp_path / "a.pcap"], check=True)
    assert len((tmp_path / "a.pcap").read_bytes()) == 24
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]
    assert "scapy" not in project["dependencies"] and "scapy" in project["optional-dependencies"]["dev"]


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
    read = pcap.parse((tmp_path / "a.pcapng").read_bytes())
    assert read.packets == [bytes(packet)]
    assert read.link_type == pcap.ETHERNET
    assert read.times[0] == pytest.approx(1_700_000_000_250_000_000, abs=1000)


def test_empty_capture(tmp_path):
    pcap.write(tmp_path / "a.pcap", pcap.Capture(link_type=12))
    assert pcap.parse((tmp_path / "a.pcap").read_bytes()) == pcap.Capture(link_type=12)


def block(kind, body, endian="<"):
    """A block of pcapng."""
    body += bytes(-len(body) % 4)
    return struct.pack(endian + "II", kind, 12 + len(body)) + body + struct.pack(endian + "I", 12 + len(body))


def pcapng(*blocks, endian="<", options=b"", snap=0):
    """A section with one interface of Ethernet, and blocks."""
    section = block(0x0A0D0D0A, struct.pack(endian + "IHHq", 0x1A2B3C4D, 1, 0, -1), endian)
    return section + block(1, struct.pack(endian + "HHI", 1, 0, snap) + options, endian) + b"".join(blocks)


def enhanced(data, ticks=0, interface=0, length=None, wire_length=None, endian="<"):
    lengths = [len(data) if value is None else value for value in (length, wire_length)]
    return block(6, struct.pack(endian + "IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, *lengths) + data, endian)


@pytest.mark.parametrize("endian", "<>")
def test_blocks_of_pcapng(endian):
    """All kinds of packets, an unknown block, a resolution and an epoch of the interface's own, and a second section."""
    options = struct.pack(endian + "HHB3xHHqHH", 9, 1, 9, 14, 8, 100, 0, 0)
    old = block(2, struct.pack(endian + "HHIIII", 0, 0, 0, 7, 3, 5) + b"old", endian)
    simple = block(3, struct.pack(endian + "I", 9) + b"simp", endian)
    first = pcapng(enhanced(b"new", 5, endian=endian), block(0xBAD, b"?", endian), old, simple, endian=endian, options=options, snap=4)
    read = pcap.parse(first + pcapng(enhanced(b"micro", 3)))
    assert read.packets == [b"new", b"old", b"simp", b"micro"]
    assert read.times == [100 * 10**9 + 5, 100 * 10**9 + 7, 100 * 10**9 + 7, 3000]
    assert read.wire_lengths == [3, 5, 9, 5]


def test_a_cut_capture_is_refused_wherever_it_is_cut():
    """Between two records nothing is missing; everywhere else the number of the packet that is cut is told."""
    data = [b"a" * 5, b"b" * 8]
    classic = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"".join(struct.pack("<IIII", 1, 0, len(d), len(d)) + d for d in data)
    blocks = pcapng(*map(enhanced, data))
    for content, ends in ((classic, {24: 0, 45: 1, 69: 2}), (blocks, {28: 0, 48: 0, 88: 1, 128: 2})):
        assert len(content) == max(ends)
        for cut in range(5, len(content) + 1):
            if cut in ends:
                assert pcap.parse(content[:cut]).packets == data[: ends[cut]]
                continue
            packets = max((count for end, count in ends.items() if end < cut), default=None)
            where = "its first header" if packets is None else rf"packet {packets} \(counted from 0\)"
            with pytest.raises(UserError, match=f"damaged at {where}, byte "):
                pcap.parse(content[:cut])


GOOD = enhanced(b"good")
DAMAGED = {
    "its length is 9, but 4 bytes are left": pcapng(GOOD, enhanced(b"four", length=9, wire_length=9)),
    "its length is 4, but 3 on the wire": pcapng(GOOD, enhanced(b"four", wire_length=3)),
    "its interface 1 is not described": pcapng(GOOD, enhanced(b"four", interface=1)),
    "its time is before 1970 or after 2106": pcapng(GOOD, enhanced(b"four", ticks=2**63)),
    "two lengths that differ": pcapng(GOOD, GOOD[:-4] + b"\0\0\0\0"),
    "its block has the length 0": pcapng(GOOD, bytes(12)),
    "its section has no byte order": pcapng(GOOD, block(0x0A0D0D0A, bytes(16))),
    "its version is 2, and not 1": pcapng(GOOD, block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 2, 0, -1))),
    "an option of its interface is longer": pcapng(GOOD, block(1, struct.pack("<HHIHH", 1, 0, 0, 9, 40))),
}


@pytest.mark.parametrize("why", DAMAGED)
def test_damaged_blocks(why):
    with pytest.raises(UserError, match=rf"The capture is damaged at packet 1 \(counted from 0\), byte 84: .*{why}"):
        pcap.parse(DAMAGED[why])


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ((0, 0, 5, 5), "its length is 5, but 4 bytes are left"),
        ((0, 0, 4, 3), "its length is 4, but 3 on the wire"),
        ((0, 10**6, 4, 4), "its time has 1000000 of 1000000 parts of a second"),
    ],
)
def test_damaged_records(record, why):
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    with pytest.raises(UserError, match=rf"packet 1 \(counted from 0\), byte 41: {why}"):
        pcap.parse(header + struct.pack("<IIII", 0, 0, 1, 1) + b"x" + struct.pack("<IIII", *record) + b"data")


def test_errors(tmp_path):
    with pytest.raises(UserError, match="'a.pcap' is damaged at its first header, byte 0: it is cut off"):
        pcap.parse(b"\xd4\xc3\xb2\xa1\x02", "'a.pcap'")
    with pytest.raises(UserError, match="its version is 3, and not 2"):
        pcap.parse(b"\xd4\xc3\xb2\xa1\x03" + bytes(19))
    with pytest.raises(UserError, match=r"mixes the link types \[1, 101\]"):
        pcap.parse(pcapng(GOOD, block(1, struct.pack("<HHI", 101, 0, 0)), enhanced(b"four", interface=1)))
    with pytest.raises(UserError, match="cannot be written: No such file"):
        pcap.write(tmp_path / "missing" / "a.pcap", capture(False))
    assert not pcap.is_capture(b"no capture")
