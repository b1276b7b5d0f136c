# SPDX-License-Identifier: Apache-2.0
"""OlderReports: which older blocks are looked up and reported, and when, against a model of docs/architecture.md, "Receiver", 4. A pair of blocks is
named by its number here: pair i holds the outcomes of TSN 64i … 64i + 63."""

import random
from collections import deque

import cocotb

from cocotb_tests.arq.planned import Planned
from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

BUILD = built()
OWN = BUILD.window_frames.bit_length() - 1
SPACE, PAIRS = 1 << 20, 1 << 14
BLOCK, PAIR, EIGHTH = 32, 64, 8
EARLY = (16, 32)
"""In a ring of more places, the pair so far below the newest one has a turn as a block of an even, or an odd number has begun."""
PACE = 128
PORTS = {
    "peerWindowLog2": "peerWindowLog2",
    "acks": "peerAck_valid",
    "ack": "peerAck_payload",
    "replied": "replied",
    "rxNext": "rxNext",
    "lookup_ready": "lookup_ready",
    "found": "found_valid",
    "base": "found_payload_base",
    "bitmap": "found_payload_bitmap",
    "ready": "report_ready",
}
PULSES = ("acks", "replied")
SEEN = 6
"""Clocks until what comes is certain to count."""
TURN = 6
"""Clocks of a turn that has no report, at most."""


def ring_of(log2):
    """Places of the ring."""
    return max(1, (1 << min(log2, OWN)) // PAIR)


def newest_pair(rx_next):
    """The newest pair that has an older block."""
    return (rx_next // BLOCK - 2) // 2


def early_pair(rx_next):
    """The pair that has the turn as rxNext comes to a block, in a large ring."""
    return newest_pair(rx_next) - EARLY[rx_next // BLOCK % 2]


def distance(number, base):
    return (number - base + PAIRS // 2) % PAIRS - PAIRS // 2


class Model:
    """What may be looked up: a pair of the ring that the peer lacks, whose place comes next or behind places of pairs that it knows, as often as there
    are turns."""

    def __init__(self):
        self.begin(OWN)

    def begin(self, log2):
        self.places = ring_of(log2)
        self.known = 0  # blocks below are known
        self.past = deque(maxlen=SEEN)  # (newest pair, pairs below are known, their older blocks that is) of the last clocks
        self.eighth = 0
        self.early = 0  # turns of EARLY pairs that may be due
        self.next = {0}  # places that may be next
        self.starts = []  # places with which the round of a reply begins
        self.over = set(range(self.places))  # places whose pair was known since the last look-up
        self.moved = self.left = self.idle = 0  # turns that are due as rxNext has moved, and of a round; clocks without one

    def clock(self, i, waits):
        newest, lacks_none = newest_pair(i["rxNext"]), (i["rxNext"] // BLOCK - 2 - self.known + PAIRS) % (2 * PAIRS) < PAIRS
        self.past.append((newest % PAIRS, (newest + 1) % PAIRS if lacks_none else self.known // 2))
        if i["acks"]:
            self.known = i["ack"]
        oldest = (newest - self.places + 1) % PAIRS
        if distance(self.known // 2, oldest) < 0:  # what is older than a window means nothing
            self.known = 2 * oldest
        state = self.past[-1]
        if len(self.past) < 2 or self.past[-2] != state:
            newest, known = state
            self.over |= {pair % self.places for pair in range(newest - self.places + 1, newest + 1) if distance(pair, known) < 0}
        if i["replied"]:
            self.left = self.places + 1  # one may have been due
            self.starts = [known for _, known in self.past] + [self.known // 2]
            self.idle = 0
        if (eighth := i["rxNext"] // EIGHTH) != self.eighth:
            if self.places > EARLY[-1] and eighth * EIGHTH // BLOCK != self.eighth * EIGHTH // BLOCK:
                self.early = min(self.early + 1, 2)  # one may be over
            self.eighth = eighth
            self.moved = min(self.moved + 1, 3)  # one is over, one waits, and one may be due behind it
            self.idle = 0
        self.idle = 0 if waits else self.idle + 1
        if self.left + self.moved and self.idle > TURN * (self.left + self.moved) + SEEN:  # all turns are over
            passed = range(0 if self.early else 1, self.left + self.moved + 1)
            self.next = {(place + k) % self.places for place in self.starts or self.next for k in passed}
            self.left = self.moved = self.early = 0
            self.starts = []

    def looked_up(self, pair):
        assert any(0 <= distance(newest, pair) < self.places for newest, _ in self.past), f"pair {pair} is not in the ring: {self.past}"
        assert any(distance(pair, known) >= 0 for _, known in self.past), f"pair {pair} is reported, and all below block {self.known} is known"
        steps = [self._turns(place, pair) for place in (*self.next, *self.starts)]
        allowed = self.left + self.moved
        is_early = self.early and any(distance(newest, pair) in EARLY for newest, _ in self.past)
        is_next = any(turns is not None and turns <= allowed for turns in steps)
        assert is_early or is_next, f"pair {pair} is looked up; the next place is of {self.next} or {self.starts} of {self.places}, {allowed} turns are left"
        newest, known = self.past[-1]
        known_now = {other % self.places for other in range(newest - self.places + 1, newest + 1) if distance(other, known) < 0}
        if is_early:
            self.early -= 1
            self.moved = max(0, self.moved - 1)
            self.over |= known_now
            self.next |= {(pair + 1) % self.places} if is_next else set()
            return
        isOld = any(self._turns(place, pair) is not None for place in self.next)
        isNew = any(self._turns(place, pair) is not None for place in self.starts)
        self.next = {(pair + 1) % self.places} | ({start % self.places for start in self.starts} if isOld else set())
        self.starts = self.starts if isOld and not isNew else []
        if self.moved:
            self.moved -= 1
        else:
            self.left -= 1
        self.over = known_now

    def _turns(self, place, pair):
        """Turns from that of `place` to that of `pair`, or None if one between them would have a report."""
        turns = (pair - place) % self.places
        return turns + 1 if all((place + k) % self.places in self.over for k in range(turns)) else None

    def lacking(self):
        """Pairs of the ring that the peer may lack, in the sequence of a round."""
        newest = self.past[-1][0]
        return [pair % PAIRS for pair in range(newest - self.places + 1, newest + 1) if distance(pair, self.past[-1][1]) >= 0]


class Log(Planned):
    """The outcomes, and the control units that take reports. `latency`: clocks of a look-up."""

    def __init__(self, bench, latency=4, rate=1.0, **inputs):
        super().__init__(bench, PORTS, PULSES, lookup_ready=1, **dict(peerWindowLog2=OWN) | inputs)
        dut = bench.dut
        self.lookup, self.block = dut.io_lookup_valid, dut.io_lookup_payload
        self.report, self.payload = dut.io_report_valid, (dut.io_report_payload_base, dut.io_report_payload_bitmap)
        self.found_ready = dut.io_found_ready
        self.model = Model()
        self.latency, self.rate = latency, rate
        self.lookups, self.reports = [], []  # (clock, pair)
        self.wants = self.left = None  # a pair that is looked up, and clocks until it is found
        self.asked = None  # a look-up that waits
        self.last = -PACE  # clock of the last report

    def clear(self):
        self.wants = self.left = self.asked = None
        self.last = -PACE
        self.model.begin(self.inputs["peerWindowLog2"])

    def look(self, now, inputs):
        i = inputs
        asks = int(self.lookup.value)
        self.model.clock(i, asks or self.wants is not None)
        block = int(self.block.value)
        if asks and self.asked is None:
            assert block % 2 == 0
            self.model.looked_up(block // 2)
        assert self.asked is None or asks and self.asked == block, "a look-up that changes while it waits"
        self.asked = block if asks else None
        if asks and i["lookup_ready"]:
            self.lookups.append((now, block // 2))
            self.wants, self.left, self.asked = block // 2, self.latency, None
        if i["found"]:
            offered = int(self.report.value)
            assert offered == (now >= self.last + PACE), f"a report is {'' if offered else 'not '}offered {now - self.last} clocks after the one before"
            if offered:
                assert tuple(int(f.value) for f in self.payload) == (i["base"], i["bitmap"]), "another report than was looked up"
            assert int(self.found_ready.value) == (offered and i["ready"])
            if offered and i["ready"]:
                self.reports.append((now, i["base"] // PAIR))
                self.last, self.wants = now, None
        else:
            assert not int(self.report.value), "a report of nothing"

    def react(self):
        if self.left is not None and self.wants is not None:
            self.left -= 1
            if not self.left:
                self.left = None
                self.set(found=1, base=self.wants * PAIR, bitmap=random.getrandbits(64))
        if self.wants is None:
            self.set(found=0)
        self.set(lookup_ready=int(self.wants is None), ready=int(self.rate >= 1 or random.random() < self.rate))

    def know(self, pair, block=0):
        """The peer says that it knows all pairs below, and so many blocks of this one."""
        self.set(acks=1, ack=(2 * pair + block) % (2 * PAIRS))

    def advance(self, outcomes):
        self.set(rxNext=(self.inputs["rxNext"] + outcomes) % SPACE)

    def answer(self):
        self.set(replied=1)


async def start(dut, **options):
    log = Log(Bench(dut), **options)
    await log.bench.start()
    return log


async def restart(log, log2=OWN):
    """A link with that window of the peer, of which nothing is to be reported."""
    log.set(peerWindowLog2=log2, rxNext=0, found=0, acks=0, replied=0, lookup_ready=1)
    await log.bench.reset()
    await log.clocks(8)
    log.lookups.clear()
    log.reports.clear()


async def fill(log, outcomes, known=None):
    """So many more outcomes, of which the peer knows the pairs below `known`; nothing is due then."""
    log.know(known if known is not None else PAIRS // 4)
    await log.clocks(SEEN)
    log.advance(outcomes)
    await quiet(log)
    if known is None:
        log.know(newest_pair(log.inputs["rxNext"]) + 1)
        await log.clocks(SEEN)


async def quiet(log, limit=100_000):
    """Waits until nothing is looked up and reported any more. The pairs reported."""
    seen, silence = None, 2 * PACE + TURN * log.model.places
    while seen != (seen := (len(log.lookups), log.wants)):
        await log.clocks(silence)
        limit -= silence
        assert limit > 0, "it does not end"
    assert log.wants is None
    reports, log.reports = [pair for _, pair in log.reports], []
    return reports


WINDOWS = sorted({5, 6, 7, 8, 9, 12, 18} | {OWN})


@cocotb.test()
async def a_turn_each_eight_outcomes(dut):
    """The peer says nothing. One report each time rxNext passes a multiple of eight, at once, place after place; none in between."""
    log = await start(dut)
    for log2 in WINDOWS:
        await restart(log, log2)
        log.advance(3 * PAIR)
        first = await quiet(log)
        places = ring_of(log2)
        assert len(first) == (places <= EARLY[-1]), "an early turn is that of no pair yet"
        place = first[0] % places if first else -1
        for _ in range(2 * min(places, 24) + 16):
            for outcomes in (1, 6):
                log.advance(outcomes)
                await log.clocks(20)
                assert not log.lookups[1 + len(first) :], "rxNext has not passed a multiple of eight"
            log.lookups.clear()
            log.advance(1)
            await log.clocks(TURN + SEEN)
            if places > EARLY[-1] and log.inputs["rxNext"] % BLOCK == 0:
                pair = early_pair(log.inputs["rxNext"])
            else:
                place, newest = (place + 1) % places, newest_pair(log.inputs["rxNext"])
                pair = newest - (newest - place) % places
            assert [p for _, p in log.lookups] == ([pair] if pair >= 0 else []), f"2^{log2} frames, place {place}, rxNext {log.inputs['rxNext']}"
            first = []
            log.lookups.clear()
            await log.clocks(PACE)


@cocotb.test()
async def each_pair_has_two_early_turns(dut):
    """The peer says nothing, and the ring is large: each pair is reported when it is 16 below the newest one, and when it is 32 below."""
    log = await start(dut)
    if ring_of(OWN) <= EARLY[-1]:
        return
    await restart(log)
    await fill(log, 40 * PAIR)
    log.know(0)
    await log.clocks(SEEN)
    shown = {age: [] for age in EARLY}
    log.lookups.clear()
    for _ in range(2 * 20):
        log.advance(BLOCK)
        await log.clocks(PACE + 20)
        newest = newest_pair(log.inputs["rxNext"])
        found = [newest - pair for _, pair in log.lookups]
        log.lookups.clear()
        assert len(found) == 1 and found[0] in EARLY, found
        shown[found[0]].append(newest - found[0])
    for age, pairs in shown.items():
        assert pairs == list(range(pairs[0], pairs[0] + 20)), f"{age} below the newest one: {pairs}"


@cocotb.test()
async def a_jump_of_rxNext_is_one_turn(dut):
    """A gap of 8 TSNs or of many, a window at most: no edge is taken that is further ahead."""
    log = await start(dut)
    for outcomes in (gap for gap in (8, 9, 16, 64, 100, 128, 1000, 1024, BUILD.window_frames) if gap <= BUILD.window_frames):
        await restart(log)
        await fill(log, (ring_of(OWN) + 2) * PAIR)
        log.know(newest_pair(log.inputs["rxNext"]) - ring_of(OWN) + 1)
        await log.clocks(SEEN)
        log.advance(outcomes)
        found = await quiet(log)
        assert len(found) == 1, f"{outcomes} outcomes: {found}"


@cocotb.test()
async def what_the_peer_knows_is_not_reported(dut):
    """Rounds with each ackTsn around the ring: all from the pair of ackTsn on, in sequence."""
    log = await start(dut)
    for log2 in WINDOWS:
        await restart(log, log2)
        places = ring_of(log2)
        rx_next = (places + 7) * PAIR + BLOCK * (log2 % 2)
        await fill(log, rx_next)
        newest = newest_pair(rx_next)
        for known in sorted({newest + 1, newest, newest - 1, newest - places // 2, newest - places + 2, newest - places + 1}):
            if known <= newest - min(places, 40):
                continue
            for block in (0, 1):
                log.know(known, block)
                await log.clocks(SEEN)
                log.answer()
                found = await quiet(log)
                expected = [*range(max(known, newest - places + 1), newest + 1)] if 2 * known + block <= rx_next // BLOCK - 2 else []
                assert found == expected, f"2^{log2} frames, ackTsn in block {block} of pair {known}: {found}"


@cocotb.test()
async def blocks_of_the_ring(dut):
    """rxNext in each block of a few: the ring has all that is older than the recent blocks and within a window."""
    log = await start(dut)
    if ring_of(OWN) > 16:
        return
    for block in range(2 * ring_of(OWN) + 6, 2 * ring_of(OWN) + 12):
        await restart(log)
        await fill(log, block * BLOCK + 1)
        log.know(1)
        await log.clocks(SEEN)
        log.answer()
        found = await quiet(log)
        blocks = {2 * pair + k for pair in found for k in (0, 1)}
        wanted = set(range(block - BUILD.window_frames // BLOCK, block - 1))
        assert wanted <= blocks, f"rxNext in block {block}: pairs {found}"
        assert max(blocks) < block, "a block that is not complete"


@cocotb.test()
async def ack_in_each_clock_of_a_turn(dut):
    """The peer's ackTsn passes the pair whose turn it is, in each clock around the turn: it is reported, or not, and the turn is over."""
    log = await start(dut)

    async def case(clock):
        await restart(log, 8)
        await fill(log, 6 * PAIR - 4)
        log.know(2)
        await log.clocks(SEEN)
        at = log.next + 8
        log.at(at, lambda n: n.advance(4))
        log.at(at + clock, lambda n: n.know(newest_pair(6 * PAIR) + 1))
        await log.clocks(40)
        early = len(log.lookups)
        log.lookups.clear()
        await quiet(log)
        assert not log.lookups and early <= 1
        if clock < -2:
            assert not early, "a pair that is known"

    await sweep(range(-6, 12), case)


@cocotb.test()
async def a_reply_in_each_clock_of_a_round(dut):
    """A new reply begins the round again: from then on all is reported that the peer may lack."""
    log = await start(dut)
    lacks = min(ring_of(OWN), 3)

    async def case(clock):
        await restart(log)
        rx_next = (lacks + 5) * PAIR
        await fill(log, rx_next)
        newest = newest_pair(rx_next)
        log.know(newest + 1 - lacks)
        await log.clocks(SEEN)
        log.answer()
        await log.clocks(clock)
        known = random.randint(newest + 1 - lacks, newest)
        log.know(known)
        await log.clocks(random.randint(SEEN, SEEN + 3))
        log.answer()
        since = len(log.reports)
        await log.clocks(2)
        found = (await quiet(log))[since:]
        assert set(range(known, newest + 1)) <= set(found), f"all from pair {known} to {newest} is due: {found}"

    await sweep([*range(1, 22), *range(PACE - 4, PACE + 18)], case)


@cocotb.test()
async def a_turn_in_each_clock_of_a_round(dut):
    """rxNext passes a multiple of eight, or comes to another block, while a round is on its way: the round has all that the peer may lack."""
    log = await start(dut)
    lacks = min(ring_of(OWN), 3)

    async def case(clock, at_block=False):
        await restart(log)
        await fill(log, (lacks + 5) * PAIR + BLOCK - 8 * at_block)
        newest = newest_pair(log.inputs["rxNext"])
        log.know(newest + 1 - lacks)
        await log.clocks(SEEN)
        at = log.next + 12
        log.at(at, Log.answer)
        log.at(at + clock, lambda n: n.advance(8))
        found = await quiet(log)
        assert set(range(newest + 1 - lacks, newest + 1)) <= set(found), found

    clocks = [*range(-10, 22), *range(PACE - 4, PACE + 8)]
    await sweep(clocks, case)
    await sweep(clocks, lambda clock: case(clock, at_block=True))


@cocotb.test()
async def a_peer_that_says_nothing_any_more(dut):
    """Its last ackTsn is older than half of all numbers: what it may lack is reported all the same."""
    log = await start(dut)
    await restart(log)
    await fill(log, (ring_of(OWN) + 2) * PAIR)
    log.know(newest_pair(log.inputs["rxNext"]) - ring_of(OWN) + 1)
    for _ in range(SPACE // 1024 * 3 // 4):
        log.advance(1024 if BUILD.window_frames >= 1024 else BUILD.window_frames)
        await log.clocks(PACE + 12)
        assert log.lookups, f"rxNext {log.inputs['rxNext']}: no turn has a report"
        log.lookups.clear()
        if BUILD.window_frames < 1024:
            log.advance(1024 - BUILD.window_frames)
            await log.clocks(8)


@cocotb.test()
async def ack_as_the_one_before_is_left_behind(dut):
    """The ring moves past the peer's last ackTsn, and the next one comes in each clock around that: it counts."""
    log = await start(dut)

    async def case(clock):
        await restart(log)
        places = ring_of(OWN)
        await fill(log, (places + 2) * PAIR)
        log.know(newest_pair(log.inputs["rxNext"]) - places + 1)
        await log.clocks(SEEN)
        at = log.next + 12
        rx_next = (2 * places + 4) * PAIR
        log.at(at, lambda n: n.set(rxNext=rx_next))
        log.at(at + clock, lambda n: n.know(newest_pair(rx_next)))
        await quiet(log)
        log.answer()
        found = await quiet(log)
        assert found == [newest_pair(rx_next)], found

    await sweep(range(-9, 10), case)


@cocotb.test()
async def numbers_wrap(dut):
    """TSNs wrap while a round is on its way, and between turns."""
    log = await start(dut)
    await restart(log)
    for _ in range(4):
        log.know(newest_pair(log.inputs["rxNext"]) + 1)
        log.advance(SPACE // 4 - PAIR)
        await log.clocks(20)
    lacks = min(ring_of(OWN), 4)
    for _ in range(12):
        log.know(newest_pair(log.inputs["rxNext"]) + 1 - lacks)
        await log.clocks(SEEN)
        await quiet(log)
        log.answer()
        log.at(log.next + 3, lambda n: n.advance(BLOCK))
        await log.clocks(4)
        found = await quiet(log)
        assert len(set(found)) >= lacks, found


@cocotb.test()
async def two_turns_wait_behind_a_report_and_no_more(dut):
    """rxNext passes multiples of eight while a report waits: one more pair is looked up, and one more turn is due. The others are left out."""
    log = await start(dut)

    async def case(steps):
        await restart(log)
        await fill(log, (ring_of(OWN) + 2) * PAIR)
        log.know(newest_pair(log.inputs["rxNext"]) - ring_of(OWN) + 1)
        await log.clocks(SEEN)
        log.rate = 0.0
        for _ in range(steps):
            log.advance(8)
            await log.clocks(TURN + SEEN + log.latency)
        log.rate = 1.0
        found = await quiet(log)
        assert len(found) == min(steps, 3), f"{steps} steps: {found}"

    await sweep(range(1, 9), case)


@cocotb.test()
async def reports_that_wait(dut):
    """Control units take them after 0 to 150 clocks: one after the other, at least 128 clocks apart."""
    log = await start(dut)
    await restart(log)
    await fill(log, 8 * PAIR)
    newest = newest_pair(log.inputs["rxNext"])

    async def case(stall):
        log.know(newest)
        await log.clocks(SEEN)
        log.rate = 0.0
        log.answer()
        await log.clocks(SEEN + TURN + stall)
        log.rate = 1.0
        await log.clocks(12)
        await log.clocks(random.choice((0, PACE)))

    await sweep(range(0, 150, 3), case)


@cocotb.test()
async def anything(dut):
    """Outcomes, acks and replies at random, and reports that wait."""
    log = await start(dut)
    for _ in range(6):
        log.latency, log.rate = random.randint(3, 9), random.choice((1.0, 0.1, 0.02))
        await restart(log, random.choice(WINDOWS))
        known, pace = 0, random.choice((3, 40, 200))
        for _ in range(40):
            log.advance(random.choice((1, 3, 8, 30, 90)))
            await log.clocks(random.randint(2, pace))
            if random.random() < 0.3:
                known = random.randint(known, max(known, newest_pair(log.inputs["rxNext"]) + 1))
                log.know(known)
                await log.clocks(random.randint(1, 9))
            if random.random() < 0.2:
                log.answer()
                await log.clocks(random.randint(1, 9))
        log.rate = 1.0
        await quiet(log)
        log.answer()
        found = await quiet(log, 200_000)
        assert set(found) >= set(log.model.lacking()), "a round does not have all that the peer may lack"
