# SPDX-License-Identifier: Apache-2.0
"""LinkControl, against a model of "Link: start, restart, outage" in docs/architecture.md, with the latencies of docs/link_control.md. The model looks on in
each clock, so a test is what happens; restarts are swept over each clock of it.

Around the block are what ArqLink has there: tables that a flush clears, data units that come only while the link is up and never during a flush."""

import random
from collections import deque
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import cocotb
from cocotb.triggers import Timer

from cocotb_tests.arq.link_state import CLEARING, DOWN, HELLO, OUTAGE, UP
from cocotb_tests.lib.bench import Bench, Source
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.signals import reader
from cocotb_tests.lib.sweep import sweep

BUILD = built()
RUNNING = (UP, OUTAGE)
LEAST_WINDOW = (-(-(BUILD.max_packet_bytes + BUILD.crc_bytes) // BUILD.unit_bytes) - 1).bit_length()
"""log2 of the frames that hold the longest packet at K = 1."""
MOST_WINDOW = 18
WINDOW = max(LEAST_WINDOW, 7)

TABLES = 12
"""Entries of the tables that a restart clears."""
JUDGED_IN = 3
"""The clock in which a control unit is acted on; it leaves in the next one."""
RESTARTS_WITHIN = 3
"""Clocks from what asks for a restart to the restart."""
UNSEEN = 2
"""Clocks of silence beyond OUTAGE_TIMEOUT after which a value that is written still counts."""
SILENCE = 8
"""Clocks that it may take until silence of OUTAGE_TIMEOUT shows as deafness."""
HEARD = 4
"""Clocks until a unit that was heard ends deafness."""
SETTLED = 14
"""Clocks of a restart until it ends where the tables are clear."""
FOLLOWS = 3
"""Clocks from deafness, or its end, to the outage or its end."""
PULSES = [(name, f"event_{name}") for name in ("control", "epoch", "peerMismatch", "peerRestart")] + [
    (name, f"view_{name}") for name in ("helloDue", "answerDue")
]
"""What a control unit may cause in the clock in which it is acted on."""
BITS = (
    [f"event_{name}" for name in ("control", "epoch", "restart", "outage", "peerMismatch", "peerRestart", "resync")]
    + [f"view_{name}" for name in ("peerKnown", "deaf", "peerUp", "helloDue", "answerDue", "outageEnded")]
    + ["flush", "flushNext", "close_valid", "close_ready", "admitted_valid", "control_valid", "control_ready"]
    + ["enable", "restart", "resync", "phyUp", "timers_written", "tablesReady", "alive"]
)
UNIT = [
    "epoch",
    "hello",
    "peerKnown",
    "poll",
    "reply",
    "deaf",
    "abandons",
    "peerEpoch",
    "param",
    "txBase",
    "txEdge",
    "rxBase",
    "rxNext",
    "bitmapBase",
    "bitmap",
]


@dataclass(frozen=True)
class Unit:
    """A control unit. `window`, `unit_bytes`, `packet_crc` and `reserved` are of a hello."""

    epoch: int
    peer_epoch: int
    knows: bool = True
    hello: bool = False
    deaf: bool = False
    window: int = WINDOW
    unit_bytes: int = BUILD.unit_bytes
    packet_crc: int = BUILD.packet_crc
    reserved: int = 0
    rest: tuple = field(default_factory=lambda: tuple(random.getrandbits(b) for b in (20, 20, 20, 20, 20, 64)))
    flags: tuple = field(default_factory=lambda: tuple(random.getrandbits(1) for _ in range(3)))

    @property
    def fits(self):
        same = (self.unit_bytes, self.packet_crc, self.reserved) == (BUILD.unit_bytes, BUILD.packet_crc, 0)
        return same and LEAST_WINDOW <= self.window <= MOST_WINDOW

    def __iter__(self):
        """The values of UNIT."""
        poll, reply, abandons = self.flags
        param = self.packet_crc << 23 | self.reserved << 21 | self.window << 16 | self.unit_bytes
        return iter((self.epoch, int(self.hello), int(self.knows), poll, reply, int(self.deaf), abandons, self.peer_epoch, param, *self.rest))

    @property
    def close(self):
        """txEdge, and whether it polls."""
        return self.rest[1], self.flags[0]


class Model:
    """What an end knows of its peer, from one restart to the next."""

    def __init__(self, epoch):
        self.epoch = epoch
        self.restart(epoch)

    def restart(self, epoch):
        self.epoch = epoch % 256
        self.peer = None
        self.window = None
        self.seen_up = False

    def passes(self, unit):
        return not unit.hello and unit.epoch == self.peer and unit.knows and unit.peer_epoch == self.epoch

    def judge(self, unit, state):
        """What the unit causes."""
        if not unit.hello:
            if state in RUNNING:
                return {"control"} if self.passes(unit) else {"epoch", "peerRestart"}
            return {"epoch"}  # what brings the link up is judged once more
        if not unit.fits:
            return {"epoch", "peerMismatch"}
        if unit.epoch == self.peer and unit.window != self.window:
            return {"control", "peerRestart"}
        knows = unit.knows and unit.peer_epoch == self.epoch
        if state in RUNNING:
            return {"control", "peerRestart" if unit.epoch != self.peer or not knows or self.seen_up else "answerDue"}
        if state == HELLO:
            return {"control", "helloDue"} | ({"answerDue"} if knows else set())
        return {"control"}


class Monitor:
    """Compares the block with the model in each clock."""

    def __init__(self, bench, source):
        self.bench, self.dut, self.source = bench, bench.dut, source
        self.signals = [(name, reader(getattr(bench.dut, f"io_{name}"))) for name in BITS]
        self.admitted = [getattr(bench.dut, f"io_admitted_payload_{name}") for name in UNIT]
        self.model = Model(int(bench.dut.io_view_ownEpoch.value))
        self.timeout = 0
        self.scene = ""  # what is being swept
        self.count = dict.fromkeys(("restarts", "outages", "judged", "admitted", "answers"), 0)
        self.clear()
        bench.actors.append(self)

    def clear(self):
        """A reset begins: all but the epoch is forgotten."""
        self.last: Any = None
        self.now: Any = None
        self.causes = []  # clocks in which something asked for a restart
        self.spare = []  # the same, where it may come or not
        self.age = 0  # clocks that the unit on offer has been judged for
        self.state_age = self.emptied = self.silence = self.never = 0
        self.carrier = self.lost = 0  # for how many clocks; negative: for how many it has not been so
        self.peer_deaf = self.enabled = self.was_seen_up = False
        self.disabled = 0  # clocks since `enable` was low
        self.ready = deque([False] * 3, 3)
        self.withdrawn = None  # what was on offer a clock before a flush

    def step(self):
        now = SimpleNamespace(**{name: bool(read()) for name, read in self.signals})
        now.state = int(self.dut.io_view_state.value)
        now.epoch = int(self.dut.io_view_ownEpoch.value)
        now.unit = self.source.queue[0] if self.source.offered else None
        now.clock = self.bench.clock
        if self.last is None:  # a restart that the reset has met may have counted
            assert (now.epoch - self.model.epoch) % 256 <= 1, f"epoch {self.model.epoch}, and {now.epoch} after a reset"
            self.model.restart(now.epoch)
        else:
            try:
                self.compare(self.last, now)
            except AssertionError as wrong:
                raise AssertionError(f"{self.scene}: {wrong}") from wrong
        self.last = self.now = now

    def compare(self, last, now):
        """What is in `now` follows from `last`, the clock before."""
        model, unit = self.model, last.unit or (self.withdrawn if last.flush else None)
        self.withdrawn = last.unit
        pulses = {name for name, bit in PULSES if getattr(last, bit)}
        taken = now.control_ready
        assert now.flush == last.flushNext, "flush is not what flushNext says"
        self.disabled = self.disabled + 1 if last.enable else 0
        self.check_judgement(last, taken, unit, pulses)
        self.check_close(last, now, unit)
        self.check_causes(last)
        brought_up = self.check_state(last, now, unit, pulses)
        if taken and unit and "helloDue" in pulses:
            model.peer, model.window = unit.epoch, unit.window
        if last.close_valid:
            assert unit
            self.peer_deaf = unit.deaf
        self.was_seen_up = model.seen_up
        model.seen_up |= last.close_valid or last.alive
        if last.event_restart:
            model.restart(model.epoch + 1)
            self.count["restarts"] += 1
        if now.state not in RUNNING:
            self.peer_deaf = False
        assert now.epoch == model.epoch, f"epoch {now.epoch}, and not {model.epoch}"
        assert now.state == DOWN or now.view_peerKnown == (model.peer is not None), f"peerKnown = {now.view_peerKnown}"
        if taken and model.peer is not None:
            assert (int(self.dut.io_view_peerEpoch.value), int(self.dut.io_peerWindowLog2.value)) == (model.peer, model.window)
        assert now.view_peerUp == (now.state == UP and model.seen_up), f"peerUp = {now.view_peerUp} in state {now.state}"
        self.check_outage(last, now, brought_up or last.alive or last.close_valid or "control" in pulses)
        # A unit that waits is judged anew after a restart, and after it has brought the link up.
        waits = last.close_valid and not last.close_ready
        anew = taken or not now.control_valid or last.event_restart or brought_up or waits or last.flush != now.flush
        self.age = 0 if anew else self.age + 1
        assert self.age <= JUDGED_IN, "a control unit waits"

    def check_judgement(self, last, taken, unit, pulses):
        """A unit that leaves was judged in the clock before; nothing else is."""
        if not taken:
            assert not pulses, f"{pulses}, and no control unit was judged"
            return
        assert unit, "a control unit was taken, and none was there"
        self.count["judged"] += 1
        self.count["answers"] += "answerDue" in pulses
        # Where the link is going down, both are right.
        wanted = [self.model.judge(unit, state) for state in ([last.state] if self.disabled > 3 else [last.state, UP, HELLO])]
        if unit.hello and self.model.seen_up and not self.was_seen_up:  # by a data unit, which may overtake a hello
            self.model.seen_up = False
            wanted.append(self.model.judge(unit, last.state))
            self.model.seen_up = True
        assert pulses in wanted, f"{unit} in state {last.state} causes {pulses}, and not {wanted[0]}"
        admitted = last.close_valid and last.close_ready
        assert unit.hello or admitted == ("control" in pulses), "not closed and counted alike"

    def check_close(self, last, now, unit):
        if now.close_valid:
            assert now.unit and (now.flush or now.state in RUNNING), "close, and the link is not up"
            if not now.flush:
                assert self.model.passes(now.unit), f"closes with {now.unit}"
            assert (int(self.dut.io_close_payload_txEdge.value), int(self.dut.io_close_payload_poll.value)) == now.unit.close
        assert now.admitted_valid == (last.close_valid and last.close_ready), "admitted is not close a clock later"
        if now.admitted_valid:
            assert now.control_ready
            assert now.flush or tuple(int(signal.value) for signal in self.admitted) == tuple(unit), "another unit is admitted than was judged"
            self.count["admitted"] += 1

    def check_causes(self, last):
        """Each cause has its restart, and each restart a cause; several may have one."""
        running = last.state in RUNNING
        wanted = last.resync and running and last.enable and not last.event_restart
        if self.disabled >= 2:
            assert last.event_resync == wanted, f"resync = {last.event_resync}"
        assert not last.event_resync or last.resync and running
        if last.event_restart:
            assert [clock for clock in self.causes + self.spare if clock <= last.clock], "a restart without a cause"
            self.spare = [clock for clock in self.causes if clock == last.clock]
            self.causes = []
        asks = last.event_resync or last.event_peerRestart or last.restart or (last.state == DOWN and (last.enable or self.enabled))
        if asks and (last.event_restart or self.disabled < 3 or last.state == DOWN and last.restart):
            self.spare.append(last.clock)
        elif asks and not (last.state == DOWN and self.causes):
            self.causes.append(last.clock)
        if not last.enable:
            self.spare += self.causes
            self.causes = []
        assert not self.causes or last.clock <= self.causes[0] + RESTARTS_WITHIN, f"no restart, which was due in clock {self.causes[0]}"
        self.spare = [clock for clock in self.spare if clock >= last.clock - RESTARTS_WITHIN]

    def check_state(self, last, now, unit, pulses):
        """Which states may follow, and which must. Returns whether a unit without hello has brought the link up."""
        enabled, self.enabled = self.enabled, last.enable
        self.ready.append(last.tablesReady)
        begins = last.event_restart or now.state != last.state
        self.state_age = 0 if begins else self.state_age + 1
        assert now.flush or self.emptied >= 2 or self.emptied == 0, f"flush was {self.emptied} clocks long"
        self.emptied = 0 if not now.flush else 1 if begins else self.emptied + 1
        assert now.flush or not (begins and now.state in (DOWN, CLEARING)), "the link is down or restarts, and what it empties is not"
        assert now.flush or now.state != DOWN, "the link is down, and not empty"
        shows = False
        step = f"from state {last.state} to {now.state}"
        if not enabled:
            assert now.state == DOWN, f"disabled, and in state {now.state}"
        elif last.event_restart:
            assert now.state == CLEARING, step
        elif last.state == CLEARING:
            assert now.state in (CLEARING, HELLO), step
            if now.state == HELLO:
                assert self.ready[-2] and not now.flush, "hello, and the tables are not clear"
            assert now.state == HELLO or not (all(self.ready) and self.state_age > SETTLED), "the tables are clear, and no hello"
        elif last.state == HELLO:
            hello = "answerDue" in pulses
            shows = not hello and now.state == UP
            assert now.state == UP if hello else now.state in (HELLO, UP), step
            assert not shows or unit and self.model.passes(unit) and not now.control_ready, "up, and no unit shows that the peer knows this end"
        else:
            follows = {DOWN: DOWN, UP: OUTAGE if last.event_outage else UP, OUTAGE: UP if last.view_outageEnded else OUTAGE}
            assert now.state == follows[last.state], step
        assert not last.event_outage or last.state == UP
        assert not last.view_outageEnded or last.state == OUTAGE
        return shows

    def check_outage(self, last, now, heard):
        """Deafness is what silence or the carrier explain, an outage what deafness explains."""
        counts = last.timers_written and self.silence <= self.timeout + UNSEEN
        if last.timers_written:
            self.timeout = int(self.dut.io_timers_outageTimeout.value)
        anew = heard or now.state not in RUNNING or not self.timeout or counts
        self.silence = 0 if anew else self.silence + 1
        self.never = 0 if self.timeout else self.never + 1
        self.carrier = max(self.carrier, 0) + 1 if last.phyUp else min(self.carrier, 0) - 1
        if self.carrier < -HEARD:
            assert now.view_deaf, "no carrier, and not deaf"
        elif self.carrier > HEARD:
            if self.silence > self.timeout + SILENCE:
                assert now.view_deaf, f"{self.silence} clocks of silence, and not deaf"
            elif HEARD < self.silence <= self.timeout or self.never > HEARD:
                assert not now.view_deaf, f"deaf after {self.silence} clocks of silence"
        lost = now.view_deaf or self.peer_deaf
        self.lost = max(self.lost, 0) + 1 if lost else min(self.lost, 0) - 1
        self.count["outages"] += last.event_outage
        assert not last.event_outage or self.lost >= -FOLLOWS, "an outage, and nobody is deaf"
        if abs(self.lost) > FOLLOWS and self.state_age > FOLLOWS and now.state in RUNNING:
            assert now.state == (OUTAGE if lost else UP), f"state {now.state}, and deaf is {lost}"


class Tables:
    """Those of the blocks that a flush resets: `size` entries are cleared, one a clock."""

    def __init__(self, bench, monitor, size):
        self.dut, self.monitor, self.size = bench.dut, monitor, size
        self.clear()
        bench.actors.append(self)

    def clear(self):
        self.in_reset, self.count = True, 0
        self.dut.io_tablesReady.value = 0

    def step(self):
        self.count = 0 if self.in_reset else min(self.count + 1, self.size)
        self.in_reset = self.monitor.now.flushNext
        self.dut.io_tablesReady.value = int(self.count == self.size)


class Inputs:
    """Actions by clock, and data units as ArqLink shows them: of a link that is up, and none during a flush."""

    def __init__(self, bench, monitor):
        self.bench, self.dut, self.monitor = bench, bench.dut, monitor
        self.actions = {}
        self.data_rate = 0.0
        self.wanted = False
        self.alive = 0
        bench.actors.append(self)

    def clear(self):
        self.actions.clear()
        for name in ("restart", "resync", "timers_written", "alive"):
            getattr(self.dut, f"io_{name}").value = 0
        self.alive = 0

    def at(self, clock, action, *arguments):
        assert clock > self.bench.clock
        self.actions.setdefault(clock, []).append((action, arguments))

    def pulse(self, clock, name, length=1, value=1):
        signal = getattr(self.dut, f"io_{name}")
        self.at(clock, setattr, signal, "value", value)
        self.at(clock + length, setattr, signal, "value", 1 - value)

    def data(self, clock):
        """A data unit."""
        self.at(clock, setattr, self, "wanted", True)

    def step(self):
        for action, arguments in self.actions.pop(self.bench.clock, ()):
            action(*arguments)
        now = self.monitor.now
        comes = self.wanted or (self.data_rate and random.random() < self.data_rate)
        alive = int(bool(comes) and now.state in RUNNING and not now.flushNext)
        if alive != self.alive:
            self.dut.io_alive.value = self.alive = alive
        self.wanted = False


class Units(Source):
    """Offers control units. `withdraws`: what is on offer in a flush is taken back, as where the register behind the deframer is emptied."""

    def __init__(self, bench, withdraws):
        super().__init__(bench, "io_control_", [f"io_control_payload_{name}" for name in UNIT])
        self.withdraws, self.flush = withdraws, bench.dut.io_flush

    def step(self):
        if self.withdraws and self.offered and bool(self.flush.value):
            self.clear()
            return
        super().step()


class End:
    """A link end and what is around it. A test says when what happens."""

    def __init__(self, dut, tables=TABLES, withdraws=True):
        self.bench, self.dut = Bench(dut), dut
        bench = self.bench
        for name in ("enable", "restart", "resync", "timers_written", "tablesReady", "alive"):
            getattr(dut, f"io_{name}").value = 0
        for name in ("pollTimeout", "helloInterval", "keepalive", "outageTimeout", "statusInterval"):
            getattr(dut, f"io_timers_{name}").value = 0
        dut.io_phyUp.value = dut.io_close_ready.value = 1
        self.source = Units(bench, withdraws)
        bench.actors.clear()  # the others look before it moves on
        self.monitor = Monitor(bench, self.source)
        self.tables = Tables(bench, self.monitor, tables)
        self.inputs = Inputs(bench, self.monitor)
        bench.actors.append(self.source)
        self.peer = random.randrange(256)
        self.busy_until = 0

    @property
    def clock(self):
        return self.bench.clock

    @property
    def state(self):
        return self.monitor.now.state

    @property
    def model(self):
        return self.monitor.model

    @property
    def count(self):
        return self.monitor.count

    async def start(self, timeout=0):
        self.dut.io_timers_outageTimeout.value = self.monitor.timeout = timeout
        await self.bench.start()
        await self.bench.clocks(3)

    async def until(self, condition, limit, what):
        await self.bench.until(condition, limit, what)

    def unit(self, **fields):
        """A unit of the peer that is up."""
        return Unit(**{"epoch": self.peer, "peer_epoch": self.model.epoch} | fields)

    def hello(self, **fields):
        return self.unit(hello=True, **fields)

    def say(self, *units):
        self.source.queue.extend(units)

    def say_at(self, clock, make):
        """`make` says what the unit is, in the clock in which it comes."""
        self.inputs.at(clock, lambda: self.source.queue.append(make()))

    async def said(self):
        await self.until(lambda: not self.source.queue, 200, "all control units are taken")
        await self.bench.clocks(3)

    async def hello_state(self):
        """Waits until the link says hello, and all that `busy_until` speaks of has come."""
        await self.until(lambda: self.state == HELLO and self.clock > self.busy_until, 100 + self.tables.size, "hello")

    async def restart(self):
        self.dut.io_enable.value = 1
        if self.state != DOWN:
            self.inputs.pulse(self.clock + 1, "restart")
        await self.bench.clocks(5)
        await self.hello_state()

    async def up(self, by_unit=False):
        """The link comes up with a new peer: by its hello, or by its first unit behind a hello that did not know this end."""
        self.peer = (self.peer + random.randrange(1, 256)) % 256
        self.say(*([self.hello(knows=False), self.unit()] if by_unit else [self.hello()]))
        await self.until(lambda: self.state in RUNNING, 16, "up")

    async def new_life(self):
        """From a restart on: hello, and up with a new peer, which is seen up only later. A second hello of it is answered."""
        await self.hello_state()
        before = dict(self.count)
        await self.up()
        self.say(self.hello())
        await self.said()
        assert self.state == UP and not self.monitor.now.view_peerUp
        self.say(self.unit())
        await self.said()
        assert self.monitor.now.view_peerUp, "the peer is up, and data may not leave"
        assert self.count["answers"] == before["answers"] + 2, "a hello has no answer"
        assert self.count["restarts"] == before["restarts"], "a restart without a cause"
        assert self.count["outages"] == before["outages"], "an outage without a cause"

    async def sweep(self, clocks, case, scene=""):
        async def told(clock):
            self.monitor.scene = f"{scene} at clock {clock}"
            await case(clock)

        await sweep(clocks, told)


async def start(dut, timeout=0, **options):
    """A link that is up, with a peer that was seen up."""
    await Timer(1, "step")  # what the design begins with is there
    end = End(dut, **options)
    await end.start(timeout)
    end.dut.io_enable.value = 1
    await end.new_life()
    return end


# Who asks for a restart, in a clock -----------------------------------------------------------------------------------------------------------------


def by_register(end, clock):
    end.inputs.pulse(clock, "restart")


def by_resync(end, clock):
    end.inputs.pulse(clock, "resync")


def by_hello(end, clock):
    """Of a peer that was up."""
    end.say_at(clock, lambda: end.hello(epoch=(end.peer + 1) % 256, knows=False))


def by_enable(end, clock):
    end.inputs.pulse(clock, "enable", 1, 0)


CAUSES = [by_register, by_resync, by_hello, by_enable]

# What else happens, in another clock -----------------------------------------------------------------------------------------------------------------


def unit(end, clock):
    end.say_at(clock, end.unit)


def unit_that_waits(end, clock):
    end.say_at(clock, end.unit)
    end.inputs.pulse(clock, "close_ready", 12, 0)


def deaf_unit(end, clock):
    end.say_at(clock, lambda: end.unit(deaf=True))


def units(end, clock):
    for _ in range(3):
        end.say_at(clock, end.unit)


def data(end, clock):
    end.inputs.data(clock)


def timers_written(end, clock):
    end.inputs.pulse(clock, "timers_written")


def no_carrier(end, clock):
    end.inputs.pulse(clock, "phyUp", 1, 0)


HAPPENINGS = [unit_that_waits, deaf_unit, units, data, no_carrier]
BEFORE, AFTER = 20, 25
"""Clocks of a sweep."""


@cocotb.test()
@cocotb.parametrize(cause=CAUSES, withdraws=[True, False])
async def restart_in_any_clock(dut, cause, withdraws):
    """A restart in each clock around what happens once. It comes once, and nothing of the life before is in the new one."""
    end = await start(dut, withdraws=withdraws)
    for happening in HAPPENINGS if withdraws else [deaf_unit]:

        async def case(clock, happening=happening):
            restarts = end.count["restarts"]
            base = end.clock + BEFORE + 2
            cause(end, base + clock)
            happening(end, base)
            end.busy_until = base + max(clock, 0) + 5
            await end.bench.clocks(BEFORE + clock + 6)
            await end.new_life()
            assert end.count["restarts"] == restarts + 1, "more or less than one restart"

        await end.sweep(range(-BEFORE, AFTER), case, happening.__name__)


@cocotb.test()
@cocotb.parametrize(first=CAUSES, second=CAUSES)
async def two_causes(dut, first, second):
    """Two restarts are asked for, at any distance until the first one has ended. Each has one, or both have the same."""
    end = await start(dut)

    async def case(clock):
        base, restarts = end.clock + 3, end.count["restarts"]
        first(end, base)
        second(end, base + clock)
        end.busy_until = base + clock + 8
        await end.bench.clocks(8)
        await end.new_life()
        assert end.count["restarts"] - restarts in (1, 2)

    await end.sweep(range(22 + TABLES), case)


@cocotb.test()
@cocotb.parametrize(low=[1, 2, 3, 12])
async def disabled_in_any_clock(dut, low):
    """`enable` is low for some clocks, in each clock of a restart, of the hello and of coming up."""
    end = await start(dut)

    async def case(clock):
        base = end.clock + 3
        end.inputs.pulse(base, "restart")
        end.inputs.pulse(base + clock, "enable", low, 0)
        end.say_at(base + TABLES + 12, end.hello)
        end.say_at(base + TABLES + 18, end.unit)
        await end.bench.clocks(max(clock + low, TABLES + 18) + 14)
        if end.state in RUNNING:
            end.inputs.pulse(end.clock + 1, "restart")
            await end.bench.clocks(5)
        await end.new_life()

    await end.sweep(range(TABLES + 30), case)


@cocotb.test()
@cocotb.parametrize(size=[1, 8, 40])
async def tables_of_any_size(dut, size):
    """Hello comes when the tables are clear, however long they take."""
    end = await start(dut, tables=max(size, 4))
    for cause in (by_register, by_enable):
        cause(end, end.clock + 2)
        await end.bench.clocks(6)
        await end.new_life()


@cocotb.test()
@cocotb.parametrize(withdraws=[True, False])
async def disabled_for_long(dut, withdraws):
    """A link that is down stays so, is empty, and takes no notice of the peer nor of a restart that is asked for."""
    end = await start(dut, withdraws=withdraws)
    end.inputs.at(end.clock + 1, setattr, dut.io_enable, "value", 0)
    await end.bench.clocks(5)
    epoch = end.model.epoch
    for clock in range(30):
        end.inputs.pulse(end.clock + 2, ("restart", "resync", "timers_written")[clock % 3])
        end.say(end.hello(), end.unit(), end.unit(knows=False), end.hello(window=MOST_WINDOW + 1))
        await end.said()
        assert end.state == DOWN and end.model.epoch == epoch
    await end.bench.clocks(5)
    dut.io_enable.value = 1
    await end.bench.clocks(5)
    await end.new_life()
    assert end.model.epoch == (epoch + 1) % 256


@cocotb.test()
@cocotb.parametrize(cause=[None, by_register, by_enable])
async def reset_in_any_clock(dut, cause):
    """A reset in each clock of a unit, and around a restart: the link starts anew, and with another epoch."""
    end = await start(dut)
    used = {end.model.epoch}

    async def case(clock):
        base = end.clock + 2
        end.say_at(base, lambda: end.unit(deaf=True))
        if cause:
            cause(end, base + 4)
        await end.bench.clocks(clock + 1)
        dut.io_enable.value = 1
        await end.bench.reset()
        end.busy_until = 0
        await end.bench.clocks(2)
        await end.new_life()
        assert end.model.epoch not in used, f"epoch {end.model.epoch} was used before"
        used.add(end.model.epoch)

    await end.sweep(range(28), case)


# Hellos and acceptance -------------------------------------------------------------------------------------------------------------------------------


async def bring(end, state, seen=True, by_unit=False):
    """From any state to this one."""
    await end.restart()
    if state == "known":
        end.say(end.hello(knows=False))
        await end.said()
    elif state in ("up", "outage"):
        await end.up(by_unit)
        if seen:
            end.say(end.unit(deaf=state == "outage"))
            await end.said()
        elif state == "outage":
            end.inputs.pulse(end.clock + 1, "phyUp", 30, 0)
            await end.bench.clocks(5)


@cocotb.test()
@cocotb.parametrize(state=["unknown", "known", "up", "outage"], seen=[True, False])
async def every_unit_in_every_state(dut, state, seen):
    """Hello or not, the peer's epoch or another, this end's epoch known, another one, or none: the model says what it causes."""
    end = await start(dut)
    for hello in (False, True):
        for epoch in (0, 1, 128):
            for knows, off in ((True, 0), (True, 1), (True, 128), (False, 0)):
                await bring(end, state, seen)
                end.monitor.scene = f"hello {hello}, epoch off by {epoch}, knows {knows}, off by {off}"
                fields = dict(hello=hello, epoch=(end.peer + epoch) % 256, knows=knows, peer_epoch=(end.model.epoch + off) % 256)
                end.say(end.unit(**fields), end.unit(**fields))
                await end.said()


MISFITS = (
    [dict(unit_bytes=BUILD.unit_bytes ^ 1 << bit) for bit in range(16)]
    + [dict(packet_crc=1 - BUILD.packet_crc)]
    + [dict(reserved=bits) for bits in (1, 2, 3)]
    + [dict(window=window) for window in range(32) if not LEAST_WINDOW <= window <= MOST_WINDOW]
)


@cocotb.test()
@cocotb.parametrize(state=["unknown", "known", "up", "outage"], seen=[False, True])
async def hellos_that_do_not_fit(dut, state, seen):
    """Another build, an option that is not known, or a window that does not hold the longest packet: a mismatch, and nothing else."""
    end = await start(dut)
    await bring(end, state, seen)
    restarts = end.count["restarts"]
    for fields in MISFITS:
        end.monitor.scene = f"{fields}"
        was = end.state
        end.say(end.hello(**fields))
        await end.said()
        assert state == "outage" or end.state == was
    assert end.count["restarts"] == restarts, "a hello that does not fit has restarted the link"


@cocotb.test()
async def windows_that_fit(dut):
    """Each one is known afterwards."""
    end = await start(dut)
    for window in range(LEAST_WINDOW, MOST_WINDOW + 1):
        await end.restart()
        end.say(end.hello(window=window))
        await end.said()
        assert end.state == UP and int(dut.io_peerWindowLog2.value) == window


@cocotb.test()
@cocotb.parametrize(state=["known", "up", "outage"])
async def two_windows_of_one_epoch(dut, state):
    """They contradict each other, and restart the link; with another epoch, while the link is not up, the window may be another."""
    end = await start(dut)
    for other in (False, True):
        await bring(end, state, seen=False)
        restarts = end.count["restarts"]
        end.say(end.hello(window=WINDOW + 1, epoch=end.peer + other & 255, knows=False))
        await end.said()
        assert end.count["restarts"] - restarts == (not other or state != "known")


@cocotb.test()
@cocotb.parametrize(waits=[0, 1, 2, 5])
async def units_at_any_distance(dut, waits):
    """Back to back, and apart; the receiver lets some of them wait. All are admitted, in order and unchanged."""
    end = await start(dut)

    async def case(clock):
        base, admitted = end.clock + 2, end.count["admitted"]
        end.say_at(base, end.unit)
        end.say_at(base + clock, end.unit)
        end.say_at(base + clock, end.unit)
        if waits:
            end.inputs.pulse(base + 5, "close_ready", waits, 0)
        await end.bench.clocks(clock + 6)
        await end.said()
        assert end.count["admitted"] == admitted + 3

    await end.sweep(range(12), case)


# Coming up and outages -------------------------------------------------------------------------------------------------------------------------------


def no_carrier_for_longer(end, clock):
    end.inputs.pulse(clock, "phyUp", 6, 0)


def hello(end, clock):
    end.say_at(clock, end.hello)


@cocotb.test()
@cocotb.parametrize(by_unit=[False, True])
async def coming_up_around_what_happens(dut, by_unit):
    """The link comes up in each clock around a data unit, a loss of carrier, units of a peer that is up, or deaf, and hellos. Outages are those that
    something explains."""
    end = await start(dut)
    for happening in (data, no_carrier, no_carrier_for_longer, timers_written, unit, deaf_unit, hello):

        async def case(clock, happening=happening):
            await end.restart()
            base, restarts = end.clock + 12, end.count["restarts"]
            happening(end, base)
            end.say_at(base + clock, lambda: end.hello(knows=not by_unit))
            if by_unit:
                end.say_at(base + clock, end.unit)
            await end.bench.clocks(40)
            if not (by_unit and happening is hello):  # which restarts a link whose peer was seen up
                assert end.count["restarts"] == restarts
                assert end.state == UP or happening is deaf_unit

        await end.sweep(range(-10, 12), case, happening.__name__)


@cocotb.test()
@cocotb.parametrize(timeout=[8, 9, 40, 333])
async def silence_ends_in_an_outage(dut, timeout):
    """After OUTAGE_TIMEOUT and the same few clocks, whatever was heard last; a unit ends the outage."""
    end = await start(dut, timeout)
    found = {}
    for kind in (data, unit, hello):
        for _ in range(3):
            await end.restart()
            await end.up()
            heard = end.clock + 5
            kind(end, heard)
            await end.until(lambda: end.state == OUTAGE, timeout + 40, "an outage")
            found.setdefault(kind, set()).add(end.clock - heard - timeout)
            end.say(end.hello() if kind is hello else end.unit())
            await end.said()
            await end.bench.clocks(FOLLOWS)
            assert end.state == UP
    assert found[data] <= {6, 7, 8}, found
    assert found[unit] == found[hello] and {clocks - JUDGED_IN for clocks in found[unit]} == found[data], found


@cocotb.test()
@cocotb.parametrize(kind=[data, unit])
async def heard_in_any_clock(dut, kind):
    """Units OUTAGE_TIMEOUT apart, and some clocks more or less: an outage is where the silence was longer, and ends."""
    timeout = 30
    end = await start(dut, timeout)

    async def case(clock):
        await end.restart()
        await end.up()
        base, outages = end.clock + 4, end.count["outages"]
        kind(end, base)
        kind(end, base + clock)
        await end.bench.clocks(4 + clock + 10)
        assert end.state == UP, "an outage does not end"
        assert end.count["outages"] - outages == (clock > timeout) or timeout < clock < timeout + SILENCE

    await end.sweep(range(2, timeout + 15), case)


@cocotb.test()
async def data_alone(dut):
    """A peer that sends nothing but data is up, and is heard, for several OUTAGE_TIMEOUTs."""
    timeout = 40
    end = await start(dut, timeout)
    await end.restart()
    await end.up()
    outages = end.count["outages"]
    for _ in range(8):
        end.inputs.data(end.clock + 2)
        await end.bench.clocks(timeout - 5)
        assert end.monitor.now.view_peerUp, "data comes, and data may not leave"
    assert end.count["outages"] == outages, "an outage while data comes"
    await end.bench.clocks(timeout)
    assert end.state == OUTAGE and end.count["outages"] == outages + 1


@cocotb.test()
async def timers_written_in_any_clock(dut):
    """What is written counts from then on, and does not end an outage, nor one that begins in this clock."""
    timeout = 30
    end = await start(dut, timeout)

    async def case(clock):
        await end.restart()
        await end.up()
        base, outages = end.clock + 3, end.count["outages"]
        end.inputs.data(base)
        end.inputs.pulse(base + clock, "timers_written")
        await end.bench.clocks(timeout + clock + SILENCE + 6)
        assert end.state == OUTAGE and end.count["outages"] == outages + 1

    await end.sweep(range(2, timeout + 20), case)


@cocotb.test()
async def timeout_written_without_carrier(dut):
    """A value that is written while there is no carrier counts at once."""
    end = await start(dut, 200)
    await end.restart()
    await end.up()
    base = end.clock + 3
    end.inputs.data(base)
    end.inputs.pulse(base + 5, "phyUp", 20, 0)
    end.inputs.at(base + 14, setattr, dut.io_timers_outageTimeout, "value", 20)
    end.inputs.pulse(base + 14, "timers_written")
    await end.bench.clocks(5 + 25 + 20 + SILENCE + FOLLOWS + 5)
    assert int(dut.io_view_state.value) == OUTAGE, "20 clocks were written, and there is no outage long after the carrier is back"


@cocotb.test()
async def other_timeouts(dut):
    """A timeout that is written counts from then on; 0 is never, and ends the outage that silence has made."""
    end = await start(dut)

    async def write(timeout):
        dut.io_timers_written.value = 1
        dut.io_timers_outageTimeout.value = timeout
        await end.bench.clocks(1)
        dut.io_timers_written.value = 0
        await end.bench.clocks(1)

    for _ in range(2):
        await end.bench.clocks(200)
        assert end.state == UP
        await write(60)
        await end.bench.clocks(50)
        await write(100)
        await end.bench.clocks(90)
        assert end.state == UP
        await write(20)
        await end.bench.clocks(20 + SILENCE + FOLLOWS)
        assert end.state == OUTAGE
        await write(0)
        await end.bench.clocks(6)
        assert end.state == UP


@cocotb.test()
async def timeout_of_the_upper_half(dut):
    """2^16 clocks, whose lower half is 0, is not never."""
    timeout = 1 << 16
    end = await start(dut, timeout)
    end.bench.actors.clear()
    await end.bench.clocks(timeout - 60)
    assert int(dut.io_view_state.value) == UP
    await end.bench.clocks(80)
    assert int(dut.io_view_state.value) == OUTAGE


@cocotb.test()
@cocotb.parametrize(length=[1, 2, 3, 9])
async def carrier_lost_in_any_clock(dut, length):
    """Around a unit that says that the peer is deaf, and one that says it is not. Each loss is an outage, which ends with it."""
    end = await start(dut)

    async def case(clock):
        base, outages = end.clock + 16, end.count["outages"]
        end.inputs.pulse(base + clock, "phyUp", length, 0)
        end.say_at(base, lambda: end.unit(deaf=True))
        end.say_at(base + 20, end.unit)
        await end.bench.clocks(70)
        assert end.state == UP
        apart = clock + length < 0 or clock > 27  # from the outage of the peer's
        assert end.count["outages"] - outages in ([2] if apart else [1, 2])

    await end.sweep(range(-14, 36), case)


@cocotb.test()
async def deaf_peer(dut):
    """Each unit says anew whether the peer is deaf."""
    end = await start(dut)
    for deaf in (True, True, False, False, True, False):
        end.say(end.unit(deaf=deaf))
        await end.said()
        assert end.state == (OUTAGE if deaf else UP)


@cocotb.test()
@cocotb.parametrize(cause=CAUSES)
async def timeout_around_a_restart(dut, cause):
    """A restart in each clock around the end of OUTAGE_TIMEOUT: in the new life silence counts anew."""
    timeout = 30
    end = await start(dut, timeout)

    async def case(clock):
        base = end.clock + 2
        end.inputs.data(base)
        cause(end, base + timeout + clock)
        await end.bench.clocks(timeout + clock + 8)
        await end.new_life()

    await end.sweep(range(-10, 20), case)


@cocotb.test()
@cocotb.parametrize(withdraws=[True, False], timeout=[0, 60])
async def random_life(dut, withdraws, timeout):
    """All of it at random."""
    end = await start(dut, timeout, withdraws=withdraws)
    end.inputs.data_rate = 0.02
    for _ in range(600):
        clock = end.clock + random.randint(2, 12)
        what = random.random()
        if what < 0.55:
            kind = random.choice((end.hello, end.hello, end.unit, end.unit, end.unit, lambda: end.unit(deaf=True), lambda: end.hello(knows=False)))
            end.say_at(clock, kind)
            if end.model.peer is not None and random.random() < 0.9:
                end.peer = end.model.peer
        elif what < 0.6:
            random.choice(CAUSES)(end, clock)
        elif what < 0.65:
            end.inputs.pulse(clock, "phyUp", random.randint(1, 8), 0)
        elif what < 0.7:
            end.say_at(clock, lambda: end.unit(**random.choice(MISFITS), hello=True))
        elif what < 0.8:
            end.inputs.pulse(clock, "close_ready", random.randint(1, 8), 0)
        elif what < 0.85:
            end.inputs.pulse(clock, "enable", random.randint(1, 5), 0)
        await end.bench.clocks(random.choice((1, 3, 8, 20)))
    assert end.count["admitted"] > 10 and end.count["restarts"] > 10
