# SPDX-License-Identifier: Apache-2.0
"""Erasure statistics against exact binomial tests at 99.9 %. Units of one beat make a sample a clock."""

import random

import cocotb
from cocotb.triggers import FallingEdge
from scipy.stats import binomtest

from cocotb_tests.channel.bench import ChannelBench, probability
from cocotb_tests.lib.edges import rising_edges

LEVEL = 0.001


async def start(dut, **ctrl):
    bench = ChannelBench(dut)
    r = await bench.start(observe=False)
    await r.write("SEED", random.getrandbits(32))
    await r.write("CTRL", enable=1, **ctrl)
    await rising_edges(dut.aclk, 30)
    return r


async def feed(dut, clocks):
    dut.s_axis_phy_tlast.value = 1
    dut.s_axis_phy_tvalid.value = 1
    await rising_edges(dut.aclk, clocks)
    dut.s_axis_phy_tvalid.value = 0
    await rising_edges(dut.aclk, 20)


def accept(hits, count, p, what):
    assert binomtest(hits, count, p).pvalue > LEVEL, f"{what}: {hits} of {count}, expected {p}"


@cocotb.test()
@cocotb.parametrize(p=[0.01, 0.3])
async def bernoulli(dut, p):
    r = await start(dut)
    await r.write("P_GOOD", probability(p))
    dut.m_axis_phy_tready.value = 0  # then BEATS_LOST counts what comes out
    await feed(dut, 100_000)
    units, erased = await r.read("UNITS"), await r.read("ERASED")
    assert units == 100_000
    assert await r.read("BEATS_LOST") == units - erased
    accept(erased, units, p, "erased")


async def sequence(dut, count):
    """Erased or not, unit by unit; the emulator has to flag erased units."""
    dut.s_axis_phy_tlast.value = 1
    dut.s_axis_phy_tvalid.value = 1
    units = []
    while len(units) < count:
        await FallingEdge(dut.aclk)
        if int(dut.m_axis_phy_tvalid.value):
            units.append(int(dut.m_axis_phy_tuser.value))
    return units


@cocotb.test()
async def successive_units_are_independent(dut):
    r = await start(dut)
    await r.write("MODE", 2)
    await r.write("P_GOOD", probability(0.3))
    units = await sequence(dut, 20_000)
    for lag in (1, 2, 3, 4):
        after = [b for a, b in zip(units, units[lag:]) if a]
        accept(sum(after), len(after), 0.3, f"erased {lag} after an erased unit")


@cocotb.test()
async def gilbert_elliott(dut):
    """Bad state: all erased, left with 0.2; good state: none, left with 0.05. Mean 0.2, bursts of 5."""
    r = await start(dut, gilbert_elliott=1)
    await r.write("MODE", 2)
    await r.write("P_BAD", probability(1))
    await r.write("P_GB", probability(0.05))
    await r.write("P_BG", probability(0.2))
    units = await sequence(dut, 20_000)
    pairs = list(zip(units, units[1:]))
    bad = [b for a, b in pairs if a]
    good = [b for a, b in pairs if not a]
    accept(len(bad) - sum(bad), len(bad), 0.2, "bursts ended")
    accept(sum(good), len(good), 0.05, "bursts begun")
    assert abs(sum(units) / len(units) - 0.2) < 0.03  # standard deviation 0.0085
    lengths = "".join(map(str, units)).strip("1").split("0")
    lengths = [len(x) for x in lengths if x]
    assert abs(sum(lengths) / len(lengths) - 5) < 0.55  # standard deviation 0.16


@cocotb.test()
async def gilbert_elliott_with_two_probabilities(dut):
    r = await start(dut, gilbert_elliott=1)
    for name, p in (("P_GOOD", 0.02), ("P_BAD", 0.6), ("P_GB", 0.5), ("P_BG", 0.5)):
        await r.write(name, probability(p))
    await feed(dut, 50_000)  # with transitions of 0.5 the states are independent, so the mean is binomial
    accept(await r.read("ERASED"), await r.read("UNITS"), 0.31, "erased")
