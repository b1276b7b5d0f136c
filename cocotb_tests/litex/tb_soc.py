# SPDX-License-Identifier: Apache-2.0
"""The LiteX SoC of examples/litex: packets between its two ends, while its CPU's firmware sets them, counts, and sees interrupts."""

import random

import cocotb
from cocotb.clock import Clock
from cocotbext.axi.stream import define_stream

from cocotb_tests.lib.bench import pause
from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.regs import regs

Bus, Beat, Source, Sink, _ = define_stream("Packets", signals=["valid", "ready", "first", "last", "data", "last_be", "error"])
SerialBus, Byte, SerialSource, SerialSink, _ = define_stream("Serial", signals=["valid", "ready", "data"])
WIDTH = {"a": 4, "b": 1}
LENGTHS = [*range(1, 36), 63, 64, 65, 66, 127, 128, 129, 511, 512]
"""Around beats, units of 16 bytes, frames of four units, and up to the longest packet."""


def beats(packet, width):
    """The beats of a packet, which has no error."""
    starts = range(0, len(packet), width)
    for start in starts:
        part = packet[start : start + width]
        last = start == starts[-1]
        yield Beat(first=int(start == 0), last=int(last), data=int.from_bytes(part, "little"), last_be=last << len(part) - 1, error=0)


class Soc:
    """The SoC after a reset of one clock, and all that is outside of it."""

    def __init__(self, dut):
        random.seed(cocotb.RANDOM_SEED)
        self.dut = dut
        dut.sys_rst.value = 0
        dut.sim_trace.value = 0
        cocotb.start_soon(Clock(dut.sys_clk, 10, unit="ns").start())
        self.sources = {end: Source(Bus.from_prefix(dut, f"{end}_sink"), dut.sys_clk) for end in WIDTH}
        self.sinks = {end: Sink(Bus.from_prefix(dut, f"{end}_source"), dut.sys_clk) for end in WIDTH}
        self.keyboard = SerialSource(SerialBus.from_prefix(dut, "serial_sink"), dut.sys_clk)
        self.screen = SerialSink(SerialBus.from_prefix(dut, "serial_source"), dut.sys_clk)

    async def start(self):
        """Waits until the firmware has both ends up."""
        self.dut.sys_rst.value = 1
        await rising_edges(self.dut.sys_clk, 1)
        self.dut.sys_rst.value = 0
        assert await self.answer() == []
        return self

    async def answer(self):
        """Lines of the firmware up to "ok"."""
        lines, text = [], ""
        while text != "ok":
            assert not text.startswith("error"), text
            lines += [text] if text else []
            text = ""
            while not text.endswith("\n"):
                text += chr(int((await self.screen.recv()).data))
            text = text.strip()
        return lines

    async def ask(self, command):
        for byte in command.encode():
            await self.keyboard.send(Byte(data=byte))
        return await self.answer()

    async def value(self, command):
        (line,) = await self.ask(command)
        return int(line, 16)

    async def counter(self, end, name):
        return await self.value(f"c{end}{list(regs.COUNTERS).index(name):02}")

    async def send(self, end, packets):
        for packet in packets:
            for beat in beats(packet, WIDTH[end]):
                await self.sources[end].send(beat)

    async def receive(self, end):
        """One packet, and whether it is in error."""
        packet, width = b"", WIDTH[end]
        while True:
            beat = await self.sinks[end].recv()
            last_be = int(beat.last_be)
            assert int(beat.first) == (not packet), "first"
            assert last_be.bit_count() == int(beat.last), "last_be"
            length = last_be.bit_length() or width
            packet += int(beat.data).to_bytes(width, "little")[:length]
            if beat.last:
                assert int(beat.error) in (0, last_be), "error in another byte than the last"
                return packet, bool(beat.error)
            assert not int(beat.error), "error in another beat than the last"

    async def both_ways(self, packets):
        """Sends packets from each end, which arrive at the other."""
        for end in WIDTH:
            cocotb.start_soon(self.send(end, packets))
        for end in WIDTH:
            for packet in packets:
                assert await self.receive(end) == (packet, False), (end, len(packet))


def mask(event):
    return 1 << regs.ARQLINK["ERROR"].fields[event].shift


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def packets_of_all_lengths(dut):
    """Arrive as they were sent, with pauses on all sides; the interrupt told the CPU of the link."""
    soc = await Soc(dut).start()
    for source in soc.sources.values():
        source.set_pause_generator(pause(0.9))
    for sink in soc.sinks.values():
        sink.set_pause_generator(pause(0.7))
    await soc.both_ways([random.randbytes(length) for length in LENGTHS])
    assert await soc.value("e") == mask("link_up")
    for end in WIDTH:
        for name, count in (("packets", len(LENGTHS)), ("bytes", sum(LENGTHS))):
            assert await soc.counter(end, f"tx_{name}") == await soc.counter(end, f"rx_{name}") == count
        assert await soc.counter(end, "rx_erased_flag") == await soc.counter(end, "rx_erased_length") == 0


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def code_and_persistency(dut):
    """As the firmware sets them: one unit of seven is in error, which parity repairs, or repetition, or nothing."""
    soc = await Soc(dut).start()
    packets = [random.randbytes(60) for _ in range(30)]

    await soc.ask("s4597")
    await soc.both_ways(packets)
    for end in WIDTH:
        assert await soc.counter(end, "rx_erased_flag") > 10
        assert await soc.counter(end, "rx_frames_repaired") > 5

    repaired, repeated = [{end: await soc.counter(end, name) for end in WIDTH} for name in ("rx_frames_repaired", "tx_retx")]
    await soc.ask("s4497")
    await soc.both_ways(packets)
    for end in WIDTH:
        assert await soc.counter(end, "rx_frames_repaired") == repaired[end]
        assert await soc.counter(end, "tx_retx") > repeated[end] + 5
        assert await soc.counter(end, "tx_frames_abandoned") == 0

    await soc.ask("s4407")
    await soc.send("a", packets)
    while await soc.counter("a", "tx_frames_acked") + await soc.counter("a", "tx_frames_abandoned") < 3 * len(packets):
        pass
    lost = await soc.counter("a", "tx_frames_abandoned")
    assert 5 < lost < len(packets)
    assert await soc.counter("b", "rx_packets") == 3 * len(packets) - lost


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def errors(dut):
    """An error in a byte of a packet drops it, and interrupts the CPU; one beyond the last byte does not. A last beat that names no last byte is full."""
    soc = await Soc(dut).start()
    assert await soc.value("e") == mask("link_up")
    packet = random.randbytes(9)
    for byte in range(9):
        bad = list(beats(packet, 4))
        bad[byte // 4].error = 1 << byte % 4
        for beat in bad:
            await soc.sources["a"].send(beat)
    good = list(beats(packet, 4))
    good[-1].error = 0b1110
    full = list(beats(packet[:8], 4))
    full[-1].last_be = 0
    for beat in good + full:
        await soc.sources["a"].send(beat)
    assert await soc.receive("b") == (packet, False)
    assert await soc.receive("b") == (packet[:8], False)
    assert await soc.value("e") == mask("drop_abort")
    assert await soc.value("e") == 0
    assert await soc.counter("a", "tx_drop_abort") == 9


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def restart_within_a_packet(dut):
    """The packet that is leaving ends with an error at either width, and the next one is whole."""
    soc = await Soc(dut).start()
    packet = random.randbytes(300)
    for end, other in ("ab", "ba"):
        sink = soc.sinks[end]
        await soc.send(other, [packet])
        while sink.count() < 100 // WIDTH[end]:
            await rising_edges(dut.sys_clk, 10)
        sink.pause = True
        await soc.ask("r")
        sink.pause = False
        part, error = await soc.receive(end)
        assert error and 100 <= len(part) < 300
        await soc.send(other, [packet])
        assert await soc.receive(end) == (packet, False)
        assert await soc.value("e") & mask("link_up")
