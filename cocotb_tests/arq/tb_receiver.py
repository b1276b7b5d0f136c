# SPDX-License-Identifier: Apache-2.0
"""ArqReceiver: transmissions with erased units, against a model of the rules in docs/architecture.md, "Receiver"."""

import random
from collections import Counter
from typing import Any

import cocotb

from cocotb_tests.lib.bench import Bench, Events, Sink, Source
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

BUILD, EPOCH = built(), 0x5A
WINDOW, BEATS = BUILD.window_frames, BUILD.unit_beats
HEADER = "io_unit_payload_"
UNIT = (
    [f"{HEADER}epoch"]
    + [f"{HEADER}tx_{f}" for f in ("meta_k", "meta_pad", "meta_sop", "meta_eop", "n", "preset", "lastTry", "allBelow", "fsn", "tsn")]
    + [f"{HEADER}index"]
)
BEAT = ["io_payload_payload_last", "io_payload_payload_fragment"]
COMPLETE = ["fsn", "dead", "frame_meta_k", "frame_meta_eop", "frame_preset", "frame_received"]
ALL_BELOW = dict(last_try=1, all_below=1)
KINDS = [dict(last_try=0), dict(last_try=1), ALL_BELOW]
"""Types 0, 2 and 3."""
COUNTS = ["clean", "repaired", "duplicate", "outcomeOk", "outcomeFailed", "units", "surplus", "late", "invalid", "epoch", "closeInvalid"]


class Model:
    """What the receiver has to have done with the units so far."""

    def __init__(self):
        self.next = 0
        self.current: dict[str, Any] | None = None
        self.outcomes = []
        self.count = Counter()
        self.completions = []
        self.writes = []
        self.done = set()
        self.base = 0
        self.accepted = dict(last_try=0, all_below=0, fsn=0)  # the newest unit that was accepted
        self.given_up = []  # what units say of the abandon edge

    def close(self, target):
        while self.next < target:
            c, self.current = self.current, None
            good = bool(c and (c["complete"] or c["duplicate"]))
            self.outcomes.append(good)
            self.count["outcomeOk" if good else "outcomeFailed"] += 1
            self.count["duplicate"] += bool(c and c["duplicate"])
            if c and c["last_try"] and not good:
                self.completions.append((c["fsn"] % (1 << 20), 1))
            self.next += 1

    def unit(self, u, words):
        if u["epoch"] != EPOCH:
            self.count["epoch"] += 1
            return
        if u["tsn"] < self.next:
            self.count["late"] += 1
            return
        c = self.current
        mixed = c and u["tsn"] == self.next and (u["fsn"], u["k"], u["preset"]) != (c["fsn"], c["k"], c["preset"])
        if u["tsn"] - self.next >= WINDOW or u["fsn"] - self.base >= WINDOW or mixed:
            self.count["invalid"] += 1
            return
        if u["tsn"] > self.next:
            self.close(u["tsn"])
        if self.current is None:
            known = u["fsn"] in self.done or u["fsn"] < self.base
            self.current = dict(u, complete=False, duplicate=known, received=set())
        before, self.accepted = self.accepted, u
        c = self.current
        c["last_try"] = u["last_try"] and before["last_try"]
        if c["last_try"] and u["all_below"] and before["all_below"]:
            self.given_up.append((min(before["fsn"], u["fsn"]) % (1 << 20),))
        if c["complete"] or c["duplicate"] or u["index"] in c["received"]:
            self.count["surplus"] += 1
        else:
            place = len(c["received"]) * BEATS
            self.writes += [(u["fsn"] % WINDOW, place + i, w) for i, w in enumerate(words)]
            c["received"].add(u["index"])
            self.count["units"] += 1
            if len(c["received"]) == c["k"]:
                c["complete"] = True
                self.done.add(u["fsn"])
                clean = all(i in c["received"] for i in range(c["k"]))
                self.count["clean" if clean else "repaired"] += 1
                bits = sum(1 << i for i in c["received"])
                self.completions.append((u["fsn"] % (1 << 20), 0, c["k"], u["eop"], c["preset"], bits))
        if u["index"] == u["n"] - 1:
            self.close(u["tsn"] + 1)


class Link:
    def __init__(self, bench, rate):
        self.bench, self.dut, self.model = bench, bench.dut, Model()
        self.units = Source(bench, "io_unit_", UNIT, rate)
        self.payload = Source(bench, "io_payload_", BEAT, rate)
        self.closes = Source(bench, "io_close_", [f"io_close_payload_{f}" for f in ("txEdge", "poll")])
        self.writes = Sink(bench, "io_write_", [f"io_write_payload_{f}" for f in ("slot", "beat", "data")], rate)
        self.complete = Sink(bench, "io_complete_", [f"io_complete_payload_{f}" for f in COMPLETE], 1.0)
        self.given_up = Sink(bench, "io_givenUp_", ["io_givenUp_payload"], 1.0)
        self.events = Events(bench, [f"io_event_{name}" for name in COUNTS])
        self.fsn = self.tsn = 0

    def send(self, **fields):
        u = dict(epoch=EPOCH, k=4, pad=0, sop=1, eop=1, n=6, preset=0, last_try=0, all_below=0, fsn=0, tsn=0, index=0)
        u.update(fields)
        words = [random.getrandbits(8 * BUILD.data_bytes) for _ in range(BEATS)]
        self.model.unit(u, words)
        head = (u["epoch"], u["k"], u["pad"], u["sop"], u["eop"], u["n"], u["preset"], u["last_try"], u["all_below"])
        self.units.queue.append((*head, u["fsn"] % (1 << 20), u["tsn"] % (1 << 20), u["index"]))
        self.payload.queue += [(int(i == BEATS - 1), word) for i, word in enumerate(words)]

    def transmission(self, fsn, erased, **fields):
        k = fields.pop("k", random.randint(1, BUILD.max_k))
        n = k + random.randint(0, BUILD.max_parity)
        common = dict(dict(k=k, n=n, preset=random.randrange(3), eop=random.getrandbits(1)), **fields)
        for index in range(n):
            if random.random() >= erased:
                self.send(fsn=fsn, tsn=self.tsn, index=index, **common)
        self.tsn += 1

    async def drain(self):
        await self.bench.until(lambda: self.units.idle and self.payload.idle and not self.payload.offered, 200_000, "all units accepted")
        await self.bench.clocks(WINDOW + 20)

    def check(self):
        count = {n: self.events.count[f"io_event_{n}"] for n in COUNTS}
        assert count == {n: self.model.count[n] for n in COUNTS}
        assert int(self.dut.io_view_rxNext.value) == self.model.next % (1 << 20)
        assert [w[1:] for w in self.writes.items] == self.model.writes
        assert len(self.complete.items) == len(self.model.completions)
        for got, want in zip(self.complete.items, self.model.completions):
            assert got[1 : 1 + len(want)] == want
        assert [item[1:] for item in self.given_up.items] == self.model.given_up
        base = int(self.dut.io_view_recent_base.value)
        bitmap = int(self.dut.io_view_recent_bitmap.value)
        for i in range(64):
            tsn = base + i
            if tsn < self.model.next % (1 << 20):
                assert (bitmap >> i & 1) == self.model.outcomes[tsn], f"outcome of TSN {tsn}"


async def start(dut, rate=1.0):
    bench = Bench(dut)
    dut.io_accept.value = 1
    dut.io_epoch.value = EPOCH
    dut.io_rxBase.value = 0
    dut.io_queryComplete.value = 0
    dut.io_outcomes_lookup_valid.value = 0
    dut.io_outcomes_report_ready.value = 0
    link = Link(bench, rate)
    await bench.start()
    return bench, link


@cocotb.test()
@cocotb.parametrize(erased=[0.0, 0.2, 0.6], rate=[1.0, 0.5])
async def transmissions(dut, erased, rate):
    """Frames of all codes, each transmitted once; every outcome, write and count as the rules say."""
    _, link = await start(dut, rate)
    for fsn in range(60):
        link.transmission(fsn, erased, **random.choice(KINDS))
    await link.drain()
    link.check()


@cocotb.test()
@cocotb.parametrize(rate=[1.0, 0.5])
async def last_tries(dut, rate):
    """Frames of which some units come, or none, each a last try: those that fail are dead, and the first unit that comes after the next one's says that all
    below are given up. By then all that are complete have left."""
    _, link = await start(dut, rate)
    for fsn in range(60):
        link.transmission(fsn, random.choice((0.0, 0.3, 0.6, 1.0)), **ALL_BELOW)
    await link.drain()
    link.check()
    left = {fsn: clock for clock, fsn, *_ in link.complete.items}
    assert any(dead for _, _, dead, *_ in link.complete.items) and len(link.given_up.items) > 30
    for clock, edge in link.given_up.items:
        assert all(left[fsn] < clock for fsn in left if fsn < edge), f"frames below {edge} are given up, and one of them has yet to leave"


@cocotb.test()
async def two_units_in_any_mixture(dut):
    """Two frames lack a unit each. Of every mixture of types: the second frame is dead only if the last two units of it, or its only one and the one before,
    are of last tries; frames are given up only if both units are of type 3."""
    _, link = await start(dut)
    for before in KINDS:
        for units in ([a] for a in KINDS):
            for others in ([], *([b] for b in KINDS)):
                link.send(fsn=link.fsn, tsn=link.tsn, index=0, **before)
                for index, kind in enumerate(units + others):
                    link.send(fsn=link.fsn + 1, tsn=link.tsn + 1, index=index, **kind)
                link.fsn, link.tsn = link.fsn + 2, link.tsn + 2
        await link.drain()
        link.model.base = link.dut.io_rxBase.value = link.fsn
    link.check()


@cocotb.test()
async def a_unit_of_another_frame_between(dut):
    """What is late, invalid, or of another epoch does not count as one of two units. What goes back gives nothing up beyond itself."""
    _, link = await start(dut)
    last = dict(ALL_BELOW, k=4, n=6)
    strangers = [dict(tsn=-1), dict(tsn=WINDOW), dict(fsn=WINDOW), dict(epoch=EPOCH + 1), dict(index=1, preset=1)]
    for stranger in strangers:
        for types in ((1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)):
            for i, kind in enumerate(types):
                change = stranger if i == 1 else dict(index=i)
                fields = dict(last, last_try=kind, all_below=kind, **{name: value for name, value in change.items() if name not in ("fsn", "tsn")})
                link.send(fsn=link.fsn + change.get("fsn", 0), tsn=link.tsn + change.get("tsn", 0), **fields)
            link.fsn, link.tsn = link.fsn + 1, link.tsn + 1
    for fsn in (link.fsn + 9, link.fsn, link.fsn + 1):
        link.send(fsn=fsn, tsn=link.tsn, **last)
        link.tsn += 1
    await link.drain()
    link.check()
    assert link.model.given_up[-2:] == [(link.fsn,)] * 2


@cocotb.test()
async def a_frame_leaves_before_it_is_given_up(dut):
    """The store takes the last beats of a frame late, with units behind that say that all below are given up: in each clock, the frame has left."""
    bench, link = await start(dut)
    first = link.fsn

    async def case(clock):
        for _ in range(3):
            link.send(fsn=link.fsn, tsn=link.tsn, k=1, n=1, **ALL_BELOW)
            link.fsn, link.tsn = link.fsn + 1, link.tsn + 1
        await bench.clocks(clock)
        link.writes.rate = 0.0
        await bench.clocks(30)
        link.writes.rate = 1.0
        await link.drain()
        link.model.base = link.dut.io_rxBase.value = link.fsn

    await sweep(range(8 + 3 * BEATS), case)
    link.check()
    left = {fsn: clock for clock, fsn, *_ in link.complete.items}
    assert len(left) == len(link.given_up.items) + 1 == link.fsn - first
    for clock, edge in link.given_up.items:
        assert left[edge] < clock and all(left[fsn] < left[edge] for fsn in range(first, edge))


@cocotb.test()
async def reset_between_two_units(dut):
    """A reset comes between two units of last tries: the second one is the first."""
    bench, link = await start(dut)
    link.send(**ALL_BELOW)
    await link.drain()
    bench.actors.clear()
    await bench.reset()
    link = Link(bench, 1.0)
    link.send(**ALL_BELOW)
    link.send(fsn=1, tsn=1, index=0, **ALL_BELOW)
    link.send(fsn=2, tsn=2, index=0)
    await link.drain()
    link.check()
    assert link.model.given_up == [(0,)]


@cocotb.test()
async def gap_of_a_whole_window(dut):
    """A jump in TSNs closes all in between as failed, blocks at a time."""
    _, link = await start(dut)
    for fsn, jump in enumerate((1, 31, 32, 33, WINDOW - 1)):
        link.transmission(fsn, 0.0, k=2)
        link.tsn += jump - 1
    link.transmission(5, 0.0, k=2)
    await link.drain()
    link.check()


@cocotb.test()
async def units_back_to_back_behind_a_gap(dut):
    """The blocks of a gap of a window take long on their way to the memory. Units follow without a pause, of which each decides a transmission."""
    _, link = await start(dut)
    link.tsn = WINDOW - 1
    for fsn in range(3 * 16):
        link.send(fsn=fsn, tsn=link.tsn, k=1, n=1)
        link.tsn += 1 + (fsn % 5 == 4)
    await link.drain()
    link.check()


@cocotb.test()
async def blocks_faster_than_the_memory(dut):
    """Behind a gap of a window each unit skips a block, which no line can bring: what has no place in the queue of blocks waits, and nothing is lost."""
    _, link = await start(dut)
    link.tsn = WINDOW - 1
    for fsn in range(40):
        link.send(fsn=fsn, tsn=link.tsn, k=1, n=1)
        link.tsn += 33 if WINDOW > 64 else 1
    await link.drain()
    link.check()


@cocotb.test()
async def units_that_cannot_be(dut):
    """Late, beyond the window, mixed and foreign units are counted and change nothing."""
    _, link = await start(dut)
    link.transmission(0, 0.0, k=4)
    link.transmission(1, 0.0, k=4)
    link.send(fsn=1, tsn=0, k=4)
    link.send(fsn=2, tsn=2 + WINDOW, k=4)
    link.send(fsn=WINDOW, tsn=2, k=4)
    link.send(fsn=2, tsn=2, k=4, epoch=EPOCH + 1)
    link.send(fsn=2, tsn=2, k=4, n=6, index=0)
    link.send(fsn=2, tsn=2, k=4, n=6, index=0)
    link.send(fsn=3, tsn=2, k=4, n=6, index=1)
    link.send(fsn=2, tsn=2, k=5, n=6, index=1)
    link.send(fsn=2, tsn=2, k=4, n=6, index=1, preset=1)
    for index in (1, 3, 4, 5):
        link.send(fsn=2, tsn=2, k=4, n=6, index=index)
    await link.drain()
    link.check()
    assert link.model.count["late"] == 1 and link.model.count["invalid"] == 5 and link.model.count["epoch"] == 1


@cocotb.test()
async def edges_close(dut):
    """txEdge closes what is below; an older one does nothing; one beyond the window is invalid."""
    bench, link = await start(dut)
    link.send(fsn=0, tsn=0, k=2, n=4, index=0)
    await link.drain()
    for edge in (1, 1, 0, 5, 5 + WINDOW + 1, 5 + WINDOW):
        link.closes.queue.append((edge, random.getrandbits(1)))
        if edge - link.model.next > WINDOW:
            link.model.count["closeInvalid"] += 1
        else:
            link.model.close(edge)
        await bench.clocks(100 + WINDOW // 8)
    link.check()


@cocotb.test()
async def duplicates(dut):
    """A frame that is complete, or behind rxBase, counts as received again."""
    bench, link = await start(dut)
    link.transmission(0, 0.0, k=3)
    await link.drain()
    dut.io_queryComplete.value = 1
    link.transmission(0, 0.0, k=3)
    await link.drain()
    dut.io_queryComplete.value = 0
    dut.io_rxBase.value = 7
    link.model.base = 7
    link.transmission(5, 0.0, k=3)
    await link.drain()
    link.check()
    assert link.model.count["duplicate"] == 2
    await bench.clocks(1)


@cocotb.test()
async def reset_while_stalled(dut):
    """A reset in the middle of a stalled write leaves nothing behind."""
    bench, link = await start(dut)
    link.writes.rate = 0.0
    link.transmission(0, 0.0, k=4)
    await bench.clocks(40)
    await bench.reset()
    bench.actors.clear()
    link = Link(bench, 1.0)
    for fsn in range(10):
        link.transmission(fsn, 0.2)
    await link.drain()
    link.check()
