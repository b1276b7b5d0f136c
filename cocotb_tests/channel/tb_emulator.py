# SPDX-License-Identifier: Apache-2.0
"""Channel emulator: delay, pace, manners of erasure, outage, changes while running."""

import random

import cocotb

from cocotb_tests.channel.bench import DEPTH, LEAST_DELAY, ONE, ChannelBench, probability
from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.regs import regs


@cocotb.test()
async def registers(dut):
    r = await ChannelBench(dut).start(observe=False)
    for name, register in regs.ARQCHAN.items():
        for field, f in register.fields.items():
            if f.reset is not None:
                assert await r.read(name, field) == f.reset, (name, field)
        access = {f.access for f in register.fields.values()}
        if access == {"RO"}:
            assert not await r.write_at(register.offset, 0)
        else:
            mask = sum(((1 << f.width) - 1) << f.shift for f in register.fields.values())
            mask &= DEPTH - 1 if name == "DELAY" else ONE
            value = random.getrandbits(32)
            await r.write(name, value)
            assert await r.read(name) == value & mask, name
    assert await r.read("MAX_DELAY") == DEPTH - 1
    assert not (await r.read_at(0x040))[1]
    assert not await r.write_at(0xFFC, 0)


@cocotb.test()
@cocotb.parametrize(delay=[0, 1, LEAST_DELAY, LEAST_DELAY + 1, 100, DEPTH - 1])
async def delay_is_exact(dut, delay):
    """Every beat comes out the set number of clocks after it went in, unchanged, gaps included."""
    bench = ChannelBench(dut)
    r = await bench.start()
    await r.write("DELAY", delay)
    await rising_edges(dut.aclk, 2 * DEPTH)
    bench.queue = [(bench.unit(random.randint(1, 30)), random.choice((0, 0.5))) for _ in range(60)]
    await bench.drain(delay + 50)
    expect = [([t + max(delay, LEAST_DELAY) for t in times], unit, 0) for times, unit in bench.sent]
    assert len(expect) == 60
    assert bench.received() == expect
    assert await r.read("UNITS") == 60
    assert await r.read("BEATS_LOST") == 0


@cocotb.test()
@cocotb.parametrize(pace=[1, 3, 10])
async def pace(dut, pace):
    bench = ChannelBench(dut)
    r = await bench.start()
    await r.write("PACE", pace)
    bench.queue = [(bench.unit(8), 0) for _ in range(10)]
    await bench.drain(200)
    times = [t for times, _ in bench.sent for t in times]
    assert {b - a for a, b in zip(times, times[1:])} == {pace + 1}
    assert [u for _, u, _ in bench.received()] == [u for _, u in bench.sent]


def bits(a, b):
    return sum((x ^ y).bit_count() for x, y in zip(a, b))


@cocotb.test()
@cocotb.parametrize(mode=[0, 1, 2, 3])
async def manner_of_erasure(dut, mode):
    """With probability 1 every unit is erased, in the way set; control units too, unless spared."""
    bench = ChannelBench(dut)
    r = await bench.start()
    await r.write("MODE", mode)
    await r.write("P_GOOD", ONE)
    await r.write("CTRL", enable=1)
    count = 300 if mode == 3 else 60
    bench.queue = [(bench.unit(random.randint(1, 12), control=i % 3 == 0), 0) for i in range(count)]
    await bench.drain(50)
    sent = [u for _, u in bench.sent]
    received = bench.received()
    ways = {"vanish": 0, "flip": 0, "flag": 0}
    for unit in sent:
        if received and received[0][1] == unit and received[0][2]:
            ways["flag"] += 1
        elif received and len(received[0][1]) == len(unit) and bits(received[0][1], unit) == 1:
            assert not received[0][2]
            ways["flip"] += 1
        else:
            ways["vanish"] += 1
            continue
        received.pop(0)
    assert not received
    if mode == 3:
        assert all(60 < n < 140 for n in ways.values()), ways  # 100 each, standard deviation 8.2
    else:
        assert ways[("vanish", "flip", "flag")[mode]] == count, ways
    control = (count + 2) // 3
    counts = [await r.read(n) for n in ("UNITS", "ERASED", "CONTROL_UNITS", "CONTROL_ERASED")]
    assert counts == [count - control, count - control, control, control]

    bench.sent.clear()
    bench.beats.clear()
    await r.write("CTRL", enable=1, spare_control=1)
    await r.write("MODE", 0)
    bench.queue = [(bench.unit(4, control=i % 2 == 0), 0.3) for i in range(20)]
    await bench.drain(50)
    assert [u for _, u, _ in bench.received()] == [u for _, u in bench.sent if u[0] >> 4 & 3 == 1]


@cocotb.test()
async def erased_from_outside(dut):
    """`erase` in a unit's first beat erases this unit and no other, where a random number might: enabled, and not a spared control unit."""
    bench = ChannelBench(dut)
    r = await bench.start()
    await r.write("PACE", 1)
    for enable, spare in ((0, 0), (1, 0), (1, 1)):
        await r.write("CTRL", enable=enable, spare_control=spare)
        bench.sent.clear()
        bench.beats.clear()
        bench.erase = [random.random() < 0.4 for _ in range(80)]
        bench.queue = [(bench.unit(random.randint(1, 6), control=i % 3 == 0), 0.2) for i in range(80)]
        await bench.drain(40)
        passes = [not (enable and erased and not (spare and i % 3 == 0)) for i, erased in enumerate(bench.erase)]
        assert [u for _, u, _ in bench.received()] == [u for (_, u), passed in zip(bench.sent, passes) if passed]


@cocotb.test()
async def outage(dut):
    """In an outage all that begins vanishes, spared control units too, enabled or not; then all comes again."""
    bench = ChannelBench(dut)
    r = await bench.start()
    for enable in (0, 1):
        for out in (0, 1, 0):
            await r.write("CTRL", enable=enable, outage=out, spare_control=1)
            await r.write("MODE", 2)
            bench.sent.clear()
            bench.beats.clear()
            bench.queue = [(bench.unit(5, control=i % 2 == 0), 0.2) for i in range(20)]
            await bench.drain(40)
            assert [u for _, u, _ in bench.received()] == ([] if out else [u for _, u in bench.sent])
    assert await r.read("ERASED") == 20
    assert await r.read("CONTROL_ERASED") == 20


@cocotb.test()
async def change_of_delay(dut):
    """The delay changes under traffic: units are lost or marked, but none is repeated, mixed up or left open."""
    bench = ChannelBench(dut)
    r = await bench.start()
    for delay in (50, 700, 5, 300, 0, 1023, 20):
        bench.queue += [(bench.unit(random.randint(2, 20)), 0.1) for _ in range(100)]
        await rising_edges(dut.aclk, random.randrange(200, 400))
        await r.write("DELAY", delay)
    await bench.drain(1100)
    index = {unit: i for i, (_, unit) in enumerate(bench.sent)}
    intact = [index[data] for _, data, erased in bench.received() if not erased]
    assert all(a < b for a, b in zip(intact, intact[1:]))
    assert len(intact) > 300
    assert sum(erased for _, _, erased in bench.received()) <= 7
    bench.sent.clear()
    bench.beats.clear()
    bench.queue = [(bench.unit(7), 0) for _ in range(20)]
    await bench.drain(60)
    assert [u for _, u, _ in bench.received()] == [u for _, u in bench.sent]


@cocotb.test()
async def seed_repeats(dut):
    """The same seed erases the same units, whatever the timing, and another seed others."""
    bench = ChannelBench(dut)
    r = await bench.start()
    await r.write("MODE", 3)
    await r.write("P_GOOD", probability(0.2))
    await r.write("P_BAD", probability(0.7))
    await r.write("P_GB", probability(0.1))
    await r.write("P_BG", probability(0.3))
    await r.write("CTRL", enable=1, gilbert_elliott=1)
    units = [bench.unit(random.randint(2, 6)) for _ in range(120)]
    results = []
    for seed, idle in ((1234, 0), (1234, 0.4), (1235, 0), (1234, 0)):
        await r.write("SEED", seed)
        bench.sent.clear()
        bench.beats.clear()
        bench.queue = [(u, idle) for u in units]
        await bench.drain(50)
        results.append([(data, erased) for _, data, erased in bench.received()])
    assert results[0] == results[1] == results[3]
    assert results[0] != results[2]


@cocotb.test()
async def unready_receiver_loses(dut):
    bench = ChannelBench(dut)
    r = await bench.start()
    dut.m_axis_phy_tready.value = 0
    bench.queue = [(bench.unit(5), 0.2) for _ in range(10)]
    await bench.drain(40)
    assert await r.read("BEATS_LOST") == 50


@cocotb.test()
async def reset_in_a_unit(dut):
    """A reset in the middle of a unit leaves nothing of it, and the next unit is treated as a new one."""
    bench = ChannelBench(dut)
    r = await bench.start(observe=False)
    await r.write("DELAY", 30)
    dut.s_axis_phy_tvalid.value = 1
    await rising_edges(dut.aclk, 20)
    dut.s_axis_phy_tvalid.value = 0
    dut.aresetn.value = 0
    await rising_edges(dut.aclk, 3)
    dut.aresetn.value = 1
    await rising_edges(dut.aclk, 20)
    cocotb.start_soon(bench._input())
    cocotb.start_soon(bench._output())
    await r.write("DELAY", 30)
    await rising_edges(dut.aclk, 60)
    bench.queue = [(bench.unit(6), 0)]
    await bench.drain(60)
    assert [u for _, u, _ in bench.received()] == [u for _, u in bench.sent]
    assert await r.read("UNITS") == 1
