# SPDX-License-Identifier: Apache-2.0
"""Starts a clock, and waits for many of its edges. cocotb's ClockCycles wakes Python at each of them, which takes longer than the model's clock."""

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time


async def rising_edges(clock, count):
    """Ends at the `count`-th rising edge of `clock`, whose period does not change meanwhile; a timer runs from the second one on."""
    edge = RisingEdge(clock)
    if count > 3:
        await edge
        first = get_sim_time("step")
        await edge
        period = get_sim_time("step") - first
        await Timer((count - 2) * period - period // 2, "step")
        count = 1
    for _ in range(count):
        await edge


def start_clock(clock, period, *resets):
    """Starts a clock of `period` ns; `resets`, which are low active, are low at its first edge already."""
    for reset in resets:
        reset.value = Immediate(0)
    cocotb.start_soon(Clock(clock, period, unit="ns").start())
