# SPDX-License-Identifier: Apache-2.0
"""OlderReports: which older blocks are looked up and reported, and when, against a model of docs/architecture.md, "Receiver", 4. A block here is its
number: it holds the outcomes of 32 TSNs."""

import random
from collections import deque

import cocotb

from cocotb_tests.arq.planned import Planned
from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

BUILD = built()
OWN = BUILD.window_frames.bit_length() - 1
BLOCKS, SPACE = BUILD.window_frames // 32, 1 << 15
PACE = 128
PORTS = {
    "running": "running",
    "peerWindowLog2": "peerWindowLog2",
    "acks": "peerAck_valid",
    "ack": "peerAck_payload",
    "replies": "replied_valid",
    "reply": "replied_payload",
    "current": "current",
    "lookup_ready": "lookup_ready",
    "found": "found_valid",
    "base": "found_payload_base",
    "bitmap": "found_payload_bitmap",
    "ready": "report_ready",
}
PULSES = ("acks", "replies")
SEEN = 5
"""Clocks until what comes is certain to count."""


def lags_of(log2):
    """The table of the document."""
    window = 1 << min(log2, OWN)
    if window < 256:
        return []
    return [window // 256] if window < 8192 else [32, 96] if window < 32768 else [32, 64, 96]


def distance(number, base):
    return (number - base + SPACE // 2) % SPACE - SPACE // 2


class Model:
    """What may be looked up, and what must be. A look-up may be a repeat or one of a series, so there are several `states`: the pair that is next for each
    lag, and where a series may go on, with whether it must, and whether it is of the last reply."""

    def __init__(self):
        self.past = deque(maxlen=SEEN)  # (current, ack) of the last clocks
        self.forget([])

    def forget(self, lags):
        self.lags = lags
        self.states = {((0,) * len(lags), frozenset())}
        self.ack = 0
        self.unsettled = -1  # clock until which a series may go on that a new reply has ended
        self.past.clear()
        self.replies = []

    def clock(self, now, i):
        self.past.append((i["current"], self.ack))
        if i["acks"]:
            self.ack = i["ack"]
        for at, first in self.replies:
            self._begin(at, first)
        self.replies = [(now, i["reply"])] if i["replies"] else []
        if now == self.unsettled:
            self._series(lambda series: {s for s in series if s[2]} if any(must and fresh for _, must, fresh in series) else series)
        ends = {block for _, series in self.states for block, *_ in series if any(distance(current, block) < 2 for current, _ in self.past)}
        if ends:
            over = {block for block in ends if all(distance(current, block) < 2 for current, _ in self.past)}
            self._series(lambda series: {(block, must and block not in ends, fresh) for block, must, fresh in series if block not in over})

    def _series(self, change):
        self.states = {(pairs, frozenset(change(series))) for pairs, series in self.states}

    def _begin(self, now, first):
        """A series follows a reply that reports from block `first` on: from the ackTsn that was the last one when it was composed."""
        starts = {(ack, distance(ack, first) < 0 and distance(current, ack) <= BLOCKS) for current, ack in list(self.past)[-4:]}
        begins = {ack for ack, starts_here in starts if starts_here}
        must = len(starts) == 1
        if begins:
            self.unsettled = now + SEEN + 3
            self._series(lambda series: {(block, False, False) for block, *_ in series} | {(block, must, True) for block in begins})

    def _due(self, pair, lag, current):
        return distance(current, pair) >= 2 + lag

    def _left_out(self, pair, lag):
        """Its turn has come, and the peer knows it or it is older than a window."""
        return any(self._due(pair, lag, current) and (distance(ack, pair) >= 2 or distance(current, pair) > BLOCKS) for current, ack in self.past)

    def _repeated(self, pair, lag):
        return any(self._due(pair, lag, current) and distance(current, pair) <= BLOCKS and distance(ack, pair) < 2 for current, ack in self.past)

    def looked_up(self, block):
        assert any(distance(current, block) >= 2 for current, _ in self.past), f"block {block} is recent and looked up as old"
        states, after = set(), (block + 2) % SPACE
        for pairs, series in self.states:
            for k, (lag, pair) in enumerate(zip(self.lags, pairs)):
                while pair != block and self._left_out(pair, lag):
                    pair = (pair + 2) % SPACE
                if pair == block and self._repeated(pair, lag):
                    states.add(((*pairs[:k], after, *pairs[k + 1 :]), series))
            for entry in series:
                if entry[0] == block:
                    states.add((pairs, frozenset({(after, True, True)} if entry[2] else series - {entry} | {(after, False, False)})))
        assert states, f"block {block} is looked up at {self.past[-1]}; pairs and series: {self.states}"
        self.states = states

    def overdue(self):
        """Leaves pairs out; returns what is still due, in the best case."""
        states, due = set(), []
        current, _ = self.past[-1]
        for pairs, series in self.states:
            pairs = list(pairs)
            for k, lag in enumerate(self.lags):
                while self._left_out(pairs[k], lag):
                    pairs[k] = (pairs[k] + 2) % SPACE
            states.add((tuple(pairs), series))
            repeats = [pair for lag, pair in zip(self.lags, pairs) if self._due(pair, lag, current)]
            due.append(repeats + [block for block, must, _ in series if must and distance(current, block) >= 2])
        self.states = states
        return min(due, key=len)


class Log(Planned):
    """The outcomes, and the control units that take reports. `latency`: clocks of a look-up."""

    def __init__(self, bench, latency=5, rate=1.0):
        super().__init__(bench, PORTS, PULSES, peerWindowLog2=OWN, lookup_ready=1, ready=1)
        dut, self.model = bench.dut, Model()
        self.lookup, self.block = dut.io_lookup_valid, dut.io_lookup_payload
        self.found_ready, self.report = dut.io_found_ready, dut.io_report_valid
        self.payload = dut.io_report_payload_base, dut.io_report_payload_bitmap
        self.latency, self.rate = latency, rate
        self.reports, self.lookups = [], []  # (clock, block)
        self.left = None  # clocks until a look-up is answered
        self.wants = None  # what it is of
        self.last = -PACE

    def look(self, now, inputs):
        i = inputs
        if not i["running"]:
            assert not int(self.lookup.value), "a look-up, and no peer is up"
            self.model.forget(lags_of(i["peerWindowLog2"]))
            return
        self.model.clock(now, i)
        if int(self.lookup.value) and i["lookup_ready"]:
            block = int(self.block.value)
            self.lookups.append((now, block))
            self.model.looked_up(block)
            self.wants, self.left = block, self.latency
        if i["found"]:
            offered = int(self.report.value)
            assert offered == (now >= self.last + PACE), f"a report is {'' if offered else 'not '}offered {now - self.last} clocks after the one before"
            if offered:
                assert tuple(int(f.value) for f in self.payload) == (i["base"], i["bitmap"]), "another report than was looked up"
            assert int(self.found_ready.value) == (offered and i["ready"])
            if offered and i["ready"]:
                self.reports.append((now, i["base"] // 32))
                self.last, self.wants = now, None
        else:
            assert not int(self.report.value), "a report of nothing"

    def react(self):
        i = self.inputs
        if self.left is not None and self.wants is not None:
            self.left -= 1
            if not self.left:
                self.left = None
                if distance(i["current"], self.wants) > BLOCKS:
                    self.wants = None
                else:
                    self.set(found=1, base=self.wants * 32, bitmap=random.getrandbits(64))
        if self.wants is None:
            self.set(found=0)
        self.set(lookup_ready=int(self.wants is None), ready=int(self.rate >= 1 or random.random() < self.rate))

    def say(self, ack):
        self.set(acks=1, ack=ack % SPACE)

    def answer(self):
        """A reply leaves, with the recent blocks."""
        self.set(replies=1, reply=(self.inputs["current"] - 1) % SPACE)

    def forget(self):
        self.left = self.wants = None
        self.set(running=0, current=0, found=0)


async def start(dut, **options):
    log = Log(Bench(dut), **options)
    await log.bench.start()
    return log


def restart(log, clock, log2=OWN):
    log.at(clock, Log.forget)
    log.at(clock + 1, lambda n: n.set(peerWindowLog2=log2))
    log.at(clock + 12, lambda n: n.set(running=1))
    return clock + 12


async def come_up(log, log2=OWN):
    await log.clocks(restart(log, log.next, log2) - log.clock + PACE)
    log.reports.clear()
    log.lookups.clear()


async def advance(log, blocks, clocks=2):
    """More outcomes: so many blocks, one after the other."""
    for _ in range(blocks):
        log.set(current=(log.inputs["current"] + 1) % SPACE)
        await log.clocks(clocks)


async def quiet(log, limit=60_000):
    """Waits until nothing is looked up and reported any more; nothing is due then. The blocks reported."""
    seen = None
    while seen != (seen := (len(log.lookups), log.wants)):
        await log.clocks(2 * PACE)
        limit -= 2 * PACE
        assert limit > 0, "it does not end"
    assert log.wants is None
    assert not (due := log.model.overdue()), f"not reported: {due}"
    reports, log.reports = [block for _, block in log.reports], []
    return reports


WINDOWS = sorted({5, 7, 8, 9, 12, 13, 14, 15, 18} | {OWN})


@cocotb.test()
async def repeats_by_lag(dut):
    """The peer says nothing: each pair of blocks comes once more after each of the lags of the smaller window, and not before."""
    log = await start(dut)
    for log2 in WINDOWS if OWN >= 10 else (OWN, 18):
        await come_up(log, log2)
        lags = lags_of(log2)
        blocks = 110 if OWN > 12 and log2 in (8, 12) else max(lags, default=8) + 9  # a lag of a larger window is over, too
        await advance(log, blocks, 30)
        found = await quiet(log)
        expected = [pair for lag in lags for pair in range(0, blocks - 2 - lag + 1, 2)]
        assert sorted(found) == sorted(expected), f"2^{log2} frames: {found}"


@cocotb.test(skip=not lags_of(OWN))
async def a_repeat_comes_when_its_turn_has_come(dut):
    """A pair is looked up when rxNext reaches the block that is its lag further, and not a block sooner."""
    log = await start(dut)
    for log2 in (log2 for log2 in WINDOWS if log2 <= OWN and lags_of(log2)):
        await come_up(log, log2)
        lag = lags_of(log2)[0]
        await advance(log, lag + 1)
        await log.clocks(20)
        for block in range(lag + 2, lag + 8):
            assert len(log.lookups) == (block - 1 - lag) // 2, f"2^{log2} frames, before block {block}: {log.lookups}"
            await advance(log, 1, PACE + 20)
            assert len(log.lookups) == (block - lag) // 2, f"2^{log2} frames, rxNext in block {block}: {log.lookups}"
        await quiet(log)


@cocotb.test(skip=not lags_of(OWN))
async def what_the_peer_knows_is_not_repeated(dut):
    """ackTsn in each block around pairs whose turn it is, said before that turn, and in each clock after it."""
    log = await start(dut)
    lag = max(lags_of(OWN))

    for ack in range(9):
        await come_up(log)
        log.say(ack)
        await advance(log, lag + 8)
        found = sorted(await quiet(log))
        expected = [pair for each in lags_of(OWN) for pair in range(0, lag + 8 - 2 - each + 1, 2) if pair + 2 > ack]
        assert found == sorted(expected), f"ackTsn in block {ack}: {found}"

    async def case(clock):
        await come_up(log, 8)  # one lag, of a block
        await advance(log, 4, 3)
        log.set(current=5)
        log.at(log.next + clock, lambda n: n.say(random.randint(2, 6)))
        await log.clocks(20)
        await advance(log, 4, 40)
        await quiet(log)

    await sweep(range(12), case)


@cocotb.test(skip=not lags_of(OWN))
async def what_is_older_than_a_window_is_not_repeated(dut):
    """A jump of rxNext past a window: the oldest pair whose outcomes are kept is the first to be repeated."""
    log = await start(dut)
    for blocks in range(BLOCKS - 2, BLOCKS + 6):
        await come_up(log)
        log.set(current=blocks)
        await log.clocks(40)
        assert log.lookups[0][1] == max(0, blocks - BLOCKS + 1) // 2 * 2, f"rxNext in block {blocks}: {log.lookups}"
        log.rate = 0.0


AGES = [age for age in (0, 1, 2, 3, 4, 5, BLOCKS // 2, BLOCKS - 1, BLOCKS, BLOCKS + 1, BLOCKS + 2, BLOCKS + 900) if age < 60 or age > BLOCKS]


@cocotb.test()
async def a_series_after_a_reply(dut):
    """All pairs from ackTsn on, up to the recent blocks; none where ackTsn is older than a window, or in the recent blocks."""
    log = await start(dut)
    for age in sorted({*AGES}):
        await come_up(log, 5)  # no repeats
        await advance(log, min(BLOCKS, 60) + 3)
        current = log.inputs["current"]
        log.say(current - age)
        await log.clocks(SEEN)
        log.answer()
        await log.clocks(SEEN)
        found = await quiet(log)
        expected = [*range(current - age, current - 1, 2)] if age <= BLOCKS else []
        assert found == expected, f"ackTsn is {age} blocks old: {found}"


@cocotb.test(skip=BLOCKS > 64)
async def numbers_wrap(dut):
    """Block numbers wrap in series and repeats."""
    log = await start(dut)
    await come_up(log)
    step = 8000
    for _ in range(4):
        await advance(log, 1)
        log.set(current=log.inputs["current"] + step)
        log.say(log.inputs["current"] - 2)
        await log.clocks(3 * step // 2 + 20)
        assert not log.model.overdue()
    await advance(log, SPACE + 2 - log.inputs["current"])
    log.say(-3)
    await log.clocks(SEEN)
    log.answer()
    await log.clocks(SEEN)
    await quiet(log)
    await advance(log, 8, 20)
    await quiet(log)


@cocotb.test()
async def a_reply_in_each_clock_of_a_series(dut):
    """A new reply starts the series again, from what ackTsn is then."""
    log = await start(dut)
    blocks = min(BLOCKS, 5)

    async def case(clock):
        await come_up(log, 5)
        await advance(log, blocks + 2)
        current = log.inputs["current"]
        log.say(current - blocks)
        await log.clocks(SEEN)
        log.answer()
        await log.clocks(clock)
        log.say(current - random.randint(2, blocks))
        await log.clocks(random.randint(0, SEEN))
        log.answer()
        await log.clocks(SEEN)
        await quiet(log)

    await sweep([*range(1, 22), *range(PACE - 4, PACE + 18)], case)


@cocotb.test()
async def ack_around_a_reply(dut):
    """What the peer said last when the reply was composed counts; an ackTsn that is older than a window, or ahead, begins no series."""
    log = await start(dut)
    current = 60
    ages = [0, 2, min(BLOCKS, 5), BLOCKS, BLOCKS + 1, BLOCKS + 7, -3]
    for before, after in ((a, b) for a in ages for b in ages if a != b):

        async def case(clock, before=before, after=after):
            await log.clocks(restart(log, log.next, 5) - log.clock)
            log.set(current=current)
            at = log.next + 16
            log.at(at - 10, lambda n: n.say(current - before))
            log.at(at, Log.answer)
            log.at(at + clock, lambda n: n.say(current - after))
            since = len(log.lookups)
            await log.clocks(50)
            assert len(log.lookups) > since or not log.model.overdue(), f"no series from {before} or {after} blocks ago on"

        await sweep((clock for clock in range(-6, 7) if clock or after <= BLOCKS), case)


@cocotb.test()
async def repeats_go_before_a_series(dut):
    """Both are due: each look-up is a repeat's as long as there is one."""
    log = await start(dut)
    if not lags_of(OWN):
        return
    await come_up(log, 8)
    await advance(log, BLOCKS - 2 if BLOCKS < 64 else 30)
    log.answer()
    await log.clocks(SEEN)
    since = len(log.lookups)
    ((pairs, _),) = log.model.states
    repeats = sum((log.inputs["current"] - 3 - pair) // 2 + 1 for pair in pairs)
    await quiet(log, 80_000)
    after = [block for _, block in log.lookups[since:]]
    first = after[:repeats]
    assert first == sorted(first) and after[repeats] == 0, after


@cocotb.test()
async def reports_that_wait(dut):
    """Control units take them after 0 to 150 clocks: one after the other, at least 128 clocks apart."""
    log = await start(dut)
    await come_up(log, 5)
    await advance(log, BLOCKS if BLOCKS < 40 else 40)

    async def case(stall):
        log.say(log.inputs["current"] - 2)
        await log.clocks(SEEN)
        log.rate = 0.0
        log.answer()
        await log.clocks(SEEN + 8 + stall)
        log.rate = 1.0
        await log.clocks(12)
        await log.clocks(random.choice((0, PACE)))

    await sweep(range(0, 150, 3), case)


@cocotb.test()
async def a_restart_in_each_clock(dut):
    """Around a reply, look-ups and repeats. The new life begins with nothing of it, and has its own."""
    log = await start(dut)
    blocks = 4 if not lags_of(OWN) else 9

    async def case(clock):
        await come_up(log, 8)
        await advance(log, blocks)
        if not lags_of(OWN):
            log.set(current=20_000)  # a place from which it is a long way to 0
        at = log.next + 4
        log.at(at - 3, lambda n: n.say(n.inputs["current"] - 2))
        log.at(at, Log.answer)
        up = restart(log, at + clock, 8)
        log.at(up, lambda n: n.say(0) if clock % 2 else None)
        await log.clocks(up - log.clock + 40)
        log.reports.clear()
        log.lookups.clear()
        await advance(log, 6, 8)
        found = await quiet(log)
        assert found == ([0, 2] if lags_of(OWN) else []), found

    await sweep(range(-4, 26), case)


@cocotb.test()
async def anything(dut):
    """Outcomes, acks, replies and restarts at random."""
    log = await start(dut)
    for _ in range(6):
        log.latency, log.rate = random.randint(3, 9), random.choice((1.0, 0.1, 0.02))
        await come_up(log, random.choice(WINDOWS))
        ack, pace = 0, random.choice((3, 40, 200))
        for _ in range(40):
            await advance(log, 1, random.randint(2, pace))
            if random.random() < 0.3:
                ack = random.randint(ack, log.inputs["current"])
                log.say(ack)
                await log.clocks(random.randint(1, 9))
            if random.random() < 0.2:
                log.answer()
                await log.clocks(random.randint(1, 9))
        log.rate = 1.0
        await quiet(log, 100_000)


@cocotb.test()
async def an_impossible_ack_as_a_reply_leaves(dut):
    """ackTsn is 2 blocks old; in the clock in which a reply is announced a control unit comes whose ackTsn is older than a window. No series begins
    from there."""
    log = await start(dut)
    await log.clocks(restart(log, log.next, 5) - log.clock)
    log.set(current=60)
    at = log.next + 16
    log.at(at - 10, lambda n: n.say(58))
    log.at(at, Log.answer)
    log.at(at, lambda n: n.say(60 - BLOCKS - 9))
    await log.clocks(400)
