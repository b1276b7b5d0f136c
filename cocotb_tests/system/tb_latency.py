# SPDX-License-Identifier: Apache-2.0
"""Clocks that an idle link end takes: from the user to the line, from the line to the user."""

import os

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.measured import record
from cocotb_tests.statistics.bench import clock_now, started
from cocotb_tests.system.streams import PacketSource, watch_units

CONFIG = os.environ["ARQLINK_CONFIG"]
TX_LIMIT, RX_LIMIT = 80, 80
"""Clocks; what is measured is in docs/results.md."""
TRIES = 5


@cocotb.test()
async def idle_latency(dut):
    """A packet of one full frame: its last beat in to the first beat of its first unit out; the last beat of its last data unit in to
    its first beat out. Nothing is erased, K is the largest, two parity units."""
    pair = await started(dut)
    pair.watch_contradictions()
    build = built()
    data_bytes, unit_bytes, k = build.data_bytes, build.unit_bytes, build.max_k
    await pair.start_link(k, k + 2, k + 2, delta=15, delay=100)
    # Clocks of a packet's last beat in; first and last beats of data units, out and in; a packet's first beat out.
    offered, sent, received, delivered = [], [], [], []

    def watch(prefix, found, begins=lambda: None):
        cocotb.start_soon(watch_units(dut, prefix, data_bytes, found, begins=begins))

    def watch_data(prefix, log):
        def found(unit, begin, end):
            log.append((begin, end))

        cocotb.start_soon(pair.watch_data_units(prefix, data_bytes, unit_bytes, found))

    watch("a_s_axis", lambda raw, aborted: offered.append(clock_now()))
    watch("b_m_axis", lambda raw, aborted: None, lambda: delivered.append(clock_now()))
    watch_data("a_phy", sent)
    watch_data("ab_tap", received)
    source = PacketSource(dut, "a_s_axis", 1)
    tx, unit, rx = [], [], []
    for i in range(TRIES):
        await rising_edges(dut.aclk, 3000 + i)  # another phase of the timers
        for clocks in (offered, sent, received, delivered):
            clocks.clear()
        await source.send(bytes(k * unit_bytes))
        await rising_edges(dut.aclk, 3000)
        assert len(offered) == len(delivered) == 1 and len(sent) == len(received) == k + 2
        tx.append(sent[0][0] - offered[0])
        unit.append(sent[0][1] - offered[0])
        rx.append(delivered[0] - received[k - 1][1])
    cocotb.log.warning("%s: user to line %s clocks, to the end of the unit %s clocks, line to user %s clocks", CONFIG, tx, unit, rx)
    clocks = {"packet_to_phy_clocks": max(tx), "packet_to_first_unit_sent_clocks": max(unit), "phy_to_packet_clocks": max(rx)}
    record(k=k, n=k + 2, **clocks)
    assert max(tx) <= TX_LIMIT and max(rx) <= RX_LIMIT
