# SPDX-License-Identifier: Apache-2.0
"""Resequencer: random packets whose frames become complete, dead or given up in random order within the window."""

import random
from collections import Counter

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.lib.bench import Bench, Events, Sink, Source
from cocotb_tests.lib.sweep import sweep

WINDOW = 64
NEAR = 4 * WINDOW  # what the edges are counted modulo
FRAME = ["meta_k", "meta_pad", "meta_sop", "meta_eop", "preset", "received"]
EVENTS = ["io_event_skipped", "io_event_packetDropped", "io_contradiction"]


class Peer:
    """Frames in sequence with the fate of each, offered to the resequencer as a receiver would."""

    def __init__(self, bench, frames, loss, dead_share, rate, in_order):
        self.bench = bench
        self.dut = bench.dut
        self.in_order = in_order
        self.complete = Source(
            bench,
            "io_complete_",
            ["io_complete_payload_fsn", "io_complete_payload_dead"] + [f"io_complete_payload_frame_{f}" for f in FRAME],
            rate,
        )
        self.job = Sink(bench, "io_job_", ["io_job_payload_slot"] + [f"io_job_payload_frame_{f}" for f in FRAME], rate)
        self.events = Events(bench, EVENTS)
        self.read_rate = rate
        self.frames = []  # (meta tuple, fate)
        self.packets = []  # lists of FSNs
        while len(self.frames) < frames:
            length = random.choice([1, 1, 2, 3, 8, 20])
            first = len(self.frames)
            for i in range(length):
                fate = "complete"
                if random.random() < loss:
                    fate = "dead" if random.random() < dead_share else "given up"
                meta = (
                    random.randint(1, 16),
                    random.randrange(8),
                    int(i == 0),
                    int(i == length - 1),
                    random.randrange(3),
                    random.getrandbits(24),
                )
                self.frames.append((meta, fate))
            self.packets.append(list(range(first, first + length)))
        self.open = []  # FSNs in the window whose fate is not known yet
        self.known = set()
        self.next = 0
        self.base = 0
        self.edge = 0
        self.read = 0
        self.said = 0
        self.clocks_at_rest = 0
        bench.actors.append(self)

    def clear(self):
        pass

    def step(self):
        raw = int(self.dut.io_rxBase.value)
        self.base += (raw - self.base) % (1 << 20)
        while self.next < min(len(self.frames), self.base + WINDOW):
            self.open.append(self.next)
            self.next += 1
        # The oldest frames resolve first by and large, as on a link.
        if self.open and not self.complete.queue and random.random() < 0.7:
            fsn = self.open.pop(min(int(random.expovariate(0.2)), len(self.open) - 1))
            meta, fate = self.frames[fsn]
            self.known.add(fsn)
            if fate != "given up":
                self.complete.queue.append((fsn % (1 << 20), int(fate == "dead"), *meta))
        while self.edge < self.next and self.edge in self.known:
            self.edge += 1
        if not self.complete.queue and not self.complete.offered:
            self.clocks_at_rest += 1
        else:
            self.clocks_at_rest = 0
        # A control unit comes later than what it reports; and the edges keep up with rxBase (PeerEdges).
        self.said = max(self.said, self.base, self.edge if self.clocks_at_rest > 4 else 0)
        self.dut.io_abandoned.value = self.dut.io_resolved.value = self.said % NEAR
        read = self.read < len(self.job.items) and random.random() < self.read_rate
        self.dut.io_frameRead.value = int(read)
        self.read += read
        # Nothing is freed that has not been read: all frames below rxBase that leave have been read.

    def good(self):
        return [p for p in self.packets if all(self.frames[f][1] == "complete" for f in p)]

    async def finish(self):
        await self.bench.until(lambda: self.base == len(self.frames) and self.read == len(self.job.items), 60 * len(self.frames) + 3000, "rxBase at the end")
        await self.bench.clocks(50)
        self.check()

    def check(self):
        delivered = []
        jobs = [values[1:] for values in self.job.items]
        expected = self.good()
        if self.in_order:
            flat = [f for p in expected for f in p]
            assert len(jobs) == len(flat)
            for (slot, *meta), fsn in zip(jobs, flat):
                assert (slot, tuple(meta)) == (fsn % WINDOW, self.frames[fsn][0])
        else:
            # Packets are whole and contiguous; which one starts here is found by its first frame's slot and content.
            waiting = {p[0]: p for p in expected}
            i = 0
            while i < len(jobs):
                slot, *meta = jobs[i]
                candidates = [p for f, p in waiting.items() if f % WINDOW == slot and self.frames[f][0] == tuple(meta)]
                assert candidates, f"job {i} starts no complete packet"
                packet = min(candidates)
                for j, fsn in enumerate(packet):
                    assert jobs[i + j][0] == fsn % WINDOW
                    assert tuple(jobs[i + j][1:]) == self.frames[fsn][0]
                delivered.append(packet[0])
                del waiting[packet[0]]
                i += len(packet)
            assert not waiting, "complete packets that did not leave"
        skipped = sum(fate != "complete" for _, fate in self.frames)
        assert self.events.count["io_event_skipped"] == skipped
        assert not self.events.count["io_contradiction"]
        return delivered


async def start(dut, in_order, **options):
    bench = Bench(dut)
    dut.io_inOrder.value = int(in_order)
    dut.io_abandoned.value = dut.io_resolved.value = 0
    dut.io_frameRead.value = 0
    dut.io_querySlot.value = 0
    peer = Peer(bench, in_order=in_order, **options)
    await bench.start()
    return bench, peer


@cocotb.test()
@cocotb.parametrize(in_order=[True, False], loss=[0.0, 0.05, 0.3], rate=[1.0, 0.4])
async def packets(dut, in_order, loss, rate):
    """Complete packets leave whole, in sequence with ord = 1; lost frames are counted and hold nothing up."""
    _, peer = await start(dut, in_order, frames=500, loss=loss, dead_share=0.5, rate=rate)
    await peer.finish()


@cocotb.test()
async def out_of_order_leaves_early(dut):
    """With ord = 0 a packet behind a hole leaves before the hole is filled."""
    _, peer = await start(dut, False, frames=600, loss=0.1, dead_share=0.0, rate=1.0)
    await peer.finish()
    order = peer.check()
    assert order != sorted(order), "the scenario has no packet out of sequence, or none left early"


@cocotb.test()
async def slow_reader_holds_the_window(dut):
    """While nothing is read nothing is freed, and nothing is lost when reading goes on."""
    bench, peer = await start(dut, True, frames=300, loss=0.0, dead_share=0.0, rate=1.0)
    peer.read_rate = 0.0
    await bench.clocks(1500)
    assert peer.base == 0
    peer.read_rate = 1.0
    await peer.finish()


@cocotb.test()
async def query_finds_complete_frames(dut):
    """The query port answers three clocks later, and a freed slot is not complete any more."""
    bench, peer = await start(dut, True, frames=10, loss=0.0, dead_share=0.0, rate=1.0)
    peer.read_rate = 0.0
    await bench.clocks(400)
    for slot in range(WINDOW):
        dut.io_querySlot.value = slot
        for _ in range(4):
            await RisingEdge(dut.aclk)
        assert int(dut.io_queryComplete.value) == int(slot < len(peer.frames)), slot
    peer.read_rate = 1.0
    await peer.finish()
    dut.io_querySlot.value = 0
    await bench.clocks(4)
    assert not int(dut.io_queryComplete.value)


class Queries:
    """Asks in each clock for a frame near those that come or go, and checks the answers.

    A frame that has come by the clock of the question is complete, unless rxBase has passed it a clock later; one that has not come by the clock of
    the answer is not, once its slot has been freed of the frame before.
    """

    LATENCY = 2

    def __init__(self, bench, peer):
        self.bench, self.dut, self.peer = bench, bench.dut, peer
        self.came = {}  # FSN: clock
        self.asked = {}  # clock: slot
        self.bases = {}  # clock: rxBase
        self.answers = Counter()
        bench.actors.append(self)

    def clear(self):
        pass

    def step(self):
        """What is read here is of this clock; what is driven counts in the next one."""
        now, peer = self.bench.clock, self.peer
        self.bases[now] = peer.base
        if int(self.dut.io_complete_valid.value) and int(self.dut.io_complete_ready.value):
            self.came[int(self.dut.io_complete_payload_fsn.value)] = now
        if now - self.LATENCY in self.asked:
            self.judge(now - self.LATENCY)
        if not self.dut.io_ready.value:  # the table is being cleared
            return
        comes = [peer.complete.queue[0][0]] if peer.complete.offered else []
        fsn = random.choice([*comes, *list(self.came)[-2:], peer.base, peer.base + random.randrange(WINDOW)])
        self.asked[now + 1] = self.dut.io_querySlot.value = fsn % WINDOW

    def judge(self, clock):
        base = self.bases[clock + 1]
        fsn = base + (self.asked[clock] - base) % WINDOW
        answer, came = int(self.dut.io_queryComplete.value), self.came.get(fsn)
        if came is not None and came <= clock:
            self.answers[clock - came] += 1
            assert answer, f"frame {fsn} came in clock {came}, was asked for in clock {clock}, and is not complete"
        elif came is None and self.bases.get(clock - 4, 0) > fsn - WINDOW:  # and its slot was freed before
            assert not answer, f"frame {fsn} has not come, and is complete"


@cocotb.test()
@cocotb.parametrize(in_order=[True, False], loss=[0.0, 0.2])
async def answers_in_each_clock(dut, in_order, loss):
    """Frames become complete, are claimed and freed, and in each clock one near them is asked for."""
    bench, peer = await start(dut, in_order, frames=400, loss=loss, dead_share=0.5, rate=0.7)
    queries = Queries(bench, peer)
    await peer.finish()
    assert all(queries.answers[after] > 3 for after in range(4)), queries.answers


@cocotb.test()
async def reset_in_the_middle(dut):
    """After a reset with jobs stalled all starts at number 0 again."""
    bench, peer = await start(dut, True, frames=400, loss=0.1, dead_share=0.5, rate=1.0)
    peer.job.rate = 0.0
    await bench.clocks(700)
    bench.actors.clear()
    await bench.reset()
    dut.io_abandoned.value = dut.io_resolved.value = 0
    dut.io_complete_valid.value = 0
    peer = Peer(bench, frames=300, loss=0.1, dead_share=0.5, rate=1.0, in_order=True)
    await peer.finish()


async def complete(bench, dut, fsn, sop, eop):
    """Reports one complete frame of one unit."""
    values = {"fsn": fsn, "dead": 0, "frame_meta_k": 1, "frame_meta_pad": 0, "frame_meta_sop": sop, "frame_meta_eop": eop, "frame_received": 1}
    for name, value in values.items():
        getattr(dut, f"io_complete_payload_{name}").value = value
    dut.io_complete_valid.value = 1
    await bench.clocks(1)
    dut.io_complete_valid.value = 0
    await bench.clocks(1)


async def bare(dut):
    bench = Bench(dut)
    for name in ("inOrder", "complete_valid", "abandoned", "resolved", "frameRead", "querySlot"):
        getattr(dut, f"io_{name}").value = int(name == "inOrder")
    dut.io_job_ready.value = 1
    events = Events(bench, ["io_contradiction", "io_event_skipped"])
    await bench.start()
    await bench.clocks(2 * WINDOW)
    return bench, events


@cocotb.test()
@cocotb.parametrize(abandons=[False, True])
async def frame_that_the_peer_takes_for_received(dut, abandons):
    """A missing frame below `resolved` is a contradiction, unless the peer may have given it up: then it is skipped."""
    bench, events = await bare(dut)
    await complete(bench, dut, 1, 1, 1)
    await bench.clocks(50)
    dut.io_resolved.value = 1
    dut.io_abandoned.value = int(abandons)
    await bench.clocks(50)
    assert bool(events.count["io_contradiction"]) == (not abandons)
    assert events.count["io_event_skipped"] == int(abandons)


@cocotb.test()
async def an_edge_behind_a_frame(dut):
    """The abandon edge passes a frame in each clock from that on in which it becomes complete: it leaves. The one before it has not come, and is skipped."""
    bench, events = await bare(dut)
    jobs = Events(bench, ["io_job_valid"])

    async def case(clock):
        fsn = 2 * clock + 1
        before = jobs.count["io_job_valid"], events.count["io_event_skipped"]
        values = {"fsn": fsn, "dead": 0, "frame_meta_k": 1, "frame_meta_pad": 0, "frame_meta_sop": 1, "frame_meta_eop": 1, "frame_received": 1}
        for name, value in values.items():
            getattr(dut, f"io_complete_payload_{name}").value = value
        for c in range(60):
            dut.io_complete_valid.value = int(c == 0)
            if c == clock:
                dut.io_abandoned.value = fsn + 1
            dut.io_frameRead.value = int(c == 50)
            await bench.clocks(1)
        assert (jobs.count["io_job_valid"], events.count["io_event_skipped"]) == (before[0] + 1, before[1] + 1)

    await sweep(range(24), case)
    assert not events.count["io_contradiction"]


@cocotb.test()
@cocotb.parametrize(frames=[WINDOW - 1, WINDOW])
async def packet_without_an_end(dut, frames):
    """A window of frames without the end of their packet is a contradiction: no more can come."""
    bench, events = await bare(dut)
    for fsn in range(frames):
        await complete(bench, dut, fsn, int(fsn == 0), 0)
    await bench.clocks(8 * WINDOW)
    assert bool(events.count["io_contradiction"]) == (frames == WINDOW)
