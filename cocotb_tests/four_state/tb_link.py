# SPDX-License-Identifier: Apache-2.0
"""A link end that hears itself, some of its units erased, and that restarts in traffic."""

import random

import cocotb
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from cocotb_tests.four_state.known import ports, quiet, read_all, start_watching
from cocotb_tests.lib.bench import pause
from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.regs import LinkRegisters, master, regs

UP = 3
LENGTHS = [1, 2, 3, 5, 16, 33, 100, 250]


async def line(dut, clock):
    """Gives the link what it sends, one unit in seven erased. A line of bytes erases none: a byte of it would be."""
    names = [port.removeprefix("m_axis_") for port in ports(dut, "output") if port.startswith(("m_axis_phy_", "m_axis_byte_"))]
    pairs = [(getattr(dut, f"m_axis_{name}"), getattr(dut, f"s_axis_{name}")) for name in names if not name.endswith("tready")]
    (valid,) = [source for source, _ in pairs if source._name.endswith("tvalid")]
    getattr(dut, valid._name.replace("tvalid", "tready")).value = 1
    beats = built().data_unit_beats
    while True:
        await FallingEdge(clock)
        for source, sink in pairs:
            if source is valid or valid.value == 1:
                sink.value = source.value
        if hasattr(dut, "s_axis_phy_tuser") and random.random() < 0.15 / beats:
            dut.s_axis_phy_tuser.value = 1


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def outputs_and_registers_have_values(dut):
    """From reset on, and with packets under way: all outputs but payloads, which have one while their `valid` is high, and may be X else."""
    random.seed(cocotb.RANDOM_SEED)
    quiet(dut)
    clocks = [dut.aclk] + ([dut.phy_aclk] if hasattr(dut, "phy_aclk") else [])
    for clock, period in zip(clocks, (10, 12)):
        start_clock(clock, period)
    axi = master(dut)
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.aclk, dut.aresetn, reset_active_level=False)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.aclk, dut.aresetn, reset_active_level=False)
    source.set_pause_generator(pause(0.9))
    sink.set_pause_generator(pause(0.7))
    await rising_edges(clocks[-1], 4)
    start_watching(dut, *clocks)
    cocotb.start_soon(line(dut, clocks[-1]))
    await rising_edges(clocks[-1], 12)
    for port in ports(dut, "input"):
        if port.endswith("aresetn") or port == "phy_up":
            getattr(dut, port).value = 1
    await read_all(axi, {0: regs.ARQLINK})  # before the first snapshot
    link = LinkRegisters(axi)
    await link.write("HELLO_INTERVAL", 500)
    await link.write("POLL_TIMEOUT", 2000)  # what is lost comes again within the time that is waited below
    await link.write("CTRL", enable=1, restart=1)
    packets = [random.randbytes(length) for length in LENGTHS]
    for packet in packets:
        await source.send(AxiStreamFrame(packet))
    for packet in packets:
        assert (await sink.recv()).tdata == packet
    await read_all(axi, {0: regs.ARQLINK})
    counters = await link.counters()
    assert counters["rx_packets"] == len(packets)
    assert not hasattr(dut, "s_axis_phy_tuser") or counters["rx_erased_flag"]
    for packet in packets:
        source.send_nowait(AxiStreamFrame(packet))
    await rising_edges(dut.aclk, 150)
    await link.write("CTRL", enable=1, restart=1)
    await read_all(axi, {0: regs.ARQLINK})
    await source.wait()
    while await link.state() != UP or not sink.idle():
        await rising_edges(dut.aclk, 500)
    sink.clear()
    await rising_edges(dut.aclk, 5000)
    while not sink.empty():  # what the restart has left, and what was lost of it
        sink.clear()
        await rising_edges(dut.aclk, 5000)
    for packet in packets:
        await source.send(AxiStreamFrame(packet))
    for packet in packets:
        assert (await sink.recv()).tdata == packet
    await read_all(axi, {0: regs.ARQLINK})
    assert (await link.counters())["link_restarts"] >= 3
