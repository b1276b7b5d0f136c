# SPDX-License-Identifier: Apache-2.0
"""ControlComposer: each control unit and its clock, against a model of when one is due (docs/link_control.md, docs/architecture.md). What can meet is
swept over each clock."""

import random
from collections import deque
from itertools import combinations_with_replacement
from typing import NamedTuple

import cocotb

from cocotb_tests.arq.link_state import CLEARING, DOWN, HELLO, OUTAGE, UP
from cocotb_tests.arq.planned import Planned
from cocotb_tests.lib.bench import Bench
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.sweep import sweep

BUILD = built()
WINDOW, SPACE, NEVER = BUILD.window_frames, 1 << 20, 1 << 24
QUARTER, MANY = WINDOW // 4, 16
NUMBERS = ("txBase", "txEdge", "rxBase", "rxNext", "bitmapBase", "bitmap")
FIELDS = ("epoch", "hello", "peerKnown", "poll", "reply", "deaf", "abandons", "peerEpoch", "param", *NUMBERS)
PORTS = {
    "state": "link_state",
    "recent_base": "receiver_recent_base",
    "recent_bitmap": "receiver_recent_bitmap",
    "older": "older_valid",
    "older_base": "older_payload_base",
    "older_bitmap": "older_payload_bitmap",
    "suspicious": "suspicious",
    "sent": "sent",
    "sentData": "sentData",
    "sending": "sending",
    "ready": "message_ready",
    **{name: f"timers_{name}" for name in ("pollTimeout", "helloInterval", "keepalive", "statusInterval", "written")},
    **{name: f"link_{name}" for name in ("ownEpoch", "peerEpoch", "peerKnown", "deaf", "peerUp", "helloDue", "answerDue", "outageEnded")},
    **{name: f"sender_{name}" for name in ("txBase", "txEdge", "nextFsn", "ackTsn", "peerRxBase", "idle", "stalled")},
    **{name: f"sender_{name}" for name in ("gaveUp", "unconfirmed")},
    **{name: f"receiver_{name}" for name in ("rxBase", "rxNext", "decided", "polled")},
}
"""Inputs, by the names that they have here."""
PULSES = ("written", "helloDue", "answerDue", "outageEnded", "gaveUp", "decided", "polled", "sent", "sentData")
LATE = 5
"""Clocks from a cause to its message, at most."""
SEEN = 5
"""A message shows what the inputs were in one of so many clocks before it; a cause of before that is in it."""
SLACK = 3
"""Clocks by which a timer may be longer than its register says, beside LATE."""


def above(number, base):
    """How far a number has moved."""
    return (number - base) % SPACE


class Cause(NamedTuple):
    clock: int
    demanded: bool
    """It must have a message that is still to come; or it may, as it came while one was composed."""


class Message(NamedTuple):
    """`clock` is the first one in which it is offered."""

    clock: int
    older: bool
    fields: dict


class Model:
    """What is due, clock by clock, and complaints about messages that come late, twice, or for nothing."""

    def __init__(self):
        self.past = deque(maxlen=SEEN)  # inputs of the last clocks, the newest last
        self.messages = []
        self.offered = None  # the message that waits
        self.fired = -1
        self.took_older = False
        self.gone = 1  # clocks since the link has been neither greeting nor up
        self.state = DOWN
        self.begin_life(0)

    def begin_life(self, clock):
        self.causes = {kind: [] for kind in ("hello", "answer", "reply", "status", "poll")}
        self.notices, self.gave_up = [0, 0], 0  # least and most that are still to come; since when
        self.said = dict(txEdge=0, rxBase=0, rxNext=0)
        self.turn = False  # a data unit goes next
        self.wait = self.wait_older = 0  # clocks in which something was due and nothing in its way
        self.was_due, self.had_older = deque([False] * SEEN, maxlen=SEEN), deque([False] * SEEN, maxlen=SEEN)
        self.last = None  # message of this life
        self.reported = None  # clock of the last one that only outcomes were the cause of
        self.greeted = False
        self.since = dict.fromkeys(("status", "keepalive", "hello", "written"), clock)  # from where timers count

    def clock(self, now, i, offered, began, older, fired, replied):
        """`i`: the inputs of this clock; `began`: the fields of a message that is offered from now on; `older`: an older report is taken; `fired`: the
        message is taken; `replied`: a reply is announced."""
        self._follow_state(now, i)
        assert not (offered and self.gone > 2), "a message of the old life is offered"
        assert self.gone or began is not None or not self.took_older, "an older report is taken, and no message says it"
        if began is not None:
            self._judge(Message(now, self.took_older, began), replied, i)
        else:
            assert not replied or self.gone, "a reply is announced, and there is none"
        self.took_older = older
        if fired:
            self.offered, self.fired = None, now
        self._note(now, i)
        self._watch(now, i)
        self.past.append(i | {"since": dict(self.since)})

    def _follow_state(self, now, i):
        before, self.state = self.state, i["state"]
        if self.state != before:
            self.wait = self.wait_older = 0  # something else may be sent now
        if self.state in (DOWN, CLEARING):
            self.gone += 1
            if self.gone == 1:
                self.begin_life(now)
            return
        if self.gone:
            self.begin_life(now)
            self.gone = 0
        if before == HELLO and self.state != HELLO:
            self.since = dict.fromkeys(self.since, now)
            self.said = dict.fromkeys(self.said, 0)
            self.causes["hello"].clear()
            if not i["peerUp"]:
                self.causes["poll"].append(Cause(now, True))
        if self.state == HELLO:
            self.since["keepalive"] = now

    def _note(self, now, i):
        """Causes of this clock, which no message has shown yet."""
        if self.gone:
            return
        asks = i["outageEnded"] or i["tick"] and (not i["peerUp"] or i["suspicious"] or i["unconfirmed"])
        for kind, comes in dict(hello=i["helloDue"] and self.state == HELLO, answer=i["answerDue"], reply=i["polled"], status=i["decided"], poll=asks).items():
            if comes:
                self.causes[kind].append(Cause(now, True))
        if i["gaveUp"]:
            self.notices, self.gave_up = [3, 3], now
        if i["sent"]:
            self.since["keepalive"] = now + 1
        if i["written"]:
            self.since = dict.fromkeys(self.since, now)
        if i["sentData"] and self.offered is None or not i["sending"]:
            self.turn = False

    def _numbers_due(self, i):
        """Causes that are numbers which have moved since they were last sent."""
        if i["idle"] and i["ackTsn"] != i["txEdge"] and i["txEdge"] != self.said["txEdge"]:
            yield "tail"
        if above(i["rxBase"], self.said["rxBase"]) >= QUARTER:
            yield "credit"

    def _many(self, i):
        return above(i["rxNext"], self.said["rxNext"]) >= MANY

    def _over(self, timer, interval, now, slack=0, since=None):
        return now >= (since or self.since)[timer] + interval + slack

    def _must(self, now, i):
        """Whatever is due for certain."""
        demanded = {kind for kind, causes in self.causes.items() if any(c.demanded for c in causes)}
        if self.state == HELLO:
            return {"hello"} & demanded | ({"interval"} if self._over("hello", i["helloInterval"] if self.greeted else 0, now, SLACK) else set())
        due = demanded & {"answer", "reply"} | ({"keepalive"} if self._over("keepalive", i["keepalive"], now, SLACK) else set())
        if self.state == OUTAGE:
            return due | (set() if i["deaf"] else {"poll"} & demanded)
        if "status" in demanded and (self._over("status", i["statusInterval"], now, SLACK) or self._many(i)):
            due.add("status")
        if self.notices[0]:
            due.add("notice")
        return due | {"poll"} & demanded | set(self._numbers_due(i))

    def _may(self, now):
        """Whatever may be the cause of a message that begins now."""
        pending = {kind for kind, causes in self.causes.items() if any(c.clock <= now - 2 for c in causes)}
        for i in self.past:
            if i["state"] == HELLO:
                yield from {"hello"} & pending
                if not self.greeted or self._over("hello", i["helloInterval"], now, since=i["since"]):
                    yield "interval"
            if i["state"] not in (UP, OUTAGE):
                continue
            yield from pending & {"answer", "reply"}
            if self._over("keepalive", i["keepalive"], now, since=i["since"]):
                yield "keepalive"
            if not i["deaf"] or i["state"] == UP:
                yield from pending & {"poll"}
            if i["state"] == UP:
                apart = self.reported is None or now >= max(self.reported, i["since"]["written"]) + i["statusInterval"]
                if "status" in pending and (apart or self._many(i)):
                    yield "status"
                if self.notices[1]:
                    yield "notice"
                yield from self._numbers_due(i)

    def _judge(self, message, replied, i):
        now, older, fields = message
        assert self.gone <= 1, "a message is composed after the end of its life"
        self.offered = message
        self.messages.append(message)
        assert any(fields | shown(then, older) == fields for then in self.past), f"it says {fields}; the inputs were {list(self.past)}"
        if self.gone:
            return
        assert not self.turn, "a control unit, and it is a data unit's turn"
        assert replied == bool(fields["reply"]), "a reply that is not announced"
        again = self.last is not None and self.last.older == older
        if older:
            assert not fields["poll"] and not fields["reply"] and not fields["hello"], "older outcomes with more than that"
            assert any(then["state"] == UP for then in self.past), "older outcomes, and the link is not up"
            assert not (again and all(self.was_due)), "older outcomes put off what is due"
        else:
            assert not (again and all(self.had_older)), "what is due puts off older outcomes"
            self._settle(message)
        self.said.update(txEdge=fields["txEdge"], rxBase=fields["rxBase"])
        self.turn = bool(i["sending"] and self.past[-1]["sending"])
        self.last = message
        self.since["keepalive"] = now
        self.wait = self.wait_older = 0

    def _settle(self, message):
        """A message that says all that is due: why it came, what it asks, and what is left to say."""
        now, _, fields = message
        why = set(self._may(now))
        assert why, f"a message without a cause: {fields}"
        silent = self._over("keepalive", self.past[-1]["keepalive"], now, SEEN + LATE)
        assert fields["hello"] or fields["poll"] or not (silent or why == {"keepalive"}), "a keep-alive that asks nothing"
        for kind, causes in self.causes.items():
            certain = [c for c in causes if c.clock <= now - SEEN]
            left = [c for c in causes if c.clock > now - SEEN]
            if kind in ("reply", "poll") and not fields["hello"]:
                if not fields[kind]:
                    assert not any(c.demanded for c in certain), f"a message without the {kind} that is due"
                    self.causes[kind] = left
                    continue
                if not (kind == "poll" and "keepalive" in why):
                    assert any(c.clock < now for c in causes), f"a {kind} without a cause"
                    left = left if certain else left[1:]
            self.causes[kind] = [Cause(c.clock, c.demanded and c.clock >= now - 1) for c in left]
        least, most = self.notices
        self.notices = [max(0, least - 1), max(0, most - (now - self.gave_up > 1))]
        self.said["rxNext"] = fields["rxNext"]
        if why == {"status"}:
            self.reported = now
        self.since["status"] = self.since["hello"] = now
        self.greeted = self.greeted or fields["hello"]

    def _watch(self, now, i):
        """Nothing that is due waits without a reason."""
        due = set() if self.gone else self._must(now, i)
        self.was_due.append(bool(due))
        shows = bool(i["older"] and i["state"] == UP)
        self.had_older.append(shows)
        free = self.offered is None and not self.turn and self.fired != now
        self.wait = self.wait + 1 if due and free else 0
        assert self.wait <= LATE, f"late: {due}"
        self.wait_older = self.wait_older + 1 if shows and free else 0
        assert self.wait_older <= LATE, "late: older outcomes"

    def nothing_left(self):
        return self.offered is None and not self.notices[0] and not any(c.demanded for causes in self.causes.values() for c in causes)


def shown(i, older):
    """What a message says when the inputs are these, but for what it asks."""
    hello = i["state"] == HELLO
    base, bitmap = ("older_base", "older_bitmap") if older else ("recent_base", "recent_bitmap")
    return dict(
        epoch=i["ownEpoch"],
        hello=int(hello),
        peerKnown=i["peerKnown"],
        deaf=int(not hello and i["deaf"]),
        abandons=int(not hello and i["unconfirmed"]),
        peerEpoch=i["peerEpoch"],
        param=BUILD.packet_crc << 23 | (WINDOW.bit_length() - 1) << 16 | BUILD.unit_bytes if hello else i["ackTsn"],
        **{name: i[name] for name in ("txBase", "txEdge", "rxBase", "rxNext")},
        bitmapBase=i[base],
        bitmap=i[bitmap],
    )


class World(Planned):
    """Sender, receiver, framer and link control around the composer."""

    def __init__(self, bench, **inputs):
        quiet = dict(ready=1, pollTimeout=NEVER, helloInterval=NEVER, keepalive=NEVER)
        super().__init__(bench, PORTS, PULSES, **quiet | inputs)
        dut, self.model = bench.dut, Model()
        self.valid, self.older_ready, self.replied, self.tick = dut.io_message_valid, dut.io_older_ready, dut.io_replied, dut.io_tick
        self.fields = {name: getattr(dut, f"io_message_payload_{name}") for name in FIELDS}
        self.ticks = []
        self.line = None  # what the framer does, in each clock
        self.fired = self.waits = False

    @property
    def messages(self):
        return self.model.messages

    def look(self, now, inputs):
        model = self.model
        offered = bool(int(self.valid.value))
        began = None
        if offered and model.offered is None:
            began = self.shown()
        if not offered and model.offered is not None:
            assert model.gone or inputs["state"] in (DOWN, CLEARING), "a message is withdrawn"
            model.offered = None
        self.fired = offered and bool(inputs["ready"])
        self.waits = offered and not self.fired
        if self.fired and began is None and model.offered:
            assert self.shown() == model.offered.fields, "a message changes while it waits"
        older = bool(inputs["older"]) and bool(int(self.older_ready.value))
        replied = bool(int(self.replied.value))
        tick = int(self.tick.value)
        if tick:
            self.ticks.append(now)
        model.clock(now, inputs | {"tick": tick}, offered, began, older, self.fired, replied)
        if older:
            self.set(older=0)

    def shown(self):
        return {name: int(field.value) for name, field in self.fields.items()}

    def react(self):
        self.set(sent=int(self.fired), txBase=random.getrandbits(20), recent_bitmap=random.getrandbits(64))  # what is no cause changes all the time
        if self.line:
            self.line(self.waits)


class Line:
    """The framer: control units first, but not two in a row where a data unit waits. `units`: data units that are still to leave."""

    def __init__(self, world, data_clocks=7, control_clocks=5):
        self.world, self.clocks = world, {"data": data_clocks, "control": control_clocks}
        self.kind, self.left, self.units = None, 0, 0
        self.said = []  # kinds of all units, in order
        world.set(ready=0)
        world.line = self

    def __call__(self, waits):
        if self.kind:
            self.left -= 1
            if not self.left:
                if self.kind == "data":
                    self.units -= 1
                    self.world.set(sent=1, sentData=1)
                self.kind = None
        if not self.kind and (waits or self.units):
            self.kind = "control" if waits else "data"
            self.left = self.clocks[self.kind]
            self.said.append(self.kind)
        self.world.set(ready=int(self.kind == "control" and self.left == 1), sending=int(self.units > 0))


CLEARS = 12
"""Clocks of a restart, in which the tables are cleared."""
CLEARED = dict.fromkeys(("txEdge", "nextFsn", "ackTsn", "peerRxBase", "rxBase", "rxNext", "idle", "unconfirmed", "older", "deaf"), 0)


async def start(dut, **inputs):
    """A link that is down."""
    world = World(Bench(dut), **inputs)
    await world.bench.start()
    return world


def restart(world, clock):
    """The link is cleared from `clock` on, what sender and receiver show two clocks later; then it says hello."""

    def leave(w):
        w.set(state=CLEARING, peerUp=0, peerKnown=0, ownEpoch=(w.inputs["ownEpoch"] + 1) % 256)

    world.at(clock, leave)
    world.at(clock + 2, lambda w: w.set(recent_base=-32 % SPACE, **CLEARED))
    world.at(clock + CLEARS, lambda w: w.set(state=HELLO))
    return clock + CLEARS


def rise(world, clock):
    """Up from `clock` on, and the peer too, a little later."""
    world.at(clock, lambda w: w.set(state=UP, peerKnown=1, peerEpoch=random.getrandbits(8)))
    world.at(clock + 2, lambda w: w.set(peerUp=1))


async def come_up(world):
    """Through a restart to a link that is up and has nothing to say."""
    hello = restart(world, world.next + 1)
    rise(world, hello + 10)
    await world.clocks(CLEARS + 50)
    assert world.model.nothing_left()
    world.messages.clear()


async def settle(world, clocks=40):
    """Nothing is left to say after so many clocks; the messages that came meanwhile."""
    await world.clocks(clocks)
    assert world.model.nothing_left(), "a cause is left"
    said, world.model.messages = world.messages, []
    world.set(idle=0, unconfirmed=0, ackTsn=world.inputs["txEdge"])
    return said


def add_outcomes(world, count=1):
    number = (world.inputs["rxNext"] + count) % SPACE
    world.set(rxNext=number, recent_base=(number // 32 - 1) * 32 % SPACE, decided=1)


def end_of_traffic(world):
    """The line is idle behind one more transmission, whose outcome is missing."""
    edge = (world.inputs["txEdge"] + 1) % SPACE
    world.set(txEdge=edge, idle=1, ackTsn=(edge - 1) % SPACE)


CAUSES = {
    "answer": lambda w: w.set(answerDue=1),
    "reply": lambda w: w.set(polled=1),
    "status": add_outcomes,
    "notices": lambda w: w.set(gaveUp=1, unconfirmed=1),
    "outage ended": lambda w: w.set(outageEnded=1),
    "tail": end_of_traffic,
    "credit": lambda w: w.set(rxBase=(w.inputs["rxBase"] + QUARTER) % SPACE),
    "older": lambda w: w.set(older=1, older_base=random.getrandbits(15) * 32, older_bitmap=random.getrandbits(64)),
}
MESSAGES = dict.fromkeys(CAUSES, 1) | {"notices": 3}


@cocotb.test()
async def each_cause_alone(dut):
    """One message for it (three for an abandoned frame), wherever the PHY takes it, and no other."""
    world = await start(dut)
    await come_up(world)
    for name, cause in CAUSES.items():

        async def case(stall, name=name, cause=cause):
            first = world.next + 2
            world.set(ready=0)
            world.at(first, cause)
            world.at(first + stall, lambda w: w.set(ready=1))
            said = await settle(world, 36 + stall)
            assert len(said) == MESSAGES[name], f"{name}: {said}"
            flags = [(m.fields["poll"], m.fields["reply"], m.older) for m in said]
            assert set(flags) == {(int(name == "outage ended"), int(name == "reply"), name == "older")}, f"{name}: {said}"

        await sweep([*range(8), 40, 100], case)


@cocotb.test()
async def two_causes(dut):
    """Each two, in each order and so many clocks apart: one comes in each of the clocks in which the other's message is composed and leaves."""
    world = await start(dut)
    await come_up(world)
    for first, second in combinations_with_replacement(CAUSES, 2):

        async def case(apart, first=first, second=second):
            at, stall = world.next + 8, random.choice((0, 0, 4, 9, 12))
            world.set(ready=int(not stall))
            world.at(at, CAUSES[first])
            world.at(at + apart, CAUSES[second])
            world.at(at + stall, lambda w: w.set(ready=1))
            said = await settle(world, 46 + stall)
            replies = sum(m.fields["reply"] for m in said)
            asked = [first, second].count("reply")
            assert min(asked, 1) <= replies <= asked, f"{first}, {second}: {said}"

        await sweep(range(-7, 8) if first != second else range(1, 9), case)


@cocotb.test()
async def causes_while_a_message_waits(dut):
    """The PHY takes a message after 0 to 100 clocks; another cause comes in any of them."""
    world = await start(dut)
    await come_up(world)

    async def case(stall):
        at = world.next + 2
        world.set(ready=0)
        world.at(at, CAUSES["reply"])
        for name in random.sample(list(CAUSES), 2):
            world.at(at + random.randrange(stall + 8), CAUSES[name])
        world.at(at + stall, lambda w: w.set(ready=1))
        await settle(world, stall + 70)

    await sweep(range(101), case)


@cocotb.test()
async def a_restart_around_a_cause(dut):
    """The link leaves its state in each clock around a cause and its message, which waits or leaves. Nothing of it is in the new life: that has its
    hello at once, then a poll as it comes up, and then what happens in it."""
    world = await start(dut, statusInterval=5000)
    await come_up(world)
    for name, cause in CAUSES.items():
        for ready in (0, 1):

            async def case(clock, name=name, cause=cause, ready=ready):
                at = world.next + 8
                world.set(ready=ready, statusInterval=0, written=1)
                world.at(at, cause)
                if name == "notices":
                    world.at(at + 2, lambda w: w.set(unconfirmed=1))
                hello = restart(world, at + clock)
                world.at(hello - 4, lambda w: w.set(ready=1, statusInterval=5000))
                rise(world, hello + 9)
                await world.clocks(8 + clock + CLEARS + 40)
                said = [m for m in await settle(world, 1) if m.clock >= hello]
                assert [m.fields["hello"] for m in said] == [1, 0], f"{name}: {said}"
                assert said[0].clock <= hello + SLACK + LATE and said[1].fields["poll"] and not said[1].fields["reply"], f"{name}: {said}"

            await sweep(range(-2, 9) if ready else range(2, 7), case)


@cocotb.test()
async def hellos(dut):
    """One at once, whatever the intervals are; one each HELLO_INTERVAL; one for each of the peer's, in each clock of the interval; and the interval
    counts from a write on."""
    interval = 37
    world = await start(dut, helloInterval=interval, statusInterval=NEVER)
    hello = restart(world, world.next + 1)
    await world.clocks(CLEARS + 6 * interval)
    apart = [b.clock - a.clock for a, b in zip(world.messages, world.messages[1:])]
    assert len(apart) >= 4 and all(interval <= d <= interval + SLACK + LATE for d in apart), apart
    assert world.messages[0].clock <= hello + SLACK + LATE
    for pulse in ("helloDue", "written"):

        async def case(clock, pulse=pulse):
            at = world.next + 1 + clock
            world.at(at, lambda w: w.set(**{pulse: 1}))
            since = len(world.messages)
            await world.clocks(clock + 2 * interval + 20)
            after = [m.clock for m in world.messages[since:] if m.clock > at + 1]
            if pulse == "helloDue":
                assert any(c <= at + 2 * LATE + 1 for c in after), f"{pulse} at {at}: {after}"
            else:
                assert not any(at + LATE < c < at + interval for c in after), f"{pulse} at {at}: {after}"

        await sweep(range(interval + 9), case)


@cocotb.test()
async def keep_alives(dut):
    """A control unit with poll after each KEEPALIVE without a unit, one at a time, up or in an outage. A unit that leaves, or a write, puts it off, in each
    clock."""
    silence = 41
    world = await start(dut, keepalive=silence)
    await come_up(world)
    for state in (UP, OUTAGE):
        world.set(state=state)
        await world.clocks(5 * (silence + 12))
        clocks = [m.clock for m in world.messages]
        world.messages.clear()
        apart = [b - a for a, b in zip(clocks, clocks[1:])]
        assert len(apart) >= 3 and all(silence <= d <= silence + SLACK + LATE + 3 for d in apart), apart
    world.set(state=UP)
    for pulse in ("sent", "written"):

        async def case(clock, pulse=pulse):
            at = world.next + 1 + clock
            world.at(at, lambda w: w.set(**{pulse: 1}))
            await world.clocks(clock + silence + 12)
            (*_, last) = world.messages
            assert last.fields["poll"]
            assert last.clock <= at + LATE or at + silence <= last.clock <= at + silence + SLACK + LATE + 2, f"{pulse} at {at}: {last.clock}"

        await sweep(range(silence + 9), case)


@cocotb.test()
async def a_keep_alive_that_waits(dut):
    """The PHY takes it after 0 to 100 clocks, which is more than KEEPALIVE: no other follows within KEEPALIVE."""
    silence = 30
    world = await start(dut, keepalive=silence)
    await come_up(world)

    async def case(stall):
        world.set(ready=0)
        world.messages.clear()
        await world.clocks(silence + 12)
        at = world.next + stall
        world.at(at, lambda w: w.set(ready=1))
        await world.clocks(stall + silence - 2)
        assert len(world.messages) == 1, world.messages

    await sweep(range(101), case)


@cocotb.test()
async def outcomes_within_status_interval(dut):
    """They are reported STATUS_INTERVAL after the last report, or when 16 are new; the interval counts from a write on. An outcome comes in each clock."""
    interval = 43
    world = await start(dut, statusInterval=interval)
    await come_up(world)

    async def outcome(clock):
        at = world.next + 1
        world.at(at, add_outcomes)
        world.at(at + 1 + clock, add_outcomes)
        said = await settle(world, 2 * interval + clock + 30)
        first, second = said[0], said[-1]
        assert len(said) <= 2 and second.fields["rxNext"] == world.inputs["rxNext"], said
        assert first is second or interval <= second.clock - first.clock <= max(interval, at + 1 + clock - first.clock) + SLACK + LATE, said

    await sweep(range(interval + 12), outcome)

    async def write(clock):
        at = world.next + 1
        world.at(at, add_outcomes)
        world.at(at + 8, add_outcomes)
        world.at(at + 8 + clock, lambda w: w.set(written=1))
        await settle(world, 2 * interval + clock + 30)

    await sweep(range(interval + 12), write)
    world.set(statusInterval=NEVER)
    world.at(world.next + 1, lambda w: w.set(written=1))
    world.at(world.next + 3, lambda w: w.set(polled=1))
    await world.clocks(20)
    for missing in (1, 2, 15):
        world.messages.clear()
        world.at(world.next, add_outcomes, MANY - missing)
        await world.clocks(20)
        assert not world.messages, "fewer than 16 are reported"
        world.at(world.next, CAUSES["older"])  # does not count as a report of them
        await world.clocks(20)
        world.at(world.next, add_outcomes, missing)
        await world.clocks(20)
        assert [m.older for m in world.messages] == [True, False], f"16 are new: {world.messages}"


@cocotb.test()
async def status_interval_under_a_round_of_older_reports(dut):
    """Older reports settle nothing: what is due comes STATUS_INTERVAL after the last that was."""
    world = await start(dut, statusInterval=1000)
    await come_up(world)
    at = world.next
    for clock in range(at + 2, at + 4000, 90):
        world.at(clock, add_outcomes)
    for clock in range(at, at + 4000, 128):
        world.at(clock, CAUSES["older"])
    await world.clocks(4010)
    reports = [m.clock for m in world.messages if not m.older]
    assert len(reports) >= 4 and len(world.messages) - len(reports) >= 30, world.messages


@cocotb.test()
async def older_reports_take_turns(dut):
    """There is an older report at all times, and something is due at all times: they alternate."""
    world = await start(dut)
    await come_up(world)
    at = world.next
    for clock in range(at, at + 1200):
        world.at(clock, CAUSES["older"] if clock % 2 else CAUSES["reply"])
    await world.clocks(1200)
    kinds = [m.older for m in world.messages]
    assert len(kinds) > 200 and all(a != b for a, b in zip(kinds, kinds[1:]))


@cocotb.test()
async def quarter_of_the_window(dut):
    """rxBase has moved by a quarter of the window since any message: one. By less: none. Older reports show rxBase too."""
    world = await start(dut, statusInterval=NEVER)
    await come_up(world)
    for older in (False, True):
        for first in (1, QUARTER // 2, QUARTER - 1):

            async def moves(count):
                world.at(world.next, lambda w: w.set(rxBase=(w.inputs["rxBase"] + count) % SPACE))
                return await settle(world, 20)

            assert not await moves(first)
            if older:
                world.at(world.next, CAUSES["older"])
                assert len(await settle(world, 20)) == 1
            said = await moves(QUARTER - first)
            assert len(said) == int(not older), said
            if older:
                assert len(await moves(first)) == 1


@cocotb.test()
async def end_of_traffic_is_closed_once(dut):
    """Nothing may be sent and outcomes are missing: one control unit for each txEdge that none has said yet, in each order in which the causes come."""
    world = await start(dut)
    await come_up(world)

    async def case(clock):
        at = world.next + 8
        edge = (world.inputs["txEdge"] + 5) % SPACE
        world.at(at, lambda w: w.set(txEdge=edge))
        world.at(at + clock, lambda w: w.set(idle=1))
        said = await settle(world, 30)
        assert len(said) == 1 and said[0].fields["txEdge"] == edge, said
        world.set(idle=1, ackTsn=(edge - 2) % SPACE)  # it has been said
        assert not await settle(world, 20)
        edge = (edge + 1) % SPACE
        world.set(idle=1, txEdge=edge, ackTsn=edge)  # nothing is missing
        assert not await settle(world, 20)

    await sweep(range(-6, 7), case)


@cocotb.test()
async def in_an_outage(dut):
    """Only answers and keep-alives, and polls while only the peer is deaf. What else is due waits; when the outage ends, all is said with a poll."""
    world = await start(dut)
    await come_up(world)
    for deaf in (0, 1):
        for name, cause in CAUSES.items():

            async def case(clock, deaf=deaf, name=name, cause=cause):
                at = world.next + 8
                world.at(at, lambda w: w.set(state=OUTAGE, peerUp=0, deaf=deaf))
                world.at(at + clock, cause)
                await world.clocks(50)
                said = [m for m in world.messages if m.clock > at]
                if clock > 0:
                    assert len(said) == int(name in ("answer", "reply") or not deaf and name == "outage ended"), f"{name}: {said}"
                end = world.next + 2
                world.at(end, lambda w: w.set(outageEnded=1, deaf=0))
                world.at(end + 1, lambda w: w.set(state=UP, peerUp=1))
                said = [m for m in await settle(world, 50) if m.clock > end]
                assert any(m.fields["poll"] for m in said)

            await sweep(range(-7, 9, 1) if deaf else range(1, 9, 3), case)


@cocotb.test()
async def data_goes_between_control_units(dut):
    """Two control units are due, in each clock of the data units that leave: after one of them a data unit leaves before the other."""
    world = await start(dut)
    await come_up(world)
    line = Line(world)
    for second in ("reply", "older", "tail"):

        async def case(clock, second=second):
            at, line.units = world.next + 3, 4
            line.said.clear()
            world.at(at + clock, CAUSES["status"])
            world.at(at + clock + 5, CAUSES[second])
            world.at(at + clock + 6, CAUSES["outage ended"])
            await settle(world, clock + 110)
            assert line.said.count("data") == 4 and not line.units
            kinds = line.said[: len(line.said) - line.said[::-1].index("data")]
            assert ("control", "control") not in zip(kinds, kinds[1:]), kinds

        await sweep(range(20), case)


@cocotb.test()
async def polls_until_the_peer_is_up(dut):
    """A poll as the link comes up, and one each POLL_TIMEOUT until the peer is up too."""
    period = 60
    world = await start(dut, pollTimeout=period)
    hello = restart(world, world.next + 1)
    world.at(hello + 10, lambda w: w.set(state=UP, peerKnown=1))
    world.at(hello + 10 + 4 * period + 40, lambda w: w.set(peerUp=1))
    await world.clocks(CLEARS + 9 * period)
    said = [m for m in world.messages if not m.fields["hello"]]
    assert all(m.fields["poll"] for m in said) and len(said) == 5, said
    apart = [b.clock - a.clock for a, b in zip(said, said[1:])]
    assert all(period <= d <= period + SLACK + LATE + 2 for d in apart), apart
    assert len(world.ticks) >= 6


@cocotb.test()
async def anything(dut):
    """Causes, stalls, data units, outages and restarts at random, for many lives; numbers wrap."""
    world = await start(dut, keepalive=300)
    for _ in range(12):
        world.line = None
        world.set(ready=1, sending=0, statusInterval=random.choice((0, 20, 200)), keepalive=random.choice((60, 300)))
        await come_up(world)
        line = Line(world, random.randint(3, 20), random.randint(2, 12)) if random.random() < 0.5 else None
        at, rate = world.next, random.choice((0.02, 0.1, 0.5))
        if WINDOW > 32:
            world.at(at, lambda w: w.set(rxBase=SPACE - 40, txEdge=SPACE - 20, ackTsn=SPACE - 20, nextFsn=5, peerRxBase=5))
            world.at(at, lambda w: (w.set(rxNext=SPACE - 70), add_outcomes(w)))
        for clock in range(at + 1, at + 700):
            if random.random() < rate:
                world.at(clock, CAUSES[random.choice(list(CAUSES))])
            if line and random.random() < 0.01:
                world.at(clock, lambda w: setattr(w.line, "units", w.line.units + 3))
            if not line:
                world.at(clock, lambda w: w.set(ready=int(random.random() < 0.4)))
            if random.random() < 0.02:
                world.at(clock, lambda w: w.set(idle=0, unconfirmed=0, ackTsn=w.inputs["txEdge"]))
        for clock in range(at + 200, at + 600, 100):
            world.at(clock, lambda w: w.set(state=OUTAGE, peerUp=0, deaf=random.getrandbits(1)))
            world.at(clock + 40, lambda w: w.set(outageEnded=1, deaf=0))
            world.at(clock + 41, lambda w: w.set(state=UP, peerUp=1))
        await world.clocks(705)
