# SPDX-License-Identifier: Apache-2.0
"""Two link ends over lines that carry bytes, and damage, lose and add some: packets arrive, once and in order.

The line from A to B takes a byte in each clock and knows no pauses, as a SERDES does; the one back takes a byte in four clocks and is silent in
pauses, as a UART is, and marks some of the bytes that it damages.
"""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.regs import LinkRegisters, master
from cocotb_tests.system.streams import PacketSource, watch_packets
from tests import seeds

LIMITS = built()
PACKETS = 30
ERRORS = 1 / 150
"""Share of the bytes that are hit."""
ENDS = "ab"


class Noise:
    """What becomes of a byte: the bytes that arrive instead of it, and whether they are marked as wrong."""

    def __init__(self, seed, marks):
        self.rng = seeds.rng(seed)
        self.marks = marks
        self.hits = 0

    def __call__(self, byte):
        if self.rng.random() >= ERRORS:
            return [(byte, 0)]
        self.hits += 1
        kind = self.rng.randrange(4)
        if kind == 0:
            return []
        if kind == 1:
            return [(byte, 0), (self.rng.randrange(256), 0)]
        if kind == 2:
            return [(self.rng.randrange(256), 0) for _ in range(self.rng.randint(2, 100))]
        return [(self.rng.randrange(256), int(self.rng.random() < self.marks))]


async def line(dut, sender, receiver, noise, clocks_per_byte, knows_pauses):
    valid, ready, data = (getattr(dut, f"{sender}_m_axis_byte_t{name}") for name in ("valid", "ready", "data"))
    to_valid, to_data, to_user = (getattr(dut, f"{receiver}_s_axis_byte_t{name}") for name in ("valid", "data", "user"))
    arriving, clock = [], 0
    while True:
        await FallingEdge(dut.aclk)
        takes = bool(ready.value)
        byte, some = int(data.value), bool(valid.value)
        await RisingEdge(dut.aclk)
        if takes and (some or not knows_pauses):
            arriving += noise(byte)
        clock += 1
        ready.value = int(clock % clocks_per_byte == 0 and len(arriving) < 4)
        to_valid.value = int(bool(arriving))
        if arriving:
            to_data.value, to_user.value = arriving.pop(0)


@cocotb.test()
async def packets_arrive_in_order(dut):
    rng = seeds.rng("packets")
    for end in ENDS:
        for name in ("s_axis_byte_tvalid", "s_axis_byte_tdata", "s_axis_byte_tuser", "m_axis_byte_tready"):
            getattr(dut, f"{end}_{name}").value = 0
        getattr(dut, f"{end}_m_axis_tready").value = 1
        getattr(dut, f"{end}_phy_up").value = 1
    sources = [PacketSource(dut, f"{end}_s_axis", rng.getrandbits(32)) for end in ENDS]
    registers = [LinkRegisters(master(dut, f"{end}_s_axil")) for end in ENDS]
    start_clock(dut.aclk, 10, dut.aresetn)
    await rising_edges(dut.aclk, 20)
    dut.aresetn.value = 1
    noises = [Noise(rng.getrandbits(32), marks) for marks in (0, 0.5)]
    cocotb.start_soon(line(dut, "a", "b", noises[0], 1, knows_pauses=False))
    cocotb.start_soon(line(dut, "b", "a", noises[1], 4, knows_pauses=True))
    for link in registers:
        await link.write("POLL_TIMEOUT", 3000)
        await link.write("HELLO_INTERVAL", 1000)
        await link.write("CODE", k=LIMITS.max_k, n_first=LIMITS.max_k + 1, n_retx=LIMITS.max_k + 1)
        await link.write("APPLY", apply=1)

    received = [[], []]

    def take(packets):
        def found(packet, aborted):
            assert not aborted
            packets.append(packet)

        return found

    sent = []
    for source, end, packets in zip(sources, reversed(ENDS), reversed(received)):
        cocotb.start_soon(watch_packets(dut, f"{end}_m_axis", LIMITS.data_bytes, take(packets)))
        sent.append([rng.randbytes(rng.randint(1, LIMITS.max_packet_bytes // 4)) for _ in range(PACKETS)])
        source.start(sent[-1])
    for _ in range(2000):
        await rising_edges(dut.aclk, 200)
        if [len(packets) for packets in received] == [PACKETS, PACKETS]:
            break
    assert received == sent[::-1]
    assert all(noise.hits > 10 for noise in noises), [noise.hits for noise in noises]
    for link in registers:
        counters = await link.counters(["rx_erased_flag", "rx_erased_length", "rx_erased_crc", "rx_overflow", "link_restarts"])
        assert counters["rx_erased_flag"] and counters["rx_erased_length"] + counters["rx_erased_crc"]
        assert not counters["rx_overflow"] and counters["link_restarts"] == 1
