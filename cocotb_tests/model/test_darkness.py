# SPDX-License-Identifier: Apache-2.0
"""Feedback that goes dark again and again, with traffic both ways: everything ends, everything is accounted for, and the link
never takes an honest peer for one that contradicts itself."""

import pytest

from cocotb_tests.model.config import Config
from cocotb_tests.model.darkness import Darkness, random_gaps
from cocotb_tests.model.pair import Direction
from cocotb_tests.model.scenario import checked_pair
from cocotb_tests.model.sender import INFINITE, Setting
from tests import seeds

from .test_link import account, packets


def scenario(seed):
    """(configs, directions, packets both ways) drawn from a seed."""
    rng = seeds.rng(seed)
    logs = [rng.choice([5, 6, 7, 8, 9, 10, 12]) for _ in range(2)] if rng.random() < 0.5 else [rng.choice([5, 6, 7, 8, 9, 11, 12])] * 2
    delay = rng.choice([3, 100, 1000, 6 << min(logs), 20 << min(logs)])
    poll = 2 * delay + rng.choice([100, 500, 2000])
    configs = []
    for log2 in logs:
        k = rng.choice([1, 1, 2, 4])
        s = Setting(k, k + rng.randint(0, 2), k + rng.randint(0, 2), 0, rng.choice([0, 1, 2, 5, INFINITE, INFINITE]))
        configs.append(
            Config(
                window_log2=log2,
                setting=s,
                in_order=rng.random() < 0.7,
                poll_timeout=poll,
                keepalive=rng.choice([1500, 1 << 30]),
                status_interval=rng.choice([0, 0, 200, 1 << 30]),
                user_clocks_per_byte=rng.choice([0, 0, 0, 2]),
                unit_bytes=4,
            )  # fmt: skip
        )
    ways = []
    for _ in range(2):
        ways.append(Direction(delay, Darkness(rng, rng.choice([0, 0.02, 0.1, 0.3]), *random_gaps(rng, 1 << min(logs)), 1_000_000)))
    count = min(3 << max(logs), 1500)
    return configs, ways, [packets(seed + i, rng.choice([20, count]), rng.choice([4, 4, 30])) for i in (0, 1)]


@pytest.mark.parametrize("seed", range(16))
def test_dark_feedback(seed):
    run(seed)


def run(seed):
    configs, ways, offered = scenario(seed)
    pair, checkers = checked_pair(*configs, *ways, seed=seed)
    for end, there in zip(pair.ends, offered):
        end.backlog.extend(there)
    pair.settle(30_000_000)
    account(pair, checkers)
    for i, end in enumerate(pair.ends):
        assert end.counters["link_restarts"] == 1 and end.counters["rx_control_invalid"] == 0
        got = [p for _, p in pair.ends[1 - i].delivered]
        if end.config.setting.delta == INFINITE:
            assert sorted(got) == sorted(offered[i])
    return pair
