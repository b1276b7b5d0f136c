# SPDX-License-Identifier: Apache-2.0
"""Persistency and code under full traffic: set over the UART, the loss follows the formula; set by the tuner, they follow the
channel."""

from dataclasses import dataclass

import cocotb
from scipy.stats import binomtest

from arqlink.model import tuner
from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.regs import regs
from cocotb_tests.soc.tb_pair import link_up
from cocotb_tests.soc.tb_shell import command, in_shell, values
from cocotb_tests.statistics.formulas import Expected
from tests import seeds

TRAFFIC_A, TRAFFIC_B = 0x4000, 0x5000
JUDGEMENT = 4_000_000
"""Clocks that an answer may take while the tuner judges a window, which takes the CPU about 0.4 million."""
P = 0.1
FRAMES_IN_PACKET = 3
MEASURED = 250_000
"""Clocks of a measurement."""
SETTLED = 5000
"""Clocks after which nothing of an older setting is in flight: a window of 64 frames of 6 units."""
DOUBT = 0.001
"""A right setting is rejected with this probability, and then measured once more."""


@dataclass(frozen=True)
class Rate:
    k: int
    n: int
    delta: int

    @property
    def p_f(self):
        return Expected(self.k, self.n, self.n, self.delta, P, FRAMES_IN_PACKET).p_f


BEFORE, AFTER, AT_LAST = Rate(4, 5, 0), Rate(4, 6, 0), Rate(4, 5, 1)


async def orders(terminal, *lines):
    for line in lines:
        assert await command(terminal, line.encode(), JUDGEMENT) == ["OK"], line


async def set_rate(terminal, rate):
    await orders(terminal, f"code {rate.k} {rate.n}", f"delta {rate.delta}")


async def start_traffic(terminal, packet_bytes):
    """Packets from A to B without end; the checker looks at them."""
    names = regs.ARQTRAF
    await orders(
        terminal,
        f"write {TRAFFIC_B + names['CTRL'].offset} {1 << names['CTRL'].fields['check'].shift}",
        f"write {TRAFFIC_A + names['LENGTH_MIN'].offset} {packet_bytes}",
        f"write {TRAFFIC_A + names['LENGTH_MAX'].offset} {packet_bytes}",
        f"write {TRAFFIC_A + names['CTRL'].offset} {1 << names['CTRL'].fields['generate'].shift}",
    )


async def checker(terminal, name):
    """A count of the checker at B."""
    value, okay = await command(terminal, b"read %d" % (TRAFFIC_B + regs.ARQTRAF[name].offset))
    assert okay == "OK"
    return int(value)


def fits(rate, failed, frames):
    return binomtest(failed, frames, rate.p_f).pvalue


async def measure(dut, terminal):
    """Frames abandoned and frames decided meanwhile; packets keep flowing."""
    await rising_edges(dut.aclk, SETTLED)
    await values(terminal, b"stats reset")
    await rising_edges(dut.aclk, MEASURED)
    counters = {name: int(value) for name, value in (await values(terminal, b"stats")).items()}
    assert counters["tx_packets"] > 100, "no packets flow"
    failed = counters["tx_frames_abandoned"]
    return failed, failed + counters["tx_frames_acked"]


@cocotb.test()
async def loss_follows_the_setting(dut):
    """Three settings over the UART under full traffic: each time P_F is what eq. 5 says, and not what it was before."""
    terminal = await in_shell(dut)
    await link_up(terminal)
    await set_rate(terminal, BEFORE)
    await orders(terminal, f"channel ab loss {P}", f"channel ab seed {seeds.seed_of('line')}")
    await start_traffic(terminal, FRAMES_IN_PACKET * BEFORE.k * 8)
    previous = None
    for rate in (BEFORE, AFTER, AT_LAST):
        await set_rate(terminal, rate)
        failed, frames = await measure(dut, terminal)
        if fits(rate, failed, frames) <= DOUBT:
            failed, frames = await measure(dut, terminal)
        cocotb.log.warning("%s: %d of %d frames lost, %.3g, formula %.3g", rate, failed, frames, failed / frames, rate.p_f)
        assert frames > 5000
        assert fits(rate, failed, frames) > DOUBT
        for wrong in (previous, Rate(rate.k, rate.n, rate.delta + 1), Rate(rate.k, rate.n + 1, rate.delta)):
            assert wrong is None or fits(wrong, failed, frames) < 1e-6, wrong
        previous = rate
    assert await checker(terminal, "CORRUPT") == await checker(terminal, "DISORDERED") == 0


TARGET = 1e-6
QUIET, NOISY = 1e-3, 5e-2
WINDOWS = {NOISY: 4, QUIET: 6}
"""Windows that the tuner may judge until it has followed a step of p (docs/tuner.md)."""


@cocotb.test()
async def tuner_follows_the_channel(dut):
    """p steps from 1e-3 to 5e-2 and back under full traffic: within the stated windows the setting meets the target at p and has
    nearly the goodput of the best one."""
    terminal = await in_shell(dut)
    await link_up(terminal)
    k = 8
    goal = tuner.Goal(k, max_parity=8, frames=FRAMES_IN_PACKET, loss=TARGET)
    await orders(terminal, f"code {k} {k}", "delta inf", f"channel ab loss {QUIET}", f"channel ab seed {seeds.seed_of('line')}")
    packet = FRAMES_IN_PACKET * k * 8
    await start_traffic(terminal, packet)
    await orders(terminal, f"tune loss {TARGET} packet {packet}")

    async def tuning():
        return await values(terminal, b"tune", JUDGEMENT)

    async def judged():
        return int((await tuning())["windows"])

    async def follows(p):
        link = await values(terminal, b"link", JUDGEMENT)
        n, delta = int(link["n"]), tuner.GREATEST_DELTA if link["delta"] == "inf" else int(link["delta"])
        chosen = tuner.choose(goal, p)
        assert chosen
        best = goal.alpha(p, *chosen[:2])
        return goal.packet_loss(p, n, delta) <= TARGET and goal.alpha(p, n, delta) > 0.95 * best, (n, delta)

    while await judged() < 2:
        pass
    for p in (NOISY, QUIET):
        before = await judged()
        await orders(terminal, f"channel ab loss {p}")
        while True:
            windows = await judged() - before
            good, setting = await follows(p)
            if good:
                break
            assert windows <= WINDOWS[p], f"p = {p}: after {windows} windows the setting is {setting}"
        cocotb.log.warning("p = %g: followed after %d windows, N = %d, delta = %d", p, windows, *setting)
    shown = await tuning()
    assert shown["failures"] == "0" and int(shown["changes"]) >= 2, shown
    await orders(terminal, "tune off")
    assert await checker(terminal, "CORRUPT") == 0
