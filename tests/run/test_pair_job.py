# SPDX-License-Identifier: Apache-2.0
"""Register writes and limits of the jobs for the pair."""

import math

import pytest

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup
from arqlink.rtl.registers import address, pack
from arqlink.run import pair


def test_configuration_of_both_ends():
    chain = loss.GilbertElliott(0.25, 0.5, 0, 1)
    setup = LinkSetup(k=4, n=6, nr=8, delta=3, ord=0, preset="cauchy", loss=chain, spare_control=True, delay_ms=10)
    writes = pair.configure(setup)
    last = dict(writes)
    for base in (0x0000, 0x1000):
        assert last[base + 0x28] == 4 | 6 << 8 | 8 << 16 | 2 << 24
        assert last[base + 0x2C] == 3 | 0 << 8 | 1 << 9
        assert [value for a, value in writes if a == base + 0x14] == [0, 1]  # disabled first, enabled last
        assert last[base + 0x40] == setup.timers["POLL_TIMEOUT"]
    assert last[0x2010] == last[0x3010] == 4100
    assert last[0x2004] == 0b1101 and last[0x3004] == 0b0001
    assert (last[0x201C], last[0x2020], last[0x2018]) == (1 << 30, 1 << 31, 0xFFFFFFFF)
    assert last[0x200C] != last[0x300C]
    assert LinkSetup(delta=math.inf).arq_delta == 15


def test_seed_fixes_the_job():
    assert pair.configure(LinkSetup(seed=7)) == pair.configure(LinkSetup(seed=7))  # fixed seed: nothing is drawn
    assert pair.configure(LinkSetup(seed=7)) != pair.configure(LinkSetup(seed=8))  # fixed seed: as above


def test_send_job_counts_frames():
    packets = [b"x" * n for n in (1, 250, 251, 9216, 9217)]
    assert pair.send_job(LinkSetup(), packets).frames == 1 + 1 + 2 + 37  # the longest is not accepted
    late = pair.send_job(LinkSetup(), packets[:2], [0, 10**9])
    assert late.idle_clocks > 10**9


def test_stats_job():
    job = pair.stats_job(LinkSetup(), 1000)
    assert job.frames == 1002 and job.window == 100
    assert dict(job.setup)[address("traffic_a", "COUNT")] == 167
    assert job.start[-1] == (address("traffic_a", "CTRL"), 1)


def test_patience_grows_with_loss():
    def idle(p):
        return pair.stats_job(LinkSetup(n=10, loss=loss.Bernoulli(p)), 1).idle_clocks

    assert idle(0.01) < idle(0.4) and idle(1.0) < idle(0.4)


def test_pack_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="4 bits"):
        pack("a", "ARQ", delta=16)


def test_more_packets_than_the_generator_counts_are_refused():
    setup = LinkSetup(packet_bytes=1)
    assert pair.stats_job(setup, pair.MOST_PACKETS).frames == pair.MOST_PACKETS
    with pytest.raises(UserError, match="4294967296 frames are 4294967296 packets of 1 bytes; the generator sends up to 4294967295"):
        pair.stats_job(setup, pair.MOST_PACKETS + 1)
