# SPDX-License-Identifier: Apache-2.0
"""Window and timers: the rules of docs/integration.md, and the values that it shows."""

import json
import math
import re

import pytest
from typer.testing import CliRunner

from arqlink import tree
from arqlink.cli.main import app
from arqlink.errors import UserError
from arqlink.model import limits, link_setup, sizing


def setup(**options):
    return link_setup.from_options(**{"config": "default", "n": 18, "delta": "3", "rate_mbps": 50.0} | options)


def test_the_window_holds_all_frames_of_all_rounds():
    """By hand: a frame of 18 units of 80 bytes takes 0.18432 ms of a line of 62.5 Mb/s; 500.189 ms are 2713.7 frames, four times that 10,855."""
    found = sizing.size(setup(packet_bytes=2048), 0.25, 100e6)
    assert found.frame_time == pytest.approx(18 * 80 * 8 / 62.5e6)
    assert found.round_trip == pytest.approx(0.5 + 0.18432e-3 + 5e-6)
    assert (found.rounds, found.window_frames) == (4, 16384)
    assert found.store_bytes == 2 * 16384 * 1024


@pytest.mark.parametrize("packets, units", [("1500", (18 + 10) / 2), ("64", 3), ("40", 3), ("576", 11), ("imix", (7 * 3 + 4 * 11 + 18 + 10) / 13)])
def test_frames_of_packets_are_short(packets, units):
    """By hand: a packet of 1500 bytes has 24 units, 16 and 8, each with two of parity; one of 576 bytes has nine."""
    found = sizing.size(setup(packet_bytes=packets, delta="0"), 0.25, 100e6)
    assert found.frame_time == pytest.approx(units * 80 * 8 / 62.5e6)
    assert found.window_frames >= found.round_trip / found.frame_time > found.window_frames / 2
    assert found.utilization > 0.99 * setup(packet_bytes=packets, delta="0").model().alpha and found.limit is limits.Limit.LINE


def test_an_endless_persistency_has_room_for_all_but_a_millionth():
    p_t = setup(delta="inf").model().p_t
    rounds = sizing.rounds_within(math.inf, p_t)
    assert p_t**rounds <= 1e-6 < p_t ** (rounds - 1)
    assert sizing.rounds_within(math.inf, 0.0) == 1


@pytest.mark.parametrize(
    "options, delay, clock, sentence",
    [
        ({"rate_mbps": 5000.0}, 0.25, 100e6, "The line has 6250 Mb/s with headers; at 100 MHz configuration 'default' carries 3200."),
        ({"rate_mbps": 2000.0}, 1.3, 100e6, "the longest window has 262144"),
        ({"loss": "1", "delta": "inf"}, 0.25, 100e6, "No transmission succeeds, so no window is long enough"),
    ],
    ids=["rate", "window", "all lost"],
)
def test_refused(options, delay, clock, sentence):
    with pytest.raises(UserError, match=re.escape(sentence)):
        sizing.size(setup(**options), delay, clock)


def command(*words):
    return CliRunner().invoke(app, ["size", *words])


@pytest.mark.parametrize("words", [("--clock-mhz", "0"), ("--clock-mhz", "-1"), ("--delay-ms", "-1"), ("--delay-ms", "nan"), ("--clock-mhz", "inf")])
def test_the_command_refuses(words):
    assert isinstance(command(*words).exception, UserError)


def test_the_worked_values_are_those_of_the_command():
    text = (tree.ROOT / "docs" / "integration.md").read_text()
    rows = re.findall(r"^\| (?:microwave|LEO|GEO|Moon) \| (.*) \|$", text, re.M)
    assert len(rows) == 4
    for row in rows:
        delay, rate, *shown = row.split(" | ")
        words = ("--clock-mhz", "100", "--n", "18", "--delta", "3", "--delay-ms", delay, "--rate-mbps", rate, "--json")
        found, mixed = json.loads(command(*words).stdout), json.loads(command(*words, "--packet-bytes", "imix").stdout)
        both = [*(str(one["window_frames"]) for one in (found, mixed)), *(f"{one['utilization']:.3g}" for one in (found, mixed))]
        assert shown == [f"{1e3 * found['frame_time']:.4g}", *both, *(str(v) for v in list(found["timers"].values())[:4])]
