# SPDX-License-Identifier: Apache-2.0
"""One link end of the whole protocol as an event-driven program.

It tries the protocol of docs/architecture.md before and beside the RTL, and gives the trace checkers something to check.
Where the document leaves a choice, `Rules` names it.
"""

from collections import Counter, deque
from typing import Any

from .receiver import Receiver
from .reporter import BLOCK, Reporter
from .supervision import PollTimer, Strikes
from .transmitter import Transmitter
from .units import CRC, SN, ControlUnit, DataUnit, Rejected, parse, unwrap
from .user import User

HELLO, UP, OUTAGE = 2, 3, 4


class LinkEnd:
    """One end: `offer` packets, `receive` units, `pull` units, `tick` for time; `delivered` is what the user got."""

    def __init__(self, config, epoch=0, name=""):
        self.config, self.name = config, name
        self.tx = Transmitter(config)
        self.rx = Receiver(config.window, config.unit_bytes, config.in_order, config.rules.pairs, config.packet_crc)
        self.counters = Counter()
        self.backlog: Any = deque()  # or what is like one
        self.user = User(self.rx, config.user_clocks_per_byte)
        self.accepted = []  # packets accepted on s_axis, in order
        self.resyncs = []  # why it has restarted the link by itself
        self.now = 0
        self.on_accept = lambda packet: None
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
        self.reporter = Reporter(self.rx, self.config.rules)
        self.notices = 0  # control units that announce an abandoned frame at once
        self.user.restart()
        self.said = {"rx_next": 0, "rx_base": 0, "edge": 0}
        self.last_status = -(10**9)
        self.data_turn = False  # the last unit was a control unit
        self.phy_up = True
        self.deaf = self.peer_deaf = False
        self.last_sent = self.last_heard = self.last_hello = self.now
        self.polls = PollTimer(self.tx, self.config.rules, self.now)
        self.strikes = Strikes(self.config.rules.strikes_kept)
        self.counters["link_restarts"] += 1

    def resync(self, why):
        """What the peer says cannot be: both ends start anew."""
        self.resyncs.append(why)
        self.restart()

    def reboot(self):
        """Power-on reset of this end alone: nothing is remembered, the epoch begins at 0 again."""
        self.backlog.clear()
        self.restart(0)

    @property
    def rx_base(self):
        """Oldest FSN that is held or awaited."""
        return self.user.rx_base

    @property
    def delivered(self):
        """(clock, packet) of all that the user has got."""
        return self.user.delivered

    def receive(self, raw, erased, now):
        """A unit came from the channel."""
        self.now = now
        try:
            unit = parse(raw, self.config.unit_bytes, erased=erased)
        except Rejected as reason:
            self.counters["peer_mismatch"] += reason.mismatch
            return
        self.take(unit, now)

    def take(self, unit, now):
        """A unit came that the deframer has let through."""
        self.now = now
        if isinstance(unit, DataUnit):
            self._data(unit)
        elif unit.hello:
            self._hello(unit)
        else:
            self._control(unit)
        if self.rx.contradiction and self.config.rules.contradictions:
            self.resync(self.rx.contradiction)
        self.tick(now)

    def _valid_heard(self, peer_deaf):
        self.last_heard = self.now
        self.deaf, self.peer_deaf = not self.phy_up, peer_deaf
        self._judge_outage()

    def _hear(self, peer_deaf):
        """A unit without hello came from the peer: from the first one on data may leave, and POLL_TIMEOUT counts."""
        self._valid_heard(peer_deaf)
        if not self.heard:
            self.heard, self.polls.began = True, self.now

    def _judge_outage(self):
        if self.state == UP and (self.deaf or self.peer_deaf):
            self.state = OUTAGE
            self.counters["link_outages"] += 1
        elif self.state == OUTAGE and not (self.deaf or self.peer_deaf):
            self.state = UP
            self.tx.freeze_below = self.tx.next_tsn
            self.due.add("poll")
            self.polls.began = self.now

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
        self._hear(self.peer_deaf)
        if unwrap(unit.fsn, self.rx.base_limit) >= self.rx_base + self.config.window:
            self.counters["rx_units_invalid"] += 1
            return
        self.rx.data(unit)

    def _hello(self, unit):
        c = self.config
        longest = -(-(c.max_packet + CRC * c.packet_crc) // c.unit_bytes)
        other = unit.unit_bytes != c.unit_bytes or unit.packet_crc != c.packet_crc or unit.unknown_options
        if other or (c.rules.hello_window and 1 << unit.window_log2 < longest):
            self.counters["peer_mismatch"] += 1
            return
        known = unit.peer_known and unit.peer_epoch == self.epoch
        rules = self.config.rules
        window = 1 << unit.window_log2
        changed = self.peer_epoch is not None and unit.epoch != self.peer_epoch
        if rules.one_window and unit.epoch == self.peer_epoch and window != self.peer_window:
            self.restart()
            return
        if self.state != HELLO:
            if self.heard or changed or (rules.lost_hello_restarts and not known):
                self.restart()
            else:
                self._valid_heard(self.peer_deaf)
                self.due.add("answer")
                return
        elif changed and not rules.relearn_in_hello:
            self.restart()
        is_new = unit.epoch != self.peer_epoch or not known
        self.peer_epoch = unit.epoch
        self.peer_window = window
        if known:
            self._go_up()
        elif is_new or rules.answer_known_hello:
            self.due.add("hello")

    def _go_up(self):
        self.state = UP
        self.last_heard = self.polls.began = self.now
        self.due = {"poll"}
        self.reporter.begin(self.config.places(self.peer_window))

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
        self._hear(unit.deaf)
        valid = self.tx.valid(unit)
        possible = self.rx.control(unit)
        self.counters["rx_control_invalid"] += not (valid and possible)
        self.strikes.judge(sender=valid, receiver=possible)
        if valid:
            self.tx.feedback(unit)
        self.reporter.on_ack(unit.ack_tsn)
        if unit.poll:
            self.due.add("reply")

    # -- time

    def tick(self, now):
        """Moves timers, the user and the segmenter to `now`."""
        self.now = now
        c = self.config
        self.user.tick(now)
        self.reporter.moved()
        while self.backlog and self.tx.accept(self.backlog[0]):
            self.accepted.append(self.backlog[0])
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
        if self._polls and now - self.polls.began >= c.poll_timeout:
            self._poll_timeout()
            if self.state == HELLO:
                return
        if self.tx.takes_notice():
            self.notices = 3
        new = self.rx.rx_next - self.said["rx_next"]
        if new and (new >= 16 or now - self.last_status >= c.status_interval):
            self.due.add("status")
        if self.rx_base - self.said["rx_base"] >= c.window // 4:
            self.due.add("credit")
        if self.state == UP and self.said["edge"] < self.tx.next_tsn and not self.tx.something_to_send(self.peer_window):
            self.due.add("close")

    @property
    def _polls(self):
        """The peer may answer: also when it has said that it is deaf, or nothing would ask whether it still is."""
        return self.state == UP or self.state == OUTAGE and not self.deaf and self.config.rules.deaf_polls

    def _poll_timeout(self):
        strikes = self.strikes.end_of_period()
        if self.polls.end(self.now, self.heard and self.state == UP) or strikes:
            self.due.add("poll")
        if strikes >= 2 and self.config.rules.strikes:
            self.resync("control units were rejected for two times POLL_TIMEOUT, and none was accepted")

    def deadline(self):
        """Clock at which `tick` has something to do though nothing happens."""
        c, times = self.config, []
        if self.user.busy is not None:
            times.append(self.user.busy)
        if self.state == HELLO:
            return min(times + [self.last_hello + c.hello_interval])
        times.append(self.last_sent + c.keepalive)
        if self._polls:
            times.append(self.polls.began + c.poll_timeout)
        if self.state == UP and c.outage_timeout:
            times.append(self.last_heard + c.outage_timeout)
        if self.rx.rx_next > self.said["rx_next"]:
            times.append(self.last_status + c.status_interval)
        times += self.reporter.deadline()
        return min(times)

    # -- what is sent

    def pull(self, now):
        """Bytes of the next unit to send, or None."""
        unit = self.next_unit(now)
        return None if unit is None else unit.build()

    def next_unit(self, now):
        """The next unit to send, or None."""
        self.tick(now)
        unit = None
        older = self.state != HELLO and self.reporter.ready(now)
        waits = bool(self.due) or self.notices > 0 or older
        may_send = self.state == UP and (self.heard or not self.config.rules.data_after_heard)
        if may_send and (not waits or self.data_turn and self.config.rules.turns):
            unit = self.tx.next_unit(self.epoch, self.peer_window)
        if unit is None and waits:
            others = self.due or self.notices
            unit = self._older() if older and (self.reporter.turn or not others) else self._control_unit()
        self.data_turn = isinstance(unit, ControlUnit)
        if unit is not None:
            self.last_sent = now
        return unit

    def _older(self):
        """A control unit that shows older blocks, and settles nothing else."""
        self.counters["tx_control_units"] += 1
        return self._report(self.reporter.take(self.now))

    def _control_unit(self):
        self.counters["tx_control_units"] += 1
        self.reporter.turn = True
        if self.state == HELLO:
            self.due.clear()
            self.last_hello = self.now
            param = self.config.packet_crc << 23 | self.config.window_log2 << 16 | self.config.unit_bytes
            known = self.peer_epoch is not None
            return ControlUnit(self.epoch, hello=True, peer_known=known, peer_epoch=self.peer_epoch or 0, param=param)
        if self.rx.rx_next > self.said["rx_next"]:
            self.last_status = self.now
        self.said = {"rx_next": self.rx.rx_next, "rx_base": self.rx_base, "edge": self.tx.edge}
        poll, reply = "poll" in self.due, "reply" in self.due
        self.counters["tx_polls"] += poll
        self.due.clear()
        self.notices = max(0, self.notices - 1)
        if reply:
            self.reporter.replied()
        return self._report(self.reporter.recent, poll, reply)

    def _report(self, block, poll=False, reply=False):
        """All that this end knows, and two blocks of outcomes. Those that are older than a window have no meaning: here they are wrong."""
        base, tx = BLOCK * block, self.tx
        kept = self.rx.rx_next - self.config.window
        bits = [ok == (base + i >= kept) for i, ok in enumerate(self.rx.outcomes[base : base + 2 * BLOCK])]
        return ControlUnit(
            self.epoch, peer_known=True, peer_epoch=self.peer_epoch or 0, poll=poll, reply=reply, param=tx.ack % SN,
            tx_base=tx.base % SN, tx_edge=tx.edge % SN, rx_base=self.rx_base % SN, rx_next=self.rx.rx_next % SN,
            bitmap_base=base % SN, bitmap=sum(1 << i for i, ok in enumerate(bits) if ok), deaf=self.deaf, abandons=tx.abandons,
        )  # fmt: skip

    @property
    def settled(self):
        """Nothing waits to be sent, acknowledged, confirmed or delivered."""
        t = self.tx
        quiet = not self.backlog and t.base == t.stored and t.peer_base == t.stored
        return self.state == UP and quiet and self.user.done
