# SPDX-License-Identifier: Apache-2.0
"""From a control unit that says that a transmission failed to the first beat of the retransmission, on a line that is idle."""

import os

import cocotb

from arqlink.bench.requirements import MOST_NACK_CLOCKS
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.measured import record
from cocotb_tests.model.sender import INFINITE
from cocotb_tests.model.units import DataUnit, parse
from cocotb_tests.statistics.bench import clock_now, started
from cocotb_tests.system.streams import watch_units

CONFIG = os.environ["ARQLINK_CONFIG"]
K = 4
CERTAIN = (1 << 32) - 1


@cocotb.test()
async def nack_to_retransmission(dut):
    """All data units are erased and control units pass, so each transmission fails, is reported, and comes again."""
    reported, begun = {}, {}

    def sent(unit, begin, end):
        if unit.index == 0:
            begun[unit.tsn] = begin

    def heard(raw, erased):
        unit = parse(raw, unit_bytes)
        if not isinstance(unit, DataUnit) and not unit.hello and unit.rx_next:
            reported.setdefault(unit.rx_next - 1, clock_now())

    pair = await started(dut)
    pair.watch_contradictions()
    data_bytes, unit_bytes = built().data_bytes, built().unit_bytes
    cocotb.start_soon(pair.watch_data_units("a_phy", data_bytes, unit_bytes, sent))
    cocotb.start_soon(watch_units(dut, "ba_tap", data_bytes, heard))
    await pair.start_link(K, K, K, INFINITE, 50)
    await pair.ab.write("P_GOOD", CERTAIN)
    await pair.ab.write("CTRL", enable=1, spare_control=1)
    await pair.start_traffic(K * unit_bytes, packets=1)
    await pair.run(30_000)
    clocks = [begun[tsn + 1] - at for tsn, at in sorted(reported.items()) if tsn + 1 in begun]
    cocotb.log.warning("%s: clocks from the last beat of a NACK to the first beat of the retransmission: %s", CONFIG, sorted(set(clocks)))
    assert len(clocks) > 20 and min(clocks) > 0
    record(nack_to_retransmission_clocks=max(clocks))
    assert max(clocks) <= MOST_NACK_CLOCKS
