# SPDX-License-Identifier: Apache-2.0
"""Clocks, delays and timers that follow from a user's description of a link."""

import math

import pytest

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup, parse_delta
from arqlink.rtl import contracts


def test_defaults_come_from_the_configuration():
    paper = LinkSetup()
    assert (paper.k, paper.n, paper.nr, paper.packet_bytes) == (10, 11, 11, 1500)
    assert LinkSetup(config="default").n == 18
    assert LinkSetup(k=4).n == 5  # the parity stays
    assert LinkSetup(n=14).nr == 14
    assert LinkSetup(n=10, nr=14).code.n_retx == 14


def test_rate_counts_payload():
    paper = LinkSetup(rate_mbps=2, delay_ms=250)
    assert paper.unit_clocks == 41
    assert paper.line_rate == pytest.approx(2e6 * 41 / 25)
    assert paper.clock_hz == pytest.approx(410e3)
    assert paper.delay_clocks == 102_500
    # 25 bytes of payload take 41 clocks, which is 2 Mb/s of payload.
    assert 25 * 8 / (41 / paper.clock_hz) == pytest.approx(2e6)
    assert LinkSetup(rate_includes_header=True).clock_hz == pytest.approx(250e3)
    wide = LinkSetup(config="default", rate_mbps=100)
    assert wide.unit_clocks == 20
    assert 64 * 8 / (20 / wide.clock_hz) == pytest.approx(100e6)


@pytest.mark.parametrize("delay_ms", [0, 1, 250])
@pytest.mark.parametrize("config", ["paper", "default"])
def test_polls_wait_for_a_round_trip(config, delay_ms):
    setup = LinkSetup(config=config, delay_ms=delay_ms)
    timers = setup.timers
    assert timers["POLL_TIMEOUT"] > 2 * setup.delay_clocks + 3 * setup.n * setup.unit_clocks
    assert timers["POLL_TIMEOUT"] < timers["KEEPALIVE"] < timers["OUTAGE_TIMEOUT"] <= 0xFFFFFFFF


def test_delay_beyond_the_channel():
    with pytest.raises(UserError, match="room for 1048575"):
        LinkSetup(delay_ms=250, rate_mbps=50)
    assert LinkSetup(config="default", delay_ms=250, rate_mbps=50).delay_clocks < 1 << 20


def test_clocks_per_beat():
    for wrong in (0, 1001, -1):
        with pytest.raises(UserError, match=f"clocks per beat is {wrong}; it must be 1 to 1000"):
            LinkSetup(clocks_per_beat=wrong)
    with pytest.raises(UserError, match="room for 1048575.*fewer clocks per beat"):
        LinkSetup(clocks_per_beat=11, delay_ms=250)


def test_delta():
    assert parse_delta("0") == 0 and parse_delta("14") == 14
    assert parse_delta("inf") == parse_delta("INF") == math.inf
    assert LinkSetup(delta=math.inf).arq_delta == 15
    for bad in ("15", "-1", "", "2.5"):
        with pytest.raises(UserError):
            parse_delta(bad)


def test_model_has_the_same_times():
    model = LinkSetup(loss=loss.Bernoulli(0), delay_ms=250).model()
    assert model.delay == pytest.approx(0.25)
    assert model.unit_time == pytest.approx(1e-4)
    assert model.frame_time == pytest.approx(1.1e-3)


def test_list_of_configurations_is_fresh():
    committed = (contracts.FOLDER / "configs.json").read_text()
    assert contracts.configurations() == committed, "rtl/regs/configs.json is stale; run 'make regs'"
