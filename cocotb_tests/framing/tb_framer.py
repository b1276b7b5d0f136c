# SPDX-License-Identifier: Apache-2.0
"""Framer: bytes on the wire, order, rate, flush."""

import random
from typing import Any

import cocotb

from cocotb_tests.lib.bench import Bench, Events, Source, beats, pause
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep
from cocotb_tests.model.units import ControlUnit, DataUnit, Rejected, parse

EVENTS = ["frameDone", "txUnits", "txRetxUnits", "txControlUnits", "txPolls", "idle"]
FRAME = ["meta_k", "meta_pad", "meta_sop", "meta_eop", "n", "preset", "odd", "lastTry", "allBelow", "fsn", "tsn", "again"]
CONTROL = {
    "epoch": "epoch",
    "hello": "hello",
    "peer_known": "peerKnown",
    "poll": "poll",
    "reply": "reply",
    "deaf": "deaf",
    "abandons": "abandons",
    "peer_epoch": "peerEpoch",
    "param": "param",
    "tx_base": "txBase",
    "tx_edge": "txEdge",
    "rx_base": "rxBase",
    "rx_next": "rxNext",
    "bitmap_base": "bitmapBase",
    "bitmap": "bitmap",
}
EPOCH = 0xA5
LINK = 2


def random_control(poll=None):
    sn = [random.getrandbits(20) for _ in range(5)]
    flags = [bool(random.getrandbits(1)) for _ in range(6)]
    if poll is not None:
        flags[2] = bool(poll)
    param = random.getrandbits(24)
    if flags[0]:
        param &= 0x9FFFFF  # a hello's reserved bits
    return ControlUnit(
        epoch=random.getrandbits(8),
        peer_epoch=random.getrandbits(8),
        hello=flags[0],
        peer_known=flags[1],
        poll=flags[2],
        reply=flags[3],
        deaf=flags[4],
        abandons=flags[5],
        param=param,
        tx_base=sn[0],
        tx_edge=sn[1],
        rx_base=sn[2],
        rx_next=sn[3],
        bitmap_base=sn[4] // 32 * 32,
        bitmap=random.getrandbits(64),
        link=LINK,
    )


class Payload(Source):
    """Units of payload: a unit's beats come without a pause, as the framer relies on."""

    def step(self):
        if self.offered:
            self.within = not self.queue[0][1]  # if it is accepted; else no other is looked for
        rate, self.rate = self.rate, 1.0 if self.within else self.rate
        super().step()
        self.rate = rate

    def clear(self):
        super().clear()
        self.within = False


class Feeder:
    """Feeds frames and control messages; remembers the units they have to become."""

    def __init__(self, bench, limits, rate=1.0):
        self.limits = limits
        self.frame = Source(bench, "frame_", [f"frame_payload_{f}" for f in FRAME], rate)
        self.units = Payload(bench, "units_t", ["units_tdata", "units_tlast"], rate)
        self.control = Source(bench, "control_", [f"control_payload_{f}" for f in CONTROL.values()], rate)
        self.data = []
        self.again = []  # for each of `data`: its frame has been sent before
        self.controls = []

    def send_frame(self, k=None, parity=None):
        limits = self.limits
        k = k or random.randint(1, limits.max_k)
        n = k + (random.randint(0, limits.max_parity) if parity is None else parity)
        tx: dict[str, Any] = dict(
            k=k,
            pad=random.randrange(limits.unit_bytes),
            sop=random.getrandbits(1),
            eop=random.getrandbits(1),
            n=n,
            preset=random.randrange(3),
            odd=random.getrandbits(1),
            last_try=(last_try := random.getrandbits(1)),
            all_below=last_try and random.getrandbits(1),
            fsn=random.getrandbits(20),
            tsn=random.getrandbits(20),
        )
        again = random.getrandbits(1)
        self.again.extend([again] * n)
        self.frame.queue.append((*tx.values(), again))
        for index in range(n):
            payload = random.randbytes(limits.unit_bytes)
            self.data.append(DataUnit(epoch=EPOCH, index=index, payload=payload, link=LINK, **tx))
            words = beats(payload, limits.data_bytes)
            self.units.queue.extend((word, int(i == len(words) - 1)) for i, word in enumerate(words))
        return n

    def send_control(self, message=None):
        message = message or random_control()
        self.controls.append(message)
        self.control.queue.append(tuple(getattr(message, f) for f in CONTROL))

    def clear_frames(self):
        self.frame.clear()
        self.units.clear()
        self.data.clear()
        self.again.clear()

    @property
    def units_due(self):
        return len(self.data) + len(self.controls)


async def prepare(dut, rate=1.0, ready=1.0):
    limits = built()
    dut.flush.value = 0
    dut.epoch.value = EPOCH
    dut.link.value = LINK
    bench = Bench(dut)
    feeder = Feeder(bench, limits, rate)
    events = Events(bench, EVENTS)
    sink = bench.axis_sink("m_axis_phy")
    if ready < 1:
        sink.set_pause_generator(pause(ready))
    await bench.start()
    return limits, bench, feeder, events, sink


async def collect(bench, feeder, sink, limit=60000):
    """Waits for all units and compares each, byte by byte; returns 'd' and 'c' in the order of the wire."""
    due = feeder.units_due
    await bench.until(lambda: sink.count() >= due, limit, f"{due} units")
    await bench.clocks(20)
    assert sink.count() == due
    order = ""
    data, controls = iter(feeder.data), iter(feeder.controls)
    while not sink.empty():
        wire = bytes(sink.recv_nowait().tdata)
        unit = parse(wire, feeder.limits.unit_bytes, link=LINK)
        if isinstance(unit, DataUnit):
            assert wire == next(data).build()
            order += "d"
        else:
            assert wire == next(controls).build()
            order += "c"
    feeder.data.clear()
    feeder.again.clear()
    feeder.controls.clear()
    return order


def counts(feeder):
    return {
        "txUnits": feeder.again.count(0),
        "txRetxUnits": feeder.again.count(1),
        "txControlUnits": len(feeder.controls),
        "txPolls": sum(c.poll for c in feeder.controls),
        "frameDone": sum(u.index == u.n - 1 for u in feeder.data),
    }


@cocotb.test()
async def random_traffic(dut):
    limits, bench, feeder, events, sink = await prepare(dut, 0.9, 0.8)
    feeder.frame.rate = feeder.control.rate = 0.05
    units = 0
    while units < 60:
        units += feeder.send_frame(k=random.randint(1, 5), parity=random.randint(0, 3))
        feeder.send_control()
    feeder.send_frame(k=limits.max_k, parity=limits.max_parity)
    wanted = counts(feeder)
    await collect(bench, feeder, sink)
    got = {name: events.count[name] for name in wanted}
    assert got == wanted
    assert not int(dut.busy.value)


@cocotb.test()
async def full_rate(dut):
    """Frames, also of one unit, and control units without an idle beat."""
    limits, bench, feeder, events, sink = await prepare(dut)
    first = []

    class Watch:
        count = 0
        last = 0

        def clear(self):
            pass

        def step(self):
            if int(dut.m_axis_phy_tvalid.value):
                first.append(bench.clock) if not first else None
                Watch.last = bench.clock
                Watch.count += 1

    bench.actors.append(Watch())
    feeder.send_frame(k=3, parity=1)
    for k, parity in ((1, 0), (1, 0), (2, 1), (1, 0)):
        feeder.send_frame(k=k, parity=parity)
    for _ in range(3):
        feeder.send_control()
    total = len(feeder.data) * limits.data_unit_beats + 3 * limits.control_unit_beats
    order = await collect(bench, feeder, sink)
    assert order == "ccc" + "d" * 10, order
    assert Watch.count == total
    assert Watch.last - first[0] + 1 == total, f"{Watch.last - first[0] + 1 - total} idle beats in {total}"


@cocotb.test()
async def a_unit_waits_for_its_payload(dut):
    """Payload comes later than the header's beats would take: no unit begins without it, as tvalid must not fall within a unit."""
    _, bench, feeder, _, sink = await prepare(dut)
    feeder.units.rate = 0.05
    gaps = []

    class Watch:
        within = False

        def clear(self):
            pass

        def step(self):
            if int(dut.m_axis_phy_tvalid.value):
                self.within = not int(dut.m_axis_phy_tlast.value)
            elif self.within:
                gaps.append(bench.clock)

    bench.actors.append(Watch())
    for _ in range(10):
        feeder.send_frame(k=2, parity=1)
    await collect(bench, feeder, sink)
    assert not gaps, gaps


@cocotb.test()
async def control_goes_first(dut):
    """A control unit waits for the end of a unit, not of a frame."""
    limits, bench, feeder, events, sink = await prepare(dut)
    for _ in range(8):
        feeder.send_frame(k=2, parity=4)
        await bench.until(lambda: len(feeder.units.queue) <= 4 * limits.unit_beats, 5000, "two units accepted")
        await bench.clocks(random.randrange(limits.data_unit_beats))
        sent = sink.count()
        feeder.send_control(random_control(poll=1))
        order = await collect(bench, feeder, sink)
        # Before it are what three register stages and the bench hold, and one unit being formed.
        assert order.index("c") <= sent + 2 + 4 // limits.data_unit_beats, f"{order} although {sent} units had left"
    assert events.count["txPolls"] == 8


@cocotb.test()
async def flush(dut):
    limits, bench, feeder, events, sink = await prepare(dut, 1.0, 0.7)
    broken = 0
    for _ in range(15):
        feeder.send_frame(k=2, parity=2)
        feeder.send_frame(k=1, parity=0)
        await bench.clocks(random.randint(1, 5 * limits.data_unit_beats))
        sent = list(feeder.data)
        dut.flush.value = 1
        feeder.clear_frames()
        await bench.clocks(1)
        done = events.count["frameDone"]
        await bench.clocks(random.choice([0, 1, 7]))
        dut.flush.value = 0
        if random.getrandbits(1):
            await bench.clocks(3 * limits.data_unit_beats)
            assert events.count["frameDone"] <= done + 1, "a flushed frame was reported as done"
            assert not int(dut.busy.value)
        feeder.send_control()
        feeder.send_frame(k=1, parity=1)
        new = [unit.build() for unit in feeder.data] + [c.build() for c in feeder.controls]
        old = [unit.build() for unit in sent]
        left = set(new)
        for _ in range(20000):
            while not sink.empty():
                frame = sink.recv_nowait()
                wire = bytes(frame.tdata)
                assert len(wire) in (limits.unit_bytes + 16, 32), "the PHY stream is not whole"
                if wire in left:
                    left.remove(wire)
                elif wire in old:
                    assert old.index(wire) == 0, "order of units before the flush"
                    old.pop(0)
                else:
                    assert not {u.build() for u in feeder.data} - left, "broken unit after the flush"
                    try:
                        parse(wire, limits.unit_bytes, link=LINK)
                    except Rejected:
                        broken += 1
                    else:
                        raise AssertionError("a broken unit has a good CRC")
            if not left:
                break
            await bench.clocks(1)
        assert not left, "units after the flush did not come"
        await bench.clocks(5)
        assert not int(dut.busy.value)
        feeder.data.clear()
        feeder.again.clear()
        feeder.controls.clear()
    assert 0 < broken <= 15


@cocotb.test()
@cocotb.parametrize(ready=[1.0, 0.5])
async def flush_in_each_clock(dut, ready):
    """The only unit of a frame leaves whole, and its frame is done, or it is spoiled, and no frame is done any more; the next frame is done once."""
    limits, bench, feeder, events, sink = await prepare(dut, ready=ready)
    seen = set()

    async def case(clock):
        feeder.send_frame(k=1, parity=0)
        done = events.count["frameDone"]
        await bench.clocks(clock)
        dut.flush.value = 1
        feeder.clear_frames()
        await bench.clocks(2)
        flushed = events.count["frameDone"]
        dut.flush.value = 0
        await bench.clocks(5 * limits.data_unit_beats + 20)
        assert events.count["frameDone"] == flushed <= done + 1, "a frame is done that was flushed"
        seen.add(flushed - done)
        while not sink.empty():
            sink.recv_nowait()
        feeder.send_frame(k=1, parity=0)
        await collect(bench, feeder, sink)
        assert events.count["frameDone"] == flushed + 1

    await sweep(range(4 * limits.data_unit_beats + 12), case)
    assert seen == {0, 1}


@cocotb.test()
async def reset_while_stalled(dut):
    limits, bench, feeder, events, sink = await prepare(dut)
    sink.pause = True
    feeder.send_frame(k=2, parity=1)
    await bench.clocks(2 * limits.data_unit_beats + 5)
    assert int(dut.m_axis_phy_tvalid.value) and int(dut.busy.value)
    feeder.data.clear()
    feeder.again.clear()
    await bench.reset()
    await bench.clocks(2)
    assert not int(dut.m_axis_phy_tvalid.value) and not int(dut.busy.value)
    sink.clear()
    sink.pause = False
    feeder.send_frame(k=1, parity=1)
    await collect(bench, feeder, sink)
