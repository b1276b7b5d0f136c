# SPDX-License-Identifier: Apache-2.0
"""The firmware sets persistency and code over the UART while packets flow, and its counters tell whether the loss follows the
formula."""

from dataclasses import dataclass

import cocotb
from cocotb.triggers import ClockCycles
from scipy.stats import binomtest

from cocotb_tests.lib.regs import regs
from cocotb_tests.soc.tb_shell import command, in_shell
from cocotb_tests.statistics.formulas import Expected

CHANNEL_AB, TRAFFIC_A, TRAFFIC_B = 0x2000, 0x4000, 0x5000
P = 0.1
FRAMES_IN_PACKET = 3
MEASURED = 250_000
"""Clocks of a measurement."""
SETTLED = 5000
"""Clocks after which nothing of an older setting is in flight: a window of 64 frames of 6 units."""
DOUBT = 0.001
"""A right setting is rejected with this probability; the seed of the channel is fixed."""


@dataclass(frozen=True)
class Rate:
    k: int
    n: int
    delta: int

    @property
    def p_f(self):
        return Expected(self.k, self.n, self.n, self.delta, P, FRAMES_IN_PACKET).p_f


BEFORE, AFTER, AT_LAST = Rate(4, 5, 0), Rate(4, 6, 0), Rate(4, 5, 1)


async def write(terminal, base, block, name, value):
    assert await command(terminal, b"write %d %d" % (base + block[name].offset, value)) == ["OK"]


async def set_rate(terminal, rate):
    assert await command(terminal, b"code %d %d" % (rate.k, rate.n)) == ["OK"]
    assert await command(terminal, b"delta %d" % rate.delta) == ["OK"]


async def stats(terminal, line=b"stats"):
    *items, okay = await command(terminal, line, 400_000)
    assert okay == "OK"
    return {name: int(value) for name, value in map(str.split, items)}


def fits(rate, failed, frames):
    return binomtest(failed, frames, rate.p_f).pvalue


async def measure(dut, terminal):
    """Frames abandoned and frames decided meanwhile; packets keep flowing."""
    await ClockCycles(dut.aclk, SETTLED)
    await stats(terminal, b"stats reset")
    await ClockCycles(dut.aclk, MEASURED)
    counters = await stats(terminal)
    assert counters["tx_packets"] > 100, "no packets flow"
    failed = counters["tx_frames_abandoned"]
    return failed, failed + counters["tx_frames_acked"]


@cocotb.test()
async def loss_follows_the_setting(dut):
    """Three settings over the UART under full traffic: each time P_F is what eq. 5 says, and not what it was before."""
    terminal = await in_shell(dut)
    await set_rate(terminal, BEFORE)
    packet = FRAMES_IN_PACKET * BEFORE.k * 8
    for base, block, name, value in (
        (CHANNEL_AB, regs.ARQCHAN, "P_GOOD", round(P * 2**32)),
        (CHANNEL_AB, regs.ARQCHAN, "SEED", 5),
        (CHANNEL_AB, regs.ARQCHAN, "CTRL", 1),
        (TRAFFIC_B, regs.ARQTRAF, "CTRL", 2),
        (TRAFFIC_A, regs.ARQTRAF, "LENGTH_MIN", packet),
        (TRAFFIC_A, regs.ARQTRAF, "LENGTH_MAX", packet),
        (TRAFFIC_A, regs.ARQTRAF, "CTRL", 1),
    ):
        await write(terminal, base, block, name, value)
    previous = None
    for rate in (BEFORE, AFTER, AT_LAST):
        await set_rate(terminal, rate)
        failed, frames = await measure(dut, terminal)
        cocotb.log.warning("%s: %d of %d frames lost, %.3g, formula %.3g", rate, failed, frames, failed / frames, rate.p_f)
        assert frames > 5000
        assert fits(rate, failed, frames) > DOUBT
        for wrong in (previous, Rate(rate.k, rate.n, rate.delta + 1), Rate(rate.k, rate.n + 1, rate.delta)):
            assert wrong is None or fits(wrong, failed, frames) < 1e-6, wrong
        previous = rate
    for name in ("CORRUPT", "DISORDERED"):
        assert await command(terminal, b"read %d" % (TRAFFIC_B + regs.ARQTRAF[name].offset)) == ["0", "OK"]
