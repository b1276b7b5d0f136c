# SPDX-License-Identifier: Apache-2.0
"""PeerEdges, against a model of "Receiver 5" and "A frame that will not arrive" in docs/architecture.md."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

WINDOW = built().window_frames
SPACE, NEAR = 1 << 20, 4 * WINDOW
"""What sequence numbers, and what the edges, are counted modulo."""
APART = 4
"""Clocks between two notices, at least."""
LATE = 5
"""Clocks until an edge has followed a notice that was judged, or rxBase."""


class Edges:
    """Drives the block a clock at a time, and compares. Numbers are counted on beyond 2^20."""

    def __init__(self, dut):
        self.bench, self.dut = Bench(dut), dut
        self.edge = RisingEdge(dut.aclk)
        dut.io_seen_valid.value = dut.io_givenUp_valid.value = 0
        dut.io_rxBase.value = 0
        self.begin()

    def begin(self):
        """As after a reset."""
        self.base = 0
        self.previous = (0, False)
        self.edges = [0, 0]  # resolved, abandoned: as they must become
        self.shown = [0, 0]  # as the block has them
        self.before = deque([[0, 0]] * LATE, LATE)
        self.awaited = None  # a notice that is not judged yet, and which verdicts are right
        self.judged = [0, 0]  # accepted, rejected

    async def reset(self):
        self.dut.io_seen_valid.value = self.dut.io_givenUp_valid.value = 0
        await self.bench.reset()
        self.begin()
        self.dut.io_rxBase.value = 0

    def allows(self, tx_base):
        return (tx_base - self.base) % SPACE <= WINDOW or (self.base - tx_base) % SPACE <= SPACE // 2

    async def clock(self, tx_base=None, abandons=False, base=None, given_up=None):
        """One clock, with a notice in it, what units say, or another rxBase from it on."""
        dut = self.dut
        dut.io_givenUp_valid.value = int(given_up is not None)
        dut.io_seen_valid.value = int(tx_base is not None)
        if tx_base is not None:
            assert self.awaited is None, "the bench says too much"
            dut.io_seen_payload_txBase.value = tx_base % SPACE
            dut.io_seen_payload_abandons.value = int(abandons)
            self.awaited = (tx_base, abandons, {self.allows(tx_base)})
        if given_up is not None:
            dut.io_givenUp_payload.value = given_up % SPACE
        if base is not None:
            self.base = base
            dut.io_rxBase.value = base % SPACE
            if self.awaited:
                self.awaited[2].add(self.allows(self.awaited[0]))
        await self.edge
        if given_up is not None:
            self.edges[1] = max(self.edges[1], given_up)
        self.compare()

    async def clocks(self, count):
        for _ in range(count):
            await self.clock()

    def compare(self):
        dut = self.dut
        accepted, rejected = bool(dut.io_judged_accepted.value), bool(dut.io_judged_rejected.value)
        if accepted or rejected:
            assert self.awaited and accepted != rejected, "judged, but not as one notice"
            tx_base, abandons, verdicts = self.awaited
            assert accepted in verdicts, f"txBase is {tx_base - self.base} above rxBase: accepted = {accepted}"
            self.awaited = None
            self.judged[rejected] += 1
            if accepted:
                lower = min(tx_base, self.previous[0])
                self.edges = [max(self.edges[0], lower), max(self.edges[1], lower) if abandons and self.previous[1] else self.edges[1]]
                self.previous = (tx_base, abandons)
        self.edges = [max(edge, self.base) for edge in self.edges]
        for i, (name, signal) in enumerate((("resolved", dut.io_resolved), ("abandoned", dut.io_abandoned))):
            self.shown[i] += (int(signal.value) - self.shown[i]) % NEAR
            least, most = self.before[0][i], self.edges[i]
            assert least <= self.shown[i] <= most, f"{name} is {self.shown[i]}, and not {least} to {most}"
        self.before.append(self.edges)

    async def settle(self):
        """All that was said has had its effect."""
        await self.clocks(APART + LATE + 1)
        assert self.awaited is None, "a notice was not judged"
        assert self.shown == self.edges, f"resolved and abandoned are {self.shown}, and not {self.edges}"

    async def say(self, tx_base, abandons=False, apart=APART):
        await self.clock(tx_base, abandons)
        await self.clocks(apart - 1)

    async def follow(self):
        """rxBase moves to the edges, window by window, as the resequencer's does."""
        await self.settle()
        await self.clock(base=max(self.edges))
        await self.settle()


async def start(dut):
    edges = Edges(dut)
    await edges.reset()
    return edges


@cocotb.test()
@cocotb.parametrize(apart=[APART, APART + 1, APART + 5])
async def lower_of_two(dut, apart):
    """Two notices in succession move the edges to the lower one, in either order; the abandon edge only if both abandon."""
    edges = await start(dut)
    for first, second in ((7, 9), (9, 7), (8, 8), (WINDOW, WINDOW), (1, WINDOW), (WINDOW, 1), (5, -3), (-3, 5)):
        for abandons in ((True, True), (True, False), (False, True), (False, False)):
            base, before = edges.base, list(edges.edges)
            await edges.say(base - 2)  # of which nothing can move
            await edges.say(base + first, abandons[0], apart)
            assert edges.edges == before, "one notice alone moves something"
            await edges.say(base + second, abandons[1], apart)
            await edges.settle()
            lower = base + max(min(first, second), 0)
            assert edges.shown[0] == lower
            assert edges.shown[1] == (lower if all(abandons) else base)
            await edges.follow()


@cocotb.test()
async def a_notice_between(dut):
    """Two notices that abandon, and one between them that does not: nothing is abandoned. Three in succession move it twice."""
    edges = await start(dut)
    for tx_base, abandons in ((10, True), (11, False), (12, True)):
        await edges.say(tx_base, abandons)
    await edges.settle()
    assert edges.shown == [11, 0]
    await edges.say(13, True)
    await edges.settle()
    assert edges.shown == [12, 12]
    await edges.say(20, True)
    await edges.settle()
    assert edges.shown == [13, 13]


@cocotb.test()
async def a_notice_of_less(dut):
    """Two notices of a txBase below what the edges have reached, and above rxBase: the edges stay."""
    edges = await start(dut)
    for tx_base in (20, 20, 9, 9, 19, 21):
        await edges.say(tx_base, True)
    await edges.settle()
    assert edges.shown == [20, 20]


@cocotb.test()
async def beyond_the_window(dut):
    """A txBase above rxBase + window is refused, and does not count as one of two in succession. Those at or below rxBase are stale, and do."""
    edges = await start(dut)
    distances = (WINDOW + 1, WINDOW + 2, 2 * WINDOW, 2 * WINDOW + 1, 4 * WINDOW, 4 * WINDOW + 3, SPACE // 4, SPACE // 2 - 1)
    for distance in distances:
        base = edges.base
        await edges.say(base + 9, True)
        rejected = edges.judged[1]
        await edges.say(base + distance, True)
        assert edges.judged[1] == rejected + 1
        await edges.say(base + 12, True)
        await edges.settle()
        assert edges.shown == [base + 9] * 2, "what was refused counts"
        await edges.follow()
    for distance in (0, -1, -WINDOW, -WINDOW - 1, -SPACE // 4):
        base, accepted = edges.base, edges.judged[0]
        await edges.say(base - 2)  # of which nothing can move
        await edges.say(base + 9, True)
        await edges.say(base + distance, True)
        await edges.say(base + 12, True)
        await edges.settle()
        assert edges.judged[0] == accepted + 4
        assert edges.shown == [base] * 2, "what is stale does not count"
        await edges.say(base + 12, True)
        await edges.follow()


@cocotb.test()
@cocotb.parametrize(abandons=[False, True])
async def rx_base_moves_in_any_clock(dut, abandons):
    """rxBase moves in each clock around the second of two notices, to below, at, or above what they say. The edges keep up with it, and go nowhere else."""
    edges = await start(dut)

    async def case(clock):
        for said, moves in ((9, 3), (9, 8), (9, 9), (9, 10), (9, WINDOW), (WINDOW, 1), (WINDOW, WINDOW), (1, 1), (0, 5), (-1, 2), (WINDOW + 5, 5)):
            base = edges.base
            await edges.say(base + 9, abandons)
            await edges.settle()
            for c in range(20):
                await edges.clock(base + said if c == 8 else None, abandons, base + moves if c == clock else None)
            await edges.settle()
            await edges.follow()

    await sweep(range(20), case)


@cocotb.test()
async def rx_base_moves_in_two_clocks(dut):
    """It moves once more while the edges follow."""
    edges = await start(dut)

    async def case(clock):
        for first, second in ((1, 1), (5, 1), (1, 20), (WINDOW, WINDOW)):
            base = edges.base
            await edges.say(base + 4, True)
            for c in range(30):
                moved = base + (first if c >= clock else 0) + (second if c >= 12 else 0)
                await edges.clock(base + 4 if c == 8 else None, True, moved if c in (clock, 12) else None)
            await edges.settle()

    await sweep(range(24), case)


@cocotb.test()
async def moves_at_the_window_s_end(dut):
    """A txBase just beyond the window is within it where rxBase has moved meanwhile, and refused where not."""
    edges = await start(dut)

    async def case(clock):
        base = edges.base
        await edges.say(base + WINDOW, True)
        for c in range(12):
            await edges.clock(base + WINDOW + 1 if c == 5 else None, True, base + 1 if c == clock else None)
        await edges.settle()
        await edges.clock(base=base + WINDOW)
        await edges.settle()

    await sweep(range(12), case)


@cocotb.test()
@cocotb.parametrize(second=[False, True])
async def reset_in_any_clock(dut, second):
    """A reset with one or two notices on their way: they count no more, and the numbers start at 0."""
    edges = await start(dut)

    async def case(clock):
        await edges.say(WINDOW // 2, True)
        await edges.clock(WINDOW // 2 if second else None, True, given_up=WINDOW // 2)
        await edges.clocks(clock)
        await edges.reset()
        await edges.settle()
        await edges.say(WINDOW // 2, True)
        await edges.settle()
        assert edges.shown == [0, 0], "one notice alone moves something"
        await edges.say(3, True)
        await edges.settle()
        assert edges.shown == [3, 3]

    await sweep(range(12), case)


@cocotb.test()
async def units_move_the_abandon_edge(dut):
    """What units say moves the abandon edge alone, upwards, from rxBase to a window above it. What is below rxBase, however far, moves nothing."""
    edges = await start(dut)
    far = [-turns * WINDOW + 1 for turns in range(1, 10)]
    for said in (1, 2, WINDOW // 2, WINDOW - 1, WINDOW, 0, -1, -WINDOW, -WINDOW - 1, *far, -SPACE // 4, -SPACE // 2 + 1):
        base = edges.base
        await edges.clock(given_up=base + said)
        await edges.settle()
        assert edges.shown == [base, base + max(said, 0)]
        await edges.clock(given_up=base + said - 1)
        await edges.settle()
        assert edges.shown == [base, base + max(said, 0)], "the edge goes back"
        await edges.follow()


@cocotb.test()
async def units_and_notices_in_any_clock(dut):
    """Units say something in each clock around the second of two notices, and rxBase moves in another one: the higher one of both counts."""
    edges = await start(dut)

    async def case(clock):
        for noticed, said in ((9, 7), (7, 9), (8, 8), (WINDOW, 1), (1, WINDOW), (WINDOW, WINDOW - 1)):
            for moves in (6, 8, 12):
                base = edges.base
                await edges.say(base + noticed, True)
                await edges.settle()
                for c in range(16):
                    await edges.clock(base + noticed if c == 8 else None, True, base + 1 if c == moves else None, given_up=base + said if c == clock else None)
                await edges.settle()
                assert edges.shown == [base + noticed, base + max(noticed, said)]
                await edges.clock(base - 2)  # of which nothing can move
                await edges.follow()

    await sweep(range(16), case)


@cocotb.test()
async def resolved_is_never_alone(dut):
    """Two notices that abandon move both edges in the same clock: the frames between them would contradict each other."""
    edges = await start(dut)
    for distance in (1, 5, WINDOW):
        base = edges.base
        await edges.say(base + distance, True)
        await edges.clock(base + distance, True)
        for _ in range(12):
            await edges.clock()
            assert edges.shown[0] == edges.shown[1]
        assert edges.shown[0] == base + distance
        await edges.follow()


@cocotb.test()
async def numbers_wrap(dut):
    """Around 2^20, which the numbers reach in leaps of whole turns of the edges."""
    edges = await start(dut)
    leap = SPACE // 4
    assert leap % NEAR == 0
    for to in (leap, 2 * leap, 3 * leap, SPACE):
        base = to - 2 * WINDOW
        moved = (base - edges.base) // NEAR * NEAR
        edges.base += moved
        edges.shown = [edge + moved for edge in edges.shown]
        edges.edges = [edge + moved for edge in edges.edges]
        edges.before.extend([edges.edges] * LATE)
        dut.io_rxBase.value = edges.base % SPACE
        await edges.settle()
        for _ in range(12):
            base = edges.base
            for tx_base in (base + WINDOW // 2 + 3, base + WINDOW, base + WINDOW + 1):
                await edges.say(tx_base, True)
                await edges.say(tx_base - 1, True)
            await edges.follow()
    assert edges.base > SPACE


@cocotb.test()
@cocotb.parametrize(pace=[0.05, 0.5])
async def random_notices(dut, pace):
    """Notices, what units say, and moves of rxBase at random."""
    edges = await start(dut)
    since, said_before = 0, False
    for _ in range(8000):
        since += 1
        said = edges.awaited is None and since >= APART and random.random() < 0.3
        tx_base = edges.base + random.choice((random.randint(-3, 9), random.randint(-WINDOW, WINDOW), WINDOW, WINDOW + 1, random.randint(0, 4 * WINDOW)))
        since = 0 if said else since
        moves = random.random() < pace
        base = random.choice((edges.base + 1, edges.base + random.randint(1, WINDOW), max(edges.edges))) if moves else None
        says = not said_before and random.random() < pace
        said_before = says
        given_up = edges.base + random.randint(-3, WINDOW) if says else None
        await edges.clock(tx_base if said else None, random.random() < 0.8, base, given_up)
    await edges.settle()
