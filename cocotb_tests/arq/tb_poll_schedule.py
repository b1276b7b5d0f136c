# SPDX-License-Identifier: Apache-2.0
"""PollSchedule: a poll in each clock in which one is due, and in no other, against a model of the table in docs/architecture.md, "Sender", 6. What can
meet the end of POLL_TIMEOUT is swept over the clocks around it."""

import random

import cocotb

from cocotb_tests.arq.planned import Planned
from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

BUILD = built()
WINDOW, SPACE, NEVER = BUILD.window_frames, 1 << 20, 1 << 24
DOWN, CLEARING, HELLO, UP, OUTAGE = range(5)
PORTS = {
    "pollTimeout": "timers_pollTimeout",
    "written": "timers_written",
    "state": "link_state",
    "deaf": "link_deaf",
    "peerUp": "link_peerUp",
    **{name: f"sender_{name}" for name in ("txEdge", "nextFsn", "ackTsn", "peerRxBase", "stalled", "gap", "isWhole", "unconfirmed")},
    "suspicious": "suspicious",
}
PULSES = ("written", "gap")
SLACK = 4
"""Clocks by which a period may be longer than POLL_TIMEOUT."""
LONGER = 3
"""Clocks by which one that nothing disturbs is longer: what the sweeps aim by."""
NEAR = 2
"""Clocks around the end of a period in which what happens may belong to either."""
LATE = 2
"""Clocks from the end of a period to its poll, at most."""


class Window:
    """Clocks in which a poll may come; one of them if it must."""

    def __init__(self, first, last, must, why):
        self.first, self.last, self.must, self.why, self.used = first, last, must, why, False


class Model:
    def __init__(self):
        self.before = None  # inputs of the clock before
        self.windows = []
        self.began = [0]  # clocks in which the period began anew
        self.asks = 0  # clocks since the peer could be asked first
        self.silent = 0  # last clock in which it could not
        self.period = 0  # number of ends of a period in this life
        self.end, self.polled = 0, False  # clock of the last one; whether a poll came then
        self.moved = []  # clocks in which ackTsn or rxBase has moved
        self.gaps = []  # clocks in which outcomes were lost, and missing from then on
        self.whole = 0  # clock since which none was missing
        self.mended = -1  # clock in which no outcome was missing
        self.asked = None  # clock of the last loss that was polled for at once
        self.past = []  # inputs of the last clocks

    def clock(self, now, i, due, tick):
        before = self.before or i
        self._timer(now, i, before, tick)
        if (i["ackTsn"], i["peerRxBase"]) != (before["ackTsn"], before["peerRxBase"]):
            self.moved.append(now)
        if i["isWhole"] and not before["isWhole"]:
            self.whole = now
        if i["gap"]:
            self._loss(now)
        if i["ackTsn"] == i["txEdge"]:
            self.mended = now
        if i["state"] == UP and before["state"] != UP and not i["peerUp"]:
            self.windows.append(Window(now, now + 1, True, "up first"))
        self.past = [*self.past[-NEAR:], i]
        if tick:
            self._end(now)
        if due:
            fitting = [w for w in self.windows if w.first <= now and not w.used]  # one poll serves all
            assert fitting, f"a poll without a cause; the last period ended at {self.end}"
            for window in fitting:
                window.used = True
            self.polled = self.polled or now > self.end
        for window in self.windows:
            assert window.used or not window.must or now < window.last, f"no poll: {window.why}"
        self.windows = [w for w in self.windows if now < w.last]
        self.before = i

    def _timer(self, now, i, before, tick):
        asks = i["state"] == UP or i["state"] == OUTAGE and not i["deaf"]
        if i["state"] in (DOWN, CLEARING, HELLO):
            self.period, self.gaps, self.asked = 0, [], None
            self.moved.clear()
        if not asks:
            self.asks, self.silent = 0, now
        else:
            self.asks += 1
        if self.asks == 1 or i["written"] or i["peerUp"] and not before["peerUp"]:
            self.began.append(now)
        if tick:
            assert asks or before["state"] == UP or before["state"] == OUTAGE and not before["deaf"], "the end of a period in which nobody was asked"
            began = max(b for b in self.began if b <= now - NEAR)  # it may end as it is to begin anew
            assert now >= began + min(i["pollTimeout"], before["pollTimeout"]), f"a period that began at {began} ends early"
            self.began.append(now)
        elif self.asks:
            assert now <= self.began[-1] + i["pollTimeout"] + SLACK, f"a period that began at {self.began[-1]} does not end"
        self.began = self.began[-4:]

    def _loss(self, now):
        """At once, unless one has been polled for in this period and outcomes have been missing since then."""
        first = self.asked is None or self.whole > self.asked
        again = self.asked is not None and max(self.end, self.silent) >= self.asked - 1
        if first or again:
            sure = first and (self.asked is None or now > self.whole)
            self.windows.append(Window(now, now + 1, sure, "outcomes are lost"))
            self.asked = now
        self.gaps.append(now)

    def _end(self, now):
        """The table, for the end of a period. What happens in the clocks next to it may count for either period."""
        last, polled = self.end, self.polled
        self.end, self.polled = now, False
        self.period += 1
        certain = [m for m in self.moved if last + NEAR < m <= now - NEAR]
        perhaps = [m for m in self.moved if m >= last - NEAR]
        reasons = {}
        for name, holds in {
            "no progress": lambda i: i["ackTsn"] != i["txEdge"] or i["peerRxBase"] != i["nextFsn"],
            "a frame is not confirmed": lambda i: i["unconfirmed"],
            "rejected control units": lambda i: i["suspicious"],
            "the peer is not up": lambda i: not i["peerUp"],
        }.items():
            found = [bool(holds(i)) for i in self.past]
            must, may = all(found), any(found)
            if name == "no progress":
                must, may = must and not perhaps, may and not certain
            reasons[name] = must, may
        lost = [g for g in self.gaps if last - NEAR <= g]
        sure = [g for g in lost if (last + NEAR < g or not polled) and g <= now - NEAR and max(self.mended, self.silent) < g - NEAR]
        reasons["outcomes are lost"] = bool(sure), bool(lost)
        must, may = (any(reason[k] for reason in reasons.values()) for k in (0, 1))
        if may:
            self.windows.append(Window(now + 1, now + LATE, must, ", ".join(name for name, (must, _) in reasons.items() if must)))
        self.moved = [m for m in self.moved if m >= now - NEAR]
        self.gaps = [g for g in self.gaps if g >= now - NEAR]


class Link(Planned):
    """Link control and sender around the schedule."""

    def __init__(self, bench, **inputs):
        super().__init__(bench, PORTS, PULSES, isWhole=1, **inputs)
        dut, self.model = bench.dut, Model()
        self.due, self.tick, self.unresolved = dut.io_due, dut.io_tick, dut.io_unresolved
        self.polls, self.ticks = [], []
        self.missing = 0

    def look(self, now, inputs):
        due, tick = int(self.due.value), int(self.tick.value)
        self.polls += [now] * due
        self.ticks += [now] * tick
        self.model.clock(now, dict(inputs), due, tick)
        missing, self.missing = self.missing, int(inputs["ackTsn"] != inputs["txEdge"])
        assert int(self.unresolved.value) in (missing, self.missing), "`unresolved` does not say whether outcomes are missing"

    def add(self, **counts):
        self.set(**{name: (self.inputs[name] + count) % SPACE for name, count in counts.items()})


async def start(dut, **inputs):
    link = Link(Bench(dut), **inputs)
    await link.bench.start()
    return link


CLEARS = 12
"""Clocks of a restart, in which the tables are cleared."""


def restart(link, clock):
    """The link is cleared from `clock` on, and says hello; its sender shows nothing any more two clocks later."""
    link.at(clock, lambda n: n.set(state=CLEARING, peerUp=0))
    cleared = dict.fromkeys(("txEdge", "nextFsn", "ackTsn", "peerRxBase", "stalled", "unconfirmed", "deaf"), 0)
    link.at(clock + 2, lambda n: n.set(isWhole=1, suspicious=0, **cleared))
    link.at(clock + CLEARS, lambda n: n.set(state=HELLO))
    return clock + CLEARS


def rise(link, clock, peer=4):
    """Up from `clock` on, and the peer so many clocks later."""
    link.at(clock, lambda n: n.set(state=UP))
    link.at(clock + peer, lambda n: n.set(peerUp=1))


async def come_up(link, peer=4):
    """To the end of the first period of a link that has nothing to ask, the peer up so many clocks later."""
    rise(link, restart(link, link.next) + 6, peer)
    await link.clocks(CLEARS + 6 + peer + link.inputs["pollTimeout"] + 10)
    link.polls.clear()
    link.ticks.clear()


async def next_end(link):
    """Waits for the end of a period; returns its clock, and that of the next one."""
    count = len(link.ticks)
    while len(link.ticks) == count:
        await link.clocks(1)
    return link.ticks[-1], link.ticks[-1] + link.inputs["pollTimeout"] + LONGER


WAYS = {
    "nothing": {},
    "outcomes are missing": dict(txEdge=7, ackTsn=5, nextFsn=7, peerRxBase=7),
    "rxBase is behind": dict(txEdge=7, ackTsn=7, nextFsn=7, peerRxBase=4),
    "both": dict(txEdge=9, ackTsn=5, nextFsn=7, peerRxBase=4),
    "stalled": dict(txEdge=9, ackTsn=5, nextFsn=7, peerRxBase=4, stalled=1),
    "not confirmed": dict(txEdge=7, ackTsn=7, nextFsn=7, peerRxBase=7, unconfirmed=1),
    "rejected": dict(suspicious=1),
    "the peer is not up": dict(peerUp=0),
}
PERIOD = 30


@cocotb.test()
async def each_line_of_the_table(dut):
    """Each reason alone: a poll at each end of POLL_TIMEOUT, as long as it lasts, and no other."""
    link = await start(dut, pollTimeout=PERIOD)
    for name, inputs in WAYS.items():
        await come_up(link)
        await next_end(link)
        link.set(**inputs)
        await next_end(link)
        await link.clocks(LATE + 1)
        link.polls.clear()
        link.ticks.clear()
        await link.clocks(5 * (PERIOD + SLACK))
        apart = [b - a for a, b in zip(link.ticks, link.ticks[1:])]
        assert len(apart) >= 4 and set(apart) == {PERIOD + LONGER}, apart
        if name == "nothing":
            assert not link.polls
        else:
            assert len(link.polls) in (len(link.ticks), len(link.ticks) - 1) and all(0 <= p - t <= LATE for p, t in zip(link.polls, link.ticks)), name


REASONS = {
    "outcomes are missing": (lambda n: n.add(txEdge=1), lambda n: n.add(ackTsn=1)),
    "rxBase is behind": (lambda n: n.add(nextFsn=1), lambda n: n.add(peerRxBase=1)),
    "not confirmed": (lambda n: n.set(unconfirmed=1), lambda n: n.set(unconfirmed=0)),
    "rejected": (lambda n: n.set(suspicious=1), lambda n: n.set(suspicious=0)),
}


@cocotb.test()
async def a_reason_around_the_end_of_a_period(dut):
    """Each reason begins, or ends, in each of the clocks around the end."""
    link = await start(dut, pollTimeout=PERIOD)
    for begin, finish in REASONS.values():
        for lasts in (3, 9, PERIOD):

            async def case(clock, begin=begin, finish=finish, lasts=lasts):
                end, after = await next_end(link)
                link.at(after + clock, begin)
                link.at(after + clock + lasts, finish)
                await link.clocks(after - end + clock + lasts + PERIOD)

            await come_up(link)
            await sweep(range(-12, 6), case)


@cocotb.test()
async def progress_in_each_clock_of_a_period(dut):
    """Outcomes are missing and rxBase is behind; ackTsn, or rxBase, moves once in a period: no poll at its end, unless something else asks for it."""
    link = await start(dut, pollTimeout=PERIOD)
    for number in ("ackTsn", "peerRxBase"):
        for asks in ({}, dict(unconfirmed=1), dict(suspicious=1)):
            await come_up(link)
            link.set(**asks, txEdge=WINDOW - 1, nextFsn=WINDOW - 1)

            async def case(clock, number=number, asks=asks):
                await next_end(link)
                end, after = await next_end(link)
                link.polls.clear()
                link.at(end + clock, lambda n: n.add(**{number: 1}, txEdge=1, nextFsn=1))
                await link.clocks(after - link.clock + 8)
                assert len([p for p in link.polls if p >= after]) == int(bool(asks)), f"{number}, {asks}: {link.polls}, the period ended at {after}"

            await sweep(range(3, PERIOD), case)


@cocotb.test()
async def progress_around_the_end_of_a_period(dut):
    """A number that moves there counts for one period or for the other."""
    link = await start(dut, pollTimeout=PERIOD)
    await come_up(link)
    link.set(txEdge=WINDOW - 1, nextFsn=WINDOW - 1)

    async def case(clock):
        number = random.choice(("ackTsn", "peerRxBase"))
        await next_end(link)
        end, after = await next_end(link)
        link.at(after + clock, lambda n: n.add(**{number: 1}, txEdge=1, nextFsn=1))
        link.polls.clear()
        await link.clocks(after - end + PERIOD + 12)
        polls = [p for p in link.polls if p > end + LATE]
        assert len(polls) == 1, f"{number} at {after + clock}: {polls}, the periods end at {link.ticks[-3:]}"

    await sweep(range(-8, 9), case)


@cocotb.test()
async def lost_outcomes(dut):
    """A poll at once, one alone until the period ends or all is known meanwhile; and one at the end although there is progress. The loss comes in each
    clock of a period, the second one so many clocks later, and all is known for a clock, or not."""
    link = await start(dut, pollTimeout=PERIOD)
    await come_up(link)
    link.set(txEdge=WINDOW - 1, nextFsn=WINDOW - 1)

    def lose(n):
        n.set(gap=1, isWhole=0)

    async def period(clock, second, whole):
        end, after = await next_end(link)
        link.polls.clear()
        for at in (end + 5, end + 20):  # progress, so that nothing else asks
            link.at(at, lambda n: n.add(ackTsn=1, txEdge=1))
        link.at(end + clock, lose)
        if whole:
            link.at(end + clock + whole, lambda n: n.set(isWhole=1))
        if second:
            link.at(end + clock + second, lose)
        await link.clocks(after - link.clock + LATE + 2)
        at_once = [p for p in link.polls if end + LATE < p <= after]
        if clock + second < PERIOD:
            assert len(at_once) == 1 + bool(second and 0 < whole < second), f"{at_once}, lost at {end + clock} and {second} clocks later"
        assert any(after <= p <= after + LATE for p in link.polls), "no poll at the end of the period"
        link.set(isWhole=1)
        await link.clocks(3)
        await next_end(link)  # without a loss

    for second, whole in ((0, 0), (0, 4), (9, 0), (9, 4), (9, 8), (9, 12), (2, 0), (3, 1), (4, 2)):

        async def case(clock, second=second, whole=whole):
            await period(clock, second, whole)

        await sweep(range(3, PERIOD), case)


@cocotb.test()
async def lost_outcomes_around_the_end_of_a_period(dut):
    """The loss, and all known again, in each of the clocks around the end; there is progress in each period."""
    link = await start(dut, pollTimeout=PERIOD)
    await come_up(link)
    link.set(txEdge=WINDOW - 1)

    async def case(clock):
        for whole in range(1, 9):
            end, after = await next_end(link)
            for at in (end + 12, after + 12, after + PERIOD + 12):
                link.at(at, lambda n: n.add(ackTsn=1, txEdge=1))
            link.at(after + clock, lambda n: n.set(gap=1, isWhole=0))
            link.at(after + clock + whole, lambda n: n.set(isWhole=1))
            link.at(after + clock + whole + 1, lambda n: n.set(gap=1, isWhole=0))
            link.at(after + clock + whole + 6, lambda n: n.set(isWhole=1))
            await link.clocks(after - end + PERIOD + 8)
        for _ in range(2):  # a loss alone
            await next_end(link)
        end, after = await next_end(link)
        for at in (end + 12, after + 12):
            link.at(at, lambda n: n.add(ackTsn=1, txEdge=1))
        link.at(after + clock, lambda n: n.set(gap=1, isWhole=0))
        await link.clocks(after - end + PERIOD + 8)
        link.set(isWhole=1)

    await sweep(range(-9, 8), case)


@cocotb.test()
async def a_number_that_moves_in_the_clock_in_which_a_period_ends(dut):
    """Outcomes are missing, and ackTsn moves once, in the very clock of the tick. It counts for one period, so there is one poll."""
    link = await start(dut, pollTimeout=PERIOD)
    await come_up(link)
    link.set(txEdge=WINDOW - 1, nextFsn=WINDOW - 1)
    await next_end(link)
    end, after = await next_end(link)
    link.at(after, lambda n: n.add(ackTsn=1, txEdge=1))
    await link.clocks(after - end + PERIOD + 12)
    polls = [p for p in link.polls if p > end + 2]
    assert len(polls) == 1, f"ackTsn moves at {after}, periods end at {link.ticks[-3:]}, polls at {polls}"


@cocotb.test()
async def a_loss_of_the_old_life(dut):
    """Outcomes are lost, the link restarts, and is up with its peer before POLL_TIMEOUT ends: nothing is missing, and there is no poll."""
    link = await start(dut, pollTimeout=60)
    await come_up(link)
    end, _ = await next_end(link)
    link.at(end + 5, lambda n: n.set(gap=1, isWhole=0))
    hello = restart(link, end + 10)
    rise(link, hello + 4)
    await link.clocks(60)
    link.wrong = None
    link.polls.clear()
    await link.clocks(80)
    assert not link.polls, f"up at {hello + 4}; polls at {link.polls}"


@cocotb.test()
async def a_loss_in_the_new_life(dut):
    """The restart comes between the loss and the fall of isWhole. In the new life outcomes are lost in the first period: a poll at once."""
    link = await start(dut, pollTimeout=200)
    await come_up(link)
    end, _ = await next_end(link)
    link.at(end + 5, lambda n: n.set(gap=1))
    hello = restart(link, end + 6)
    rise(link, hello + 4)
    lost = hello + 40
    link.at(lost, lambda n: n.set(gap=1, isWhole=0, txEdge=9))
    await link.clocks(lost - link.clock + 20)
    assert [p for p in link.polls if p >= lost], "outcomes are lost, and there is no poll at once"


@cocotb.test()
async def a_loss_that_is_mended(dut):
    """Outcomes are lost and polled for at once, and all are known again (ackTsn = txEdge) before POLL_TIMEOUT ends: no poll.
    Polls go on until no outcome is missing."""
    link = await start(dut, pollTimeout=PERIOD)
    await come_up(link)
    end, after = await next_end(link)
    link.at(end + 4, lambda n: n.set(txEdge=1, gap=1, isWhole=0))
    link.at(end + 12, lambda n: n.set(ackTsn=1, isWhole=1))
    await link.clocks(after - end + 8)
    assert not [p for p in link.polls if p > end + 12], f"mended at {end + 12}, the period ends at {after}, polls at {link.polls}"


@cocotb.test()
async def a_loss_that_lasts(dut):
    """Outcomes stay missing for three periods, and each control unit of the peer shows it. A poll at once, then one each POLL_TIMEOUT, and not
    another one with the first control unit after its end."""
    link = await start(dut, pollTimeout=PERIOD)
    await come_up(link)
    link.set(txEdge=WINDOW - 1)
    end, _ = await next_end(link)
    link.set(isWhole=0)
    for clock in range(end + 6, end + 3 * (PERIOD + 3) - 4, 8):
        link.at(clock, lambda n: n.set(gap=1))
        link.at(clock + 3, lambda n: n.add(ackTsn=1, txEdge=1))
    await link.clocks(3 * (PERIOD + 3) + 2)
    polls = [p for p in link.polls if p > end + 2]
    assert len(polls) == 4, f"periods end at {link.ticks[-4:]}, polls at {polls}"


@cocotb.test()
async def timers_in_each_clock(dut):
    """The period begins anew with a write, and when the peer is up, in each clock of a period."""
    link = await start(dut, pollTimeout=PERIOD)
    await come_up(link)

    async def write(clock):
        end, _ = await next_end(link)
        link.at(end + clock, lambda n: n.set(written=1, pollTimeout=PERIOD + clock % 3))
        await link.clocks(clock + PERIOD + SLACK + 4)

    await sweep(range(2, PERIOD + 9), write)

    async def peer(clock):
        hello = restart(link, link.next)
        rise(link, hello + 5, clock)
        await link.clocks(CLEARS + 5 + clock + PERIOD + SLACK + 4)

    await sweep(range(1, 2 * PERIOD + 9), peer)


@cocotb.test()
async def up_first(dut):
    """A poll as this end comes up and the peer is not, once; none where an outage ends and the peer has been up."""
    link = await start(dut, pollTimeout=NEVER)

    async def case(clock):
        rise(link, restart(link, link.next) + 4 + clock, 20)
        await link.clocks(CLEARS + 60)
        assert len(link.polls) == 1, link.polls
        link.at(link.next, lambda n: n.set(state=OUTAGE, peerUp=0, deaf=clock % 2))
        link.at(link.next + 1 + clock, lambda n: n.set(state=UP, peerUp=1, deaf=0))
        await link.clocks(clock + 20)
        assert len(link.polls) == 1, link.polls
        link.polls.clear()

    await sweep(range(8), case)


@cocotb.test()
async def outages(dut):
    """No end of a period, and so no poll, while this end is deaf; polls go on while only the peer is. An outage begins, and ends, in each clock of a period."""
    link = await start(dut, pollTimeout=PERIOD)
    for deaf in (0, 1):

        async def case(clock, deaf=deaf):
            await come_up(link)
            link.set(txEdge=9, ackTsn=5, nextFsn=9)
            await next_end(link)
            end, _ = await next_end(link)
            link.at(end + clock, lambda n: n.set(state=OUTAGE, peerUp=0, deaf=deaf))
            await link.clocks(clock + 6)
            link.polls.clear()
            link.ticks.clear()
            await link.clocks(3 * PERIOD + 15)
            assert len(link.polls) in ((0,) if deaf else (3, 4)), link.polls
            assert not (deaf and link.ticks), link.ticks
            link.at(link.next + 1, lambda n: n.set(state=UP, peerUp=1, deaf=0))
            await link.clocks(PERIOD + 12)
            assert not deaf or len(link.ticks) == 1, link.ticks

        await sweep(range(2, PERIOD + 6), case)


@cocotb.test()
async def restarts(dut):
    """The link leaves its state in each clock of a period in which polls were due. In the new life there are only its own."""
    link = await start(dut, pollTimeout=PERIOD)

    async def case(clock):
        await come_up(link)
        link.set(txEdge=9, ackTsn=5, nextFsn=9, unconfirmed=1, suspicious=1)
        end, _ = await next_end(link)
        hello = restart(link, end + 1 + clock)
        rise(link, hello + 8, 2 * PERIOD)  # two ends of a period before the peer is up
        link.polls.clear()
        await link.clocks(clock + CLEARS + 8)
        assert not [p for p in link.polls if p > end + 2 + clock + LATE], link.polls
        link.polls.clear()
        await link.clocks(5 * PERIOD)
        assert len(link.polls) == 2, link.polls  # as it comes up, and at the end of one period

    await sweep(range(1, PERIOD + 6), case)


@cocotb.test()
async def progress_of_the_old_life(dut):
    """ackTsn moves, and the link restarts. In the new life nothing moves, the peer is up at once, and outcomes are missing: a poll at the first end of a
    period."""
    link = await start(dut, pollTimeout=PERIOD)

    async def case(clock):
        await come_up(link)
        link.set(txEdge=9, ackTsn=5, nextFsn=9, peerRxBase=5)
        end, _ = await next_end(link)
        link.at(end + clock, lambda n: n.add(ackTsn=1))
        up = restart(link, end + clock + 3) + 4
        rise(link, up)
        link.at(up + 6, lambda n: n.set(txEdge=9, nextFsn=9))
        await link.clocks(up + 6 - link.clock)
        link.ticks.clear()
        first, _ = await next_end(link)
        await link.clocks(LATE + 1)
        assert any(first < poll <= first + LATE for poll in link.polls), f"up at {up}, the period ends at {first}, polls at {link.polls}"

    await sweep(range(2, PERIOD - 6), case)


@cocotb.test()
async def anything(dut):
    """All inputs at random, for many lives; numbers wrap, as long as they do not move by more than a window."""
    link = await start(dut, pollTimeout=PERIOD)
    for _ in range(10):
        link.set(pollTimeout=random.choice((PERIOD, 17, 3)), written=1)
        await come_up(link, peer=link.inputs["pollTimeout"] + 8)
        if WINDOW > 32:  # or ackTsn moves by one
            far = SPACE - 30
            link.set(txEdge=far, ackTsn=far, nextFsn=far, peerRxBase=far)
        rate, lost_at = random.choice((0.01, 0.05, 0.3)), 0
        for _ in range(500):
            await link.clocks(1)
            i = link.inputs
            if i["state"] == OUTAGE:
                if random.random() < 0.05:
                    link.set(state=UP, peerUp=1, deaf=0)
            elif random.random() < 0.01:
                link.set(state=OUTAGE, peerUp=0, deaf=random.getrandbits(1))
            missing, behind = ((i[a] - i[b]) % SPACE for a, b in (("txEdge", "ackTsn"), ("nextFsn", "peerRxBase")))
            if random.random() < rate and missing < WINDOW - 1:
                link.add(txEdge=1)
            if random.random() < rate and behind < WINDOW - 1:
                link.add(nextFsn=1)
            if random.random() < rate and missing:
                link.add(ackTsn=1)
            if random.random() < rate and behind:
                link.add(peerRxBase=random.randint(1, behind))
            if random.random() < 0.02:
                link.set(**{random.choice(("unconfirmed", "suspicious")): random.getrandbits(1)})
            if random.random() < 0.02 and link.clock > lost_at + 4:
                link.set(gap=1, isWhole=0)
                lost_at = link.clock
            elif link.clock == lost_at + 20:
                link.set(isWhole=1)
