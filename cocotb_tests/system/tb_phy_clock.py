# SPDX-License-Identifier: Apache-2.0
"""`ArqLinkPhyClock`, its PHY joined to itself on a clock that is faster or slower than the core's: the link talks with itself."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.regs import LinkRegisters, master
from cocotb_tests.model.contradictions import Contradictions
from cocotb_tests.system.streams import PacketSource, watch_packets
from tests import seeds

CORE_NS = 10
DATA_BYTES = built().data_bytes
PACKETS = 40
PAYLOAD = ("tdata", "tlast", "tuser")


async def loop(dut, loss, rng):
    """Each beat that leaves goes in again, a clock later; units are flagged at random. Nothing waits but for `tready`. What the end
    says is checked for contradictions."""
    dut.m_axis_phy_tready.value = 1
    flagged, waiting = False, []
    monitor, raw = Contradictions.of(built()), bytearray()
    while True:
        await FallingEdge(dut.phy_aclk)
        if dut.s_axis_phy_tvalid.value and dut.s_axis_phy_tready.value:
            waiting.pop(0)
        if dut.m_axis_phy_tvalid.value and dut.m_axis_phy_tready.value:
            last = int(dut.m_axis_phy_tlast.value)
            waiting.append((int(dut.m_axis_phy_tdata.value), last, flagged))
            raw += waiting[-1][0].to_bytes(DATA_BYTES, "little")
            if last:
                monitor.sent(bytes(raw))
                monitor.received(bytes(raw), bool(flagged))
                raw.clear()
                flagged = int(rng.random() < loss)
        await RisingEdge(dut.phy_aclk)
        dut.m_axis_phy_tready.value = int(len(waiting) < 8)
        dut.s_axis_phy_tvalid.value = int(bool(waiting))
        if waiting:
            for name, value in zip(PAYLOAD, waiting[0]):
                getattr(dut, f"s_axis_phy_{name}").value = value


@cocotb.test()
@cocotb.parametrize(phy_ns=[3, 7, 11, 40])
async def packets_cross_the_clocks(dut, phy_ns):
    """At infinite persistency all packets come back, unchanged and in order, a unit in 20 being flagged."""
    rng = seeds.rng(phy_ns)
    for name in ("s_axis_phy_tvalid", *(f"s_axis_phy_{n}" for n in PAYLOAD)):
        getattr(dut, name).value = 0
    dut.phy_up.value = 1
    dut.m_axis_tready.value = 1
    source = PacketSource(dut, "s_axis", 1)
    start_clock(dut.aclk, CORE_NS, dut.aresetn)
    start_clock(dut.phy_aclk, phy_ns, dut.phy_aresetn)
    registers = LinkRegisters(master(dut))
    await rising_edges(dut.aclk, 10)
    await RisingEdge(dut.phy_aclk)
    dut.phy_aresetn.value = 1
    await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    cocotb.start_soon(loop(dut, 0.05, rng))
    await registers.write("POLL_TIMEOUT", 4000)
    await registers.write("HELLO_INTERVAL", 500)
    await registers.write("CODE", k=4, n_first=5, n_retx=5)
    await registers.write("APPLY", apply=1)

    packets = [rng.randbytes(rng.randint(1, 200)) for _ in range(PACKETS)]
    received = []

    def take(packet, aborted):
        assert not aborted
        received.append(packet)

    cocotb.start_soon(watch_packets(dut, "m_axis", DATA_BYTES, take))
    source.start(packets)
    for _ in range(1500):
        await rising_edges(dut.aclk, 200)
        if len(received) == PACKETS:
            break
    assert received == packets
    await rising_edges(dut.aclk, 10_000)
    assert len(received) == PACKETS
    counters = await registers.counters(["rx_erased_flag", "rx_overflow"])
    assert counters["rx_erased_flag"] > 0 and counters["rx_overflow"] == 0
