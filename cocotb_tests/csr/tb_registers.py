# SPDX-License-Identifier: Apache-2.0
"""Registers of a link end, by their AXI4-Lite port and the ports towards the core."""

import itertools
import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from arqlink.rtl.registers import value_of
from cocotb_tests.lib.edges import rising_edges, start_clock
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.regs import Registers, master, regs
from cocotb_tests.lib.sweep import sweep

BUILD = built()
PASS = 127 if len(regs.COUNTERS) <= 60 else 255  # clocks of a pass of the counters (docs/counter_bank.md)
PASSES = 2 * PASS + 26  # clocks in which an event is counted and its counter looked at, the last one too
ERRORS = {  # name: bit
    name: bit
    for bit, name in enumerate(
        "drop_zero drop_oversize drop_abort drop_keep phy_length bad_header control_invalid unit_invalid "
        "peer_mismatch peer_restart outage link_up link_down - rx_overflow packet_corrupt resync frame_failing".split(),
        start=2,
    )
    if name != "-"  # the counters' threshold, tested below
}
ALL = 0xFFFFF


def camel(name):
    head, *tail = name.split("_")
    return head + "".join(t.capitalize() for t in tail)


async def start(dut):
    random.seed(cocotb.RANDOM_SEED)
    start_clock(dut.aclk, 10, dut.aresetn)
    for signal in dut:
        if signal._name.startswith(("io_events_", "io_status_", "io_errors_")):
            signal.value = 0
    axi = master(dut)
    await rising_edges(dut.aclk, 5)
    dut.aresetn.value = 1
    await rising_edges(dut.aclk, 2)
    return axi, Registers(axi, regs.ARQLINK)


def active(dut):
    return tuple(int(getattr(dut, f"io_setting_active_{n}").value) for n in ("k", "nFirst", "nRetx", "preset", "delta", "inOrder", "outageFreeze"))


@cocotb.test()
async def reset_values(dut):
    _, r = await start(dut)
    for name, register in regs.ARQLINK.items():
        for field, f in register.fields.items():
            if f.reset is not None:
                assert await r.read(name, field) == f.reset, (name, field)
    assert await r.read("ID") == 0x4152514C
    assert await r.read("BUILD1") == len(regs.COUNTERS) << 24 | 7 << 16 | BUILD.max_parity << 8 | BUILD.max_k
    assert await r.read("BUILD0") == (BUILD.window_frames.bit_length() - 1) << 24 | BUILD.unit_bytes << 8 | BUILD.data_bytes
    for name in ("CODE", "ACTIVE_CODE"):
        assert await r.read(name) == BUILD.n_retx << 16 | BUILD.n_first << 8 | BUILD.k
    assert active(dut) == (BUILD.k, BUILD.n_first, BUILD.n_retx, 0, BUILD.delta, 1, 1)
    assert int(dut.io_command_enable.value) == 1
    assert int(dut.io_irq.value) == 0


@cocotb.test()
async def every_writable_field(dut):
    """Each RW register takes any value in exactly its RW bits, byte by byte, and touches no other register."""
    _, r = await start(dut)
    writable = {}
    for name, register in regs.ARQLINK.items():
        mask = sum(((1 << f.width) - 1) << f.shift for f in register.fields.values() if f.access == "RW")
        if mask:
            writable[name] = mask
    assert len(writable) == 13
    expect = {name: await r.read(name) for name in writable}
    for _ in range(2):
        for name, mask in writable.items():
            value = random.getrandbits(32) & ~0b10 if name == "CTRL" else random.getrandbits(32)
            await r.write(name, value)
            expect[name] = value & mask
        for name in writable:
            assert await r.read(name) == expect[name], name
    for name, mask in writable.items():
        byte, value = random.randrange(4), random.getrandbits(8) & ~0b10
        assert await r.write_at(regs.ARQLINK[name].offset + byte, value, size=1)
        expect[name] = expect[name] & ~(0xFF << 8 * byte) | (value << 8 * byte) & mask
        assert await r.read(name) == expect[name], (name, byte)
    for signal, name in (
        ("pollTimeout", "POLL_TIMEOUT"),
        ("helloInterval", "HELLO_INTERVAL"),
        ("keepalive", "KEEPALIVE"),
        ("outageTimeout", "OUTAGE_TIMEOUT"),
        ("statusInterval", "STATUS_INTERVAL"),
    ):
        assert int(getattr(dut, f"io_setting_timers_{signal}").value) == expect[name]


@cocotb.test()
async def an_event_in_each_clock_of_a_clearing_write(dut):
    """The bit is 0, is written as 1, and one pulse comes: irq shows it, before the bit is cleared or after."""
    _, r = await start(dut)
    await r.write("IRQ_ENABLE", outage=1)
    seen = set()

    async def pulse(clock):
        await rising_edges(dut.aclk, clock)
        dut.io_errors_outage.value = 1
        await rising_edges(dut.aclk, 1)
        dut.io_errors_outage.value = 0

    async def case(clock):
        event = cocotb.start_soon(pulse(clock))
        shown = cocotb.start_soon(is_shown(dut, 40))
        await rising_edges(dut.aclk, 8)
        await r.write("ERROR", outage=1)
        await event
        assert await shown, "nobody has seen the event"
        seen.add(await r.read("ERROR", "outage"))
        await r.write("ERROR", outage=1)

    await sweep(range(1, 28), case)
    assert seen == {0, 1}, "the pulse came before the write, and behind it"


async def is_shown(dut, clocks):
    """Whether irq rises within some clocks."""
    for _ in range(clocks):
        await FallingEdge(dut.aclk)
        if dut.io_irq.value:
            return True
    return False


@cocotb.test()
async def refused_accesses(dut):
    """SLVERR and ERROR.access for what is not there or cannot be written; nothing changes."""
    _, r = await start(dut)
    counters_end = 0x200 + 8 * len(regs.COUNTERS)
    mapped = {register.offset for register in regs.ARQLINK.values()} | set(range(0x200, counters_end, 4))
    holes = {offset ^ 4 for offset in mapped} - mapped
    assert holes == {0x054}
    unmapped = sorted(set(range(0, 0x1000, 4)) - mapped - holes)
    read_only = [x for x in regs.ARQLINK.values() if all(f.access == "RO" for f in x.fields.values())]
    assert len(read_only) == 9

    async def refused(answer, what):
        assert not answer, what
        assert await r.read("ERROR") == 1, what
        await r.write("ERROR", 1)
        assert await r.read("ERROR") == 0

    for address in random.sample(unmapped, 12) + [0x058, counters_end, 0x1FC, 0xFFC]:
        await refused((await r.read_at(address))[1], hex(address))
        await refused(await r.write_at(address, 0xFFFFFFFF), hex(address))
    for register in read_only:
        before = (await r.read_at(register.offset))[0]
        await refused(await r.write_at(register.offset, 0xFFFFFFFF), register)
        assert (await r.read_at(register.offset))[0] == before
    for address in (0x200, counters_end - 4):
        await refused(await r.write_at(address, 0), hex(address))
        assert (await r.read_at(address)) == (0, True)


@cocotb.test()
async def apply(dut):
    """Valid settings become active together in one clock; invalid ones change nothing, and say so."""
    _, r = await start(dut)
    max_k, max_parity = BUILD.max_k, BUILD.max_parity
    good = dict(k=3, n_first=5, n_retx=3 + max_parity, preset=2)
    bad = [
        dict(good, k=0, n_first=1),
        dict(good, k=max_k + 1, n_first=max_k + 1, n_retx=max_k + 1),
        dict(good, n_first=2),
        dict(good, n_retx=2),
        dict(good, n_first=4 + max_parity),
        dict(good, n_retx=4 + max_parity),
        dict(good, preset=3),
        dict(good, k=255, n_first=255, n_retx=255),
    ]
    seen = []

    async def watch():
        while True:
            await FallingEdge(dut.aclk)
            if not seen or seen[-1] != active(dut):
                seen.append(active(dut))

    cocotb.start_soon(watch())
    for setting in bad:
        await r.write("CODE", **setting)
        await r.write("ARQ", delta=1)
        await r.write("APPLY", apply=1)
        assert await r.read("ERROR") == 0b10, setting
        assert await r.read("STATUS", "apply_rejected") == 1
        await r.write("ERROR", 0b10)
        assert len(seen) == 1, setting
    await r.write("CODE", **good)
    await r.write("ARQ", delta=4, ord=0, outage_freeze=0)
    await r.write("APPLY", 0)
    assert len(seen) == 1
    await r.write("APPLY", apply=1)
    assert seen[1:] == [(3, 5, 3 + max_parity, 2, 4, 0, 0)]
    assert await r.read("ACTIVE_CODE") == value_of(regs.ARQLINK["CODE"], **good)
    assert await r.read("ACTIVE_ARQ") == 4
    assert await r.read("STATUS", "apply_rejected") == 0
    assert await r.read("ERROR") == 0
    edge = dict(k=max_k, n_first=max_k, n_retx=max_k + max_parity, preset=1)
    await r.write("CODE", **edge)
    await r.write("APPLY", apply=1)
    assert await r.read("ACTIVE_CODE") == value_of(regs.ARQLINK["CODE"], **edge)


@cocotb.test()
async def errors_and_irq(dut):
    """Each pulse sets its own bit until it is cleared, and irq follows the mask."""
    _, r = await start(dut)
    for name, shift in ERRORS.items():
        signal, bit = getattr(dut, f"io_errors_{camel(name)}"), 1 << shift
        assert regs.ARQLINK["ERROR"].fields[name].shift == shift
        await r.write("IRQ_ENABLE", ALL & ~bit)
        await RisingEdge(dut.aclk)
        signal.value = 1
        await RisingEdge(dut.aclk)
        signal.value = 0
        assert await r.read("ERROR") == bit, name
        assert int(dut.io_irq.value) == 0
        await r.write("IRQ_ENABLE", bit)
        await rising_edges(dut.aclk, 3)
        assert int(dut.io_irq.value) == 1
        await r.write("ERROR", ALL & ~bit)
        assert await r.read("ERROR") == bit
        await r.write("ERROR", bit)
        await rising_edges(dut.aclk, 3)
        assert await r.read("ERROR") == 0
        assert int(dut.io_irq.value) == 0
    # An event that lasts over the clearing write is not lost.
    dut.io_errors_outage.value = 1
    await r.write("ERROR", ALL)
    dut.io_errors_outage.value = 0
    assert await r.read("ERROR", "outage") == 1


@cocotb.test()
@cocotb.parametrize(counter=["tx_retx", list(regs.COUNTERS)[-1]])
async def threshold(dut, counter):
    """The bit is set once when the chosen counter gets to the value, and again only after a write of THRESHOLD."""
    _, r = await start(dut)
    index = list(regs.COUNTERS).index(counter)
    event = getattr(dut, f"io_events_{counter}")

    async def count(events):
        for _ in range(events):
            event.value = 1
            await rising_edges(dut.aclk, 1)
        event.value = 0
        await rising_edges(dut.aclk, PASSES)

    async def seen():
        bit = await r.read("ERROR", "threshold")
        await r.write("ERROR", ALL)
        return bit

    await r.write("IRQ_ENABLE", threshold=1)
    await r.write("THRESHOLD_COUNTER", index)
    await count(20)
    assert not await seen(), "value 0 means none"
    await r.write("THRESHOLD_LOW", 25)
    await rising_edges(dut.aclk, PASSES)
    assert not await seen(), "20 is below 25"
    await count(4)
    assert not await seen(), "24 is below 25"
    await count(1)
    assert int(dut.io_irq.value) == 1
    assert await seen(), "25 is reached"
    await count(3)
    assert not await seen(), "it was reached before"
    await r.write("THRESHOLD_LOW", 28)
    await rising_edges(dut.aclk, PASSES)
    assert await seen(), "28 is there already"
    await r.write("THRESHOLD_HIGH", 1)
    await rising_edges(dut.aclk, PASSES)
    assert not await seen(), "28 is below 2^32 + 28"
    await r.write("THRESHOLD_HIGH", 0)
    await rising_edges(dut.aclk, PASSES)
    assert await seen()
    await r.write("COUNTERS", clear=1)
    await rising_edges(dut.aclk, PASSES)
    await count(27)
    assert not await seen(), "cleared"
    await count(1)
    assert await seen(), "28 is reached again"


@cocotb.test()
async def command_and_status(dut):
    _, r = await start(dut)
    pulses = 0

    async def watch():
        nonlocal pulses
        while True:
            await FallingEdge(dut.aclk)
            pulses += int(dut.io_command_restart.value)

    cocotb.start_soon(watch())
    await r.write("CTRL", enable=0, restart=1)
    await rising_edges(dut.aclk, 4)
    assert pulses == 1
    assert int(dut.io_command_enable.value) == 0
    assert await r.read("CTRL") == 0
    for state, known, stalled, outage in itertools.product((0, 4, 3), (0, 1), (0, 1), (0, 1)):
        dut.io_status_state.value, dut.io_status_peerKnown.value = state, known
        dut.io_status_stalled.value, dut.io_status_outage.value = stalled, outage
        assert await r.read("STATUS") == outage << 5 | stalled << 4 | known << 3 | state
    dut.io_status_ownEpoch.value, dut.io_status_peerEpoch.value = 0x12, 0x34
    assert await r.read("EPOCH") == 0x3412


@cocotb.test()
async def overlapping_accesses(dut):
    """Reads and writes at once, with R, B, AR, AW and W held up at random: each answer belongs to its access."""
    axi, r = await start(dut)

    def pause(p):
        return (random.random() < p for _ in itertools.count())

    read_if, write_if = axi.read_if, axi.write_if
    assert read_if and write_if
    for channel in (read_if.ar_channel, read_if.r_channel, write_if.aw_channel, write_if.w_channel, write_if.b_channel):
        channel.set_pause_generator(pause(0.6))
    addresses = [regs.ARQLINK[n].offset for n in ("POLL_TIMEOUT", "HELLO_INTERVAL", "KEEPALIVE", "OUTAGE_TIMEOUT")]
    fixed = {regs.ARQLINK["ID"].offset: 0x4152514C, regs.ARQLINK["IRQ_ENABLE"].offset: 0}

    async def writer(address):
        for _ in range(25):
            value = random.getrandbits(32)
            assert await r.write_at(address, value)
            assert await r.read_at(address) == (value, True), hex(address)

    async def reader():
        for _ in range(60):
            if random.random() < 0.3:
                assert not (await r.read_at(0x058))[1]
            else:
                address = random.choice(list(fixed))
                assert await r.read_at(address) == (fixed[address], True)

    tasks = [cocotb.start_soon(writer(a)) for a in addresses] + [cocotb.start_soon(reader()) for _ in range(2)]
    for task in tasks:
        await task


@cocotb.test()
async def answers_hold_while_stalled(dut):
    """R keeps its data until it is accepted, though another AR waits; reset meanwhile brings a clean port."""
    axi, r = await start(dut)
    assert axi.read_if
    axi.read_if.r_channel.pause = True
    first, second = (cocotb.start_soon(r.read(name)) for name in ("ID", "BUILD2"))
    held = 0
    for _ in range(30):
        await FallingEdge(dut.aclk)
        if int(dut.s_axil_rvalid.value):
            held += 1
            assert int(dut.s_axil_rdata.value) == 0x4152514C
            assert not int(dut.s_axil_arready.value)
        else:
            assert not held, "R dropped"
    assert held > 20
    axi.read_if.r_channel.pause = False
    assert await first == 0x4152514C
    assert await second == BUILD.packet_crc << 16 | BUILD.max_packet_bytes
    axi.read_if.r_channel.pause = True
    axi.init_read(0, 4)  # the reset takes the answer
    await rising_edges(dut.aclk, 10)
    assert int(dut.s_axil_rvalid.value)
    dut.aresetn.value = 0
    await rising_edges(dut.aclk, 3)
    assert not int(dut.s_axil_rvalid.value)
    axi.read_if.r_channel.pause = False
    dut.aresetn.value = 1
    await rising_edges(dut.aclk, 5)
    assert await r.read("BUILD2") == BUILD.packet_crc << 16 | BUILD.max_packet_bytes


@cocotb.test()
async def counter_window(dut):
    """Counters arrive through the whole bank; a snapshot is asked for by register COUNTERS."""
    _, r = await start(dut)
    expect = {}
    for i, (name, counter) in enumerate(regs.COUNTERS.items()):
        expect[name] = (i + 1) % (1 << counter.increment) or 1
    for name in expect:
        getattr(dut, f"io_events_{name}").value = expect[name]
    await RisingEdge(dut.aclk)
    for name in expect:
        getattr(dut, f"io_events_{name}").value = 0

    async def snapshot(**fields):
        await r.write("COUNTERS", **fields)
        assert await r.read("COUNTERS") == 1 << 2  # still busy
        while await r.read("COUNTERS", "busy"):
            pass
        return {n: (await r.read_at(c.offset))[0] + ((await r.read_at(c.offset + 4))[0] << 32) for n, c in regs.COUNTERS.items()}

    assert await snapshot(snapshot=1, clear=1) == expect
    assert await snapshot(clear=1) == expect  # the copy stays
    assert await snapshot(snapshot=1) == dict.fromkeys(expect, 0)
