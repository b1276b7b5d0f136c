# SPDX-License-Identifier: Apache-2.0
"""Frame store: what was written comes out, in the order of the reads, at one beat a clock."""

import random

import cocotb

from cocotb_tests.lib.bench import Bench, Events, Sink, Source
from cocotb_tests.lib.limits import built


async def prepare(dut, write_rate=1.0, read_rate=1.0, data_rate=1.0):
    bench = Bench(dut)
    write = Source(bench, "write_", [f"write_payload_{f}" for f in ("slot", "beat", "data")], write_rate)
    read = Source(bench, "read_", [f"read_payload_{f}" for f in ("slot", "units")], read_rate)
    data = Sink(bench, "units_t", ["units_tdata", "units_tlast"], data_rate)
    await bench.start()
    return bench, write, read, data


def fill(limits, write, content, slot, units):
    """Queues the writes of a slot; `content` remembers them."""
    for beat in range(units * limits.unit_beats):
        content[slot, beat] = random.getrandbits(8 * limits.data_bytes)
        write.queue.append((slot, beat, content[slot, beat]))


def expect(limits, content, slot, units):
    return [(content[slot, beat], int(beat % limits.unit_beats == limits.unit_beats - 1)) for beat in range(units * limits.unit_beats)]


async def check(bench, data, wanted):
    await bench.until(lambda: len(data.items) >= len(wanted), 40000, f"{len(wanted)} beats")
    await bench.clocks(20)
    assert [item[1:] for item in data.items] == wanted


@cocotb.test()
async def random_reads(dut):
    limits = built()
    bench, write, read, data = await prepare(dut, 0.9, 0.7, 0.7)
    content = {}
    wanted = []
    slots = [0, 1, limits.window_frames - 1] + random.sample(range(2, limits.window_frames - 1), 2)
    most = min(limits.max_k, 4)
    for slot in slots:
        fill(limits, write, content, slot, most)
    fill(limits, write, content, slots[0], limits.max_k)
    await bench.until(lambda: write.idle, 20000, "writes accepted")
    reads = [(slots[0], limits.max_k)] + [(random.choice(slots), random.randint(1, most)) for _ in range(20)]
    for slot, units in reads:
        read.queue.append((slot, units))
        wanted += expect(limits, content, slot, units)
    await check(bench, data, wanted)


@cocotb.test()
async def full_rate(dut):
    limits = built()
    bench, write, read, data = await prepare(dut)
    content = {}
    fill(limits, write, content, 3, 2)
    await bench.until(lambda: write.idle, 5000, "writes accepted")
    wanted = []
    # Writes go on at full rate during the reads.
    fill(limits, write, {}, 4, limits.max_k)
    for units in (1, 2, 1, 1, 2, 1):
        read.queue.append((3, units))
        wanted += expect(limits, content, 3, units)
    await check(bench, data, wanted)
    clocks = data.items[-1][0] - data.items[0][0] + 1
    assert clocks == len(wanted), f"{clocks - len(wanted)} bubbles in {len(wanted)} beats"


@cocotb.test()
async def write_then_read_at_once(dut):
    """A read accepted in the clock after a write sees it."""
    limits = built()
    bench, write, read, data = await prepare(dut)
    content = {}
    wanted = []
    for slot in (5, 9, 5):
        fill(limits, write, content, slot, 1)
        last = write.accepted + len(write.queue)
        await bench.until(lambda last=last: write.accepted == last, 1000, "writes accepted")
        read.queue.append((slot, 1))
        wanted += expect(limits, content, slot, 1)
    await check(bench, data, wanted)


@cocotb.test()
@cocotb.parametrize(rate=[1.0, 0.3])
async def a_slot_is_free_when_its_read_is_done(dut, rate):
    """One readDone a read; what is written from the next clock on does not change what the read gives."""
    limits = built()
    bench, write, read, data = await prepare(dut, data_rate=rate)
    done = Events(bench, ["readDone"])
    content = {}
    wanted = []
    for count in range(1, 6):
        units = random.randint(1, limits.max_k)
        fill(limits, write, content, 6, units)
        await bench.until(lambda: write.idle and not write.offered, 5000, "writes accepted")
        read.queue.append((6, units))
        wanted += expect(limits, content, 6, units)
        await bench.until(lambda count=count: done.count["readDone"] == count, 40000, "read done")
    await check(bench, data, wanted)
    assert done.count["readDone"] == 5


@cocotb.test()
async def reset_while_stalled(dut):
    limits = built()
    bench, write, read, data = await prepare(dut, data_rate=0)
    content = {}
    fill(limits, write, content, 7, 2)
    await bench.until(lambda: write.idle, 5000, "writes accepted")
    read.queue.extend([(7, 2), (7, 1)])
    await bench.clocks(30)
    assert int(dut.units_tvalid.value)
    await bench.reset()
    await bench.clocks(3)
    assert not int(dut.units_tvalid.value), "a read survived the reset"
    data.rate = 1
    read.queue.append((7, 2))
    await check(bench, data, expect(limits, content, 7, 2))
