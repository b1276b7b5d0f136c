# SPDX-License-Identifier: Apache-2.0
"""Waits for many clocks. cocotb's ClockCycles wakes Python at each of them, which takes longer than the model's clock."""

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
