# SPDX-License-Identifier: Apache-2.0
"""The sending half of a link end as a trace checker: is each unit that left legal, and what must the counters say?

The checker knows what was offered, what control units came and what left, each in its order at the ports. A control unit
takes effect some time after it came: decisions made before then are legal, so limits are assumed at their loosest and
`slack` says how many new frames may begin after a NACK came before its retransmission does. One that comes while two others
wait may have been dropped: its outcomes may have been accepted then, or from a later one that shows them.
"""

from collections import Counter, deque
from dataclasses import dataclass

from .sent import Failed, SentFrame
from .units import SN, distance, trailer, unwrap

INFINITE = 15


@dataclass(frozen=True)
class Setting:
    """Active values of CODE and ARQ."""

    k: int
    n_first: int
    n_retx: int
    preset: int = 0
    delta: int = INFINITE


class Sender:
    """Feed it with `offered`, `sent_data`, `sent_control` and `control`, in time order; AssertionError where a unit is not
    legal. `settings` are the Setting values that frames may have been cut with, the first one at the start; `active` those of
    which one is active now.
    """

    def __init__(self, window, unit_bytes, settings, slack=4, packet_crc=False):
        self.window = window
        self.packet_crc = packet_crc
        self.unit_bytes = unit_bytes
        self.settings = list(settings)
        self.active = self.settings[:1]
        self.slack = slack
        self.counters = Counter()
        self.packets = deque()  # packets not yet sent in full
        self.at = 0  # bytes of packets[0] that are in frames
        self.peer_window = window
        self.restart(first=True)

    def restart(self, first=False):
        """All sequence numbers start again at 0; what was not resolved is flushed. Packets that were not sent in full are dropped
        by the restart, or came too late for that: the first frame that is sent then shows which."""
        if not first:
            left = sum(1 for f in self.frames.values() if f.state in ("sent", "queued", "undecided"))
            self.counters["tx_frames_flushed"] += left
        self.at = 0
        self.frames = {}
        self.next_fsn = 0
        self.next_tsn = 0
        self.sending = None  # header of the transmission that is leaving
        self.index = 0
        self.pending = deque()
        self.tsn_fsn = {}
        self.unsure = {}  # Failed by TSN, where only a control unit has reported it that may have been dropped
        self.ack_tsn = 0
        self.tx_base = 0
        self.abandoned_in_packet = False
        self.abandoned = []  # FSNs of frames that the base has passed
        self.peer_rx_base = 0
        self.peer_bases = deque([0], maxlen=5)  # as it was when the last control units left: so many may leave before a received one takes effect
        self.last = {"tx_base": 0, "tx_edge": 0, "ack": 0}
        self.freeze_below = 0
        self.again_below = 0, 0  # range of the FSN after the last frame whose first transmission was no last try
        self.certain = 0  # frames sent since this end has said that its base has passed that, or None
        # packets at the head of `packets` that may have been dropped; the next one may have been under way on s_axis
        self.skippable = 0 if first else len(self.packets) + 1
        self.newest_base = 0  # as tx_base, but does not pass a frame that is undecided

    # -- what is offered and sent

    def offered(self, packet):
        """A good packet was accepted whole on s_axis."""
        self.packets.append(packet + trailer(packet) if self.packet_crc else packet)
        self.counters["tx_packets"] += 1
        self.counters["tx_bytes"] += len(packet)

    def sent_data(self, unit):
        """A data unit left."""
        if self.sending is None:
            self._begin(unit)
            self.sending, self.index = unit.transmission, 0
        assert unit.transmission == self.sending, f"unit of {unit.transmission} inside {self.sending}"
        assert unit.index == self.index, f"TSN {unit.tsn}: unit {unit.index} left, {self.index} was next"
        frame = self.frames[self.tsn_fsn[self.next_tsn - 1]]
        expected = frame.unit(unit.preset, unit.n, unit.index)
        assert unit.payload == expected, f"FSN {unit.fsn}, TSN {unit.tsn}, unit {unit.index}: wrong payload"
        self.index += 1
        if self.index == unit.n:
            self.sending = None

    def _begin(self, unit):
        assert unit.tsn == self.next_tsn % SN, f"TSN {unit.tsn} left, {self.next_tsn} was next"
        kept = self.ack_tsn + min(self.window, self.peer_window)
        assert self.next_tsn < kept, f"TSN {self.next_tsn} left, and outcomes are kept below {kept} only"
        if unit.fsn == self.next_fsn % SN:
            self._new_frame(unit)
            fsn, retx = self.next_fsn, False
            self.next_fsn += 1
        else:
            fsn, retx = self._retransmission(unit), True
        attempt = self.frames[fsn].attempt
        assert unit.odd == attempt % 2, f"FSN {fsn}, attempt {attempt}: the header says {unit.odd}"
        parity = unit.n - unit.k
        legal = {(s.n_retx if retx else s.n_first) - s.k for s in self.active}
        assert parity in legal, f"FSN {unit.fsn}: N - K is {parity}, legal is {legal}"
        self.frames[fsn].last_try = self._last_try(unit, fsn, attempt, retx)
        assert unit.preset in {s.preset for s in self.active}, f"preset {unit.preset} is not active"
        self.tsn_fsn[self.next_tsn] = fsn
        self.next_tsn += 1
        self.counters["tx_retx" if retx else "tx_frames"] += 1
        self.counters["tx_retx_units" if retx else "tx_units"] += unit.n

    def _last_try(self, unit, fsn, attempt, retx):
        """Checks the type of a transmission that begins; returns the set of what it may be: a last try, or none."""
        deltas = {s.delta for s in self.active}
        possible = {s.delta != INFINITE and attempt >= s.delta or attempt == 15 and unit.k > s.k for s in self.active}
        types = {last: self._types(last, retx) for last in possible}
        found = {last for last in possible if unit.kind in types[last]}
        assert found, f"FSN {fsn}, attempt {attempt}, is of type {unit.kind}, and delta is one of {deltas}"
        if not retx:
            self._note_first(fsn, found, unit.last_try)
        return found

    def _types(self, last_try, retx):
        """Which types a transmission may have that is a last try, or is none."""
        if not last_try:
            return {0}
        if retx:
            return {2}
        may = self.tx_base >= self.again_below[0]
        must = self.certain is not None and self.certain >= self.slack
        return {3} if must else {0, 3} if may else {0}

    def _note_first(self, fsn, found, announced):
        """After the first transmission of a frame, which was of type 3 or not."""
        first, last = self.again_below
        self.again_below = (first if True in found else fsn + 1), (last if False not in found else fsn + 1)
        if announced:
            self.again_below = first, min(last, self.tx_base)
        if self.last["tx_base"] < self.again_below[1]:
            self.certain = None
        elif self.certain is not None:
            self.certain += 1

    def _new_frame(self, unit):
        fsn = self.next_fsn
        limit = min(self.tx_base + min(self.window, self.peer_window), self.peer_rx_base + self.peer_window)
        assert fsn < limit, f"FSN {fsn} left beyond the window, limit {limit}"
        for entry in list(self.pending):
            entry.begun += entry.sure
            if entry.begun > self.slack:
                assert self._give_up(entry), f"FSN {fsn} left while FSN {entry.fsn} waits for retransmission"
        if self.skippable:
            self._skip_dropped(unit)
        assert self.packets, f"FSN {fsn} left and no packet was offered"
        packet = self.packets[0]
        rest = len(packet) - self.at
        full = {s.k * self.unit_bytes for s in self.settings}
        size = unit.k * self.unit_bytes - unit.pad
        assert size <= rest, f"FSN {fsn} holds {size} bytes, {rest} are left of its packet"
        assert unit.sop == (self.at == 0) and unit.eop == (size == rest), f"FSN {fsn}: wrong sop or eop"
        if size < rest:
            assert size in full and unit.pad == 0, f"FSN {fsn} is not its packet's last and has K {unit.k}, pad {unit.pad}"
        else:
            assert 0 <= unit.pad < self.unit_bytes and size <= max(full), f"FSN {fsn}: K {unit.k}, pad {unit.pad}"
        data = packet[self.at : self.at + size] + bytes(unit.pad)
        units = [data[i : i + self.unit_bytes] for i in range(0, len(data), self.unit_bytes)]
        self.frames[fsn] = SentFrame(units, unit.pad, unit.sop, unit.eop)
        self.at += size
        if unit.eop:
            self.packets.popleft()
            self.at = 0

    def _retransmission(self, unit):
        entry = self._first_failed(unit.fsn)
        self.pending.remove(entry)
        self.unsure = {tsn: e for tsn, e in self.unsure.items() if e is not entry}
        fsn = entry.fsn
        frame = self.frames[fsn]
        expected = (len(frame.units), frame.pad, frame.sop, frame.eop)
        assert (unit.k, unit.pad, unit.sop, unit.eop) == expected, f"FSN {fsn}: the header changed: {unit}"
        if frame.state == "undecided":
            frame.state = "sent"
            self._advance()
        frame.state = "sent"
        return fsn

    def _first_failed(self, fsn):
        """The entry of the frame that leaves again: one whose place in the queue is not known, or the first of the others."""
        for entry in list(self.pending):
            if entry.fsn % SN == fsn:
                return entry
            assert not entry.ordered or self._give_up(entry), f"FSN {fsn} left again, {entry.fsn} was the first to be retransmitted"
        raise AssertionError(f"FSN {fsn} left again and nothing is to be retransmitted")

    def _give_up(self, entry):
        """Decides that an undecided frame was abandoned; False if it is not undecided."""
        frame = self.frames[entry.fsn]
        if frame.state != "undecided":
            return False
        self.pending.remove(entry)
        frame.state = "abandoned"
        self.counters["tx_frames_abandoned"] += 1
        self.counters["tx_outcomes_outage"] -= frame.frozen
        self._advance()
        return True

    def give_up_undecided(self):
        """At rest nothing waits for retransmission, so what is undecided was abandoned."""
        for entry in list(self.pending):
            self._give_up(entry)

    def _skip_dropped(self, unit):
        """After a restart: the packets before the one that this first frame belongs to were dropped by it."""
        data = unit.payload[: self.unit_bytes - unit.pad] if unit.k == 1 else unit.payload
        while self.skippable and self.packets and not self.packets[0].startswith(data):
            self.packets.popleft()
            self.skippable -= 1
        self.skippable = 0

    def sent_control(self, unit):
        """A control unit without hello left: checks its sender part."""
        whole = self.next_tsn - (self.sending is not None)
        edge = unwrap(unit.tx_edge, self.last["tx_edge"])
        base = unwrap(unit.tx_base, self.last["tx_base"])
        ack = unwrap(unit.ack_tsn, self.last["ack"])
        assert self.last["tx_edge"] <= edge <= whole, f"txEdge {edge} is not within {self.last['tx_edge']} … {whole}"
        assert self.last["tx_base"] <= base <= self.tx_base, f"txBase {base} is not within … {self.tx_base}"
        for entry in list(self.pending):
            if entry.fsn < base:
                self._give_up(entry)
        assert self.last["ack"] <= ack <= self.ack_tsn, f"ackTsn {ack} is not within … {self.ack_tsn}"
        self._check_abandons(unit.abandons, base)
        self.last.update(tx_edge=edge, tx_base=base, ack=ack)
        if self.certain is None and base >= self.again_below[1]:
            self.certain = 0

    def _check_abandons(self, flag, base):
        """`abandons` is due from when the base has passed an abandoned frame until the peer's rxBase is known to have."""
        last = max((fsn for fsn in self.abandoned if fsn < base), default=-1)
        assert flag or last < self.peer_rx_base, f"a control unit without abandons, and the base {base} has passed FSN {last}"
        assert not flag or last >= self.peer_bases[0], f"abandons, and the peer has passed FSN {last}"
        self.peer_bases.append(self.peer_rx_base)

    # -- feedback

    def control_is_valid(self, unit):
        """The receiver part of a control unit is possible, or stale and only its rxBase counts."""
        ahead = distance(unit.rx_next, self.ack_tsn % SN)
        base = distance(unit.rx_base, self.peer_rx_base % SN)
        sent = -self.window <= ahead <= self.next_tsn - self.ack_tsn
        return sent and -self.window <= base <= self.next_fsn - self.peer_rx_base

    def new_outcomes(self, unit):
        """How many outcomes a control unit shows, from the oldest one that is missing on."""
        base = unwrap(unit.bitmap_base, self.ack_tsn)
        return max(0, min(base + 64, unwrap(unit.rx_next, self.ack_tsn)) - max(base, self.ack_tsn))

    def control(self, unit, sure=True):
        """Takes the receiver part of a valid control unit without hello; it is `sure` unless it may have been dropped."""
        rx_next = unwrap(unit.rx_next, self.ack_tsn)
        base = unwrap(unit.bitmap_base, self.ack_tsn)
        self.peer_rx_base = max(self.peer_rx_base, unwrap(unit.rx_base, self.peer_rx_base))
        for tsn in range(max(base, self.ack_tsn), min(base + 64, rx_next)):
            if tsn in self.tsn_fsn:
                self._outcome(tsn, unit.bitmap >> (tsn - base) & 1, sure)
            elif sure and tsn in self.unsure:
                self.unsure.pop(tsn).sure = True
        while self.ack_tsn < self.next_tsn and self.ack_tsn not in self.tsn_fsn:
            self.ack_tsn += 1

    def _outcome(self, tsn, received, sure):
        fsn = self.tsn_fsn.pop(tsn)
        frame = self.frames[fsn]
        if received:
            self.counters["tx_outcomes_ok"] += 1
            self.counters["tx_frames_acked"] += 1
            self.counters[f"tx_acked_{frame.attempt}"] += 1
            frame.state = "acked"
        else:
            self.counters["tx_outcomes_failed"] += 1
            frozen = frame.frozen = tsn < self.freeze_below and False in frame.last_try
            decisions = {last or self._abandons(frame, s.delta, frozen) for s in self.active for last in frame.last_try}
            self.counters["tx_outcomes_outage"] += frozen
            if decisions == {True}:
                self.counters["tx_frames_abandoned"] += 1
                frame.state = "abandoned"
            else:
                if not frozen:
                    frame.attempt = min(15, frame.attempt + 1)
                frame.state = "queued" if decisions == {False} else "undecided"
                self.pending.append(Failed(fsn, sure, sure))
                if not sure:
                    self.unsure[tsn] = self.pending[-1]
        self._advance()

    @staticmethod
    def _abandons(frame, delta, frozen):
        return not frozen and delta != INFINITE and frame.attempt >= delta

    def _advance(self):
        while self.newest_base in self.frames and self.frames[self.newest_base].state in ("acked", "abandoned"):
            passed = self.frames.pop(self.newest_base)
            if passed.state == "abandoned":
                self.abandoned_in_packet = True
                self.abandoned = [f for f in self.abandoned if f >= self.peer_bases[0]] + [self.newest_base]
            if passed.eop:
                self.counters["tx_packets_lost"] += self.abandoned_in_packet
                self.abandoned_in_packet = False
            self.newest_base += 1
        self.tx_base = self.newest_base
        while self.tx_base in self.frames and self.frames[self.tx_base].state in ("acked", "abandoned", "undecided"):
            self.tx_base += 1

    @property
    def resolved(self):
        """Every packet offered was sent, and every frame is acknowledged or abandoned."""
        return len(self.packets) <= self.skippable and self.tx_base == self.next_fsn and self.sending is None
