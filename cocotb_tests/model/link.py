# SPDX-License-Identifier: Apache-2.0
"""The whole protocol as an event-driven program: link ends, and a lossy FIFO channel with delay between two of them.

It tries the protocol of docs/architecture.md before and beside the RTL, and gives the trace checkers something to check.
Time is in clocks; a unit takes its length in beats. Where the document leaves a choice, `Rules` names it.
"""

import heapq
import random
from collections import Counter, deque
from dataclasses import dataclass

from . import code
from .receiver import Receiver
from .sender import INFINITE, Setting
from .units import ControlUnit, DataUnit, Rejected, distance, parse, trailer, unwrap

HELLO, UP, OUTAGE = 2, 3, 4
SN = 1 << 20


@dataclass(frozen=True)
class Rules:
    """Choices that decide whether the protocol is live; the defaults are the sound ones.

    lost_hello_restarts   a hello that does not know this side's epoch restarts a side that is up
    stranger_restarts     so does a control unit without hello of another epoch, or that knows another one of this side
    relearn_in_hello      a side in state hello takes a new epoch of its peer without a restart of its own
    answer_known_hello    a hello is answered in state hello even if it shows nothing new
    data_after_heard      data leaves only when a unit without hello has come
    failed_once_is_skipped  a frame of type 2 is skipped as soon as its transmission has failed
    smaller_window        both window edges use the smaller one of the two windows
    delta_at_least        a frame is abandoned when its attempt is delta or more (not only equal)
    status_yields         a control unit that only brings outcomes lets one waiting data unit go first
    hello_window          a hello is refused whose window cannot hold this side's longest packet
    """

    lost_hello_restarts: bool = True
    stranger_restarts: bool = True
    relearn_in_hello: bool = True
    answer_known_hello: bool = False
    data_after_heard: bool = True
    failed_once_is_skipped: bool = True
    smaller_window: bool = True
    delta_at_least: bool = True
    status_yields: bool = True
    hello_window: bool = True


@dataclass
class Config:
    """One end. Times in clocks; `user_clocks_per_byte` 0 is a user that is always ready."""

    window_log2: int = 6
    unit_bytes: int = 4
    data_bytes: int = 4
    setting: Setting = Setting(4, 5, 6)
    in_order: bool = True
    poll_timeout: int = 2000
    hello_interval: int = 300
    keepalive: int = 1500
    outage_timeout: int = 0
    status_interval: int = 0
    outage_freeze: bool = True
    user_clocks_per_byte: int = 0
    max_packet: int = 0  # longest packet in bytes
    packet_crc: bool = False
    rules: Rules = Rules()

    @property
    def window(self):
        return 1 << self.window_log2


@dataclass
class StoredFrame:
    units: list
    pad: int
    sop: bool
    eop: bool
    attempt: int = 0
    only: bool = False
    state: str = "new"
    sends: int = 0


class Transmitter:
    """Sequence tables, window and retransmit queue of a sender."""

    def __init__(self, config):
        self.config = config
        self.counters = Counter()
        self.frames = {}
        self.restart()

    def restart(self):
        self.counters["tx_frames_flushed"] += sum(1 for f in self.frames.values() if f.state in ("sent", "queued"))
        self.frames = {}
        self.stored = self.next_fsn = self.next_tsn = self.edge = self.ack = self.base = 0
        self.peer_base = 0
        self.queue = deque()
        self.fsn_of = {}
        self.leaving = deque()
        self.unconfirmed = 0  # FSN after the last abandoned frame that the base has passed
        self.skipped = False  # outcomes were seen to be missing
        self.freeze_below = 0

    def trailer(self, packet):
        """What is put behind a packet."""
        return trailer(packet) if self.config.packet_crc else b""

    def accept(self, packet):
        """Stores a packet if the window has room for all of its frames."""
        packet += self.trailer(packet)
        size = self.config.setting.k * self.config.unit_bytes
        parts = [packet[i : i + size] for i in range(0, len(packet), size)]
        if self.stored + len(parts) > self.base + self.config.window:
            return False
        for i, part in enumerate(parts):
            pad = -len(part) % self.config.unit_bytes
            part += bytes(pad)
            units = [part[j : j + self.config.unit_bytes] for j in range(0, len(part), self.config.unit_bytes)]
            self.frames[self.stored] = StoredFrame(units, pad, i == 0, i == len(parts) - 1)
            self.stored += 1
        return True

    def limit(self, peer_window):
        """First FSN that may not be sent."""
        own = self.config.window
        if self.config.rules.smaller_window:
            own = min(own, peer_window)
        return min(self.stored, self.base + own, self.peer_base + peer_window)

    def something_to_send(self, peer_window):
        return bool(self.leaving or self.queue or self.next_fsn < self.limit(peer_window))

    def next_unit(self, epoch, peer_window):
        """The next data unit, or None."""
        if not self.leaving:
            if self.queue:
                fsn = self.queue.popleft()
            elif self.next_fsn < self.limit(peer_window):
                fsn = self.next_fsn
                self.next_fsn += 1
            else:
                return None
            self._begin(fsn, epoch)
        unit = self.leaving.popleft()
        if not self.leaving:
            self.edge = self.next_tsn
        return unit

    def _begin(self, fsn, epoch):
        frame, s = self.frames[fsn], self.config.setting
        k = len(frame.units)
        n = k + (s.n_retx if frame.sends else s.n_first) - s.k
        self.counters["tx_retx" if frame.sends else "tx_frames"] += 1
        frame.sends += 1
        frame.state = "sent"
        frame.only = s.delta == 0 and frame.sends == 1 and self.config.rules.failed_once_is_skipped
        for i, payload in enumerate(code.encode(frame.units, n, s.preset)):
            unit = DataUnit(
                s.preset, frame.sop, frame.eop, epoch, k, n, i, frame.attempt, frame.pad, fsn % SN, self.next_tsn % SN, payload,
                frame.only,
            )  # fmt: skip
            self.leaving.append(unit)
        self.fsn_of[self.next_tsn] = fsn
        self.next_tsn += 1

    def valid(self, unit):
        ahead = distance(unit.rx_next, self.ack % SN)
        base = distance(unit.rx_base, self.peer_base % SN)
        window = self.config.window
        return -window <= ahead <= self.next_tsn - self.ack and -window <= base <= self.next_fsn - self.peer_base

    def feedback(self, unit):
        """Takes the receiver part of a control unit; True when the base has passed an abandoned frame."""
        self.peer_base = max(self.peer_base, unwrap(unit.rx_base, self.peer_base))
        rx_next, base = unwrap(unit.rx_next, self.ack), unwrap(unit.bitmap_base, self.ack)
        self.skipped = base > self.ack
        if self.skipped:
            return False
        for tsn in range(self.ack, min(base + 64, rx_next)):
            self._outcome(tsn, unit.bitmap >> (tsn - base) & 1)
            self.ack = tsn + 1
        passed = False
        while self.base < self.next_fsn and self.frames[self.base].state in ("acked", "abandoned"):
            if self.frames.pop(self.base).state == "abandoned":
                passed, self.unconfirmed = True, self.base + 1
            self.base += 1
        return passed

    def _outcome(self, tsn, ok):
        fsn = self.fsn_of.pop(tsn)
        frame, delta = self.frames[fsn], self.config.setting.delta
        self.counters["tx_outcomes_ok" if ok else "tx_outcomes_failed"] += 1
        if ok:
            frame.state = "acked"
            self.counters["tx_frames_acked"] += 1
            return
        frozen = tsn < self.freeze_below and delta != 0 and self.config.outage_freeze and not frame.only
        self.counters["tx_outcomes_outage"] += frozen
        over = frame.attempt >= delta if self.config.rules.delta_at_least else frame.attempt == delta
        if frame.only or delta != INFINITE and over and not frozen:
            frame.state = "abandoned"
            self.counters["tx_frames_abandoned"] += 1
        else:
            frame.state = "queued"
            frame.attempt = min(15, frame.attempt + (not frozen))
            self.queue.append(fsn)


class LinkEnd:
    """One end: `offer` packets, `receive` units, `pull` units, `tick` for time; `delivered` is what the user got."""

    def __init__(self, config, epoch=0, name=""):
        self.config, self.name = config, name
        self.tx = Transmitter(config)
        self.rx = Receiver(config.window, config.unit_bytes, config.in_order, config.packet_crc)
        self.counters = Counter()
        self.backlog = deque()
        self.delivered = []  # (clock, bytes)
        self.taken = []  # packets accepted on s_axis, in order
        self.now = 0
        self.on_accept = self.on_deliver = lambda packet: None
        self.restart(epoch)

    # -- link state

    def restart(self, epoch=None):
        """Both directions are emptied."""
        self.epoch = (self.epoch + 1) % 256 if epoch is None else epoch
        self.state = HELLO
        self.peer_epoch = None
        self.peer_window = self.config.window
        self.heard = False
        self.tx.restart()
        self.rx.restart()
        self.due = {"hello"}
        self.series = deque()
        self.user = 0  # packets of rx.ready that the user has taken whole
        self.user_busy = None
        self.said = {"rx_next": 0, "rx_base": 0, "edge": 0}
        self.last_status = -(10**9)
        self.yielded = False  # a data unit has gone before the control unit that is due
        self.phy_up = True
        self.deaf = self.peer_deaf = False
        self.last_sent = self.last_heard = self.poll_check = self.last_hello = self.now
        self.poll_seen = None
        self.counters["link_restarts"] += 1

    def reboot(self):
        """Power-on reset of this end alone: nothing is remembered, the epoch begins at 0 again."""
        self.backlog.clear()
        self.restart(0)

    @property
    def rx_base(self):
        """Oldest FSN that is held or awaited."""
        waiting = [first for first, _ in self.rx.ready[self.user :]]
        return min(waiting + [self.rx.base_limit])

    def receive(self, raw, erased, now):
        """A unit came from the channel."""
        self.now = now
        try:
            unit = parse(raw, self.config.unit_bytes, erased=erased)
        except Rejected:
            return
        if isinstance(unit, DataUnit):
            self._data(unit)
        elif unit.hello:
            self._hello(unit)
        else:
            self._control(unit)
        self.tick(now)

    def _valid_heard(self, peer_deaf):
        self.last_heard = self.now
        self.deaf, self.peer_deaf = not self.phy_up, peer_deaf
        self._judge_outage()

    def _judge_outage(self):
        if self.state == UP and (self.deaf or self.peer_deaf):
            self.state = OUTAGE
            self.counters["link_outages"] += 1
        elif self.state == OUTAGE and not (self.deaf or self.peer_deaf):
            self.state = UP
            self.tx.freeze_below = self.tx.next_tsn
            self.due.add("poll")
            self.poll_check = self.now

    def set_phy(self, up, now):
        """The port phy_up changes."""
        self.now, self.phy_up = now, up
        timeout = self.config.outage_timeout
        self.deaf = not up or bool(timeout and now - self.last_heard >= timeout)
        self._judge_outage()

    def _data(self, unit):
        if self.state == HELLO or unit.epoch != self.peer_epoch:
            self.counters["rx_units_epoch"] += 1
            return
        self._valid_heard(self.peer_deaf)
        self.heard = True
        assert unwrap(unit.fsn, self.rx.base_limit) < self.rx_base + self.config.window, "beyond the receive window"
        self.rx.data(unit)

    def _hello(self, unit):
        c = self.config
        longest = -(-(c.max_packet + len(self.tx.trailer(b""))) // c.unit_bytes)
        if (unit.unit_bytes, unit.packet_crc) != (c.unit_bytes, c.packet_crc) or (c.rules.hello_window and 1 << unit.window_log2 < longest):
            self.counters["peer_mismatch"] += 1
            return
        known = unit.peer_known and unit.peer_epoch == self.epoch
        rules = self.config.rules
        changed = self.peer_epoch is not None and unit.epoch != self.peer_epoch
        if self.state != HELLO:
            if self.heard or changed or (rules.lost_hello_restarts and not known):
                self.restart()
            else:
                self._valid_heard(self.peer_deaf)
                self.due.add("answer")
                return
        elif changed and not rules.relearn_in_hello:
            self.restart()
        news = unit.epoch != self.peer_epoch or not known
        self.peer_epoch = unit.epoch
        self.peer_window = 1 << unit.window_log2
        if known:
            self._go_up()
        elif news or rules.answer_known_hello:
            self.due.add("hello")

    def _go_up(self):
        self.state = UP
        self.last_heard = self.poll_check = self.now
        self.due = {"poll"}

    def _control(self, unit):
        shown = unit.peer_known and unit.peer_epoch == self.epoch
        if self.state == HELLO and unit.epoch == self.peer_epoch and shown:
            self._go_up()
        stranger = unit.epoch != self.peer_epoch or (self.config.rules.stranger_restarts and not shown)
        if self.state == HELLO or stranger:
            self.counters["rx_units_epoch"] += 1
            if self.state != HELLO and self.config.rules.stranger_restarts:
                self.restart()
            return
        self._valid_heard(unit.deaf)
        self.heard = True
        taken = self.tx.valid(unit)
        self.counters["rx_control_invalid"] += not self.rx.control(unit) or not taken
        if taken and self.tx.feedback(unit):
            self.due.add("gave up")
        if unit.poll:
            self.due.add("reply")
            ack = unwrap(unit.ack_tsn, self.rx.rx_next)
            assert ack >= self.rx.rx_next - self.config.window, "outcomes older than a window are asked for"
            self.series = deque(range(ack - ack % 32, self._bitmap_base(), 64))

    def _bitmap_base(self):
        return max(0, self.rx.rx_next // 32 * 32 - 32)

    # -- time

    def tick(self, now):
        """Moves timers, the user and the segmenter to `now`."""
        self.now = now
        c = self.config
        self._feed_user()
        while self.backlog and self.tx.accept(self.backlog[0]):
            self.taken.append(self.backlog[0])
            self.on_accept(self.backlog.popleft())
        if self.state == HELLO:
            if now - self.last_hello >= c.hello_interval:
                self.due.add("hello")
            return
        if self.state == UP and c.outage_timeout and now - self.last_heard >= c.outage_timeout:
            self.deaf = True
            self._judge_outage()
        if now - self.last_sent >= c.keepalive:
            self.due.add("poll")
        if self.state == UP and now - self.poll_check >= c.poll_timeout:
            self.poll_check = now
            seen = (self.tx.ack, self.tx.peer_base)
            waiting = self.tx.peer_base < self.tx.next_fsn and seen == self.poll_seen
            if waiting or self.tx.unconfirmed > self.tx.peer_base or self.tx.skipped or not self.heard:
                self.due.add("poll")
            self.poll_seen = seen
        new = self.rx.rx_next - self.said["rx_next"]
        if new and (new >= 16 or now - self.last_status >= c.status_interval):
            self.due.add("status")
        if self.rx_base - self.said["rx_base"] >= c.window // 4:
            self.due.add("credit")
        if self.state == UP and self.said["edge"] < self.tx.next_tsn and not self.tx.something_to_send(self.peer_window):
            self.due.add("close")

    def _feed_user(self):
        while self.user < len(self.rx.ready):
            packet = self.rx.ready[self.user][1]
            if self.user_busy is None:
                self.user_busy = self.now + len(packet) * self.config.user_clocks_per_byte
            if self.user_busy > self.now:
                return
            self.user_busy = None
            self.user += 1
            self.delivered.append((self.now, packet))
            self.on_deliver(packet)

    def deadline(self):
        """Clock at which `tick` has something to do though nothing happens."""
        c, times = self.config, []
        if self.user_busy is not None:
            times.append(self.user_busy)
        if self.state == HELLO:
            return min(times + [self.last_hello + c.hello_interval])
        times.append(self.last_sent + c.keepalive)
        if self.state == UP:
            times.append(self.poll_check + c.poll_timeout)
            if c.outage_timeout:
                times.append(self.last_heard + c.outage_timeout)
        if self.rx.rx_next > self.said["rx_next"]:
            times.append(self.last_status + c.status_interval)
        return min(times)

    # -- what is sent

    def pull(self, now):
        """Bytes of the next unit to send, or None."""
        self.tick(now)
        unit = None
        may_send = self.state == UP and (self.heard or not self.config.rules.data_after_heard)
        yields = self.config.rules.status_yields and not self.yielded and self.due <= {"status"}
        if may_send and (yields or not self.due):
            unit = self.tx.next_unit(self.epoch, self.peer_window)
        if unit is None and self.due:
            unit = self._control_unit()
        self.yielded = bool(self.due) and not isinstance(unit, ControlUnit)
        if unit is None:
            return None
        self.last_sent = now
        return unit.build()

    def _control_unit(self):
        self.counters["tx_control_units"] += 1
        c = self.config
        known = dict(epoch=self.epoch, peer_known=self.peer_epoch is not None, peer_epoch=self.peer_epoch or 0)
        if self.state == HELLO:
            self.due.clear()
            self.last_hello = self.now
            return ControlUnit(hello=True, param=c.packet_crc << 23 | c.window_log2 << 16 | c.unit_bytes, **known)
        base = self.series.popleft() if self.series else self._bitmap_base()
        bits = self.rx.outcomes[max(base, 0) : base + 64]
        if self.rx.rx_next > self.said["rx_next"]:
            self.last_status = self.now
        self.said = {"rx_next": self.rx.rx_next, "rx_base": self.rx_base, "edge": self.tx.edge}
        poll, reply = "poll" in self.due, "reply" in self.due
        self.counters["tx_polls"] += poll
        self.due = {"reply"} if self.series else set()
        if reply and not self.series and base != self._bitmap_base():
            self.due = {"reply"}  # the block in progress ends the series
        return ControlUnit(
            poll=poll, reply=reply, param=self.tx.ack % SN, tx_base=self.tx.base % SN, tx_edge=self.tx.edge % SN,
            rx_base=self.rx_base % SN, rx_next=self.rx.rx_next % SN, bitmap_base=base % SN,
            bitmap=sum(1 << i for i, ok in enumerate(bits) if ok), deaf=self.deaf, **known,
        )  # fmt: skip

    @property
    def settled(self):
        """Nothing waits to be sent, acknowledged, confirmed or delivered."""
        t = self.tx
        quiet = not self.backlog and t.base == t.stored and t.peer_base == t.stored
        return self.state == UP and quiet and self.user == len(self.rx.ready)


@dataclass
class Direction:
    """One direction of the channel: delay in clocks, and the probability that a unit is erased, or a function of the clock
    that gives it."""

    delay: int = 100
    loss: object = 0.0
    busy: int = 0  # clock at which the line is free

    def probability(self, now):
        return self.loss(now) if callable(self.loss) else self.loss


class Pair:
    """Two ends and the channel. `sent(end, raw, now)` and `received(end, raw, erased, now)` observe."""

    def __init__(self, a, b, forward=None, backward=None, seed=1):
        self.ends = [a, b]
        self.ways = [forward or Direction(), backward or Direction()]
        self.rng = random.Random(seed)
        self.now = 0
        self.events = []
        self.order = 0
        self.wake = [None, None]
        self.sent = lambda end, raw, now: None
        self.received = lambda end, raw, erased, now: None
        self.units = 0

    def _at(self, time, *what):
        self.order += 1
        heapq.heappush(self.events, (time, self.order) + what)

    def at(self, time, action):
        """Calls `action` at clock `time`."""
        self._at(time, "call", action)

    def _pump(self, i):
        end, way = self.ends[i], self.ways[i]
        while way.busy <= self.now:
            raw = end.pull(self.now)
            if raw is None:
                break
            self.units += 1
            self.sent(end, raw, self.now)
            way.busy = self.now + len(raw) // end.config.data_bytes
            erased = self.rng.random() < way.probability(self.now)
            if not erased or self.rng.random() < 0.5:  # an erased unit vanishes or comes flagged
                self._at(way.busy + way.delay, "unit", 1 - i, raw, erased)
        time = way.busy if way.busy > self.now else max(end.deadline(), self.now + 1)
        if self.wake[i] is None or self.wake[i] <= self.now or time < self.wake[i]:
            self.wake[i] = time
            self._at(time, "wake")

    def run(self, until, stop=None):
        """Runs to clock `until`, or until `stop()`; returns True in the latter case."""
        for i in (0, 1):
            self._pump(i)
        while self.events and self.events[0][0] <= until:
            event = heapq.heappop(self.events)
            self.now = event[0]
            if event[2] == "unit":
                _, _, _, i, raw, erased = event
                self.received(self.ends[i], raw, erased, self.now)
                self.ends[i].receive(raw, erased, self.now)
            elif event[2] == "call":
                event[3]()
            for i in (0, 1):
                self._pump(i)
            if stop is not None and stop():
                return True
        self.now = until
        return stop is not None and stop()

    def settle(self, limit):
        """Runs until both ends are settled; returns the clock, or raises TimeoutError after `limit` clocks."""
        if not self.run(self.now + limit, lambda: all(e.settled for e in self.ends)):
            ends = [(e.name, e.state, e.tx.base, e.tx.stored, e.tx.peer_base, e.tx.ack, e.tx.next_tsn) for e in self.ends]
            raise TimeoutError(f"not settled after {limit} clocks: (name, state, base, stored, peer, ack, next) {ends}")
        return self.now
