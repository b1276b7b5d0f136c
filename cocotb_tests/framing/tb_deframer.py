# SPDX-License-Identifier: Apache-2.0
"""Deframer: what comes through, what is counted, order, rate."""

import random
from dataclasses import replace

import cocotb
from cocotbext.axi import AxiStreamFrame

from cocotb_tests.framing.tb_framer import CONTROL, LINK, random_control
from cocotb_tests.lib.bench import Bench, Events, Sink, beats, pause
from cocotb_tests.lib.limits import built
from cocotb_tests.model.units import VERSION, DataUnit, seal

EVENTS = ["erasedFlag", "otherLink", "erasedLength", "erasedCrc", "badHeader", "otherVersion", "overflow"]
HEADER = {
    "epoch": "epoch",
    "k": "tx_meta_k",
    "pad": "tx_meta_pad",
    "sop": "tx_meta_sop",
    "eop": "tx_meta_eop",
    "n": "tx_n",
    "preset": "tx_preset",
    "odd": "tx_odd",
    "last_try": "tx_lastTry",
    "all_below": "tx_allBelow",
    "fsn": "tx_fsn",
    "tsn": "tx_tsn",
    "index": "index",
}
UNIT = "unit_payload_"


def random_data(limits):
    k = random.randint(1, limits.max_k)
    n = k + random.randint(0, limits.max_parity)
    return DataUnit(
        epoch=random.getrandbits(8),
        k=k,
        n=n,
        index=random.randrange(n),
        pad=random.randrange(limits.unit_bytes),
        fsn=random.getrandbits(20),
        tsn=random.getrandbits(20),
        payload=random.randbytes(limits.unit_bytes),
        preset=random.randrange(3),
        sop=bool(random.getrandbits(1)),
        eop=bool(random.getrandbits(1)),
        odd=bool(random.getrandbits(1)),
        last_try=(last_try := bool(random.getrandbits(1))),
        all_below=last_try and bool(random.getrandbits(1)),
        link=LINK,
    )


class Link:
    """Sends units and remembers what has to come out, and which event a bad one has to raise."""

    def __init__(self, bench, limits, rate):
        self.bench = bench
        self.limits = limits
        self.source = bench.axis_source("s_axis_phy")
        self.log = []
        fields = [f"{UNIT}{f}" for f in HEADER.values()]
        self.unit = Sink(bench, "unit_", fields, rate, log=lambda item: self.log.append(("d", item)))
        beat = ["payload_payload_fragment", "payload_payload_last"]
        self.payload = Sink(bench, "payload_", beat, rate)
        control = [f"control_payload_{f}" for f in CONTROL.values()]
        self.control = Sink(bench, "control_", control, rate, log=lambda item: self.log.append(("c", item)))
        self.events = Events(bench, EVENTS)
        self.expected = []
        self.counts = {}

    def send(self, wire, event=None, flagged=False):
        user = [0] * len(wire)
        if flagged:
            width = self.limits.data_bytes
            place = random.randrange(len(wire) // width) * width
            user[place : place + width] = [1] * width
        self.source.send_nowait(AxiStreamFrame(wire, tuser=user))
        events = [event] if event else []
        if event == "badHeader" and wire[0] >> 6 != VERSION:
            events.append("otherVersion")
        for name in events:
            self.counts[name] = self.counts.get(name, 0) + 1

    def send_good(self):
        if random.random() < 0.3:
            unit = random_control()
            self.send(unit.build())
        else:
            unit = random_data(self.limits)
            self.send(unit.build())
        self.expected.append(unit)

    def outputs(self):
        """The units that came out, in order."""
        units = []
        beats_of = iter(self.payload.items)
        for kind, (_, *values) in self.log:
            if kind == "c":
                units.append(("c", tuple(values)))
                continue
            unit = [next(beats_of) for _ in range(self.limits.unit_beats)]
            assert [beat[2] for beat in unit] == [0] * (len(unit) - 1) + [1]
            units.append(("d", tuple(values), tuple(beat[1] for beat in unit)))
        assert not list(beats_of), "beats without a header"
        return units

    def wanted(self):
        out = []
        for unit in self.expected:
            if isinstance(unit, DataUnit):
                words = tuple(beats(unit.payload, self.limits.data_bytes))
                out.append(("d", tuple(getattr(unit, f) for f in HEADER), words))
            else:
                out.append(("c", tuple(getattr(unit, f) for f in CONTROL)))
        return out

    async def settle(self, limit=60000):
        await self.bench.until(self.source.idle, limit, "all sent")
        await self.bench.clocks(6 * self.limits.unit_beats + 40)

    def check(self):
        assert self.outputs() == self.wanted()
        assert dict(self.events.count) == self.counts, f"{dict(self.events.count)} instead of {self.counts}"


async def prepare(dut, rate=1.0, valid=1.0):
    limits = built()
    bench = Bench(dut)
    link = Link(bench, limits, rate)
    if valid < 1:
        link.source.set_pause_generator(pause(valid))
    dut.link.value = LINK
    await bench.start()
    return limits, bench, link


def corrupt(wire):
    """One wrong bit anywhere but in the type field, which decides about the length."""
    place = random.choice([i for i in range(len(wire) * 8) if i not in (4, 5)])
    data = bytearray(wire)
    data[place // 8] ^= 1 << place % 8
    return bytes(data)


def bad_data_headers(limits):
    """One data unit for each way in which a header cannot be."""
    unit = random_data(limits)
    k = limits.max_k
    for link in range(4):
        yield replace(unit, version=random.choice([0, 1, 2]), link=link)
    yield replace(unit, preset=3)
    yield replace(unit, several=True)
    yield replace(unit, fresh=True)
    yield replace(unit, k=k + 1, n=k + 1, index=0)
    yield replace(unit, k=2, n=1, index=0)
    yield replace(unit, k=1, n=2 + limits.max_parity, index=0)
    yield replace(unit, k=k, n=k + limits.max_parity + 1, index=0)
    yield replace(unit, k=1, n=1 + 64, index=0)
    yield replace(unit, k=1, n=1, index=1)
    yield replace(unit, k=1, n=1, index=64)
    yield replace(unit, pad=limits.unit_bytes)
    yield replace(unit, pad=4095)


def bad_control_headers():
    unit = random_control()
    for version in range(3):
        yield replace(unit, version=version, link=random.randrange(4))
    for bit in range(4):
        if bit < 2:
            yield replace(unit, reserved=(1 << bit, 0, 0))
            yield replace(unit, reserved=(0, 1 << bit, 0))
        yield replace(unit, reserved=(0, 0, 1 << bit))
    for bit in range(5):
        yield replace(unit, bitmap_base=unit.bitmap_base + (1 << bit))


def bad_units(limits):
    """(bytes, event, flagged) of every kind of bad unit."""
    w = limits.data_bytes
    data = random_data(limits).build()
    control = random_control().build()
    for wire in (data, control):
        yield wire, "erasedFlag", True
        yield wire[:-w], "erasedFlag", True
        yield corrupt(wire), "erasedFlag", True
        for _ in range(4):
            yield corrupt(wire), "erasedCrc", False
        for cut in {w, len(wire) // 2 // w * w, len(wire) - w}:
            yield wire[:-cut] or wire[:w], "erasedLength", False
        yield wire[:w], "erasedLength", False
        yield wire + bytes(w), "erasedLength", False
        yield wire + random.randbytes(5 * w), "erasedLength", False
    yield wire[:1] + random.randbytes(4 * len(data) // w * w + w - 1), "erasedLength", False
    for unit in bad_data_headers(limits):
        yield unit.build(), "badHeader", False
    for unit in bad_control_headers():
        yield unit.build(), "badHeader", False
    for number in set(range(4)) - {LINK}:
        for unit in (replace(random_data(limits), link=number), replace(random_control(), link=number)):
            yield unit.build(), "otherLink", False
            yield unit.build(), "erasedFlag", True
            yield unit.build()[:-w] + bytes(w), "erasedCrc", False
        # Whatever its length and type are.
        for size in (8, 8 + w, 40 + w, (limits.data_unit_beats + 1) * w):
            yield seal(bytes([VERSION << 6 | random.getrandbits(4) << 2 | number]) + random.randbytes(size - 5)), "otherLink", False


@cocotb.test()
async def good_and_bad(dut):
    """Bad units of all kinds between good ones; each is counted once and disturbs nothing."""
    limits, bench, link = await prepare(dut, valid=0.9)
    bad = list(bad_units(limits))
    random.shuffle(bad)
    for wire, event, flagged in bad:
        link.send(wire, event, flagged)
        if random.random() < 0.4:
            link.send_good()
    link.send_good()
    await link.settle()
    link.check()


@cocotb.test()
async def shortest_units_after_good_ones(dut):
    """Garbage of one beat right behind a good unit does not touch it."""
    limits, bench, link = await prepare(dut)
    for i in range(8):
        link.send_good()
        for _ in range(i % 4):
            data = bytearray(random.randbytes(limits.data_bytes))
            data[0] = data[0] & 0xCF | random.randrange(4) << 4
            link.send(bytes(data), "erasedLength")
    link.send_good()
    await link.settle()
    link.check()


@cocotb.test()
async def full_rate(dut):
    """Units back to back, outputs always ready: the input never waits and nothing overflows."""
    limits, bench, link = await prepare(dut)
    units = 24
    stalls = []
    dut_ready, dut_valid = dut.s_axis_phy_tready, dut.s_axis_phy_tvalid
    gaps = []

    class Watch:
        def clear(self):
            pass

        def step(self):
            if not int(dut_ready.value):
                stalls.append(bench.clock)
            if int(dut_valid.value):
                gaps.append(bench.clock)

    bench.actors.append(Watch())
    for _ in range(units):
        link.send_good()
    await link.settle()
    link.check()
    assert not stalls
    total = sum(limits.data_unit_beats if isinstance(u, DataUnit) else limits.control_unit_beats for u in link.expected)
    assert len(gaps) == total and gaps[-1] - gaps[0] + 1 == total, "the bench did not send at full rate"


@cocotb.test()
async def clocks_of_a_unit(dut):
    """From a unit's last beat on the PHY until it is offered, and its payload."""
    limits, bench, link = await prepare(dut)
    ends = []

    class Watch:
        def clear(self):
            pass

        def step(self):
            if int(dut.s_axis_phy_tvalid.value) and int(dut.s_axis_phy_tlast.value):
                ends.append(bench.clock)

    bench.actors.append(Watch())
    isolated = [("d", random_data(limits)), ("c", random_control())] * 3
    after = {"d": 7, "c": 7}
    for kind, unit in isolated:
        link.log.clear()
        link.payload.items.clear()
        link.send(unit.build())
        await link.settle()
        assert link.log[0][0] == kind
        assert link.log[0][1][0] - ends[-1] == after[kind], f"{kind}: {link.log[0][1][0] - ends[-1]} clocks"
        assert kind == "c" or link.payload.items[0][0] - ends[-1] == 9, f"{link.payload.items[0][0] - ends[-1]} clocks"


@cocotb.test()
async def order_under_back_pressure(dut):
    """With slow outputs whole units may be dropped; those that come are in order and the drops are counted."""
    limits = built()
    limits, bench, link = await prepare(dut, rate=0.4 * limits.unit_beats / limits.data_unit_beats)
    for _ in range(40):
        link.send_good()
    await link.settle()
    link.unit.rate = link.control.rate = link.payload.rate = 1
    await bench.clocks(20 * limits.data_unit_beats + 20)
    got = link.outputs()
    wanted = link.wanted()
    assert len(got) + link.events.count["overflow"] == len(wanted)
    assert link.events.count["overflow"] > 0 and len(got) > 10
    position = iter(wanted)
    assert all(unit in position for unit in got), "units out of order or altered"


@cocotb.test()
async def control_burst_after_data(dut):
    """As many control units as can follow a data unit while it is read out: nothing overflows."""
    limits, bench, link = await prepare(dut)
    for _ in range(4):
        for unit in [random_data(limits)] + [random_control() for _ in range(12)] + [random_data(limits)]:
            link.send(unit.build())
            link.expected.append(unit)
    await link.settle()
    link.check()


@cocotb.test()
async def stalled_outputs(dut):
    """Some units wait; all others are dropped until the outputs move again."""
    limits, bench, link = await prepare(dut, rate=0)
    units = 60
    for _ in range(units):
        link.send_good()
    await link.settle()
    link.unit.rate = link.control.rate = link.payload.rate = 1
    await bench.clocks(20 * limits.data_unit_beats + 40)
    got = link.outputs()
    kept = len(got)
    assert 3 <= kept <= 25 and link.events.count["overflow"] == units - kept
    assert got[:3] == link.wanted()[:3]
    position = iter(link.wanted())
    assert all(unit in position for unit in got), "units out of order or altered"
    link.counts["overflow"] = units - kept
    link.log.clear()
    link.payload.items.clear()
    link.expected.clear()
    for _ in range(5):
        link.send_good()
    await link.settle()
    link.check()


@cocotb.test()
async def reset_while_stalled(dut):
    limits, bench, link = await prepare(dut, rate=0)
    for _ in range(4):
        link.send_good()
    await bench.clocks(2 * limits.data_unit_beats + 5)
    link.source.clear()
    await bench.reset()
    await bench.clocks(3)
    assert not (int(dut.unit_valid.value) or int(dut.control_valid.value) or int(dut.payload_valid.value))
    link.unit.rate = link.control.rate = link.payload.rate = 1
    link.expected.clear()
    for _ in range(4):
        link.send_good()
    await link.settle()
    assert link.outputs() == link.wanted()
