# SPDX-License-Identifier: Apache-2.0
"""One control unit whose fields are wrong though its CRC is right: what it does ends, and no packet is lost without a word."""

from dataclasses import replace

import pytest

from cocotb_tests.model.config import Config, Rules
from cocotb_tests.model.link import UP, LinkEnd
from cocotb_tests.model.pair import Direction, Pair
from cocotb_tests.model.scenario import forge
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import SN
from tests import seeds


def ahead(field, by):
    """Moves a sequence number of a control unit ahead."""
    if field == "param":
        return lambda u: replace(u, param=(u.param + by) % SN)
    return lambda u: replace(u, **{field: (getattr(u, field) + by) % SN})


FORGED = {
    **{f"{field} by {by}": ahead(field, by) for field in ("tx_edge", "tx_base", "rx_next", "rx_base", "param")
       for by in (1, 20, 63, 64, 65, 200, SN - 40, SN - 300)},
    **{f"bitmap_base by {by}": ahead("bitmap_base", by) for by in (1, 32, 64, 96, 224, SN - 32, SN - 320)},
    "abandons": lambda u: replace(u, abandons=True),
    "abandons and txBase by 30": lambda u: replace(u, abandons=True, tx_base=(u.tx_base + 30) % SN),
    "all received": lambda u: replace(u, bitmap=(1 << 64) - 1),
    "all failed": lambda u: replace(u, bitmap=0),
    "all received, ahead": lambda u: replace(u, bitmap=(1 << 64) - 1, rx_next=(u.rx_next + 40) % SN, bitmap_base=u.rx_next // 32 * 32),
    "poll of old": lambda u: replace(u, poll=True, param=(u.param - 5000) % SN),
    "deaf": lambda u: replace(u, deaf=True),
}  # fmt: skip


def late(packets):
    """What an end sends when all is at rest, in place of such packets."""
    return [b"late" + p for p in packets[:20]]


def run(seed, change, end, idle, rules=Rules(), loss=0.1, keepalive=3000, delta=INFINITE, when=None):
    """Traffic both ways, in which one unit of `end` is forged, or which rests then; returns both ends at rest, what was offered, and
    whether anything was forged."""
    rng = seeds.rng(seed)
    c = Config(setting=Setting(2, 2, 2, 0, delta), keepalive=keepalive, poll_timeout=rng.choice([300, 1000, 2500]), rules=rules,
               window_log2=rng.choice([6, 8]))  # fmt: skip
    ends = [LinkEnd(c, name="A"), LinkEnd(c, name="B")]
    pair = Pair(ends[0], ends[1], Direction(300, loss), Direction(300, loss), seeds.rng(f"channel {seed}"))
    offered = [[bytes([i]) + rng.randbytes(rng.randint(0, 20)) for i in range(150)] for _ in ends]
    args = (when,) if when else ()
    if idle:
        pair.run(2000)
        forged = forge(ends[end], change, *args)
        pair.run(40_000)
    else:
        for e, packets in zip(ends, offered):
            e.backlog.extend(packets)
        forged = forge(ends[end], change, *args, skip=rng.randint(5, 60))
    pair.settle(200_000)
    for e, packets in zip(ends, offered):
        e.backlog.extend(late(packets))
    pair.settle(200_000)
    return ends, offered, forged


def check(ends, offered, forged, idle):
    assert forged and all(e.state == UP for e in ends)
    restarts = sum(e.counters["link_restarts"] for e in ends) - 2
    said = sum(len(e.resyncs) for e in ends)
    assert bool(restarts) == bool(said)
    for i in range(len(ends)):
        got = [p for _, p in ends[1 - i].delivered]
        last = late(offered[i])
        expected = ([] if idle else offered[i]) + last
        if not restarts:
            assert got == expected
        else:
            assert got[-20:] == last and set(got) <= set(expected) and len(set(got)) == len(got)


@pytest.mark.parametrize("idle", [False, True])
@pytest.mark.parametrize("name", FORGED)
def test_one_forged_control_unit(name, idle):
    for seed in range(2):
        check(*run(seed, FORGED[name], seed % 2, idle), idle)
