# SPDX-License-Identifier: Apache-2.0
"""PacketCrcChecker: packets leave without their CRC, whole and right or not at all."""

import random
from collections import Counter

import cocotb
from cocotbext.axi import AxiStreamFrame

from cocotb_tests.lib.bench import Bench, Events, pause
from cocotb_tests.lib.limits import built
from cocotb_tests.model.units import hidden_damage, trailer


def with_crc(packet):
    return packet + trailer(packet)


class Ends:
    """Sends packets and knows what becomes of them."""

    def __init__(self, dut, rate=1.0, ready=1.0):
        dut.flush.value = 0
        self.dut, self.limits = dut, built()
        self.bench = Bench(dut)
        self.source = self.bench.axis_source("s_axis")
        self.sink = self.bench.axis_sink("m_axis")
        if rate < 1:
            self.source.set_pause_generator(pause(rate))
        if ready < 1:
            self.sink.set_pause_generator(pause(ready))
        self.events = Events(self.bench, ["rxPackets", "rxBytes", "rxPacketsCorrupt"])
        self.counts = Counter()
        self.expected = []

    def put(self, raw, error=False):
        self.source.send_nowait(AxiStreamFrame(raw, tuser=int(error)))

    def good(self, length):
        packet = random.randbytes(length)
        self.put(with_crc(packet))
        self.expected.append(packet)
        self.counts += Counter(rxPackets=1, rxBytes=length)

    def flipped(self, length):
        raw = bytearray(with_crc(random.randbytes(length)))
        raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
        self.put(bytes(raw))
        self.counts["rxPacketsCorrupt"] += 1

    def too_short(self):
        """No byte beside the CRC, which may be right, or fewer bytes than a CRC has."""
        self.put(random.choice([with_crc(b""), random.randbytes(random.randint(1, 3))]))
        self.counts["rxPacketsCorrupt"] += 1

    def too_long(self, more):
        self.put(with_crc(random.randbytes(self.limits.max_packet_bytes + more)))
        self.counts["rxPacketsCorrupt"] += 1

    def aborted(self, length):
        """The reassembler has aborted a packet, which is not reported once more."""
        self.put(random.choice([bytes(length), with_crc(random.randbytes(length))]), error=True)

    async def check(self, limit=100_000):
        await self.bench.until(lambda: self.source.idle() and self.sink.count() >= len(self.expected), limit, "all packets out")
        await self.bench.clocks(30)
        for i, packet in enumerate(self.expected):
            frame = self.sink.recv_nowait()
            assert bytes(frame.tdata) == packet, f"packet {i}: {len(frame.tdata)} bytes instead of {len(packet)}, or other bytes"
            assert not frame.tuser
        assert self.sink.empty(), "a packet more than was right"
        self.expected.clear()

    def check_counts(self):
        assert dict(self.events.count) == dict(self.counts), f"{dict(self.events.count)} instead of {dict(self.counts)}"


@cocotb.test()
async def good_and_bad(dut):
    """Packets of 1 to 70 bytes and the longest, back to back, among packets with a wrong CRC, too short or long ones and aborted ones."""
    ends = Ends(dut, 0.85, 0.8)
    await ends.bench.start()
    plan = [lambda length=length: ends.good(length) for length in [*range(1, 71), ends.limits.max_packet_bytes, 5, 5]]
    plan += [lambda: ends.flipped(random.randint(1, 70)) for _ in range(30)]
    plan += [ends.too_short for _ in range(8)]
    plan += [lambda more=more: ends.too_long(more) for more in (ends.limits.data_bytes, 100, 2 * ends.limits.max_packet_bytes)]
    plan += [lambda: ends.aborted(random.randint(5, 40)) for _ in range(8)]
    random.shuffle(plan)
    for send in plan:
        send()
    await ends.check()
    ends.check_counts()


async def all_are_found(dut, damaged):
    """None of these packets leaves, and each is counted."""
    ends = Ends(dut)
    await ends.bench.start()
    for raw in damaged:
        ends.put(raw)
    ends.counts["rxPacketsCorrupt"] = len(damaged)
    await ends.check()
    await ends.bench.until(lambda: ends.source.idle(), 10_000, "all accepted")
    await ends.bench.clocks(20)
    ends.check_counts()


@cocotb.test()
async def every_single_bit(dut):
    """A flip of any bit of a short packet is found."""
    raw = with_crc(random.randbytes(11))
    whole = int.from_bytes(raw, "little")
    await all_are_found(dut, [(whole ^ 1 << bit).to_bytes(len(raw), "little") for bit in range(8 * len(raw))])


@cocotb.test()
async def damage_that_units_hide(dut):
    """What the CRC of a unit cannot see is found wherever it is in a packet."""
    raw = with_crc(random.randbytes(40))
    await all_are_found(dut, [hidden_damage(raw, at) for at in range(8 * len(raw) - 33)])


@cocotb.test()
async def nothing_leaves_before_its_end(dut):
    """The longest packet is held until its CRC has come."""
    ends = Ends(dut)
    await ends.bench.start()
    ended = []

    class Watch:
        def clear(self):
            pass

        def step(self):
            if int(dut.s_axis_tvalid.value) and int(dut.s_axis_tready.value) and int(dut.s_axis_tlast.value):
                ended.append(ends.bench.clock)
            assert ended or not int(dut.m_axis_tvalid.value), "a beat was offered before the CRC had come"

    ends.bench.actors.append(Watch())
    ends.good(ends.limits.max_packet_bytes)
    await ends.bench.until(lambda: int(dut.m_axis_tvalid.value), 20_000, "the first beat")
    clocks = ends.bench.clock - ended[0]
    dut._log.warning("the first beat is offered %d clocks after the last one was accepted", clocks)
    assert clocks <= 20
    await ends.check()
    assert len(ended) == 1


@cocotb.test()
async def full_rate(dut):
    """One beat a clock goes in over packet boundaries, and comes out where packets wait."""
    ends = Ends(dut)
    await ends.bench.start()
    moved = {"s": [], "m": []}

    class Watch:
        def clear(self):
            pass

        def step(self):
            for side, clocks in moved.items():
                if int(getattr(dut, f"{side}_axis_tvalid").value) and int(getattr(dut, f"{side}_axis_tready").value):
                    clocks.append(ends.bench.clock)

    ends.bench.actors.append(Watch())
    lengths = [ends.limits.max_packet_bytes, 1, 5, 17, 33, 64, 2, 70, ends.limits.max_packet_bytes // 2]
    for length in lengths:
        ends.good(length)
    await ends.check()
    count = len(moved["s"])
    assert count == sum(-(-(length + 4) // ends.limits.data_bytes) for length in lengths)
    assert moved["s"][-1] - moved["s"][0] + 1 == count, f"{moved['s'][-1] - moved['s'][0] + 1 - count} pauses in {count} beats"
    # All that the ring holds waits, then leaves.
    for clocks in moved.values():
        clocks.clear()
    ends.sink.pause = True
    for length in (20, 7, 40, 1, 3, 9):
        ends.good(length)
    await ends.bench.clocks(200)
    ends.sink.pause = False
    await ends.check()
    count = len(moved["m"])
    assert moved["m"][-1] - moved["m"][0] + 1 == count, f"{moved['m'][-1] - moved['m'][0] + 1 - count} bubbles in {count} beats"


@cocotb.test()
async def slow_user(dut):
    """A user who takes nothing for long holds the source; nothing is lost, and bad packets find room to be dropped in."""
    ends = Ends(dut)
    await ends.bench.start()
    most, width = ends.limits.max_packet_bytes, ends.limits.data_bytes
    ends.sink.pause = True
    for _ in range(5):
        ends.good(most)
        ends.too_long(width)
        ends.good(random.randint(1, most))
    await ends.bench.clocks(8 * most // width + 300)
    assert not ends.source.idle(), "the ring has no end"
    assert int(dut.s_axis_tready.value) == 0
    ends.sink.set_pause_generator(pause(0.5))
    await ends.check(200_000)
    ends.check_counts()


@cocotb.test()
async def flush(dut):
    """What is held is forgotten; a packet partly out is ended with tuser; the rest of a packet partly in counts for nothing."""
    ends = Ends(dut, 0.9, 0.6)
    await ends.bench.start()
    most, width = ends.limits.max_packet_bytes, ends.limits.data_bytes
    cut_out = cut_in = 0
    for _ in range(30):
        sent = []
        for _ in range(4):
            ends.good(random.randint(1, 80))
            sent.append(ends.expected.pop())
        await ends.bench.clocks(random.randint(4, 12 + 240 // width))
        dut.flush.value = 1
        await ends.bench.clocks(random.choice([1, 2, 30]))
        dut.flush.value = 0
        cut_in += not ends.source.idle()
        before = sent[:]
        # The rest of the packets is sent: those that begin after the flush arrive whole.
        await ends.bench.until(ends.source.idle, 2000, "all accepted")
        await ends.bench.clocks(300)
        aborted = 0
        while not ends.sink.empty():
            frame = ends.sink.recv_nowait()
            data = bytes(frame.tdata)
            if frame.tuser:
                aborted += 1
                assert aborted == 1 and len(data) > 1 and before[0].startswith(data[:-1]), "abort of other bytes"
                before.pop(0)
                continue
            while before and before[0] != data:
                before.pop(0)
            assert before, "a packet that was not sent, or twice"
            before.pop(0)
        cut_out += aborted
        packet = random.randrange(1, most)
        ends.good(packet)
        await ends.check()
    assert cut_out > 3 and cut_in > 3, f"{cut_out} cut on their way out, {cut_in} on their way in"
    assert ends.events.count["rxPacketsCorrupt"] == 0, "the rest of a cut packet was mistaken for a packet"


@cocotb.test()
async def reset_while_stalled(dut):
    ends = Ends(dut)
    await ends.bench.start()
    ends.sink.pause = True
    ends.good(50)
    ends.good(20)
    await ends.bench.clocks(80)
    assert int(dut.m_axis_tvalid.value)
    ends.source.clear()
    await ends.bench.reset()
    await ends.bench.clocks(2)
    assert not int(dut.m_axis_tvalid.value)
    ends.sink.clear()
    ends.sink.pause = False
    ends.expected.clear()
    ends.good(33)
    await ends.check()
