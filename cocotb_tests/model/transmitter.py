# SPDX-License-Identifier: Apache-2.0
"""The sending half of a link end of the protocol model: sequence numbers, windows, outcomes and the retransmit queue."""

from collections import Counter, deque
from dataclasses import dataclass

from . import code
from .sender import INFINITE
from .units import SN, DataUnit, distance, trailer, unwrap


@dataclass
class StoredFrame:
    units: list
    pad: int
    sop: bool
    eop: bool
    attempt: int = 0
    last_try: bool = False  # of its newest transmission
    state: str = "new"
    sends: int = 0


class Transmitter:
    """`fsn_of` has the TSNs whose outcome is not known; `ack` is the oldest of them, or the next TSN."""

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
        self.notice_due = False
        self.again_below = 0  # FSN after the last frame whose first transmission was no last try
        self.newest_announced = False  # the first transmission of the newest frame sent was of type 2
        self.freeze_below = 0

    # -- frames

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

    def smaller_window(self, peer_window):
        return min(self.config.window, peer_window) if self.config.rules.smaller_window else self.config.window

    def limit(self, peer_window):
        """First FSN that may not be sent."""
        return min(self.stored, self.base + self.smaller_window(peer_window), self.peer_base + peer_window)

    def may_begin(self, peer_window):
        """A transmission, new or not, may begin."""
        waits = self.queue or self.next_fsn < self.limit(peer_window)
        kept = self.next_tsn < self.ack + self.smaller_window(peer_window) or not self.config.rules.tsn_limit
        return bool(waits) and kept

    def something_to_send(self, peer_window):
        return bool(self.leaving) or self.may_begin(peer_window)

    def next_unit(self, epoch, peer_window):
        """The next data unit, or None."""
        if not self.leaving:
            if not self.may_begin(peer_window):
                return None
            if self.queue:
                fsn = self.queue.popleft()
            else:
                fsn = self.next_fsn
                self.next_fsn += 1
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
        frame.last_try = self._exhausted(frame.attempt) or frame.attempt == 15 and k > s.k
        is_first = frame.sends == 1
        if is_first:
            announced = self.newest_announced = self._announces_first(fsn, frame.last_try)
        else:
            announced = self.config.rules.announced and frame.last_try
        for i, payload in enumerate(code.encode(frame.units, n, s.preset)):
            unit = DataUnit(
                s.preset, frame.sop, frame.eop, epoch, k, n, i, frame.pad, fsn % SN, self.next_tsn % SN, payload,
                announced, announced and is_first, frame.attempt % 2 == 1,
            )  # fmt: skip
            self.leaving.append(unit)
        self.fsn_of[self.next_tsn] = fsn
        self.next_tsn += 1

    def _exhausted(self, attempt):
        """No retransmission may follow this one."""
        delta = self.config.setting.delta
        return delta != INFINITE and (attempt >= delta if self.config.rules.delta_at_least else attempt == delta)

    def _announces_first(self, fsn, last_try):
        """Whether the first transmission of a frame is of type 3."""
        rules = self.config.rules
        if not last_try:
            self.again_below = fsn + 1
        certain = self.base >= self.again_below or not rules.announced_if_certain
        return rules.announced and last_try and certain

    # -- feedback

    def valid(self, unit):
        """rxNext and rxBase are possible, or behind by a window at most."""
        ahead = distance(unit.rx_next, self.ack % SN)
        base = distance(unit.rx_base, self.peer_base % SN)
        window = self.config.window
        return -window <= ahead <= self.edge - self.ack and -window <= base <= self.next_fsn - self.peer_base

    def feedback(self, unit):
        """Takes the receiver part of a valid control unit."""
        stale = distance(unit.rx_next, self.ack % SN) < 0 or distance(unit.rx_base, self.peer_base % SN) < 0
        if stale and not self.config.rules.fields_apart:
            return
        self.peer_base = max(self.peer_base, unwrap(unit.rx_base, self.peer_base))
        rx_next, base = unwrap(unit.rx_next, self.ack), unwrap(unit.bitmap_base, self.ack)
        if self.config.rules.any_order or base <= self.ack:
            self._outcomes(base, rx_next, unit.bitmap)
        while self.base < self.next_fsn and self.frames[self.base].state in ("acked", "abandoned"):
            if self.frames.pop(self.base).state == "abandoned":
                self.notice_due, self.unconfirmed = True, self.base + 1
            self.base += 1

    def takes_notice(self):
        """True once for a notice that is due, when no frame behind the abandoned one says the same."""
        said = self.newest_announced and self.base < self.next_fsn and self.config.rules.notices_wait
        due = self.notice_due and self.abandons and not said
        if due or not self.abandons:
            self.notice_due = False
        return due

    def _outcomes(self, base, rx_next, bitmap):
        for tsn in range(max(base, self.ack), min(base + 64, rx_next)):
            if tsn in self.fsn_of:
                self._outcome(tsn, bitmap >> (tsn - base) & 1)
        while self.ack < self.next_tsn and self.ack not in self.fsn_of:
            self.ack += 1

    @property
    def missing(self):
        """Outcomes of transmissions that were sent in full are not known."""
        return self.ack < self.edge

    @property
    def abandons(self):
        """The base has passed an abandoned frame, and the peer is not known to have passed it."""
        return self.unconfirmed > self.peer_base

    def _outcome(self, tsn, ok):
        fsn = self.fsn_of.pop(tsn)
        frame = self.frames[fsn]
        self.counters["tx_outcomes_ok" if ok else "tx_outcomes_failed"] += 1
        if ok:
            frame.state = "acked"
            self.counters["tx_frames_acked"] += 1
            self.counters[f"tx_acked_{frame.attempt}"] += 1
            return
        last_try = frame.last_try and self.config.rules.last_is_last
        frozen = tsn < self.freeze_below and self.config.outage_freeze and not last_try
        self.counters["tx_outcomes_outage"] += frozen
        if last_try or self._exhausted(frame.attempt) and not frozen:
            frame.state = "abandoned"
            self.counters["tx_frames_abandoned"] += 1
        else:
            frame.state = "queued"
            frame.attempt = min(15, frame.attempt + (not frozen))
            self.queue.append(fsn)
