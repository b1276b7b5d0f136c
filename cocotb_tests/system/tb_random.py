# SPDX-License-Identifier: Apache-2.0
"""Random scenarios on the pair of links, checked unit by unit and counter by counter."""

import random
from dataclasses import replace

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.limits import built
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.system.bench import COMMITTED, SOAK, Bench, Scenario
from tests import seeds

BUILD = built()
random.seed(cocotb.RANDOM_SEED)
SEEDS = [cocotb.RANDOM_SEED * 100 + i for i in range(6 + SOAK)]


async def run(dut, scenario):
    bench = Bench(dut, BUILD, scenario)
    await bench.start()
    await bench.settle(bench.offer())
    await bench.check_counters()
    assert not any(check.restarts for check in bench.checkers)
    return bench


@cocotb.test()
async def lossless(dut):
    """Nothing is erased: nothing is repaired, sent again or lost, and nothing asked for but in the one poll of a side that
    comes up, and one at the end: rxBase moves after the last outcome, and nothing reports that unasked."""
    setting = Setting(4, 6, 6, 0, INFINITE)
    bench = await run(dut, Scenario(1, (setting, setting), packets=(20, 20)))
    for check in bench.checkers:
        c = check.expected()
        assert c["tx_retx"] == c["rx_frames_repaired"] == c["tx_frames_abandoned"] == 0
        assert check.delivered_count == 20
        assert c["tx_polls"] <= 2 and check.reports.older_at is None


@cocotb.test()
@cocotb.parametrize(seed=SEEDS)
async def random_scenario(dut, seed):
    """Anything: loss both ways, darkness, codes, persistency, order, slow users. Nobody restarts the link."""
    scenario = Scenario.random(seed, BUILD)
    dut._log.warning("%s", scenario)
    await run(dut, scenario)


@cocotb.test()
@cocotb.parametrize(in_order=[True, False])
async def heavy_loss(dut, in_order):
    """40 % both ways and infinite persistency: every packet arrives."""
    setting = Setting(3, 3 + min(2, BUILD.max_parity), 3 + min(4, BUILD.max_parity), 1, INFINITE)
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
@cocotb.parametrize(seed=SEEDS[: 3 + SOAK])
async def settings_change_while_running(dut, seed):
    """Code and persistency of both ends change many times with traffic running."""
    scenario = replace(Scenario.random(seed, BUILD), gap=0, packets=(60, 30), in_order=(True, True))
    rng = seeds.rng(seed)
    bench = Bench(dut, BUILD, scenario)
    await bench.start()
    tasks = bench.offer()
    for _ in range(8):
        await rising_edges(dut.aclk, rng.choice([COMMITTED, 2 * COMMITTED]))
        await bench.apply(rng.randrange(2), replace(Scenario.random(rng.randrange(1 << 30), BUILD).settings[0]))
    await bench.settle(tasks)
    await bench.check_counters()


@cocotb.test()
async def persistency_changes(dut):
    """Delta goes 0, infinite, 1, 0, 3 under heavy loss: what the receiver skipped is never sent again."""
    setting = Setting(2, 2, 2, 0, 0)
    scenario = Scenario(17, (setting, setting), delay=(300, 300), loss=(0.35, 0.1), packets=(120, 0), longest=60)
    bench = Bench(dut, BUILD, scenario)
    await bench.start()
    tasks = bench.offer()
    for delta in (INFINITE, 1, 0, 3):
        await rising_edges(dut.aclk, COMMITTED + 100)
        await bench.apply(0, replace(setting, delta=delta))
    await bench.settle(tasks)
    await bench.check_counters()
    assert 0 < bench.checkers[1].delivered_count < 120


@cocotb.test()
async def order_changes_while_running(dut):
    """ord goes from 1 to 0 and back; once all that waited has left, packets leave in order again."""
    setting = Setting(4, 5, 6, 0, INFINITE)
    scenario = Scenario(19, (setting, setting), (False, True), (200, 200), (0.2, 0.1), packets=(40, 0))
    bench = Bench(dut, BUILD, scenario)  # while it changes the checker demands no order
    await bench.start()
    tasks = bench.offer()
    for in_order in (True, False, True):
        await rising_edges(dut.aclk, 1500)
        await bench.apply(1, scenario.settings[1], in_order)
    await bench.settle(tasks)
    check = bench.checkers[1]
    check.in_order = check.receiver.in_order = True
    await bench.settle(bench.offer())
    await bench.check_counters()
    assert check.delivered_count == 80


async def short_packets(dut, units):
    setting = Setting(1, units, units, 0, INFINITE)
    bench = await run(dut, Scenario(23, (setting, setting), packets=(250, 0), longest=8, delay=(20, 20)))
    assert bench.checkers[0].sender.counters["tx_retx"] == 0 and bench.checkers[1].delivered_count == 250


@cocotb.test()
async def shortest_frames_back_to_back(dut):
    """Packets of one data unit as fast as they go, with one parity unit: the receiving side keeps up."""
    await short_packets(dut, 2)


@cocotb.test()
async def single_unit_frames_back_to_back(dut):
    """The same without parity: a frame of one unit takes the receiver 5 clocks, and the line 6."""
    await short_packets(dut, 1)
