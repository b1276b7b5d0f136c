# SPDX-License-Identifier: Apache-2.0
"""ArqSender: every transmission it chooses, against random outcomes reported by messages that are lost, old or forged."""

import random
from collections import Counter

import cocotb

from cocotb_tests.lib.bench import Bench, Events, Sink, Source
from cocotb_tests.lib.sweep import sweep

WINDOW, SPACE = 64, 1 << 20
INFINITE = 15
LEAD = 5
"""Of this build (ArqLink.leadUnits): a frame is chosen while fewer units are chosen and have not begun to leave."""
FRAME = ["meta_k", "meta_pad", "meta_sop", "meta_eop", "n", "preset", "attempt", "only", "fsn", "tsn"]
FEEDBACK = ["rxBase", "rxNext", "bitmapBase", "bitmap"]
COUNTS = ["frames", "retx", "acked", "abandoned", "outcomeOk", "outcomeFailed", "outcomeOutage", "packetLost"]


class Peer:
    """Segmenter, PHY and receiver around the sender, and the model of what it has to do."""

    def __init__(self, bench, frames, loss, delta, message_loss=0.2, rate=1.0, peer_log2=6, forge=0.0):
        self.bench, self.dut = bench, bench.dut
        self.loss, self.delta, self.message_loss, self.forge = loss, delta, message_loss, forge
        self.peer_window = 1 << peer_log2
        self.parity: tuple[int, int] = 2, 4
        self.rested = -100  # the last clock with `idle`
        self.metas = []
        while len(self.metas) < frames:
            length = random.randint(1, 6)
            for i in range(length):
                self.metas.append((random.randint(1, 16), random.randrange(8), int(i == 0), int(i == length - 1)))
        self.frame = Sink(bench, "io_frame_", [f"io_frame_payload_{f}" for f in FRAME])
        self.rate = rate  # units that the line takes in a clock
        self.feedback = Source(bench, "io_feedback_", [f"io_feedback_payload_{f}" for f in FEEDBACK])
        self.events = Events(bench, [f"io_event_{name}" for name in COUNTS] + ["io_judged_accepted", "io_judged_rejected"])
        self.sent = []  # (fsn, attempt, received)
        self.count = Counter()
        self.units = []  # of each transmission in `sent`: units that have not begun to leave
        self.ahead = 0  # their sum
        self.begun = 0  # transmissions of which all units have begun
        self.edge = 0  # transmissions that have left
        self.known = set()  # TSNs whose outcome was in a message that was delivered
        self.ack = 0  # all below are reported
        self.holes = 0  # messages that reported an outcome while an older one was missing
        self.reported = 0  # clock of the last message
        self.expected = []  # retransmissions due, in order: (fsn, attempt)
        self.state = {}
        self.new = self.offered = 0
        self.base = self.said_base = 0
        self.decided = 0
        self.invalid = 0
        bench.actors.append(self)
        dut = self.dut
        for name, value in dict(
            config_parityFirst=2,
            config_parityRetx=4,
            config_preset=1,
            config_delta=delta,
            config_outageFreeze=1,
            peerWindowLog2=peer_log2,
            enable=1,
            unitBegun=0,
            head=0,
            meta_valid=0,
            frameDone=0,
            outageEnded=0,
        ).items():
            getattr(dut, f"io_{name}").value = value

    def clear(self):
        pass

    def judge(self, first, end):
        """Expectations from the outcomes of a message: each is used once, in the order of its message."""
        new = [tsn for tsn in range(first, end) if tsn not in self.known]
        self.known.update(new)
        while self.ack in self.known:
            self.ack += 1
        self.holes += bool(new) and new[-1] >= self.ack
        for tsn in new:
            fsn, attempt, received = self.sent[tsn]
            if received:
                self.state[fsn] = "acked"
            elif self.delta != INFINITE and attempt >= self.delta:
                self.state[fsn] = "abandoned"
            else:
                self.expected.append((fsn, min(attempt + 1, 15)))
        while self.base in self.state:
            self.base += 1

    def take(self, item):
        clock, k, pad, sop, eop, n, preset, attempt, only, fsn, tsn = item
        assert tsn == len(self.sent) % SPACE
        assert (k, pad, sop, eop) == self.metas[fsn]
        assert preset == 1 and only == int(self.delta == 0)
        assert len(self.sent) - self.ack < min(WINDOW, self.peer_window), "more outcomes are missing than are kept"
        if attempt:
            assert self.expected and self.expected[0] == (fsn, attempt), "not the oldest frame reported as failed"
            self.expected.pop(0)
            assert n == k + self.parity[1]
            assert clock > self.rested + 8, "at rest, and a retransmission follows"
        else:
            assert fsn == self.new, "new frames go in sequence"
            assert fsn < self.said_base + self.peer_window, "beyond the peer's window"
            self.new += 1
            assert n == k + self.parity[0]
        self.sent.append((fsn, attempt, random.random() >= self.loss))
        assert self.ahead < LEAD, "a frame is chosen before the line is about to need it"
        self.units.append(n)
        self.ahead += n

    def step(self):
        for item in self.frame.items:
            self.take(item)
        self.frame.items.clear()
        dut = self.dut
        if int(dut.io_view_idle.value):
            self.rested = self.bench.clock
        begins = self.ahead > 0 and random.random() < self.rate
        dut.io_unitBegun.value = int(begins)
        if begins:
            self.ahead -= 1
            self.units[self.begun] -= 1
            self.begun += not self.units[self.begun]
        done = self.edge < self.begun and random.random() < 0.3
        dut.io_frameDone.value = int(done)
        self.edge += done
        # The segmenter keeps the window full.
        base = int(dut.io_view_txBase.value)
        dut.io_meta_valid.value = 0
        dut.io_head.value = self.offered % SPACE
        if self.offered < len(self.metas) and (self.offered - base) % SPACE < WINDOW:
            k, pad, sop, eop = self.metas[self.offered]
            dut.io_meta_valid.value = 1
            dut.io_meta_payload_slot.value = self.offered % WINDOW
            for name, value in zip(("k", "pad", "sop", "eop"), (k, pad, sop, eop)):
                getattr(dut, f"io_meta_payload_meta_{name}").value = value
            self.offered += 1
        # The receiver knows of a transmission some time after it has left.
        closed = self.edge if self.edge == len(self.sent) and random.random() < 0.02 else self.edge - 1
        self.decided = max(self.decided, closed)
        # A message is dealt with before the next one comes, or that may be dropped.
        if self.bench.clock > self.reported + 100 and random.random() < 0.05:
            self.report()

    def report(self):
        self.reported = self.bench.clock
        if random.random() < self.forge:
            self.invalid += 1
            self.feedback.queue.append(
                random.choice(
                    [
                        (self.said_base, (self.edge + random.randint(3, 1000)) % SPACE, self.ack, (1 << 64) - 1),
                        ((len(self.sent) + 1 + random.randint(64, 1000)) % SPACE, self.ack, self.ack, (1 << 64) - 1),
                    ]
                )
            )
            return
        first = self.recent()
        if random.random() < 0.3:  # older ones: what a poll would ask for, or any
            first = 32 * random.choice([self.ack // 32, random.randint(0, first // 32), random.randint(self.ack // 32, self.decided // 32)])
        if random.random() >= self.message_loss:
            self.say(first)

    def recent(self):
        """First TSN of the recent blocks."""
        return max((self.decided // 32 - 1) * 32, 0)

    def say(self, first):
        """The outcomes of 64 TSNs from `first` on, as far as they are decided."""
        end = min(self.decided, first + 64)
        bitmap = sum(self.sent[tsn][2] << tsn - first for tsn in range(first, end))
        self.judge(first, end)
        self.said_base = max(self.said_base, self.base)
        self.feedback.queue.append((self.said_base % SPACE, self.decided % SPACE, first % SPACE, bitmap))

    async def finish(self):
        frames = len(self.metas)
        await self.bench.until(lambda: self.new == frames and len(self.state) == frames, 60_000, "all frames resolved")
        await self.bench.clocks(400)
        lost = sum(1 for s in self.state.values() if s == "abandoned")
        got = {name: self.events.count[f"io_event_{name}"] for name in COUNTS}
        failed = sum(not s[2] for s in self.sent)
        packets, broken = 0, False
        for fsn, meta in enumerate(self.metas):
            broken |= self.state[fsn] == "abandoned"
            if meta[3]:
                packets += broken
                broken = False
        assert got["frames"] == frames
        assert got["retx"] == len(self.sent) - frames
        assert got["acked"] == frames - lost and got["abandoned"] == lost
        assert got["outcomeOk"] == len(self.sent) - failed and got["outcomeFailed"] == failed
        assert got["packetLost"] == packets
        assert got["outcomeOutage"] == 0
        assert self.events.count["io_judged_rejected"] == self.invalid
        assert int(self.dut.io_view_ackTsn.value) == len(self.sent) % SPACE
        assert int(self.dut.io_view_txBase.value) == frames and int(self.dut.io_open.value) == 0
        await self.bench.until(lambda: int(self.dut.io_view_idle.value), 400, "idle")


@cocotb.test()
@cocotb.parametrize(delta=[0, 1, 3, INFINITE], loss=[0.02, 0.4])
async def persistency(dut, delta, loss):
    """Failed frames come again in order of failure, delta times at most; counts add up."""
    bench = Bench(dut)
    peer = Peer(bench, 400, loss, delta)
    await bench.start()
    await peer.finish()


@cocotb.test()
async def many_attempts(dut):
    """A frame that fails more than 15 times is sent again as the 15th retransmission, for ever."""
    bench = Bench(dut)
    peer = Peer(bench, 20, 0.93, INFINITE)
    await bench.start()
    await peer.finish()
    assert sum(attempt == 15 for _, attempt, _ in peer.sent) > 20


@cocotb.test()
async def slow_line_and_small_peer(dut):
    """A line that seldom takes a unit, and a peer whose window is smaller than the own one."""
    bench = Bench(dut)
    peer = Peer(bench, 300, 0.2, 2, rate=0.2, peer_log2=4)
    await bench.start()
    await peer.finish()


@cocotb.test()
async def numbers_behind_and_ahead(dut):
    """With nothing sent: rxNext and rxBase may each be up to a window behind, below 0, too; further behind, or ahead, they are rejected."""
    bench = Bench(dut)
    peer = Peer(bench, 0, 0, 0)
    peer.reported = 1 << 30  # it says nothing by itself
    await bench.start()
    for base in (0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW, -1):
        for following in (0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW, -1):
            before = [peer.events.count[f"io_judged_{verdict}"] for verdict in ("accepted", "rejected")]
            peer.feedback.queue.append((-base % SPACE, -following % SPACE, 0, (1 << 64) - 1))
            await bench.clocks(60)
            good = int(all(0 <= number <= WINDOW for number in (base, following)))
            after = [peer.events.count[f"io_judged_{verdict}"] for verdict in ("accepted", "rejected")]
            assert after == [before[0] + good, before[1] + 1 - good], f"rxBase {-base}, rxNext {-following}"
    assert not peer.events.count["io_event_outcomeOk"] and int(dut.io_view_ackTsn.value) == int(dut.io_view_peerRxBase.value) == 0


@cocotb.test()
async def messages_one_after_the_other(dut):
    """Two messages, so many clocks apart, each with one outcome more: ackTsn has both."""
    bench = Bench(dut)
    peer = Peer(bench, 200, 0, INFINITE)
    peer.reported = 1 << 30  # it says nothing by itself
    await bench.start()

    def say(following):
        peer.judge(peer.ack, following)
        peer.said_base = peer.base
        first = max(following // 32 - 1, 0) * 32
        peer.feedback.queue.append((peer.base, following, first, (1 << 64) - 1))

    async def case(apart):
        await bench.until(lambda: peer.edge >= peer.ack + 2, 1000, "two transmissions")
        await bench.clocks(20)
        say(peer.ack + 1)
        await bench.clocks(apart)
        say(peer.ack + 1)
        await bench.clocks(40)
        assert int(dut.io_view_ackTsn.value) == peer.ack
        await bench.until(lambda: int(dut.io_view_txBase.value) == peer.base, 40, "txBase")

    await sweep(range(1, 40), case)


@cocotb.test()
async def forged_messages(dut):
    """What acknowledges units that were not sent, or frees frames beyond the next, is counted and changes nothing."""
    bench = Bench(dut)
    peer = Peer(bench, 300, 0.1, 3, forge=0.4)
    await bench.start()
    await peer.finish()
    assert peer.invalid > 10


@cocotb.test()
async def outcomes_in_any_order(dut):
    """Outcomes are used as they are reported, whatever is missing before them, and each once."""
    bench = Bench(dut)
    peer = Peer(bench, 2000, 0.1, INFINITE, message_loss=0.5)
    await bench.start()
    await peer.finish()
    assert peer.holes > 0, "no outcome was missing before another"


@cocotb.test()
async def disabled_sends_nothing(dut):
    """While `enable` is low no frame is chosen, and afterwards nothing is missing."""
    bench = Bench(dut)
    peer = Peer(bench, 100, 0.1, 3)
    dut.io_enable.value = 0
    await bench.start()
    await bench.clocks(400)
    assert not peer.sent
    dut.io_enable.value = 1
    await peer.finish()


@cocotb.test()
async def reset_while_stalled(dut):
    """A reset with frames chosen, on a line that takes none: the numbers start at 0 again."""
    bench = Bench(dut)
    peer = Peer(bench, 200, 0.1, 3)
    await bench.start()
    await bench.clocks(300)
    peer.rate = 0.0
    await bench.clocks(100)
    bench.actors.clear()
    dut.io_head.value = 0  # the segmenter is reset with it
    await bench.reset()
    peer = Peer(bench, 200, 0.1, 3)
    await peer.finish()


@cocotb.test()
async def the_newest_message_is_used(dut):
    """A message is being listed, another one waits, and the last one comes at any distance behind it. Nothing comes after them: the last one's outcomes
    and rxBase count."""
    bench = Bench(dut)
    peer = Peer(bench, 4000, 0.0, INFINITE, message_loss=1.0)
    await bench.start()

    def say(end):
        first = peer.ack // 32 * 32
        peer.judge(peer.ack, end)
        peer.said_base = peer.base
        peer.feedback.queue.append((peer.base % SPACE, end % SPACE, first % SPACE, (1 << 64) - 1))

    async def case(distance):
        start = peer.ack
        await bench.until(lambda: peer.decided >= start + 34, 5000, "34 transmissions")
        say(start + 26)
        await bench.clocks(8)
        say(start + 30)
        await bench.clocks(distance)
        say(start + 34)
        await bench.clocks(150)
        found = int(dut.io_view_ackTsn.value), int(dut.io_view_peerRxBase.value)
        assert found == (start + 34, start + 34), f"ackTsn and rxBase are {found}, the last message said {start + 34}"

    await sweep(range(1, 80), case)


@cocotb.test()
async def a_choice_waits_for_the_line(dut):
    """A line that stands has a lead of units, and no frame more than that takes. Each unit that begins brings a choice where it makes the lead too
    short, and only there; a retransmission that has become due meanwhile goes before all new frames."""
    bench = Bench(dut)
    peer = Peer(bench, 4000, 0.5, INFINITE, message_loss=1.0)
    await bench.start()
    for _ in range(30):
        peer.rate = 0.0
        await bench.clocks(100)
        sent = len(peer.sent)
        assert peer.ahead >= LEAD, "the line is about to need a frame, and none is chosen"
        peer.say(peer.recent())
        await bench.clocks(120)
        assert len(peer.sent) == sent, "a frame is chosen, and the line stands"
        due = len(peer.expected)
        peer.rate = 1.0
        await bench.until(lambda sent=sent: len(peer.sent) > sent, 60, "a choice")
        assert bool(peer.sent[sent][1]) == bool(due), "a new frame goes before one that has failed"
        await bench.clocks(100)


@cocotb.test()
async def a_choice_every_four_clocks(dut):
    """Frames of one unit, on a line that takes a unit every four clocks: each clock in which it may begin one, it has one."""
    bench = Bench(dut)
    peer = Peer(bench, 0, 0.0, INFINITE, message_loss=1.0)
    peer.metas = [(1, 0, 1, 1)] * 2000
    for name in ("First", "Retx"):
        getattr(dut, f"io_config_parity{name}").value = 0
    peer.parity = 0, 0
    peer.rate = 0.0
    await bench.start()
    await bench.clocks(100)
    assert peer.ahead == LEAD
    for _ in range(1500):
        await bench.clocks(3)
        assert peer.ahead > 0, "the line needs a unit, and none is chosen"
        peer.rate = 1.0
        await bench.clocks(1)
        peer.rate = 0.0
        if peer.decided >= peer.ack + 20:
            peer.say(peer.recent())
    assert len(peer.sent) >= 1500
