# SPDX-License-Identifier: Apache-2.0
"""PollSchedule: a poll in each clock in which one is due, and in no other, against a model of the table in docs/architecture.md, "Sender", 6. What can
meet the end of POLL_TIMEOUT is swept over the clocks around it."""

import random

import cocotb

from cocotb_tests.arq.link_state import CLEARING, DOWN, HELLO, OUTAGE, UP
from cocotb_tests.arq.planned import Planned
from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

BUILD = built()
WINDOW, SPACE, NEVER = BUILD.window_frames, 1 << 20, 1 << 24
PORTS = {
    "pollTimeout": "timers_pollTimeout",
    "written": "timers_written",
    "state": "link_state",
    "deaf": "link_deaf",
    "peerUp": "link_peerUp",
    **{name: f"sender_{name}" for name in ("txEdge", "nextFsn", "ackTsn", "peerRxBase", "stalled", "unconfirmed")},
    "suspicious": "suspicious",
}
PULSES = ("written",)
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
        self.end = 0  # clock in which a period ended last
        self.moved = []  # clocks in which ackTsn or rxBase has moved
        self.past = []  # inputs of the last clocks

    def clock(self, now, i, due, tick):
        before = self.before or i
        self._timer(now, i, before, tick)
        if (i["ackTsn"], i["peerRxBase"]) != (before["ackTsn"], before["peerRxBase"]):
            self.moved.append(now)
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
        for window in self.windows:
            assert window.used or not window.must or now < window.last, f"no poll: {window.why}"
        self.windows = [w for w in self.windows if now < w.last]
        self.before = i

    def _timer(self, now, i, before, tick):
        asks = i["state"] == UP or i["state"] == OUTAGE and not i["deaf"]
        if i["state"] in (DOWN, CLEARING, HELLO):
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

    def _end(self, now):
        """The table, for the end of a period. What happens in the clocks next to it may count for either period."""
        last, self.end = self.end, now
        certain = [m for m in self.moved if max(last, self.silent) + NEAR < m <= now - NEAR]
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
        must, may = (any(reason[k] for reason in reasons.values()) for k in (0, 1))
        if may:
            self.windows.append(Window(now + 1, now + LATE, must, ", ".join(name for name, (must, _) in reasons.items() if must)))
        self.moved = [m for m in self.moved if m >= now - NEAR]


class Link(Planned):
    """Link control and sender around the schedule."""

    def __init__(self, bench, **inputs):
        super().__init__(bench, PORTS, PULSES, **inputs)
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
    link.at(clock + 2, lambda n: n.set(suspicious=0, **cleared))
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
        rate = random.choice((0.01, 0.05, 0.3))
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
