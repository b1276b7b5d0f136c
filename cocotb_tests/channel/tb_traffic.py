# SPDX-License-Identifier: Apache-2.0
"""Packet generator and checker, joined by a link made here that may harm packets."""

import random

import cocotb
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiStreamFrame

from cocotb_tests.channel.bench import probability
from cocotb_tests.lib.bench import Bench, Sink, pause
from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.regs import Registers, master, regs


def byte(number, i):
    """Byte of a generated packet from position 8 on; see docs/traffic_port.md."""
    return (i + number & 0xFF) ^ (i >> 8) ^ (number >> 8 & 0xFF)


def packet(number, length):
    head = number.to_bytes(4, "little") + length.to_bytes(2, "little") + b"\0\0"
    return head + bytes(byte(number, i) for i in range(8, length))


class PacketSink:
    """Takes packets from `prefix` with random readiness: (bytes, tuser) of each, and the clock of each beat."""

    def __init__(self, bench, prefix, busy=0.0):
        self.packets, self.times, self.data = [], [], b""
        self.width = len(getattr(bench.dut, f"{prefix}_tdata")) // 8
        Sink(bench, f"{prefix}_t", [f"{prefix}_{name}" for name in ("tdata", "tkeep", "tlast", "tuser")], rate=1 - busy, log=self._take)

    def _take(self, beat):
        clock, content, keep, last, error = beat
        assert keep & (keep + 1) == 0 and (last or keep == (1 << self.width) - 1)
        self.data += content.to_bytes(self.width, "little")[: keep.bit_count()]
        self.times.append(clock)
        if last:
            self.packets.append((self.data, error))
            self.data = b""


def offer(source, packets):
    """Queues packets, (bytes, tuser at the last beat), in an AxiStreamSource."""
    for data, error in packets:
        source.send_nowait(AxiStreamFrame(data, tuser=[0] * (len(data) - 1) + [error]))


async def start(dut, busy=0.0, idle=0.0):
    bench = Bench(dut)
    sources = [bench.axis_source(prefix) for prefix in ("s_axis", "s_axis_link")]
    for source in sources:
        source.set_pause_generator(pause(1 - idle))
    out, delivered = PacketSink(bench, "m_axis_link", busy), PacketSink(bench, "m_axis", busy)
    r = Registers(master(dut), regs.ARQTRAF)
    await bench.start()
    await rising_edges(dut.aclk, 20)
    return r, sources[0], out, sources[1], delivered


async def until(dut, condition, clocks=60_000):
    for _ in range(clocks // 20):
        if condition():
            return
        await rising_edges(dut.aclk, 20)
    raise AssertionError("never came")


@cocotb.test()
async def registers(dut):
    r, *_ = await start(dut)
    for name, register in regs.ARQTRAF.items():
        for field, f in register.fields.items():
            assert await r.read(name, field) == f.reset, (name, field)
        access = {f.access for f in register.fields.values()}
        if access == {"RO"}:
            assert not await r.write_at(register.offset, 0)
        elif name != "CTRL":
            value = random.getrandbits(32)
            await r.write(name, value)
            assert await r.read(name) == value & sum(((1 << f.width) - 1) << f.shift for f in register.fields.values())
    assert not (await r.read_at(0x040))[1]


@cocotb.test()
@cocotb.parametrize(busy=[0.0, 0.5])
async def generated_packets(dut, busy):
    """Numbers, lengths and bytes as documented; the set number of packets and no more."""
    r, _, out, *_ = await start(dut, busy=busy)
    await r.write("LENGTH_MIN", 3)
    await r.write("LENGTH_MAX", 90)
    await r.write("COUNT", 80)
    await r.write("CTRL", generate=1, random_length=1)
    await until(dut, lambda: len(out.packets) == 80)
    await rising_edges(dut.aclk, 300)
    lengths = [len(p) for p, _ in out.packets]
    assert out.packets == [(packet(i, n), 0) for i, n in enumerate(lengths)]
    assert min(lengths) >= 8 and max(lengths) <= 90 and len(set(lengths)) > 25
    assert await r.read("SENT") == 80
    assert await r.read("SENT_BYTES") == sum(lengths)
    # more packets go on with the numbers; after a clear they start at 0 again
    await r.write("COUNT", 81)
    await until(dut, lambda: len(out.packets) == 81)
    assert out.packets[80][0][:4] == (80).to_bytes(4, "little")
    await r.write("CTRL", clear=1)
    assert await r.read("SENT") == 0
    await r.write("LENGTH_MIN", 300)
    await r.write("COUNT", 2)
    await r.write("CTRL", generate=1)
    await until(dut, lambda: len(out.packets) == 83)
    assert out.packets[81:] == [(packet(i, 300), 0) for i in range(2)]


@cocotb.test()
async def full_rate_and_gap(dut):
    """Without a gap packets of three beats and more fill every clock; a gap is kept exactly."""
    r, _, out, *_ = await start(dut)
    length = max(8, 3 * out.width)
    await r.write("LENGTH_MIN", length)
    await r.write("COUNT", 50)
    await r.write("CTRL", generate=1)
    await until(dut, lambda: len(out.packets) == 50)
    assert out.times[-1] - out.times[0] == len(out.times) - 1
    await r.write("CTRL", clear=1)
    await r.write("GAP", 9)
    await r.write("COUNT", 5)
    out.times.clear()
    await r.write("CTRL", generate=1)
    await until(dut, lambda: len(out.packets) == 55)
    steps = [b - a for a, b in zip(out.times, out.times[1:])]
    gaps = [s for s in steps if s > 1]
    assert len(gaps) == 4 and set(gaps) <= {10, 11}, gaps


@cocotb.test()
@cocotb.parametrize(sink=[1.0, 0.4])
async def check_clean(dut, sink):
    """Generator to checker through a link that does no harm: all received, nothing else counted."""
    r, _, out, link, _ = await start(dut, busy=0.2, idle=0.2)
    await r.write("SINK_READY", probability(sink))
    await r.write("LENGTH_MIN", 8)
    await r.write("LENGTH_MAX", 70)
    await r.write("COUNT", 60)
    await r.write("CTRL", generate=1, check=1, random_length=1)
    done = 0
    while done < 60 or not link.idle():
        offer(link, out.packets[done:])
        done = len(out.packets)
        await rising_edges(dut.aclk, 10)
    await rising_edges(dut.aclk, 10)
    names = ("RECEIVED", "LOST", "DISORDERED", "CORRUPT", "ABORTED")
    assert [await r.read(n) for n in names] == [60, 0, 0, 0, 0]
    assert await r.read("RECEIVED_BYTES") == await r.read("SENT_BYTES")


@cocotb.test()
async def check_harm(dut):
    """Drops, exchanges, changed bytes and lengths, aborts: each is counted, under its own name."""
    r, _, _, link, delivered = await start(dut)
    await r.write("CTRL", check=1)
    await rising_edges(dut.aclk, 5)
    stream, lost, disordered, corrupt, aborted = [], 0, 0, 0, 0
    number = 0
    while number < 250:
        length = random.randint(9, 60)
        data = packet(number, length)
        what = random.choice(("fine", "fine", "drop", "swap", "byte", "short", "long", "zero", "stub", "abort"))
        if what == "swap":
            stream += [(packet(number + 1, 20), 0), (data, 0)]
            lost, disordered, number = lost + 1, disordered + 1, number + 1
        elif what == "drop":
            lost += 1
        elif what == "abort":
            stream.append((data[: random.randint(1, length)], 1))
            aborted, lost = aborted + 1, lost + 1
        elif what == "fine":
            stream.append((data, 0))
        else:
            changed = bytearray(data)
            if what == "byte":
                changed[random.randrange(4, length)] ^= 1 << random.randrange(8)
            elif what == "short":
                changed = changed[:-1]
            elif what == "long":
                changed.append(byte(number, length))
            elif what == "zero":
                changed[random.choice((6, 7))] = 1
            else:
                changed = changed[: random.randint(1, 7)]
            stream.append((bytes(changed), 0))
            corrupt, lost = corrupt + 1, lost + 1
        number += 1
    stream.append((packet(number, 8), 0))
    offer(link, stream)
    await until(dut, link.idle)
    await rising_edges(dut.aclk, 10)
    names = ("RECEIVED", "LOST", "DISORDERED", "CORRUPT", "ABORTED")
    seen = [await r.read(n) for n in names]
    assert seen == [len(stream) - aborted, lost, disordered, corrupt, aborted]
    assert await r.read("RECEIVED_BYTES") == sum(len(d) for d, e in stream if not e)
    assert not delivered.packets
    await r.write("CTRL", check=1, clear=1)
    assert [await r.read(n) for n in names] == [0] * 5


@cocotb.test()
async def packet_ports(dut):
    """With both off the packet ports are used; changing over under traffic cuts and loses no packet."""
    r, user, out, link, delivered = await start(dut, busy=0.3, idle=0.2)
    own = [(bytes(255 - x for x in random.randbytes(random.randint(9, 40))), random.randrange(2)) for _ in range(120)]
    for source in (user, link):
        offer(source, own)
    await r.write("LENGTH_MIN", 20)
    for _ in range(8):
        await rising_edges(dut.aclk, random.randrange(100, 200))
        await r.write("CTRL", generate=1)
        await rising_edges(dut.aclk, random.randrange(10, 100))
        await r.write("CTRL", generate=0)
    await until(dut, lambda: user.idle() and link.idle())
    await rising_edges(dut.aclk, 100)
    assert delivered.packets == own
    sent = await r.read("SENT")
    generated = [packet(i, 20) for i in range(sent)]
    assert sent > 8
    assert [d for d, _ in out.packets if d in generated] == generated
    assert [p for p in out.packets if p[0] not in generated] == own


@cocotb.test()
async def checker_takes_over(dut):
    """Packets offered when `check` changes go whole to one side or the other."""
    r, _, _, link, delivered = await start(dut, busy=0.3, idle=0.1)
    offer(link, [(packet(i, 25), 0) for i in range(200)])
    for check in (1, 0) * 6:
        await rising_edges(dut.aclk, random.randrange(30, 120))
        await r.write("CTRL", check=check)
    await until(dut, link.idle)
    await rising_edges(dut.aclk, 200)
    received = await r.read("RECEIVED")
    assert received > 10 and len(delivered.packets) > 10
    assert received + len(delivered.packets) == 200
    assert await r.read("CORRUPT") == 0


@cocotb.test()
async def reset_while_stalled(dut):
    """A stalled beat goes with the reset; the generator then begins with packet 0 again."""
    bench = Bench(dut)
    dut.m_axis_link_tready.value = 0
    for prefix in ("s_axis", "s_axis_link"):
        getattr(dut, f"{prefix}_tvalid").value = 0
    r = Registers(master(dut), regs.ARQTRAF)
    await bench.start()
    await r.write("CTRL", generate=1)
    await rising_edges(dut.aclk, 60)
    assert int(dut.m_axis_link_tvalid.value)
    dut.aresetn.value = 0
    await rising_edges(dut.aclk, 3)
    await FallingEdge(dut.aclk)
    assert not int(dut.m_axis_link_tvalid.value)
    dut.aresetn.value = 1
    out = PacketSink(bench, "m_axis_link", 0.5)
    await r.write("COUNT", 3)
    await r.write("CTRL", generate=1)
    await until(dut, lambda: len(out.packets) == 3)
    assert out.packets == [(packet(i, 64), 0) for i in range(3)]
