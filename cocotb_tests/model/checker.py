# SPDX-License-Identifier: Apache-2.0
"""One link end as a trace checker: link state and epochs around a Sender and a Receiver model.

Events are fed in the order in which they happen at the ports of the end. An AssertionError names the first thing that is
not legal. Counters that depend on time are bounded, all others are exact once the link is quiet.
"""

from collections import Counter

from .contradictions import Contradictions
from .intake import Intake
from .receiver import Receiver
from .reports import Reports, outcomes_shown, places_of
from .sender import Sender
from .units import ControlUnit, Rejected, parse, unwrap

RX_EXACT = (
    "rx_frames_clean rx_frames_repaired rx_frames_skipped rx_duplicates rx_outcomes_ok rx_outcomes_failed rx_units"
    " rx_units_surplus rx_units_late rx_units_invalid rx_erased_crc rx_erased_flag rx_erased_length rx_bad_header rx_units_other_link rx_packets_corrupt"
).split()
TX_EXACT = (
    "tx_packets tx_bytes tx_packets_lost tx_frames tx_retx tx_frames_acked tx_frames_abandoned tx_outcomes_ok"
    " tx_outcomes_failed tx_outcomes_outage tx_units tx_retx_units tx_control_units tx_polls"
).split() + [f"tx_acked_{i}" for i in range(16)]

PORT_BEATS = 2
"""Beats that still leave on m_axis after a restart: the one on offer, which AXI does not let the end take back, and the one behind it."""

HELLOS_UNDER_WAY = 2
"""Of a side that hears the first unit without hello: one hello is leaving, and one waits for it."""


class EndChecker:
    """Checks one end. `settings`: the Setting values that may be active; `slack` as in Sender, `late` as in Reports, `ahead` frames are chosen before
    they begin to leave. `clock` gives the time; without it
    the end is assumed to deal with each control unit at once. `port` tells what m_axis, which is `data_bytes` wide, shows: None, or, while a beat is
    on offer, how many bytes of its packet have left; without it packets leave in no time."""

    def __init__(
        self, window, unit_bytes, settings, in_order=True, max_k=255, max_parity=255, slack=4, freeze=True, clock=None, late=0, packet_crc=False, ahead=1,
        port=lambda: None, data_bytes=1,
    ):  # fmt: skip
        self.limits = (unit_bytes, max_k, max_parity)
        self.contradictions = Contradictions(window, *self.limits)
        self.sender = Sender(window, unit_bytes, settings, slack, packet_crc)
        self.receiver = Receiver(window, unit_bytes, in_order, packet_crc=packet_crc)
        self.in_order = in_order
        self.freeze = freeze
        self.clock = clock or (lambda: None)
        self.late = late
        self.ahead = ahead
        self.port, self.data_bytes = port, data_bytes
        self.counters = Counter()
        self.outages = 0  # those that a unit with `deaf` showed
        self.spoiled = 0  # units that left with a wrong CRC
        self.aborted = 0  # packets that ended with tuser
        self.held = []  # of each life before: complete packets that may have been on the port when it ended
        self.held_beats = 0  # that the last restart has left on the port
        self.held_left = 0  # bytes of the packet on the port that left before
        self.epoch = None
        self.restarts = 0
        self.hellos = {}  # epochs heard in hellos, and the window that came with each
        self._new_life()

    def _new_life(self):
        self.peer_epoch = None
        self.up = False
        self.heard = False  # a unit without hello was accepted
        self.spoke = False  # a unit without hello left
        self.hellos_under_way = HELLOS_UNDER_WAY
        self.said = {"rx_next": 0, "rx_base": 0}
        self.reports = Reports(self.receiver.window, self.late)
        self.intake = Intake()
        self.delivered_count = 0
        self.delivered = set()
        self.deaf = False  # it has said so, and nothing valid has come since
        self.peer_deaf = False
        self.outage = False

    # -- events

    def offered(self, packet):
        """A good packet's last beat was accepted on s_axis."""
        self.sender.offered(packet)

    def sent(self, raw):
        """A unit left on m_axis_phy."""
        try:
            unit = parse(raw, *self.limits)
        except Rejected:  # a restart ends the unit that is leaving with a wrong CRC
            self.spoiled += 1
            return
        self._judge(unit)
        self.contradictions.has_left(unit)

    def _judge(self, unit):
        """The first complaint is the checker's own, which knows more."""
        if self.epoch is None:
            self.epoch = unit.epoch
        elif unit.epoch != self.epoch:
            assert unit.epoch == (self.epoch + 1) % 256, f"the epoch went from {self.epoch} to {unit.epoch}"
            self.restart(unit.epoch)
        if not isinstance(unit, ControlUnit):
            assert self.heard, "a data unit left before a unit without hello had come"
            self._check_outage(unit)
            self.sender.sent_data(unit)
            return
        self.counters["tx_control_units"] += 1
        self.counters["tx_polls"] += unit.poll
        if unit.hello:
            if unit.peer_known:  # it may have learned the epoch from the hello that made it restart
                assert unit.peer_epoch in self.hellos, f"hello with peerEpoch {unit.peer_epoch}, heard were {self.hellos}"
                self.peer_epoch = unit.peer_epoch if self.peer_epoch is None else self.peer_epoch
                self.sender.peer_window = self.hellos[unit.peer_epoch]
            self.hellos_under_way -= self.heard
            assert not self.spoke and self.hellos_under_way >= 0, "a hello left after the link was up"
            assert unit.unit_bytes == self.limits[0], f"hello with unitBytes {unit.unit_bytes}"
            assert unit.packet_crc == self.receiver.packet_crc, f"hello with packetCrc {unit.packet_crc}"
            assert 1 << unit.window_log2 == self.receiver.window, f"hello with window 2^{unit.window_log2}"
            return
        assert self.up, "a control unit without hello left before the link was up"
        self.spoke = True
        assert unit.peer_known and unit.peer_epoch == self.peer_epoch, f"peer's epoch is {self.peer_epoch}: {unit}"
        if unit.deaf:
            self.deaf = True
            self._outage_begins()
        elif self.deaf:
            self.deaf = False
            self._judge_outage()
        self.sender.sent_control(unit)
        self._check_feedback(unit)

    def _judge_outage(self):
        if self.outage and not (self.deaf or self.peer_deaf):
            self.outage = False
            self.sender.freeze_below = self.sender.next_tsn if self.freeze else 0

    def _outage_begins(self):
        if not self.outage:
            self.outage = True
            self.begun_in_outage = 0
            self.outages += 1

    def _check_outage(self, unit):
        """A frame that was under way when the outage began may end, and those that were chosen leave."""
        if self.outage and unit.index == 0:
            self.begun_in_outage += 1
            assert self.begun_in_outage <= 1 + self.ahead, f"FSN {unit.fsn} left during an outage"

    def _hears(self, peer_deaf):
        """A valid unit of the peer came; it ends an outage if the peer hears too."""
        self.deaf, self.peer_deaf = False, peer_deaf
        if peer_deaf:
            self._outage_begins()
        self._judge_outage()

    def _check_feedback(self, unit):
        receiver, said = self.receiver, self.said
        rx_next = unwrap(unit.rx_next, said["rx_next"])
        rx_base = unwrap(unit.rx_base, said["rx_base"])
        assert said["rx_next"] <= rx_next <= receiver.rx_next, f"rxNext {rx_next} is not within … {receiver.rx_next}"
        assert said["rx_base"] <= rx_base <= receiver.base_limit, f"rxBase {rx_base} is not within … {receiver.base_limit}"
        places = places_of(receiver.window, self.sender.peer_window)
        self.reports.sent(unit, rx_next, unwrap(unit.bitmap_base, rx_next), places, self.clock())
        for tsn, received in outcomes_shown(unit, rx_next, receiver.window):
            assert received == receiver.outcomes[tsn], f"wrong outcome of TSN {tsn}"
        said.update(rx_next=rx_next, rx_base=rx_base)

    def received(self, raw, erased=False):
        """A unit came on s_axis_phy."""
        try:
            unit = parse(raw, *self.limits, erased)
        except Rejected as reason:
            self.receiver.counters[reason.counter] += 1
            return
        self.contradictions.has_come(unit)
        if not isinstance(unit, ControlUnit):
            if self.up and unit.epoch == self.peer_epoch:
                self.heard = True
                self._hears(self.peer_deaf)
                self.receiver.data(unit)
            else:
                self.counters["rx_units_epoch"] += 1
            return
        if unit.hello:
            self._hello(unit)
            return
        shown = unit.peer_known and unit.peer_epoch == self.epoch and unit.epoch == self.peer_epoch
        if not self.up and shown:
            self.up = True
        if not self.up or unit.epoch != self.peer_epoch:
            self.counters["rx_units_epoch"] += 1
            return
        self.heard = True
        self._hears(unit.deaf)
        self.counters["rx_control_units"] += 1
        valid = self.sender.control_is_valid(unit)
        self.counters["rx_control_invalid"] += not self.receiver.control(unit) or not valid
        self.reports.heard(unit, self.receiver.rx_next, self.clock())
        sure = self._is_taken(unit)
        if valid:
            self.sender.control(unit, sure)

    def _is_taken(self, unit):
        """Whether the sender is sure to deal with a control unit, and does not drop it."""
        now = self.clock()
        return now is None or self.intake.takes(now, self.sender.new_outcomes(unit))

    def _hello(self, unit):
        self.counters["rx_control_units"] += 1
        self.hellos[unit.epoch] = 1 << unit.window_log2
        if self.epoch is None:  # still clearing: whether it was accepted, its own first hello shows
            return
        if self.up:
            return  # the answer, or the restart that it means, shows in what is sent
        self.peer_epoch = unit.epoch
        self.sender.peer_window = 1 << unit.window_log2
        self.up = unit.peer_known and unit.peer_epoch == self.epoch

    def packet(self, data, aborted=False):
        """A packet left on m_axis."""
        if aborted:
            self.aborted += 1
            self.held = []
            return
        found = next((i for i, d in self._in_turn(self._undelivered()) if d == data), None)
        if found is None and self._was_held(data):
            return
        assert found is not None, f"a packet of {len(data)} bytes left that is not complete, is not the next, or has left before"
        self.held = []
        self.delivered.add(found)
        self.delivered_count += 1

    def _undelivered(self):
        """(place in `receiver.ready`, bytes) of complete packets that have not left."""
        ready = self.receiver.ready
        return [(i, ready[i][1]) for i in range(self.delivered_count if self.in_order else 0, len(ready)) if i not in self.delivered]

    def _in_turn(self, packets):
        """Those that may be the next to leave."""
        return packets[:1] if self.in_order else packets

    def _was_held(self, data):
        """Whether this packet may have been on the port when a life ended; what was there before it does not come any more."""
        for life, packets in enumerate(self.held):
            if data in self._in_turn(packets):
                packets.remove(data)
                self.held = self.held[life:]
                self.held_beats -= -(-(len(data) - self.held_left) // self.data_bytes)
                self.held_left = 0
                return self.held_beats >= 0
        return False

    def restart(self, epoch):
        """The end restarted: its epoch changed. What is on the port stays, and a packet that ends there leaves whole."""
        self.epoch = epoch
        left = self.port()
        if left is None:
            self.held = []
        else:
            self.held.append([data for _, data in self._undelivered()])
            self.held_beats, self.held_left = PORT_BEATS, left
        self.restarts += 1
        self._new_life()
        self.sender.restart()
        self.receiver.restart()

    # -- the end

    def forget_counters(self):
        """All counters start at 0, as the registers' do after a clear at rest."""
        for counters in (self.counters, self.sender.counters, self.receiver.counters):
            counters.clear()
        self.receiver.dropped_range = [0, 0]
        self.restarts = self.outages = self.aborted = self.spoiled = 0

    def expected(self):
        """Exact counters once the link is quiet."""
        both = Counter(self.counters)
        both.update(self.sender.counters)
        both.update(self.receiver.counters)
        return {name: both[name] for name in TX_EXACT + RX_EXACT + ["rx_packets", "rx_bytes"]}

    def finish(self, counters=None, loose=()):
        """At rest: all that was offered is resolved, all that is complete was delivered, and the counters agree.

        `counters` are those read from the registers; names in `loose` are not compared."""
        self.sender.give_up_undecided()
        assert self.aborted <= self.restarts, f"{self.aborted} packets were cut in {self.restarts} restarts"
        assert self.spoiled <= self.restarts, f"{self.spoiled} units left with a wrong CRC in {self.restarts} restarts"
        assert self.sender.resolved, f"frames {self.sender.tx_base} … {self.sender.next_fsn} are not resolved"
        assert self.delivered_count == len(self.receiver.ready), "a complete packet was not delivered"
        assert not self.reports.polls, f"{len(self.reports.polls)} polls were not answered"
        c = self.expected()
        assert c["tx_frames"] == c["tx_frames_acked"] + c["tx_frames_abandoned"] + self.sender.counters["tx_frames_flushed"]
        assert c["tx_outcomes_ok"] + c["tx_outcomes_failed"] == c["tx_frames"] + c["tx_retx"] or self.restarts
        if counters is None:
            return
        wrong: dict[str, tuple] = {n: (counters[n], v) for n, v in c.items() if counters[n] != v and n not in loose}
        low, high = self.receiver.dropped_range
        if not low <= counters["rx_packets_dropped"] <= high:
            wrong["rx_packets_dropped"] = (counters["rx_packets_dropped"], (low, high))
        controls = ("rx_control_units", "rx_units_epoch")
        came, model = sum(counters[n] for n in controls), sum(self.counters[n] for n in controls)
        if came != model:
            wrong["units accepted or of another epoch"] = (came, model)
        if counters["rx_control_invalid"] != self.counters["rx_control_invalid"]:
            wrong["rx_control_invalid"] = (counters["rx_control_invalid"], self.counters["rx_control_invalid"])
        assert not wrong, f"counters differ (read, expected): {wrong}"
