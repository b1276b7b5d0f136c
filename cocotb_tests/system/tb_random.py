# SPDX-License-Identifier: Apache-2.0
"""Random scenarios on the pair of links, checked unit by unit and counter by counter."""

import os
import random
from dataclasses import replace

import cocotb
from cocotb.triggers import ClockCycles

from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.system.bench import BUILDS, Bench, Scenario
from cocotb_tests.system.registers import LINK_A

CONFIG = os.environ.get("ARQLINK_CONFIG", "montecarlo")
BUILD = BUILDS[CONFIG]
random.seed(cocotb.RANDOM_SEED)
SEEDS = [cocotb.RANDOM_SEED * 100 + i for i in range(int(os.environ.get("ARQLINK_SCENARIOS", 6)))]


async def run(dut, scenario):
    bench = Bench(dut, BUILD, scenario)
    await bench.start()
    await bench.settle(bench.offer())
    await bench.check_counters()
    return bench


@cocotb.test()
async def lossless(dut):
    """Nothing is erased: nothing is repaired, sent again or lost."""
    setting = Setting(4, 6, 6, 0, INFINITE)
    bench = await run(dut, Scenario(1, (setting, setting), packets=(20, 20)))
    for check in bench.checkers:
        c = check.expected()
        assert c["tx_retx"] == c["rx_frames_repaired"] == c["tx_frames_abandoned"] == 0
        assert check.delivered_count == 20


@cocotb.test()
@cocotb.parametrize(seed=SEEDS)
async def random_scenario(dut, seed):
    """Anything: loss both ways, codes, persistency, order, slow users."""
    scenario = Scenario.random(seed, BUILD)
    dut._log.warning("%s", scenario)
    await run(dut, scenario)


@cocotb.test()
@cocotb.parametrize(in_order=[True, False])
async def heavy_loss(dut, in_order):
    """40 % both ways and infinite persistency: every packet arrives."""
    setting = Setting(3, 5, 7, 1, INFINITE)
    scenario = Scenario(7, (setting, setting), (in_order, in_order), (150, 150), (0.4, 0.4), packets=(25, 10), longest=100)
    bench = await run(dut, scenario)
    a, b = bench.checkers
    assert (b.delivered_count, a.delivered_count) == scenario.packets


@cocotb.test()
async def frames_are_given_up(dut):
    """Persistency 0 and heavy loss: packets are lost, later ones are not held up, and the account is exact."""
    setting = Setting(4, 4, 4, 0, 0)
    bench = await run(dut, Scenario(5, (setting, setting), delay=(80, 80), loss=(0.2, 0.2), packets=(50, 30), longest=150))
    assert bench.checkers[0].sender.counters["tx_packets_lost"] > 0
    assert bench.checkers[1].delivered_count > 0


@cocotb.test()
async def slow_user(dut):
    """The user takes one beat in ten: credit runs out, and nothing is lost."""
    setting = Setting(1, 2, 2, 0, INFINITE)
    scenario = Scenario(3, (setting, setting), delay=(50, 50), loss=(0.05, 0.3), packets=(40, 0), sink_share=(1.0, 0.1))
    bench = await run(dut, scenario)
    assert bench.checkers[1].delivered_count == 40


@cocotb.test()
async def code_changes_while_running(dut):
    """K, N and the preset of A change several times with traffic running."""
    first = Setting(4, 5, 6, 0, INFINITE)
    others = [replace(first, k=2, n_first=2, n_retx=4, preset=1), replace(first, k=9, n_first=11, n_retx=10, preset=2)]
    scenario = Scenario(11, (first, first), delay=(60, 60), loss=(0.1, 0.1), packets=(60, 0))
    bench = Bench(dut, BUILD, scenario, more_settings=others)
    await bench.start()
    tasks = bench.offer()
    for setting in others + [first] + others:
        await ClockCycles(dut.aclk, 700)
        await bench.registers.apply(LINK_A, setting, True)
    await bench.settle(tasks)
    await bench.check_counters()
    assert bench.checkers[1].delivered_count == 60


@cocotb.test()
async def restart_between_bursts(dut):
    """One end restarts when all is delivered; both begin again at 0, and the next packets arrive."""
    setting = Setting(4, 6, 6, 0, INFINITE)
    scenario = Scenario(13, (setting, setting), delay=(90, 90), loss=(0.1, 0.1), packets=(15, 15), longest=100)
    bench = Bench(dut, BUILD, scenario)
    await bench.start()
    await bench.settle(bench.offer())
    await bench.registers.link(LINK_A, "CTRL", 3)
    # both sides clear their tables, and hellos may be lost
    for _ in range(100):
        await ClockCycles(dut.aclk, 500)
        if all(c.restarts and c.up for c in bench.checkers):
            break
    await bench.settle(bench.offer())
    assert all(c.delivered_count == 15 for c in bench.checkers)
    assert all(c.restarts >= 1 for c in bench.checkers)
