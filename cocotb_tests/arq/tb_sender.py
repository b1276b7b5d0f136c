# SPDX-License-Identifier: Apache-2.0
"""ArqSender: every transmission it chooses, against random outcomes reported by messages that are lost, old or forged."""

import random
from collections import Counter, deque
from typing import NamedTuple

import cocotb

from cocotb_tests.lib.bench import Bench, Events, Sink, Source
from cocotb_tests.lib.signals import reader
from cocotb_tests.lib.sweep import sweep

WINDOW, SPACE = 64, 1 << 20
INFINITE = 15
LEAD = 5
"""Of this build (ArqLink.leadUnits): a frame is chosen while fewer units are chosen and have not begun to leave."""
FRAME = ["meta_k", "meta_pad", "meta_sop", "meta_eop", "n", "preset", "odd", "lastTry", "allBelow", "fsn", "tsn"]
FEEDBACK = ["rxBase", "rxNext", "bitmapBase", "bitmap"]
COUNTS = ["frames", "retx", "abandoned", "outcomeOk", "outcomeFailed", "outcomeOutage", "packetLost", "failing"]


class Sent(NamedTuple):
    """A transmission, and what becomes of it: `last` is what it is, `announced` what it says of itself, `all_below` of the frames below."""

    fsn: int
    attempt: int
    received: bool
    last: bool
    announced: bool
    all_below: bool


class Attempts:
    """How many frames have been acknowledged at each attempt, by `event.acked`, of which one bit is high."""

    def __init__(self, bench):
        self.read, self.count = reader(bench.dut.io_event_acked), Counter()
        bench.actors.append(self)

    def clear(self):
        pass

    def step(self):
        if bits := self.read():
            assert bits.bit_count() == 1
            self.count[bits.bit_length() - 1] += 1


class Notices:
    """Demands a notice where one is due and forbids all others, by what the sender shows of its edges.

    `owed`: txBase has passed an abandoned frame that rxBase had not, and no notice has come of it. `waits`: the newest frame says the same.
    """

    SLACK = 5
    """Clocks until a notice that is due has come, and from a choice to its frame on the port."""

    def __init__(self, bench, peer):
        self.dut, self.bench, self.peer = bench.dut, bench, peer
        self.owed = False
        self.base = 0
        self.lasts = 0  # clocks for which one has been due
        self.allowed = -100  # the last clock in which one might have been due
        self.bases = deque([0], self.SLACK)  # rxBase as the sender knows it, in the last clocks
        self.waits = deque([False], self.SLACK)
        self.clocks = []  # of all notices
        bench.actors.append(self)

    def clear(self):
        pass

    def step(self):
        dut, peer = self.dut, self.peer
        base, following = int(dut.io_view_txBase.value), int(dut.io_view_nextFsn.value)
        self.bases.append(int(dut.io_view_peerRxBase.value))
        passed = [fsn for fsn in range(self.base, base) if peer.state[fsn] == "abandoned"]
        self.base = base
        surely = any(fsn >= self.bases[-1] for fsn in passed)
        if surely:
            self.owed, self.lasts = True, 0
        if surely or any(fsn >= self.bases[0] for fsn in passed):
            self.allowed = self.bench.clock
        self.waits.append(peer.announces_newest and base != following)
        if not int(dut.io_view_unconfirmed.value) and not surely:
            self.owed = False
        if self.owed and not all(self.waits):
            self.allowed = self.bench.clock
        self.lasts = self.lasts + 1 if self.owed and not any(self.waits) else 0
        if int(dut.io_view_gaveUp.value):
            assert self.bench.clock - self.allowed <= self.SLACK, "a notice, and none is due"
            self.clocks.append(self.bench.clock)
            peer.told = max(peer.told, base)
            self.owed, self.lasts = False, 0
        assert self.lasts <= self.SLACK, "a notice is due, and does not come"


class Peer:
    """Segmenter, PHY and receiver around the sender, and the model of what it has to do."""

    def __init__(self, bench, frames, loss, delta, message_loss=0.2, rate=1.0, peer_log2=6, forge=0.0, k=16):
        self.bench, self.dut = bench, bench.dut
        self.loss, self.delta, self.message_loss, self.forge = loss, delta, message_loss, forge
        self.k = k
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
        self.attempts = Attempts(bench)
        self.events = Events(bench, [f"io_event_{name}" for name in COUNTS] + ["io_judged_accepted", "io_judged_rejected"])
        self.sent: list[Sent] = []
        self.repeatable = 0  # below it is each frame whose first transmission was no last try
        self.announces_newest = False  # the newest frame's first transmission was announced as its last try
        self.pardoned = 0  # failures of TSNs below do not count towards delta
        self.forgiven = 0
        self.told = 0  # the peer knows that incomplete frames below are abandoned
        self.bases = deque([0], 9)  # txBase in the last clocks
        self.limit = 1 << 30  # frames from here on are not offered yet
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
        self.notices = Notices(bench, self)
        dut = self.dut
        for name, value in dict(
            config_parityFirst=2,
            config_parityRetx=4,
            config_preset=1,
            config_k=k,
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
            fsn, attempt, received, last, *_ = self.sent[tsn]
            pardoned = tsn < self.pardoned and not last
            self.forgiven += pardoned and not received
            if received:
                self.state[fsn] = "acked"
            elif last or (self.delta != INFINITE and attempt >= self.delta and not pardoned):
                self.state[fsn] = "abandoned"
            else:
                self.expected.append((fsn, attempt if pardoned else min(attempt + 1, 15)))
        while self.base in self.state:
            self.base += 1

    def take(self, item):
        clock, k, pad, sop, eop, n, preset, odd, announced, all_below, fsn, tsn = item
        assert tsn == len(self.sent) % SPACE
        assert (k, pad, sop, eop) == self.metas[fsn]
        assert preset == 1
        attempt = self.expected[0][1] if fsn < self.new and self.expected else 0
        assert odd == attempt % 2
        last = self.delta != INFINITE and attempt >= self.delta or attempt == 15 and k > self.k
        assert len(self.sent) - self.ack < min(WINDOW, self.peer_window), "more outcomes are missing than are kept"
        if fsn < self.new:
            assert announced == last and not all_below
            assert self.expected and self.expected[0][0] == fsn, "not the oldest frame reported as failed"
            self.expected.pop(0)
            assert n == k + self.parity[1]
            assert clock > self.rested + 8, "at rest, and a retransmission follows"
        else:
            assert fsn == self.new, "new frames go in sequence"
            assert all_below == announced
            assert fsn < self.said_base + self.peer_window, "beyond the peer's window"
            self.new += 1
            assert n == k + self.parity[0]
            # txBase may have passed the last of the others as this frame was chosen.
            assert not announced or last and self.bases[-1] >= self.repeatable, "it says too much of the frames below"
            assert announced or not last or self.bases[0] < self.repeatable, "it does not say that it is the last try"
            self.repeatable = self.repeatable if last else self.new
            self.announces_newest = bool(announced)
        self.sent.append(Sent(fsn, attempt, random.random() >= self.loss, last, bool(announced), bool(all_below)))
        assert self.ahead < LEAD, "a frame is chosen before the line is about to need it"
        self.units.append(n)
        self.ahead += n

    def hear(self, sent):
        """A transmission has left: what its type says to the peer."""
        if sent.all_below:
            self.told = max(self.told, sent.fsn)
        if sent.announced and sent.fsn == self.told and random.random() < 0.5:
            self.told += 1  # some of its units have come

    def step(self):
        self.bases.append(int(self.dut.io_view_txBase.value))
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
        if done:
            self.hear(self.sent[self.edge])
        self.edge += done
        # The segmenter keeps the window full.
        base = int(dut.io_view_txBase.value)
        dut.io_meta_valid.value = 0
        dut.io_head.value = self.offered % SPACE
        if self.offered < min(len(self.metas), self.limit) and (self.offered - base) % SPACE < WINDOW:
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
        bitmap = sum(self.sent[tsn].received << tsn - first for tsn in range(first, end))
        self.judge(first, end)
        self.move_base()
        self.feedback.queue.append((self.said_base % SPACE, self.decided % SPACE, first % SPACE, bitmap))

    def move_base(self):
        """The peer's rxBase passes what is resolved. Of what is abandoned it has to be told."""
        while self.said_base < self.base and (self.state[self.said_base] == "acked" or self.said_base < self.told):
            self.said_base += 1

    async def finish(self):
        frames = len(self.metas)
        await self.bench.until(lambda: self.new == frames and len(self.state) == frames, 60_000, "all frames resolved")
        await self.bench.clocks(400)
        lost = sum(1 for s in self.state.values() if s == "abandoned")
        got = {name: self.events.count[f"io_event_{name}"] for name in COUNTS}
        failed = sum(not s.received for s in self.sent)
        packets, broken = 0, False
        for fsn, meta in enumerate(self.metas):
            broken |= self.state[fsn] == "abandoned"
            if meta[3]:
                packets += broken
                broken = False
        assert got["frames"] == frames
        assert got["retx"] == len(self.sent) - frames
        assert self.attempts.count == Counter(s.attempt for s in self.sent if s.received) and got["abandoned"] == lost
        assert got["outcomeOk"] == len(self.sent) - failed and got["outcomeFailed"] == failed
        assert got["packetLost"] == packets
        assert got["outcomeOutage"] == self.forgiven
        assert got["failing"] == sum(not s.received and s.attempt == 15 for s in self.sent)
        assert self.events.count["io_judged_rejected"] == self.invalid
        assert int(self.dut.io_view_ackTsn.value) == len(self.sent) % SPACE
        assert int(self.dut.io_view_txBase.value) == frames and int(self.dut.io_open.value) == 0
        await self.bench.until(lambda: int(self.dut.io_view_idle.value), 400, "idle")


@cocotb.test()
@cocotb.parametrize(delta=[0, 1, 3, INFINITE], loss=[0.02, 0.4])
async def persistency(dut, delta, loss):
    """Failed frames come again in order of failure, delta times at most; counts add up. While frames follow that say the same there are no notices."""
    bench = Bench(dut)
    peer = Peer(bench, 400, loss, delta)
    await bench.start()
    await peer.finish()
    lost = sum(state == "abandoned" for state in peer.state.values())
    notices = len(peer.notices.clocks)
    if delta == 0:
        assert notices < 1 + lost // 8, f"{notices} notices of {lost} frames"
    assert delta == 0 or lost < 30 or notices > 10, f"{notices} notices of {lost} frames"


class Still:
    """Lets the line stand and the peer be silent, so that what is changed meanwhile comes before the next choice and the next outcome."""

    def __init__(self, peer):
        self.peer, self.rate = peer, peer.rate

    async def __aenter__(self):
        self.reported, self.peer.reported, self.peer.rate = self.peer.reported, 1 << 30, 0.0
        await self.peer.bench.clocks(120)

    async def __aexit__(self, *_):
        self.peer.reported, self.peer.rate = self.reported, self.rate


@cocotb.test()
async def last_tries_while_delta_changes(dut):
    """What was a last try when it was chosen stays one, for higher values of delta and through outages, and is announced where it may be."""
    bench = Bench(dut)
    peer = Peer(bench, 3000, 0.3, 2)
    await bench.start()
    seen = Counter()
    while peer.new < len(peer.metas):
        first = len(peer.sent)
        await bench.clocks(random.choice((50, 300, 1500)))
        for sent in peer.sent[first:]:
            seen[bool(sent.attempt), sent.last, sent.announced, sent.all_below] += 1
        async with Still(peer):
            peer.delta = dut.io_config_delta.value = random.choice((0, 0, 1, 2, INFINITE))
            if random.random() < 0.3:
                dut.io_outageEnded.value = 1
                peer.pardoned = len(peer.sent)
                await bench.clocks(1)
                dut.io_outageEnded.value = 0
                await bench.clocks(4)
    await peer.finish()
    first = [(False, False, False, False), (False, True, False, False), (False, True, True, True)]
    again = [(True, False, False, False), (True, True, True, False)]
    assert all(seen[kind] > 20 for kind in first + again) and peer.forgiven > 20, (seen, peer.forgiven)
    assert seen[False, True, True, False], "a retransmission at attempt 0, after an outage"


async def at_delta_0(dut):
    """A peer that says nothing by itself, and frames that come when they are asked for."""
    bench = Bench(dut)
    peer = Peer(bench, 2000, 0.0, 0)
    peer.reported = 1 << 30
    peer.limit = 0
    await bench.start()
    await bench.clocks(2 * WINDOW)

    async def send(received):
        peer.limit += 1
        await bench.until(lambda: len(peer.sent) == peer.limit and peer.edge == len(peer.sent), 2000, "a frame")
        peer.sent[-1] = peer.sent[-1]._replace(received=received)
        peer.decided = peer.edge

    return bench, peer, send


@cocotb.test()
@cocotb.parametrize(confirmed=[False, True])
async def a_frame_behind_instead_of_a_notice(dut, confirmed):
    """Frame A fails, and frame B is chosen in each clock around that in which txBase passes A. There is one notice of A: at once if no frame has been sent
    behind it, or when B is resolved; none then if rxBase has passed A meanwhile."""
    bench, peer, send = await at_delta_0(dut)
    kinds = Counter()

    async def case(clock):
        await send(received=False)
        before, decided = len(peer.notices.clocks), peer.edge
        for c in range(80):
            if c == 30:
                peer.decided, peer.told = decided, peer.said_base
                peer.say(peer.recent())
            if c == clock:
                peer.limit += 1
            await bench.clocks(1)
        early = len(peer.notices.clocks) - before
        await bench.until(lambda: peer.edge == len(peer.sent) == peer.limit, 2000, "frame B")
        peer.decided = peer.edge
        peer.told = len(peer.sent) if confirmed else peer.said_base
        peer.say(peer.recent())
        await bench.clocks(60)
        notices = len(peer.notices.clocks) - before
        assert notices == (early if confirmed else 1), f"{early} notices, and {notices} when all is resolved"
        kinds[early] += 1
        peer.told = len(peer.sent)
        peer.say(peer.recent())
        await bench.clocks(60)
        assert not int(dut.io_view_unconfirmed.value) and len(peer.notices.clocks) == before + notices

    await sweep(range(79), case)
    assert kinds[0] > 10 and kinds[1] > 10, kinds


@cocotb.test()
async def a_notice_waits_no_longer(dut):
    """Frame A has failed, and frame B, which says so, has been sent. Then a frame follows that may come again: the notice is due at once."""
    bench, peer, send = await at_delta_0(dut)
    await send(received=False)
    peer.limit += 1
    await bench.until(lambda: len(peer.sent) == peer.limit, 200, "frame B")
    peer.told = 0
    peer.say(peer.recent())
    await bench.clocks(100)
    assert int(dut.io_view_txBase.value) == 1 and not peer.notices.clocks
    peer.delta = dut.io_config_delta.value = 1
    await bench.clocks(10)
    peer.limit += 1
    await bench.until(lambda: len(peer.sent) == peer.limit, 200, "frame C")
    await bench.clocks(10)
    assert len(peer.notices.clocks) == 1


@cocotb.test()
async def many_attempts(dut):
    """A frame that fails more than 15 times is sent again as the 15th retransmission, for ever."""
    bench = Bench(dut)
    peer = Peer(bench, 20, 0.93, INFINITE)
    await bench.start()
    await peer.finish()
    assert sum(sent.attempt == 15 for sent in peer.sent) > 20


@cocotb.test()
async def frames_that_are_too_long_now(dut):
    """Nothing is given up, but a frame that has more data units than K and fails as often; others are sent on."""
    bench = Bench(dut)
    peer = Peer(bench, 40, 0.93, INFINITE, k=8)
    await bench.start()
    await peer.finish()
    kept = {peer.metas[sent.fsn][0] > 8 for sent in peer.sent if sent.attempt == 15 and not sent.last}
    lost = {peer.metas[fsn][0] > 8 for fsn, state in peer.state.items() if state == "abandoned"}
    assert (kept, lost) == ({False}, {True})


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
