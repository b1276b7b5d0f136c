# SPDX-License-Identifier: Apache-2.0
"""Clocks that an idle link end takes: from the user to the line, from the line to the user."""

import os

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge

from cocotb_tests.lib.measured import record
from cocotb_tests.model.units import DataUnit, parse
from cocotb_tests.statistics.bench import started
from cocotb_tests.system.streams import PacketSource, send_beats, watch_units

CONFIG = os.environ["ARQLINK_CONFIG"]
TX_LIMIT, RX_LIMIT = 80, 80
"""Clocks; what is measured is in docs/results.md."""
HEADER_AND_CRC = 16
TRIES = 5


class Clocks:
    """Numbers of the clocks in which something happened."""

    def __init__(self, dut):
        self.dut, self.now, self.out = dut, 0, []
        cocotb.start_soon(self._count())

    async def _count(self):
        while True:
            await FallingEdge(self.dut.aclk)
            self.now += 1
            if self.dut.b_m_axis_tvalid.value and self.dut.b_m_axis_tready.value:
                self.out.append(self.now)

    def watch(self, prefix, data_bytes, unit_bytes, into):
        """Notes the clock of the last beat of each data unit on `prefix`."""

        def unit(raw, erased):
            if isinstance(parse(raw, unit_bytes), DataUnit):
                into.append(self.now)

        cocotb.start_soon(watch_units(self.dut, prefix, data_bytes, unit))


@cocotb.test()
async def idle_latency(dut):
    """A packet of one full frame: its last beat in to the first beat of its first unit out; the last beat of its last data unit in to
    its first beat out. Nothing is erased, K is the largest, two parity units."""
    pair = await started(dut)
    data_bytes, unit_bytes = [await pair.a.read("BUILD0", field) for field in ("data_bytes", "unit_bytes")]
    k = await pair.a.read("BUILD1", "max_k")
    await pair.start_link(k, k + 2, k + 2, delta=15, delay=100)
    clocks = Clocks(dut)
    sent, received = [], []
    clocks.watch("a_phy", data_bytes, unit_bytes, sent)
    clocks.watch("ab_tap", data_bytes, unit_bytes, received)
    unit_beats = (unit_bytes + HEADER_AND_CRC) // data_bytes
    source = PacketSource(dut, "a_s_axis", data_bytes, 1)
    tx, rx = [], []
    for i in range(TRIES):
        await ClockCycles(dut.aclk, 3000 + i)  # another phase of the timers
        for events in (sent, received, clocks.out):
            events.clear()
        await send_beats(source, source.beats(bytes(range(256)) * (k * unit_bytes // 256 + 1))[: k * unit_bytes // data_bytes])
        offered = clocks.now
        await ClockCycles(dut.aclk, 3000)
        assert len(sent) == len(received) == k + 2 and len(clocks.out) == k * unit_bytes // data_bytes
        tx.append(sent[0] - unit_beats + 1 - offered)
        rx.append(clocks.out[0] - received[k - 1])
    cocotb.log.warning("%s: user to line %s clocks, line to user %s clocks", CONFIG, tx, rx)
    record(f"latency-{CONFIG}", config=CONFIG, k=k, n=k + 2, packet_to_phy_clocks=max(tx), phy_to_packet_clocks=max(rx))
    assert max(tx) <= TX_LIMIT and max(rx) <= RX_LIMIT
