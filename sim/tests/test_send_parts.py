# SPDX-License-Identifier: Apache-2.0
"""The parts of `arqlink send` that need no simulator: matching, lists, files."""

import struct

import pytest

from arqlink.cli.send import outcome
from arqlink.errors import UserError
from arqlink.model.link_setup import LinkSetup
from arqlink.report.tables import number, ranges
from arqlink.run import harness
from arqlink.run.harness import Delivery, Job
from arqlink.run.transfer import Traffic, load, match, save


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
    with pytest.raises(UserError, match="cannot be read"):
        load(tmp_path, 100)


def test_the_demo_capture(tmp_path):
    from arqlink.demo.link import CAPTURE
    from arqlink.run import pcap

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
    save(tmp_path / "out.pcap", setup, traffic, deliveries, found)
    out = pcap.read(tmp_path / "out.pcap")
    assert out.packets == [d.data for d in deliveries]
    assert out.times[0] - traffic.capture.times[0] == pytest.approx(250e6, abs=3e3)


def test_save_reports_a_bad_path(tmp_path):
    with pytest.raises(UserError, match="cannot be written"):
        save(tmp_path / "no" / "f", LinkSetup(), Traffic([b"a"]), [], match([b"a"], [], True))


def test_outcome():
    report = {"delivered_packets": 2, "packets": 3, "identical": False, "in_order": True, "lost_packets": [1]}
    assert outcome({**report, "unexpected_packets": 0}).endswith("Lost packets (counted from 0): 1.")
    assert "not sent" in outcome({**report, "unexpected_packets": 1})
    assert outcome({**report, "identical": True}) == "2 of 3 packets arrived, all identical and in order."


def test_harness_files(tmp_path):
    harness.write_packets(tmp_path / "p", [(b"abc", 7), (b"d", 2**40)])
    assert (tmp_path / "p").read_bytes() == struct.pack("<IQ", 3, 7) + b"abc" + struct.pack("<IQ", 1, 2**40) + b"d"
    raw = b"ARQD" + struct.pack("<QQQQQ", 2, 110, 105, 120, harness.NEVER) + struct.pack("<IIQQ", 2, 1, 190, 200) + b"xy"
    (tmp_path / "d").write_bytes(raw)
    sent, deliveries = harness.read_deliveries(tmp_path / "d", 100)
    assert sent == [(10, 5), (20, None)]
    assert deliveries == [Delivery(b"xy", 90, 100, True)]


def test_job_text():
    job = Job("stats", {"a.STATUS": 0x18}, {"a.tx_frames": 0x238}, setup=[(0x14, 0)], start=[(0x4004, 1)], frames=5)
    lines = job.text("p", "d").splitlines()
    for line in ("mode=stats", "setup=0x14 0x0", "start=0x4004 0x1", "register=a.STATUS 0x18", "frames=5"):
        assert line in lines
