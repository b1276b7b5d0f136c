# SPDX-License-Identifier: Apache-2.0
"""Wireshark's dissector against units written by hand from docs/architecture.md, and captures of real runs against their reports."""

import itertools
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from arqlink import tree
from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup
from arqlink.rtl.registers import address
from arqlink.run import monte_carlo, pair, pcap, phy_capture, transfer
from tests import seeds
from tests.effort import slow_in_full

A_TO_B, B_TO_A = 0, 1
ARRIVED, ERASED = 1, 2
WITH_PSEUDO_HEADER, BARE = 147, 148
RETRANSMISSION = "arqlink.expert.retransmission"


# Units as docs/architecture.md describes them.


def sealed(body):
    """A unit: its CRC is little-endian, as Ethernet's."""
    return body + struct.pack("<I", zlib.crc32(body))


@dataclass
class Data:
    """A data unit."""

    fsn: int = 0
    tsn: int = 0
    index: int = 0
    k: int = 2
    n: int = 3
    odd: int = 0
    type: int = 0
    epoch: int = 7
    preset: int = 0
    sop: int = 0
    eop: int = 0
    pad: int = 0
    several: int = 0
    fresh: int = 0
    link: int = 0
    version: int = 3
    payload: bytes = bytes(range(8))

    def bytes(self):
        first = self.version << 6 | self.type << 4 | self.several << 3 | self.odd << 2 | self.link
        place = self.preset << 14 | self.sop << 13 | self.eop << 12 | self.pad
        numbers = place << 40 | self.fsn << 20 | self.tsn
        return sealed(bytes([first, self.epoch, self.fresh << 7 | self.k - 1, self.n, self.index]) + numbers.to_bytes(7, "big") + self.payload)


@dataclass
class Control:
    """A control unit. `bits`: outcomes of the TSNs from bitmap_base on."""

    flags: int = 2
    epoch: int = 9
    peer_epoch: int = 7
    ack_tsn: int = 0
    tx_base: int = 0
    tx_edge: int = 0
    rx_base: int = 0
    rx_next: int = 0
    bitmap_base: int = 0
    bits: str = ""
    link: int = 0
    version: int = 3

    def bytes(self):
        bitmap = sum(1 << i for i, bit in enumerate(self.bits) if bit == "1")
        body = bytes([self.version << 6 | 1 << 4 | self.link, self.epoch, self.flags, self.peer_epoch]) + self.ack_tsn.to_bytes(3, "big")
        body += (self.tx_base << 20 | self.tx_edge).to_bytes(5, "big") + (self.rx_base << 20 | self.rx_next).to_bytes(5, "big")
        return sealed(body + (self.bitmap_base << 4).to_bytes(3, "big") + bitmap.to_bytes(8, "big"))


def hello(window=10, unit_bytes=8, packet_crc=0, **others):
    """A control unit that says hello."""
    return Control(**{"flags": 1, "ack_tsn": (packet_crc << 7 | window) << 16 | unit_bytes, **others})


def way_back(unit):
    return isinstance(unit, Control) and unit.epoch == 9


def framed(unit):
    """A packet of a capture: a unit with its pseudo header. What end B sends has epoch 9; a unit may be given as (unit, fate)."""
    unit, fate = unit if isinstance(unit, tuple) else (unit, ARRIVED)
    data = unit if isinstance(unit, bytes) else unit.bytes()
    return bytes([1, B_TO_A if way_back(unit) else A_TO_B, fate, 0]) + data


class Tshark:
    """Dissects captures; each line of standard error but its greeting is a failure."""

    def __init__(self, folder):
        self.folder = folder

    def save(self, packets, link_type=WITH_PSEUDO_HEADER, snaps=()):
        """`snaps`: how many bytes the capture has of each packet; all of those without one."""
        capture = pcap.Capture(link_type=link_type, nano=True)
        for i, (packet, snap) in enumerate(itertools.zip_longest(packets, snaps)):
            capture.add(packet[:snap], i * 1000, len(packet))
        pcap.write(self.folder / "hand.pcap", capture)
        return self.folder / "hand.pcap"

    def install(self):
        """For sharkd, which has no option for a script."""
        plugins = self.folder / ".local/lib/wireshark/plugins"
        plugins.mkdir(parents=True)
        (plugins / "arqlink.lua").symlink_to(tree.DISSECTOR)

    def run(self, path, *options, script=tree.DISSECTOR):
        command = ["tshark", "-X", f"lua_script:{script}", "-r", str(path), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})
        said = [line for line in done.stderr.splitlines() if not line.startswith("Running as user")]
        assert done.returncode == 0 and not said, said
        assert "lua error" not in done.stdout.lower()
        return done.stdout

    def fields(self, path, *names, options=("-2",), script=tree.DISSECTOR):
        """For each packet a dictionary of the fields that it has; each is a list of texts."""
        extract = [word for name in names for word in ("-e", name)]
        text = self.run(path, *options, "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,", *extract, script=script)
        rows = [line.split("\t") for line in text.split("\n")[:-1]]
        return [{name: value.split(",") for name, value in zip(names, row) if value} for row in rows]

    def experts(self, packets, *options, link_type=WITH_PSEUDO_HEADER, snaps=()):
        """For each packet the names of its expert infos, without that of a retransmission."""
        rows = json.loads(self.run(self.save(packets, link_type, snaps), "-2", "-T", "json", *options))
        return [sorted(set(names(row, "arqlink.expert.")) - {RETRANSMISSION}) for row in rows]


def names(node, prefix):
    """All keys below a node of JSON that begin with `prefix`."""
    for key, value in node.items() if isinstance(node, dict) else ():
        if key.startswith(prefix):
            yield key
        yield from names(value, prefix)
    for value in node if isinstance(node, list) else ():
        yield from names(value, prefix)


@pytest.fixture
def tshark(tmp_path):
    return Tshark(tmp_path)


DATA_UNITS = [
    Data(fsn=0xABCDE, tsn=0x12345, index=4, k=5, n=9, odd=1, type=0, epoch=0x5A, preset=2, sop=1, eop=0, pad=0x7E9, several=1),
    Data(fsn=0x10001, tsn=0xFFFFE, index=17, k=16, n=24, type=2, epoch=0xFF, preset=1, sop=0, eop=1, pad=0, fresh=1, payload=bytes(64)),
    Data(fsn=0xFFFFF, tsn=0, index=0, k=1, n=1, type=3, epoch=0, preset=0, sop=1, eop=1, pad=1, link=2),
]


@pytest.mark.parametrize("unit", DATA_UNITS, ids=["retransmission", "parity", "last try"])
def test_fields_of_data_units(tshark, unit):
    own = ["version", "type", "preset", "sop", "eop", "epoch", "k", "n", "index", "odd", "pad", "fsn", "tsn", "several", "fresh", "link"]
    generated = ["payload", "crc", "crc.status", "parity", "retransmission", "way", "fate", "erased"]
    (found,) = tshark.fields(tshark.save([framed(unit)]), *(f"arqlink.{name}" for name in own + generated))
    expected = {name: getattr(unit, name) for name in own}
    expected |= {"crc.status": 1, "parity": int(unit.index >= unit.k), "retransmission": int(unit.odd or unit.type == 2), "way": 0, "fate": 1, "erased": 0}
    assert {name: int(found[f"arqlink.{name}"][0]) for name in expected} == expected
    assert found["arqlink.payload"] == [unit.payload.hex()]
    assert int(found["arqlink.crc"][0], 16) == zlib.crc32(unit.bytes()[:-4])


FLAGS = ["hello", "peer_known", "poll", "reply", "deaf", "abandons"]


@pytest.mark.parametrize("bit", range(6), ids=FLAGS)
def test_fields_of_control_units(tshark, bit):
    unit = Control(1 << bit, 9, 0x42, 0xABCDE, 0x12345, 0x6789A, 0xFEDCB, 0x54321, 0x54300, "01" * 32)
    own = ["version", "epoch", "peer_epoch", "tx_base", "tx_edge", "rx_base", "rx_next", "bitmap_base"] + ([] if bit == 0 else ["ack_tsn"])
    (found,) = tshark.fields(tshark.save([framed(unit)]), *(f"arqlink.{name}" for name in [*own, *FLAGS, "type", "way", "bitmap", "crc.status"]))
    expected = {name: getattr(unit, name) for name in own} | {name: int(i == bit) for i, name in enumerate(FLAGS)}
    expected |= {"type": 1, "way": 1, "crc.status": 1}
    assert {name: int(found[f"arqlink.{name}"][0]) for name in expected} == expected
    assert int(found["arqlink.bitmap"][0], 16) == 0xAAAAAAAAAAAAAAAA


def test_fields_of_a_hello(tshark):
    wanted = ["window_log2", "packet_crc", "unit_bytes", "hello", "ack_tsn"]
    units = [hello(18, 0x1234, 1), hello(5, 25, 0)]
    found = tshark.fields(tshark.save(map(framed, units)), *(f"arqlink.{name}" for name in wanted))
    assert [[int(row.get(f"arqlink.{name}", ["-1"])[0]) for name in wanted] for row in found] == [[18, 1, 0x1234, 1, -1], [5, 0, 25, 1, -1]]


@pytest.mark.parametrize(("base", "following"), [(0, 64), (96, 40), (0xFFFF0, 40), (64, 0)], ids=["all", "some", "wrapping", "none"])
def test_the_list_of_outcomes(tshark, base, following):
    """Each TSN below rxNext by its outcome, and the frames of those that failed."""
    bits = "".join(seeds.rng(base).choices("01", k=64))
    tsns = [(base + i) % 2**20 for i in range(64)]
    # Frame numbers are others than those of transmissions.
    sent = [Data(fsn=(tsn + 500) % 2**20, tsn=tsn, index=2) for tsn in tsns[: max(following, 1)]]
    report = Control(rx_next=(base + following) % 2**20, bitmap_base=base, bits=bits)
    path = tshark.save(map(framed, [*sent, report]))
    *_, found = tshark.fields(path, "arqlink.received_tsn", "arqlink.failed_tsn", "arqlink.failed_transmission")
    failed = [i for i in range(following) if bits[i] == "0"]
    assert found.get("arqlink.received_tsn", []) == [str(tsns[i]) for i in range(following) if bits[i] == "1"]
    assert found.get("arqlink.failed_tsn", []) == [str(tsns[i]) for i in failed]
    assert found.get("arqlink.failed_transmission", []) == [str(i + 1) for i in failed]
    assert all(f"Failed TSN: {tsns[i]} (frame {sent[i].fsn})" in tshark.run(path, "-2", "-V") for i in failed[:3])


def test_outcomes_before_the_first_transmission_are_none(tshark):
    """The block before that of TSN 0 belongs to no transmission."""
    report = Control(rx_next=2, bitmap_base=2**20 - 32, bits="0" * 32 + "01")
    packets = [framed(hello()), framed(Data()), framed(report)]
    found = tshark.fields(tshark.save(packets), "arqlink.received_tsn", "arqlink.failed_tsn")[2]
    assert found == {"arqlink.received_tsn": ["1"], "arqlink.failed_tsn": ["0"]}


def transmission(fsn, tsn, fates=(ARRIVED,) * 3, **others):
    return [framed((Data(fsn=fsn, tsn=tsn, index=i, **others), fate)) for i, fate in enumerate(fates)]


LOST = (ARRIVED, ERASED, ERASED)


@pytest.mark.parametrize("options", [("-2",), ()], ids=["two passes", "one pass"])
def test_links_between_units(tshark, options):
    """Frame 5 fails as TSN 0, is reported in packet 4, sent again in 5 to 7 as TSN 1, and reported as received in 8."""
    packets = transmission(5, 0, LOST) + [framed(Control(rx_next=1, bits="0"))]
    packets += transmission(5, 1, odd=1) + [framed(Control(rx_next=2, bits="01"))]
    links = ["retransmission_of", "retransmitted_in", "first_unit", "outcome", "reported_in"]
    found = tshark.fields(tshark.save(packets), *(f"arqlink.{name}" for name in links), options=options)
    seen = [{name.removeprefix("arqlink."): int(value[0]) for name, value in row.items()} for row in found]
    first, again = {"retransmitted_in": 5, "outcome": 0, "reported_in": 4}, {"outcome": 1, "reported_in": 8}
    if not options:  # what comes later is not known yet
        first, again = {}, {}
    assert seen[0] == first and seen[2] == {"first_unit": 1, **first}
    assert seen[4] == {"retransmission_of": 1, **again}
    assert seen[6] == {"retransmission_of": 3, "first_unit": 5, **again}


def visited(tshark, path, order, before=()):
    """The details of each packet, visited in this order after the list has been read, as in Wireshark's window: sharkd is that without a window.
    `before`: captures that were open before this one."""
    loads = [{"method": "load", "params": {"file": str(name)}} for name in (*before, path)]
    asked = [*loads, *({"method": "frame", "params": {"frame": i, "proto": True}} for i in order)]
    lines = [json.dumps({"jsonrpc": "2.0", "id": i, **request}) for i, request in enumerate(asked, 1)]
    env = {"PATH": os.environ["PATH"], "HOME": str(tshark.folder)}
    done = subprocess.run(["sharkd", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True, env=env)
    answers = list(map(json.loads, done.stdout.splitlines()))[len(loads) :]
    trees = [[part for part in answer["result"]["tree"] if part["f"] == "arqlink"] for answer in answers]
    # "e" says which branches open together, and has another value in each run.
    return {number: re.sub(r'"e": \d+', "", json.dumps(shown)) for number, shown in zip(order, trees, strict=True)}


def test_packets_in_any_order(tshark):
    """Numbers begin below a wrap, and go far beyond it, where the same 20 bits name other transmissions."""
    packets = transmission(5, 2**20 - 3, LOST) + [framed(Control(rx_next=2**20 - 2, bitmap_base=2**20 - 3, bits="0"))]
    packets += transmission(5, 2**20 - 1, odd=1)
    packets += [framed(Data(fsn=i * 2**18 % 2**20, tsn=i * 2**18 % 2**20)) for i in range(1, 12)]
    path, numbers = tshark.save(packets), list(range(1, len(packets) + 1))
    tshark.install()
    shown = visited(tshark, path, numbers)
    assert "begins in packet: 5" in shown[1] and "It began in packet: 1" in shown[4] and "is packet: 1" in shown[5]
    for order in (numbers[::-1], seeds.rng("order").sample(numbers, len(numbers))):
        assert visited(tshark, path, order) == shown


def test_a_capture_is_read_as_if_no_other_one_had_been_open(tshark):
    """The first one leaves other frames, outcomes, restarts, damaged units, gaps and units without a number behind."""
    tshark.install()
    packets = [*transmission(5, 0), a_report(rx_next=1, bits="1"), *transmission(6, 1), framed(Data(fsn=9, tsn=9)), framed(Control(tx_base=9))]
    numbers = range(1, len(packets) + 1)
    path = tshark.save(packets).rename(tshark.folder / "second.pcap")
    alone = visited(tshark, path, numbers)
    assert "Gap: no unit of TSN 2 to 8" in alone[8]
    others = [damaged(Data(fsn=9, tsn=9)), *(Data(fsn=4, tsn=i, odd=i % 2) for i in range(4)), Control(rx_next=1, bits="0"), Data(epoch=8), Data(fsn=9, tsn=30)]
    before = tshark.save(map(framed, [*others, *others]), snaps=[None] * len(others) + [9])
    assert visited(tshark, path, numbers, [before]) == alone


def test_abandoned_frames(tshark):
    """Frame 5 was received and 6 was not: the notice that moves txBase past both abandons 6 alone."""
    packets = transmission(5, 0) + transmission(6, 1, LOST) + [framed(Control(rx_next=2, bits="10"))]
    packets += [framed(Control(epoch=7, peer_epoch=9, flags=2, tx_base=5)), framed(Control(epoch=7, peer_epoch=9, flags=0x22, tx_base=7))]
    found = tshark.fields(tshark.save(packets), "arqlink.abandoned_fsn", "arqlink.abandoned_in")
    assert found[8] == {"arqlink.abandoned_fsn": ["6"]}
    assert found[3:6] == [{"arqlink.abandoned_in": ["9"]}] * 3 and not any(found[:3])
    assert tshark.experts(packets)[8] == ["arqlink.expert.abandoned"]


def test_a_frame_of_which_no_outcome_was_captured_is_not_abandoned(tshark):
    """It may have been received: a capture of one way has no reports."""
    packets = [framed(Control(epoch=7, peer_epoch=9, tx_base=5)), *transmission(5, 0), framed(Control(epoch=7, peer_epoch=9, flags=0x22, tx_base=6))]
    assert not any(tshark.experts(packets))


def damaged(unit, at=20):
    data = bytearray(unit.bytes())
    data[at] ^= 4
    return bytes(data)


def a_report(**numbers):
    return framed(Control(**numbers))


SPOTTED = {
    "erased": [framed((Data(), ERASED))],
    "crc": [framed(damaged(Data()))],
    "short": [framed(bytes(16))],
    "pseudo": [b"\2\0\1\0" + Data().bytes()],
    "version": [framed(Data(version=1))],
    "length": [framed(sealed(Control().bytes()[:-4] + b"more"))],
    "gap": [*transmission(0, 0), *transmission(1, 1, (ERASED,) * 3), framed(Data(fsn=2, tsn=2))],
    "late": [*transmission(0, 0), *transmission(1, 1), framed(Data(fsn=0, tsn=0))],
    "restart": [framed(Data(epoch=7)), framed(Data(epoch=8))],
    "contradiction": [*transmission(0, 0), a_report(rx_next=1, bits="1"), a_report(rx_next=1, bits="0")],
}
IMPOSSIBLE = {"index": {"index": 3}, "n": {"n": 1}, "k": {"k": 4}, "preset": {"preset": 3}}


@pytest.mark.parametrize("name", SPOTTED)
def test_expert_infos(tshark, name):
    """In the last packet, and in no other one but those of erased units."""
    *before, last = tshark.experts(SPOTTED[name])
    assert last == [f"arqlink.expert.{name}"]
    assert {kind for found in before for kind in found} <= {"arqlink.expert.erased"}


def test_the_last_unit_closes_its_transmission(tshark):
    assert tshark.experts([*transmission(0, 0), framed(Data(index=1))])[-1] == ["arqlink.expert.late"]
    assert tshark.experts([*transmission(0, 0)[:2], framed(Data(index=1))])[-1] == []


@pytest.mark.parametrize("change", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_headers(tshark, change):
    assert tshark.experts([framed(Data(**change))]) == [["arqlink.expert.header"]]


@pytest.mark.parametrize("name", ["rx_next", "rx_base", "tx_base", "tx_edge", "ack_tsn"])
def test_numbers_that_go_back_are_contradictions(tshark, name):
    found = tshark.experts([a_report(**{name: value}) for value in (2**20 - 1, 3, 3, 2)])
    assert ["arqlink.expert.contradiction" in kinds for kinds in found] == [False, False, False, True]


def test_a_tsn_of_two_frames_is_a_contradiction(tshark):
    assert tshark.experts([framed(Data(fsn=1)), framed(Data(fsn=2, index=1))])[1] == ["arqlink.expert.contradiction"]


def test_a_damaged_unit_is_not_believed(tshark):
    """A damaged TSN would make a gap, and a damaged report a contradiction."""
    packets = [*transmission(0, 0), framed(damaged(Data(fsn=9, tsn=9), 10)), a_report(rx_next=1, bits="1")]
    packets += [framed(damaged(Control(rx_next=1), 25)), *transmission(1, 1)]
    assert [kind for found in tshark.experts(packets) for kind in found] == ["arqlink.expert.crc"] * 2


def test_the_preference_for_the_length(tshark):
    found = tshark.experts([framed(Data()), framed(Data(payload=bytes(9)))], "-o", "arqlink.unit_bytes:8")
    assert found == [[], ["arqlink.expert.length"]]


def test_the_preference_for_the_link_type(tshark):
    found = tshark.fields(tshark.save([framed(Data(fsn=3))], 150), "arqlink.fsn", options=("-o", "arqlink.dlt:150"))
    assert found == [{"arqlink.fsn": ["3"]}]


def test_units_without_a_pseudo_header(tshark):
    """A classic capture does not know their ways, so they are read and not followed."""
    path = tshark.save([Data(fsn=3, tsn=4).bytes(), Control().bytes(), Data(fsn=4, tsn=9).bytes()], BARE)
    found = tshark.fields(path, "arqlink.fsn", "arqlink.tsn", "arqlink.way", "arqlink.crc.status", "_ws.expert")
    status = {"arqlink.crc.status": ["1"]}
    assert found == [{"arqlink.fsn": ["3"], "arqlink.tsn": ["4"], **status}, status, {"arqlink.fsn": ["4"], "arqlink.tsn": ["9"], **status}]


WORDS = [
    (Data(fsn=3, tsn=4), "Frame 3, unit 0 of 3 (data), TSN 4"),
    (Data(fsn=3, tsn=4, index=2, odd=1), "Frame 3, unit 2 of 3 (parity), TSN 4, retransmission"),
    (Data(type=2), "Frame 0, unit 0 of 3 (data), TSN 0, retransmission, last try"),
    (Data(type=3), "Frame 0, unit 0 of 3 (data), TSN 0, last try"),
    ((Data(), ERASED), "Erased: Frame 0, unit 0 of 3 (data), TSN 0"),
    (damaged(Data()), "Bad CRC: Frame 0, unit 0 of 3 (data), TSN 0"),
    (hello(), "Hello: epoch 9, window of 1024 frames, units of 8 bytes, does not know its peer"),
    (Control(flags=0x26, tx_base=3), "Poll, Abandoned frames below 3"),
    (Control(flags=0x0A, rx_next=9, bitmap_base=5, bits="1011"), "Reply: outcomes of TSN 5 to 8, failed: 6"),
    (Control(rx_next=2, bits="11"), "Report: outcomes of TSN 0 to 1, all received"),
    (b"short", "Too short for a unit: 5 bytes"),
]


@pytest.mark.parametrize(("unit", "words"), WORDS, ids=[words[:24] for _, words in WORDS])
def test_words_of_the_list(tshark, unit, words):
    text = tshark.run(tshark.save([framed(unit)]))
    assert text.rstrip().endswith(words) and text.rstrip().endswith(str(len(framed(unit))) + " " + words)


@pytest.mark.parametrize("link_type", [WITH_PSEUDO_HEADER, BARE])
def test_random_and_truncated_bytes(tshark, link_type):
    """Tshark.run() takes an error of Lua for a failure. Half of the units have a good CRC, so that what they say is followed."""
    rng = seeds.rng("bytes")
    units = [rng.randbytes(rng.randrange(70)) for _ in range(250)]
    units += [sealed(bytes([rng.choice((0xC0, 0xD0, 0xE0, 0xF0)) | rng.randrange(16)]) + rng.randbytes(rng.choice((13, 27, 27, 36)))) for _ in range(250)]
    for whole in (Data().bytes(), Control().bytes(), hello().bytes()):
        units += [whole[:length] for length in range(len(whole))]
    header = [bytes([1, rng.randrange(2), rng.randrange(3), 0]) if link_type == WITH_PSEUDO_HEADER else b"" for _ in units]
    packets = [first + unit for first, unit in zip(header, units)] + [rng.randbytes(length) for length in range(1, 9)]
    path = tshark.save(packets, link_type)
    for options in ((), ("-2",), ("-2", "-V")):
        assert tshark.run(path, *options)
    assert len(tshark.run(path, "-2").splitlines()) == len(packets)


# Captures with a snap length, which cuts units.

FIRST = {"version": 1, "type": 1}
DATA_ENDS = {"several": 1, "odd": 1, "link": 1, "epoch": 2, "fresh": 3, "k": 3, "n": 4, "index": 5, "preset": 6, "sop": 6, "eop": 6, "pad": 7}
DATA_ENDS |= {"fsn": 10, "tsn": 12, "payload": 20, "crc": 24}
CONTROL_ENDS = {"link": 1, "epoch": 2, **dict.fromkeys(FLAGS, 3), "peer_epoch": 4, "tx_base": 10, "tx_edge": 12, "rx_base": 15, "rx_next": 17}
CONTROL_ENDS |= {"bitmap_base": 20, "bitmap": 28, "crc": 32}
HELLO_ENDS = {"window_log2": 5, "packet_crc": 5, "unit_bytes": 7}
CUT = {
    "data": (Data(fsn=0xABCDE, tsn=0x12345, index=1), DATA_ENDS),
    "retransmission": (Data(fsn=3, tsn=0xFFFFF, index=2, odd=1, preset=2, pad=5), DATA_ENDS),
    "last try": (Data(type=3, fsn=3, tsn=4), DATA_ENDS),
    "report": (Control(2, 9, 7, 5, 3, 6, 4, 6, 0, "110110"), {**CONTROL_ENDS, "ack_tsn": 7}),
    "notice": (Control(0x22, 9, 7, 5, 3, 6, 4, 6, 0, "000000"), {**CONTROL_ENDS, "ack_tsn": 7}),
    "hello": (hello(), {**CONTROL_ENDS, **HELLO_ENDS}),
}
"""Units, and how many bytes a capture must have of each for a field."""


@pytest.mark.parametrize("link_type", [WITH_PSEUDO_HEADER, BARE])
@pytest.mark.parametrize(("unit", "ends"), CUT.values(), ids=CUT)
def test_every_cut_of_a_unit(tshark, unit, ends, link_type):
    """A field whose bytes were all captured is shown, as it is in the whole unit; another one is said to be missing. Neither is the unit's fault."""
    pseudo = {"way": -2, "fate": -1} if link_type == WITH_PSEUDO_HEADER else {}
    ends = {**pseudo, **FIRST, **ends}
    packet, before = (framed(unit), 4) if pseudo else (unit.bytes(), 0)
    snaps = range(len(packet) + 1)
    path = tshark.save([packet] * len(snaps), link_type, snaps)
    rows = tshark.fields(path, *(f"arqlink.{name}" for name in ends), "arqlink.not_captured", "arqlink.crc.status", "_ws.expert.message")
    whole = rows[-1]
    for snap, row in zip(snaps, rows, strict=True):
        captured = snap - before
        # What a unit has depends on its type, and in control units on "hello".
        told = {**pseudo, **FIRST, "crc": ends["crc"]} if captured < 1 else ends
        if captured < 3:
            told = {name: end for name, end in told.items() if name not in {"ack_tsn", *HELLO_ENDS}}
        missing = {name for name, end in told.items() if end > captured}
        assert set(row.get("arqlink.not_captured", [])) == missing, snap
        shown = {name: row[f"arqlink.{name}"] for name in ends if f"arqlink.{name}" in row}
        assert shown == {name: whole[f"arqlink.{name}"] for name in told if name not in missing}, snap
        assert row["arqlink.crc.status"] == ["1" if snap == len(packet) else "2"]
        assert all(said.startswith("Retransmission of frame") for said in row.get("_ws.expert.message", [])), snap


CUT_WORDS = [
    ("data", 4, "Not captured"),
    ("data", 5, "Frame ?, unit ? of ?, TSN ?"),
    ("data", 9, "Frame ?, unit 1 of 3 (data), TSN ?"),
    ("data", 27, "Frame 703710, unit 1 of 3 (data), TSN 74565"),
    ("last try", 5, "Frame ?, unit ? of ?, TSN ?, last try"),
    ("report", 6, "Control unit"),
    ("report", 31, "Report"),
    ("report", 32, "Report: outcomes of TSN 0 to 5, failed: 2 5"),
    ("notice", 7, "Abandoned frames below ?"),
    ("hello", 7, "Hello: epoch 9, window of ? frames, units of ? bytes, does not know its peer"),
]


@pytest.mark.parametrize(("name", "snap", "words"), CUT_WORDS, ids=[f"{name}-{snap}" for name, snap, _ in CUT_WORDS])
def test_words_of_cut_units(tshark, name, snap, words):
    assert tshark.run(tshark.save([framed(CUT[name][0])], snaps=[snap])).rstrip().endswith(f" {words}")


@pytest.mark.parametrize("snap", [8, 20])
def test_what_is_short_or_long_on_the_line_is_so_in_a_cut_capture(tshark, snap):
    packets = [framed(bytes(16)), framed(sealed(Control().bytes()[:-4] + b"more")), framed(Data())]
    found = tshark.experts(packets, "-o", "arqlink.unit_bytes:9", snaps=[snap] * 3)
    assert found == [["arqlink.expert.short"], ["arqlink.expert.length"], ["arqlink.expert.length"]]


def healthy(payload=bytes(40)):
    """A frame that is sent three times, one that is given up, and others; across the wrap of the numbers. Units of data are longer than reports."""
    top = 2**20
    packets = [framed(hello(flags=3)), framed(Control(epoch=7, peer_epoch=9, tx_base=top - 2, tx_edge=top - 3, ack_tsn=top - 3))]
    packets += transmission(top - 2, top - 3, payload=payload) + transmission(top - 1, top - 2, LOST, payload=payload)
    packets += [a_report(rx_base=top - 1, rx_next=top - 1, bitmap_base=top - 32, bits="1" * 30 + "0")]
    packets += transmission(top - 1, top - 1, LOST, odd=1, payload=payload) + transmission(0, 0, payload=payload)
    packets += [a_report(rx_base=top - 1, rx_next=1, bitmap_base=top - 32, bits="1" * 30 + "001")]
    packets += transmission(top - 1, 1, payload=payload) + transmission(1, 2, LOST, payload=payload)
    packets += [a_report(rx_base=1, rx_next=3, bitmap_base=0, bits="110")]
    packets += [framed(Control(epoch=7, peer_epoch=9, flags=0x22, tx_base=2, tx_edge=3, ack_tsn=3)), *transmission(2, 3, payload=payload)]
    return packets


LINKS = [f"arqlink.{name}" for name in ("retransmission_of", "retransmitted_in", "first_unit")]
FOLLOWED = [*LINKS, *(f"arqlink.{name}" for name in ("outcome", "reported_in", "abandoned_in", "abandoned_fsn", "failed_tsn", "failed_transmission"))]


@pytest.mark.parametrize("snap", [16, 20, 35])
def test_cut_units_are_followed_by_their_headers(tshark, snap):
    packets = healthy()
    whole = tshark.fields(tshark.save(packets), *LINKS)
    assert tshark.fields(tshark.save(packets, snaps=[snap] * len(packets)), *LINKS) == whole
    assert sum("arqlink.retransmission_of" in row for row in whole) == 6


@pytest.mark.parametrize("snap", [36, 40])
def test_whole_reports_of_cut_units_are_believed(tshark, snap):
    packets = healthy()
    whole = tshark.fields(tshark.save(packets), *FOLLOWED)
    assert tshark.fields(tshark.save(packets, snaps=[snap] * len(packets)), *FOLLOWED) == whole
    assert {"arqlink.abandoned_fsn": ["1"]} in whole


def test_no_cut_makes_a_fault(tshark, rng):
    """Each fourth snap length, and another one for each packet; captures begin at any packet, too."""
    packets = healthy()
    longest = max(map(len, packets))
    abandoned = {"arqlink.expert.erased", "arqlink.expert.abandoned"}
    assert {kind for found in tshark.experts(packets) for kind in found} == abandoned
    cuts = [[snap] * len(packets) for snap in range(rng.randrange(4), longest, 4)] + [[rng.randrange(longest + 1) for _ in packets] for _ in range(10)]
    for snaps in cuts:
        assert {kind for found in tshark.experts(packets, snaps=snaps) for kind in found} <= abandoned, snaps


def test_a_unit_that_may_be_damaged_makes_no_fault(tshark):
    """Of a damaged header the CRC would tell, but it was cut. What follows is what it is without that unit."""
    harmful = [damaged(Data(fsn=9, tsn=9), 9), damaged(Data(fsn=5, tsn=2**19 - 1), 1), damaged(Data(fsn=5, tsn=0), 8), damaged(Control(rx_next=1), 25)]
    before, after = transmission(5, 0), [a_report(rx_next=1, bits="1"), *transmission(6, 1), *transmission(7, 2)]
    for unit in harmful:
        packets = [*before, framed(unit), *after]
        snaps = [None] * 3 + [len(unit) + 3] + [None] * len(after)
        assert not any(tshark.experts(packets, snaps=snaps)), unit
    many = [framed(damaged(Data(fsn=5, tsn=i * 400_000 % 2**20), 20)) for i in range(8)]
    assert not any(tshark.experts([*before, *many, *after], snaps=[None] * 3 + [20] * 8))


@pytest.mark.parametrize("snap", [0, 1, 4, 15])
def test_a_unit_whose_number_was_cut_is_no_gap(tshark, snap):
    """Not even one whose way was cut. Whole, the capture without this unit has a gap."""
    packets = [*transmission(0, 0), framed(Data(fsn=1, tsn=1)), framed(Data(fsn=2, tsn=2))]
    assert not any(tshark.experts(packets, snaps=[None] * 3 + [snap]))
    assert tshark.experts([*packets[:3], packets[4]])[-1] == ["arqlink.expert.gap"]


def test_the_first_of_the_transmissions_that_were_seen_is_not_the_first(tshark):
    """Attempts 0 and 2 of four were cut: 1 is not the first, and 3 is not what comes after it."""
    packets = [framed(Data(fsn=5, tsn=i, odd=i % 2)) for i in range(4)]
    assert tshark.fields(tshark.save(packets, snaps=[8, None, 8]), *LINKS) == [{}] * 4
    found = tshark.fields(tshark.save(packets), *LINKS)
    assert found[1:] == [{LINKS[0]: ["1"], LINKS[1]: ["3"]}, {LINKS[0]: ["1"], LINKS[1]: ["4"]}, {LINKS[0]: ["1"]}]


def test_the_number_of_a_retransmission(tshark):
    """It counts transmissions of its frame, and those that an outage has forgiven too: they have the same last bit of the attempt."""
    packets = [packet for tsn, odd in enumerate((0, 0, 1, 0)) for packet in transmission(5, tsn, odd=odd)]
    lines = tshark.run(tshark.save(packets)).splitlines()
    assert [line.split(f"TSN {i // 3}")[1].strip() for i, line in enumerate(lines)] == [*[""] * 3, *[f", retransmission {i // 3}" for i in range(3, 12)]]


def test_links_on_a_phy_that_they_share_are_followed_apart(tshark):
    """The same numbers, epochs and edges of two links contradict nothing, and a restart of one is none of the other."""
    first, second = (
        [*transmission(0, tsn, link=link), framed(Control(rx_next=tsn + 1, bitmap_base=tsn, bits="1", link=link, peer_epoch=7))]
        for link, tsn in ((0, 5), (1, 0))
    )
    packets = [packet for both in zip(first, second) for packet in both]
    assert not any(tshark.experts(packets))
    assert not any(tshark.experts([framed(Data(epoch=7, link=0)), framed(Data(epoch=8, link=1))]))


def test_a_wrong_offset_is_seen(tshark):
    """Each of these tests would be of no use if a field could be read from somewhere else."""
    source = tree.DISSECTOR.read_text()
    for right, wrong in (
        ('read("fsn", 7, 3, 0, 20)', 'read("fsn", 8, 3, 0, 20)'),
        ('show("pad", 5, 2)', 'show("pad", 4, 2)'),
    ):
        assert source.count(right) == 1
        script = tshark.folder / "wrong.lua"
        script.write_text(source.replace(right, wrong))
        path, fields = tshark.save([framed(DATA_UNITS[0])]), ("arqlink.fsn", "arqlink.pad")
        assert tshark.fields(path, *fields) != tshark.fields(path, *fields, script=script)


# Captures of real runs.


def counted(tshark, path):
    """How many units of each kind a capture has: (way, kind, erased)."""
    names = ("arqlink.way", "arqlink.type", "arqlink.retransmission", "arqlink.erased", "arqlink.crc.status")
    rows = tshark.fields(path, *names)
    assert all(row["arqlink.crc.status"] == ["1"] for row in rows)
    found = Counter()
    for row in rows:
        kind = "control" if row["arqlink.type"] == ["1"] else "again" if row["arqlink.retransmission"] == ["1"] else "first"
        found[int(row["arqlink.way"][0]), kind, int(row["arqlink.erased"][0])] += 1
    return found


def all_of(found, way, kind):
    return found[way, kind, 0] + found[way, kind, 1]


def test_a_file_that_is_sent(tshark, tmp_path):
    """Counts are those of the report, and the first transmissions carry the file, erased ones too. Nothing is seen to be wrong."""
    content = (tree.ROOT / "LICENSE").read_bytes()[:8000]
    setup = LinkSetup(n=11, loss=loss.Bernoulli(0.05), feedback_loss=loss.Bernoulli(0.05), delay_ms=10, packet_bytes=700)
    path = tmp_path / "units.pcapng"
    packets = [content[i : i + 700] for i in range(0, len(content), 700)]
    report = transfer.transfer(setup, transfer.Traffic(packets), phy_capture=str(path)).report
    assert report["identical"]
    found, a, b = counted(tshark, path), report["counters"]["a"], report["counters"]["b"]
    assert all_of(found, A_TO_B, "first") == a["tx_units"]
    assert all_of(found, A_TO_B, "again") == a["tx_retx_units"] > 0
    assert all_of(found, A_TO_B, "control") == a["tx_control_units"]
    assert all_of(found, B_TO_A, "control") == b["tx_control_units"]
    # Units that were under way when the run ended have not been counted yet.
    assert found[A_TO_B, "first", 0] + found[A_TO_B, "again", 0] == b["rx_units"] + b["rx_units_surplus"]
    assert 0 < found[B_TO_A, "control", 1] < all_of(found, B_TO_A, "control") / 4

    names = ["fsn", "index", "k", "eop", "pad", "payload"]
    rows = tshark.fields(path, *(f"arqlink.{name}" for name in names), options=("-2", "-Y", "arqlink.retransmission == 0 && arqlink.parity == 0"))
    data = b""
    for row in rows:
        fsn, index, k, eop, pad, payload = (row[f"arqlink.{name}"][0] for name in names)
        last = int(eop) and int(index) == int(k) - 1
        data += bytes.fromhex(payload)[: -int(pad) or None if last else None]
    assert data == content
    kinds = set(names_of_experts(tshark, path))
    assert kinds <= {"erased", "Erased: this unit did not arrive", "Retransmission"}


def names_of_experts(tshark, path):
    for row in tshark.fields(path, "_ws.expert.message"):
        for said in row.get("_ws.expert.message", []):
            yield said if not said.startswith("Retransmission") else "Retransmission"


def test_statistics(tshark, tmp_path):
    """The emulators count the same erasures, and as many frames are abandoned as the sender counts."""
    setup = LinkSetup(n=10, delta=1, loss=loss.Bernoulli(0.1), feedback_loss=loss.Bernoulli(0.02), delay_ms=2)
    path = tmp_path / "units.pcapng"
    report = monte_carlo.measure(setup, 300, phy_capture=str(path))
    found, a = counted(tshark, path), report["counters"]["a"]
    assert found[A_TO_B, "first", 1] + found[A_TO_B, "again", 1] == report["channel"]["ERASED"] > 0
    assert all_of(found, A_TO_B, "first") + all_of(found, A_TO_B, "again") == report["channel"]["UNITS"]
    assert all_of(found, A_TO_B, "again") == a["tx_retx_units"]
    rows = tshark.fields(path, "arqlink.abandoned_fsn")
    assert sum(len(row.get("arqlink.abandoned_fsn", [])) for row in rows) == a["tx_frames_abandoned"] > 0


@pytest.mark.parametrize(
    ("mode", "field"), [(0, "arqlink.erased == 1"), (1, "arqlink.crc.status == 0"), (2, "arqlink.erased == 1")], ids=["vanish", "flip", "flag"]
)
def test_each_manner_of_erasure(tshark, tmp_path, mode, field):
    """Units that vanish, that arrive damaged, and that the PHY flags; as many as the emulator counts, and the others are as they were sent."""
    setup, path = LinkSetup(n=12, loss=loss.Bernoulli(0.05), delay_ms=2), tmp_path / "u.pcapng"
    job = pair.stats_job(setup, 100, phy_capture=str(path))
    job.setup.insert(0, (address("ab", "MODE"), mode))
    result = pair.run(setup, job)
    rows = tshark.fields(path, "arqlink.way", "arqlink.crc.status", options=("-Y", field))
    assert len(rows) == result["ab.ERASED"] + result["ab.CONTROL_ERASED"] > 20
    assert all(row["arqlink.way"] == ["0"] for row in rows)
    assert tshark.fields(path, "arqlink.crc.status", options=("-Y", f"!({field}) && arqlink.crc.status != 1")) == []


def test_a_reader_that_goes_away(arqlink, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["head", "-c", "100", str(tmp_path / "pipe")], stdout=subprocess.DEVNULL):
        code, _, err = arqlink("stats", "--frames", "3000", "--pcap-phy", "pipe")
    assert code == 2 and "The capture 'pipe' cannot be written: Broken pipe." in err


@pytest.mark.parametrize("config", slow_in_full(["default", "paper", "paper8"], slow={"paper", "paper8"}))
def test_times_and_marks_for_other_readers(arqlink, tmp_path, config):
    """Without the dissector: times of units back to back are their bytes on the line, and erased units are marked in three ways."""
    (tmp_path / "in").write_bytes(bytes(5000))
    code, _, err = arqlink("send", "in", "out", "--config", config, "--loss", "0.1", "--delay-ms", "3", "--pcap-phy", "u.pcapng", "--json")
    assert code == 0, err
    done = subprocess.run(
        ["tshark", "-r", "u.pcapng", "-T", "fields", *(w for n in ("frame.time_epoch", "frame.interface_name", "frame.packet_flags", "frame.comment", "data")
                                                       for w in ("-e", n))],
        capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    for _, name, flags, comment, data in rows:
        way, fate = int(data[2:4], 16), int(data[4:6], 16)
        assert name == ("A to B", "B to A")[way]
        assert int(flags, 16) == (2, 1)[way] + (fate == ERASED) * 2**24 and (comment == "erased") == (fate == ERASED)
    setup = LinkSetup(config=config)
    starts = [float(row[0]) for row in rows if row[1] == "A to B" and int(row[4][8:10], 16) >> 4 & 3 == 0]
    steps = [b - a for a, b in zip(starts, starts[1:])]
    assert min(steps) == pytest.approx(setup.unit_clocks / setup.clock_hz, abs=3e-9)


def test_a_pipe_carries_the_same(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(bytes(3000))
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        for name in ("pipe", "file.pcapng"):
            code, _, err = arqlink("send", "in", "out", "--delay-ms", "2", "--pcap-phy", name)
            assert code == 0, err
        assert reader.communicate()[0] == (tmp_path / "file.pcapng").read_bytes()


def test_a_run_that_is_killed_leaves_a_capture(tmp_path):
    command = [sys.executable, "-m", "arqlink", "stats", "--frames", "1e5", "--pcap-phy", "u.pcapng"]
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        path, patience = tmp_path / "u.pcapng", time.monotonic() + 600
        while not (path.exists() and path.stat().st_size > 200_000):
            assert process.poll() is None and time.monotonic() < patience
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    capture = pcap.parse(path.read_bytes())  # refuses what is cut off
    assert len(capture.packets) > 1000 and capture.link_type == WITH_PSEUDO_HEADER


def test_a_full_disk(tmp_path):
    setup = LinkSetup(delay_ms=1)
    with pytest.raises(UserError, match=r"^The capture '/dev/full' cannot be written: No space left on device\.$"):
        pair.run(setup, pair.stats_job(setup, 100, phy_capture="/dev/full"))


def test_what_is_too_large_is_refused():
    """With the frames that the sentence names it is not; a run shows that the estimate is near the truth."""
    setup = LinkSetup(n=11, loss=loss.Bernoulli(0.05))
    with pytest.raises(UserError, match=r"would have about \d\.\d+ GiB, and --pcap-phy writes up to 1 GiB: that is \d+ frames") as error:
        phy_capture.check(setup, setup.model(), 2_000_000)
    fewer = int(str(error.value).split()[-5])
    phy_capture.check(setup, setup.model(), fewer)
    assert 500_000 < fewer < 2_000_000


def test_the_size_is_as_expected(tmp_path):
    setup = LinkSetup(n=11, loss=loss.Bernoulli(0.05), delay_ms=2)
    path = tmp_path / "u.pcapng"
    monte_carlo.measure(setup, 1000, phy_capture=str(path))
    assert path.stat().st_size == pytest.approx(phy_capture.expected_bytes(setup, setup.model(), 1000), rel=0.15)


def test_where_the_dissector_is(arqlink, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert arqlink("wireshark")[:2] == (0, f"{tree.DISSECTOR}\n")
    copy = tmp_path / ".local/lib/wireshark/plugins/arqlink.lua"
    assert arqlink("wireshark", "--install")[:2] == (0, f"{copy}\n")
    hand = Tshark(tmp_path).save([framed(Data(fsn=3))])
    done = subprocess.run(["tshark", "-r", str(hand)], capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    assert "Frame 3, unit 0 of 3" in done.stdout
    copy.unlink()
    copy.mkdir()
    code, _, err = arqlink("wireshark", "--install")
    assert code == 2 and "cannot be written" in err


@pytest.mark.docs
def test_what_the_document_shows(tmp_path):
    """Each command that it has in a console, with what it prints."""
    (tmp_path / "LICENSE").symlink_to(tree.ROOT / "LICENSE")
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    shown = re.findall(r"```console\n(.*?)```", (tree.ROOT / "docs" / "wireshark.md").read_text(), re.DOTALL)
    assert len(shown) == 4
    for block in shown:
        for command, expected in re.findall(r"^\$ (.*)\n((?:[^$].*\n|\n)*)", block, re.MULTILINE):
            done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert [line.rstrip() for line in done.stdout.rstrip().splitlines()] == expected.rstrip().splitlines()


def test_the_document_names_all_fields_and_expert_infos():
    source, document = tree.DISSECTOR.read_text(), (tree.ROOT / "docs" / "wireshark.md").read_text()
    defined = set(re.findall(r'"arqlink\.(?:expert\.)?([a-z_.]+)", "', source))
    assert len(defined) > 50 and defined <= set(re.findall(r"`([a-z_.]+)`", document))
