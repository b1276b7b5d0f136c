# SPDX-License-Identifier: Apache-2.0
"""The parts of `arqlink send` that need no simulator: matching, lists, files."""

import os
import struct

import numpy as np
import pytest

from arqlink.cli.send import cut, port_rate, summary
from arqlink.errors import UserError
from arqlink.model.link_setup import LinkSetup
from arqlink.report.tables import number, ranges
from arqlink.run import harness, pcap
from arqlink.run.harness import Delivery
from arqlink.run.transfer import Outcome, Traffic, check, delay_trace, load, match, offered, save


def test_match_in_order():
    sent = [b"a", b"b", b"a", b"c", b"a"]
    assert match(sent, sent, True).order == [0, 1, 2, 3, 4]
    assert match(sent, sent, True).lost == []
    some = match(sent, [b"b", b"a", b"a"], True)
    assert some.order == [1, 2, 4] and some.lost == [0, 3]
    swapped = match(sent, [b"c", b"b"], True)
    assert swapped.order == [3, None]
    assert match(sent, [b"x", b"a"], True).order == [None, 0]
    assert match([], [], True).order == []


def test_match_out_of_order():
    found = match([b"a", b"b", b"c"], [b"c", b"a", b"a"], False)
    assert found.order == [2, 0, None] and found.lost == [1]


def test_ranges():
    assert ranges([]) == ""
    assert ranges([3]) == "3"
    assert ranges([1, 4, 5, 6, 9, 10]) == "1, 4-6, 9-10"


def test_number():
    assert number(None) == number(float("nan")) == "-"
    assert number(1 / 3) == "0.333333"


def test_load_cuts_a_file(tmp_path):
    (tmp_path / "f").write_bytes(bytes(range(250)))
    traffic = load(tmp_path / "f", 100)
    assert list(map(len, traffic.packets)) == [100, 100, 50]
    assert b"".join(traffic.packets) == bytes(range(250))
    (tmp_path / "empty").write_bytes(b"")
    assert load(tmp_path / "empty", 100).packets == []
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        load(tmp_path, 100)
    capture = pcap.Capture()
    capture.add(b"packet", 0)
    pcap.write(tmp_path / "c", capture)
    os.truncate(tmp_path / "c", 45)
    with pytest.raises(UserError, match=r"The capture '.*c' is damaged at packet 0 \(counted from 0\)"):
        load(tmp_path / "c", 100)


def test_packets_that_the_link_does_not_carry():
    """They are refused by their numbers, before anything is built."""
    check([b"x", b"x" * 9216], 9216)
    with pytest.raises(UserError, match="has no packets"):
        check([], 9216)
    with pytest.raises(UserError, match=r"without bytes.*counted from 0: 1, 3-4\."):
        check([b"x", b"", b"x", b"", b""], 9216)
    with pytest.raises(UserError, match=r"longer than 9216 bytes.*counted from 0: 1\."):
        check([b"x", b"x" * 9217], 9216)


@pytest.mark.parametrize(
    ("packets", "cut", "words"),
    [
        ([b"x", b""], 0, "packets without bytes, which a stream cannot carry; counted from 0: 1."),
        ([b"x", b"x" * 9217, b"x"], 0, "packets longer than 9216 bytes, the most that this configuration carries; counted from 0: 1."),
        ([b"x", b"xyz"], 1, "'in' is damaged at packet 1 (counted from 0), byte 41: its length is 3, but 2 bytes are left."),
    ],
    ids=["without bytes", "too long", "cut off"],
)
def test_captures_that_are_refused(arqlink, tmp_path, packets, cut, words):
    capture = pcap.Capture()
    for packet in packets:
        capture.add(packet, 0)
    pcap.write(tmp_path / "in", capture)
    os.truncate(tmp_path / "in", os.path.getsize(tmp_path / "in") - cut)
    code, out, err = arqlink("send", "in", "out")
    assert (code, out) == (2, "") and words in err and not (tmp_path / "out").exists()


def test_packets_that_the_capture_has_cut(tmp_path):
    """They are named, and keep their lengths on the wire."""
    capture = pcap.Capture()
    for packet, length in ((b"whole", 5), (b"cut", 60), (b"short", 6)):
        capture.add(packet, 0, length)
    assert cut(capture).endswith("(counted from 0): 1-2.") and cut(pcap.Capture()) == ""
    found = match(capture.packets, [b"cut", b"short"], True)
    save(
        tmp_path / "out.pcap",
        LinkSetup(),
        Traffic(capture.packets, [0] * 3, capture),
        Outcome({}, [Delivery(b"cut", 0, 9, False), Delivery(b"short", 0, 9, False)], found, []),
    )
    out = pcap.parse((tmp_path / "out.pcap").read_bytes())
    assert (out.packets, out.wire_lengths) == ([b"cut", b"short"], [60, 6])


def test_the_pace_of_times_that_go_back():
    """A little, of two interfaces, they may; packets never overtake. A clock that was set is refused at the first packet that shows it."""
    assert offered(np.array([0, 2.5, 1.5, 3, -1e-3 + 3]), 10) == [0, 25, 25, 30, 30]
    with pytest.raises(UserError, match=r"^Packet 2 \(counted from 0\) was captured 65536 s before one in front of it"):
        offered(np.array([0, 65536.000028, 0.000049, 0.000092]), 10)
    with pytest.raises(UserError, match=r"^Packet 1 .* 2 s before"):
        offered(np.array([0, -2]), 10)


def test_a_capture_whose_clock_was_set_has_no_pace(arqlink, tmp_path):
    """Nothing is run; the sentence says which packet."""
    capture = pcap.Capture()
    for time in (10**18, 10**18 + 65536 * 10**9, 10**18 + 49_000):
        capture.add(bytes(60), time)
    pcap.write(tmp_path / "in", capture)
    code, out, err = arqlink("send", "in", "out", "--pace", "capture")
    assert (code, out) == (2, "") and err.startswith("Packet 2 (counted from 0) was captured 65536 s before") and not (tmp_path / "out").exists()


def test_the_demo_capture(tmp_path):
    from arqlink.demo.link import CAPTURE

    traffic = load(CAPTURE, 100)
    assert len(traffic.packets) > 200 and traffic.times and traffic.capture
    assert traffic.times[0] == 0 and traffic.times == sorted(traffic.times)
    assert len(set(traffic.packets)) == len(traffic.packets)
    setup = LinkSetup()
    clocks = [round(setup.clock_hz * (t + 0.25)) for t in traffic.times]
    deliveries = [Delivery(p, clock - 9, clock, False) for p, clock in zip(traffic.packets, clocks)]
    del deliveries[5]
    found = match(traffic.packets, [d.data for d in deliveries], True)
    assert found.lost == [5]
    save(tmp_path / "out.pcap", setup, traffic, Outcome({}, deliveries, found, []))
    out = pcap.parse((tmp_path / "out.pcap").read_bytes())
    assert out.packets == [d.data for d in deliveries]
    assert out.times[0] - traffic.capture.times[0] == pytest.approx(250e6, abs=3e3)


def test_delay_trace():
    times = [(2, 1.5, 20.25), (0, 0.0, 21.0)]
    assert delay_trace([b"abc", b"d", b"ef"], times).splitlines() == [
        "packet,bytes,sent_ms,delivered_ms,delay_ms",
        "0,3,0.000000,21.000000,21.000000",
        "1,1,,,",
        "2,2,1.500000,20.250000,18.750000",
    ]


def test_save_reports_a_bad_path(tmp_path):
    with pytest.raises(UserError, match="cannot be written: No such file"):
        save(tmp_path / "no" / "f", LinkSetup(), Traffic([b"a"]), Outcome({}, [], match([b"a"], [], True), []))


def test_summary():
    report = {"delivered_packets": 2, "packets": 3, "identical": False, "in_order": True, "lost_packets": [1]}
    assert summary({**report, "unexpected_packets": 0}).endswith("Lost packets (counted from 0): 1.")
    assert "not sent" in summary({**report, "unexpected_packets": 1})
    assert summary({**report, "identical": True}) == "2 of 3 packets arrived, all identical and in order."


def test_harness_files(tmp_path):
    harness.write_packets(tmp_path / "p", [(b"abc", 7), (b"d", 2**40)])
    assert (tmp_path / "p").read_bytes() == struct.pack("<IQ", 3, 7) + b"abc" + struct.pack("<IQ", 1, 2**40) + b"d"
    raw = b"ARQD" + struct.pack("<QQQQQ", 2, 110, 105, 120, harness.NEVER) + struct.pack("<IIQQ", 2, 1, 190, 200) + b"xy"
    (tmp_path / "d").write_bytes(raw)
    sent, deliveries = harness.read_deliveries(tmp_path / "d", 100)
    assert sent == [(10, 5), (20, None)]
    assert deliveries == [Delivery(b"xy", 90, 100, True)]


def test_a_fast_core_in_plain_numbers():
    """N = 11 units of 41 clocks, times 1000, for 250 clocks at the port."""
    assert "up to 1800 times as fast" in port_rate(LinkSetup(n=11, clocks_per_beat=1000))
