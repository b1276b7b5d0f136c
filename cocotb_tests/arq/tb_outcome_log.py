# SPDX-License-Identifier: Apache-2.0
"""OutcomeLog: what it shows of the outcomes that were decided, recent ones in each clock and older ones when they are looked up."""

import random
from collections import deque

import cocotb

from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

BUILD = built()
WINDOW, SPACE = BUILD.window_frames, 1 << 20
BLOCK = 32
LATENCY = 2
"""Clocks from a decision to what shows it."""
HAS_OLDER = WINDOW > BLOCK
KEPT = max(WINDOW, 4 * BLOCK)


class Log:
    """Pushes decisions where there is room, looks up pairs of blocks, and compares all that is shown with what was decided."""

    def __init__(self, bench):
        self.bench, self.dut = bench, bench.dut
        self.outcomes = []  # of all TSNs: received
        self.shown = deque([0] * (LATENCY + 1), maxlen=LATENCY + 1)  # how many the log may show
        self.decisions = deque()  # (received, TSNs) to be pushed
        self.lookups = deque()  # first block of a pair
        self.asked = None  # that is looked up, and how many outcomes there were then
        self.found = []  # (block, outcomes)
        self.moves = deque([(False, 0)] * (LATENCY + 1), maxlen=LATENCY + 1)
        self.ready_rate = 1.0
        self.room = deque([False] * 4, maxlen=4)
        self.pushed = deque([0] * 4, maxlen=4)
        self.push_rate = 1.0
        self._failed = 0  # that the decision on the port says
        bench.actors.append(self)
        self.clear()

    def clear(self):
        for name in ("push_valid", "port_lookup_valid", "port_report_ready"):
            getattr(self.dut, f"io_{name}").value = 0

    def step(self):
        dut = self.dut
        now = len(self.outcomes)
        self._recent()
        if int(dut.io_port_lookup_valid.value) and int(dut.io_port_lookup_ready.value):
            self.asked = self.lookups.popleft(), now
            dut.io_port_lookup_valid.value = 0
        if int(dut.io_port_report_valid.value) and int(dut.io_port_report_ready.value):
            self._older()
        self.moves.append((bool(int(dut.io_push_valid.value)), self._failed))
        moved, failed = self.moves[0]
        assert int(dut.io_moved.value) == moved, "`moved` does not say that rxNext has moved"
        if moved:
            assert int(dut.io_failed.value) == failed, f"{int(dut.io_failed.value)} have failed, {failed} in truth"
        self.room.append(bool(int(dut.io_room.value)))
        # For one arrival there are two decisions at most, up to four clocks after `room`.
        may = sum(self.pushed) < 2 and self.room[0]
        self._failed = 0
        if self.decisions and may and random.random() < self.push_rate:
            received, count = self.decisions.popleft()
            self.outcomes += [received] + [False] * (count - 1)
            self._failed = count - int(received)
            dut.io_push_valid.value = 1
            dut.io_push_payload_received.value = int(received)
            dut.io_push_payload_end.value = len(self.outcomes) % SPACE
            self.pushed.append(1)
        else:
            dut.io_push_valid.value = 0
            self.pushed.append(0)
        if self.lookups and self.asked is None:
            dut.io_port_lookup_valid.value = 1
            dut.io_port_lookup_payload.value = self.lookups[0] % (SPACE // BLOCK)
        dut.io_port_report_ready.value = int(random.random() < self.ready_rate)

    def _recent(self):
        """The block of rxNext and the one before it, of one moment within LATENCY clocks."""
        dut = self.dut
        base, bitmap, rx_next = (int(getattr(dut, f"io_{name}").value) for name in ("port_recent_base", "port_recent_bitmap", "next"))
        self.shown.append(len(self.outcomes))
        end = self.shown[0]
        assert rx_next == end % SPACE, f"rxNext is {rx_next}, and {end} outcomes were decided"
        first = (end // BLOCK - 1) * BLOCK
        assert base == first % SPACE, f"the recent blocks begin at {base}, rxNext is {rx_next}"
        expected = sum(self.outcomes[tsn] << tsn - first for tsn in range(max(first, 0), end))
        assert bitmap == expected, f"rxNext {rx_next}: {bitmap:016x} for {expected:016x}"

    def _older(self):
        assert self.asked is not None, "a report of nothing"
        (block, then), self.asked = self.asked, None
        assert int(self.dut.io_port_report_payload_base.value) == block * BLOCK % SPACE
        bitmap, first = int(self.dut.io_port_report_payload_bitmap.value), block * BLOCK
        for tsn in range(max(first, then - WINDOW, 0), first + 2 * BLOCK):
            assert bitmap >> (tsn - first) & 1 == self.outcomes[tsn], f"TSN {tsn} is shown as {bitmap >> (tsn - first) & 1}; rxNext is {then}"
        self.found.append(block)

    async def settle(self, limit=60_000):
        """All that was planned is done; what is looked up and is too old has no report."""
        waits = 0
        while self.decisions or self.lookups or waits < 12:
            await self.bench.clocks(1)
            waits = 0 if self.decisions or self.lookups else waits + 1
            limit -= 1
            assert limit, "it does not end"

    @property
    def block(self):
        """That of rxNext, as whoever looks up can know it."""
        return self.shown[0] // BLOCK

    def decide(self, outcomes, gap=0):
        """So many outcomes, and a gap of TSNs behind the last one."""
        self.decisions += [(random.random() < 0.5, 1) for _ in range(outcomes)]
        if gap:
            self.decisions.append((random.random() < 0.5, 1 + gap))


async def start(dut):
    bench = Bench(dut)
    log = Log(bench)
    await bench.start()
    return log


@cocotb.test()
async def all_blocks_of_a_window(dut):
    """rxNext at each place of two blocks: each pair that is complete and has outcomes of the last window can be looked up, the oldest one too."""
    log = await start(dut)
    log.decide(WINDOW + 3 * BLOCK)
    await log.settle()
    for _ in range(2 * BLOCK):
        log.decide(1)
        await log.settle()
        if not HAS_OLDER:
            continue
        oldest, block = (len(log.outcomes) - WINDOW) // BLOCK, log.block
        starts = range(oldest - 1, block - 1)
        for first in {starts[0], starts[1], starts[len(starts) // 2], starts[-1]} if len(starts) > 8 else starts:
            log.found.clear()
            log.lookups.append(first)
            await log.settle()
            assert log.found == [first], f"pair at block {first}, rxNext in block {block}: no report"


@cocotb.test(skip=not HAS_OLDER)
async def what_is_overwritten_is_not_shown(dut):
    """A pair of which nothing is kept any more has no report, and the next look-up has one."""
    log = await start(dut)
    log.decide(KEPT + 8 * BLOCK)
    await log.settle()
    for age in range(KEPT // BLOCK + 2, KEPT // BLOCK + 6):
        log.lookups += [log.block - age]
        await log.settle()
        assert not log.found
        log.asked = None
        log.lookups += [log.block - 3]
        await log.settle()
        assert log.found.pop() == log.block - 3


@cocotb.test()
async def gaps(dut):
    """A gap from 1 TSN to a window, from each place of a block; what is behind it, in it and before it."""
    log = await start(dut)
    lengths = sorted({1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5, WINDOW - 1} & {*range(WINDOW)})

    async def case(place):
        for gap in lengths:
            log.decide((place - len(log.outcomes)) % BLOCK + BLOCK, gap)
            log.decide(random.choice((0, 3, BLOCK)), random.choice((0, 2 * BLOCK)))
            await log.settle()
            if HAS_OLDER:
                oldest = max(0, (len(log.outcomes) - WINDOW) // BLOCK)
                log.found.clear()
                wanted = [*range(oldest, log.block - 1, 2)][-6:]
                log.lookups += wanted
                await log.settle()
                assert log.found == wanted, f"{log.found}, not {wanted}"

    await sweep(range(0, BLOCK, 3), case)


@cocotb.test(skip=not HAS_OLDER)
async def a_look_up_in_each_clock_of_a_gap(dut):
    """A pair that has just become complete is looked up while the blocks of a gap are on their way to the memory."""
    log = await start(dut)
    blocks = WINDOW // BLOCK - 2 if WINDOW < 16 * BLOCK else 12

    async def case(clock):
        log.decide(BLOCK + 7)
        await log.settle()
        first = log.block
        log.decide(1, blocks * BLOCK)
        await log.bench.clocks(clock)
        if log.block < first + 2:
            return
        log.found.clear()
        pair = random.choice((first, log.block - 2, (first + log.block - 2) // 2))
        log.lookups.append(pair)
        await log.settle()
        assert log.found == [pair]

    await sweep(range(LATENCY + 1, blocks + 10), case)


@cocotb.test()
async def anything(dut):
    """Decisions as fast as there is room, gaps, and look-ups that wait for their turn."""
    log = await start(dut)
    for _ in range(40):
        log.ready_rate, log.push_rate = random.choice((1.0, 0.1)), random.choice((1.0, 1.0, 0.2))
        for _ in range(random.randint(1, 12)):
            log.decide(random.choice((1, 2, 5, 40)), random.choice((0, 0, 1, BLOCK, random.randrange(WINDOW))))
        for _ in range(random.randint(0, 4)):
            await log.bench.clocks(random.randint(1, 60))
            if HAS_OLDER and log.block > 4 and log.asked is None and not log.lookups:
                kept = max(0, (len(log.outcomes) - WINDOW) // BLOCK)
                log.lookups.append(random.randint(min(kept + 2, log.block - 2), log.block - 2))
        log.ready_rate = 1.0
        await log.settle()
        log.asked = None  # older than a window by the time that it was looked up
