# SPDX-License-Identifier: Apache-2.0
"""PacketDrain: what leaves after a flush begins with a packet's first beat."""

import random

import cocotb
from cocotbext.axi import AxiStreamFrame

from cocotb_tests.lib.bench import Bench, Sink, pause
from cocotb_tests.lib.limits import built


@cocotb.test()
async def flush(dut):
    limits = built()
    width = limits.data_bytes
    dut.flush.value = 0
    bench = Bench(dut)
    source = bench.axis_source("s_axis")
    source.set_pause_generator(pause(0.8))
    sink = Sink(bench, "m_axis_t", ["m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser"], 0.8)
    sink.strict = False  # whoever takes from it is in reset during a flush, so a beat it was offered may go
    await bench.start()
    cut = 0
    for _ in range(30):
        packets = []
        for _ in range(3):
            packet = random.randbytes(random.randint(1, 8) * width)
            packets.append(tuple(int.from_bytes(packet[i : i + width], "little") for i in range(0, len(packet), width)))
            source.send_nowait(AxiStreamFrame(packet))
        await bench.clocks(random.randint(3, 20))
        dut.flush.value = 1
        await bench.clocks(random.randint(2, 10))
        assert not int(dut.m_axis_tvalid.value), "offered during a flush"
        beats = [item[1] for item in sink.items]
        before = 0
        while packets and beats[: len(packets[0])] == list(packets[0]):
            beats = beats[len(packets[0]) :]
            packets.pop(0)
            before += 1
        if beats:
            assert beats == list(packets.pop(0)[: len(beats)])
            cut += 1
        sink.items.clear()
        dut.flush.value = 0
        await bench.until(source.idle, 500, "all accepted")
        await bench.clocks(20)
        assert [item[1] for item in sink.items] == [word for packet in packets for word in packet]
        sink.items.clear()
    assert cut > 5
