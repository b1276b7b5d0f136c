# SPDX-License-Identifier: Apache-2.0
"""The receiving half of a link end, untimed: what follows from the sequence of units that came.

Sequence numbers are unbounded integers here; they are unwrapped where they enter. The frame store, the user's speed and
the release of slots are not modelled: `base_limit` is how far rxBase may have moved, not how far it has.
"""

from collections import Counter
from dataclasses import dataclass, field

from . import code
from .units import CRC, SN, DataUnit, distance, trailer, unwrap


@dataclass
class Collecting:
    """The transmission in progress."""

    header: DataUnit
    duplicate: bool
    last_try: bool = False  # its last unit that was accepted announces a last try, and so does the one accepted before that
    units: dict = field(default_factory=dict)
    complete: bool = False


@dataclass
class Frame:
    """A complete frame: its bytes without filling."""

    data: bytes
    sop: bool
    eop: bool


class Receiver:
    """Feed it with `data(unit)` and `control(unit)` in order of arrival; it fills

    outcomes    one bool per decided TSN
    frames      complete frames by FSN that are not yet passed by `base_limit`
    ready       packets (first FSN, bytes) that may leave, in the order in which they became deliverable
    counters    those of csr/Counters.scala that the receiver feeds
    contradiction  why the peer cannot mean what it has said, or None

    `pairs` False believes a single control unit with `abandons` and a single unit of type 2 or 3, to show what that does.
    """

    def __init__(self, window, unit_bytes, in_order=True, pairs=True, packet_crc=False):
        self.packet_crc = packet_crc
        self.window = window
        self.unit_bytes = unit_bytes
        self.in_order = in_order
        self.pairs = pairs
        self.counters = Counter()
        self.dropped_range = [0, 0]  # of rx_packets_dropped
        self.restart()

    def restart(self):
        """All sequence numbers start again at 0; counters stay."""
        self.rx_next = 0
        self.collecting = None
        self.outcomes = []
        self.frames = {}
        self.base_limit = 0
        self.abandon_edge = 0  # incomplete frames below it are skipped
        self.resolved = 0  # the lower txBase of the last two control units
        self._last_notice = None  # (abandons, txBase) of the last control unit
        self._last_unit = None  # data unit that was accepted, and its FSN
        self.contradiction = None
        self.ready = []
        self.skipped = set()  # FSNs at or above base_limit whose last try has failed
        self._gone = set()  # first FSN of packets that were ready ahead of base_limit
        self._open = False  # the last frame before base_limit that came had no eop
        self._gap = 0  # frames skipped since then

    # -- data units

    def data(self, unit):
        """Takes a data unit of the right epoch."""
        tsn = unwrap(unit.tsn, self.rx_next)
        fsn = unwrap(unit.fsn, self.base_limit)
        if tsn < self.rx_next:
            self.counters["rx_units_late"] += 1
            return
        now = self.collecting
        mixed = now is not None and tsn == self.rx_next and not self._fits(unit, now.header)
        if tsn >= self.rx_next + self.window or fsn >= self.base_limit + self.window or mixed:
            self.counters["rx_units_invalid"] += 1
            return
        self._close_below(tsn)
        if self.collecting is None:
            self.collecting = Collecting(unit.transmission, fsn < self.base_limit or fsn in self.frames)
        now = self.collecting
        now.last_try = self._last_tries(unit, fsn)
        if now.complete or now.duplicate:
            self.counters["rx_units_surplus"] += 1
        else:
            self.counters["rx_units"] += 1
            now.units[unit.index] = unit.payload
            if len(now.units) == unit.k:
                now.complete = True
                self._complete(fsn, now)
        if unit.index == unit.n - 1:
            self._close_below(tsn + 1)

    def _last_tries(self, unit, fsn):
        """An accepted unit and the one before are both of type 2 or 3. If both are of type 3, all below the lower one is abandoned."""
        before, self._last_unit = self._last_unit, (unit, fsn)
        if not self.pairs:
            before = unit, fsn
        if before is None or not (before[0].last_try and unit.last_try):
            return False
        if before[0].all_below and unit.all_below:
            self.abandon_edge = max(self.abandon_edge, min(before[1], fsn))
            self._advance()
        return True

    @staticmethod
    def _fits(unit, header):
        """The unit can be of the transmission in progress."""
        return (unit.fsn, unit.k, unit.preset) == (header.fsn, header.k, header.preset)

    def _complete(self, fsn, now):
        h = now.header
        clean = max(now.units) < h.k
        self.counters["rx_frames_clean" if clean else "rx_frames_repaired"] += 1
        data = b"".join(code.decode(now.units, h.k, h.n, h.preset))
        self.frames[fsn] = Frame(data[: len(data) - h.pad], h.sop, h.eop)
        if not self.in_order:
            self._ready_around(fsn)
        self._advance()

    def _close_below(self, tsn):
        while self.rx_next < tsn:
            now, self.collecting = self.collecting, None
            received = now is not None and (now.complete or now.duplicate)
            if now is not None and now.last_try and not received:
                self.skipped.add(unwrap(now.header.fsn, self.base_limit))
            if now is not None and now.duplicate:
                self.counters["rx_duplicates"] += 1
            self.counters["rx_outcomes_ok" if received else "rx_outcomes_failed"] += 1
            self.outcomes.append(received)
            self.rx_next += 1
        self._advance()

    # -- control units

    def control(self, unit):
        """Takes the sender part of a control unit without hello; returns whether both edges were possible. One that is not is
        ignored alone; if it is txBase the control unit does not count in a succession of two."""
        edge, base = distance(unit.tx_edge, self.rx_next % SN), distance(unit.tx_base, self.base_limit % SN)
        edge_valid, base_valid = edge <= self.window, base <= self.window  # what is behind is old and says nothing
        tx_base = self.base_limit + base  # before the edge moves base_limit
        if edge_valid:
            self._close_below(self.rx_next + edge)
        if base_valid:
            self._notice((unit.abandons, tx_base))
        self._advance()
        return edge_valid and base_valid

    def _notice(self, now):
        before, self._last_notice = self._last_notice, now
        if not self.pairs:
            before = now
        if before is None:
            return
        lower = min(before[1], now[1])
        self.resolved = max(self.resolved, lower)
        if before[0] and now[0]:
            self.abandon_edge = max(self.abandon_edge, lower)

    # -- delivery

    def _ready_around(self, fsn):
        """ord = 0: makes the packet of frame `fsn` ready if all of it is there."""
        first = last = fsn
        while first in self.frames and not self.frames[first].sop:
            first -= 1
        while last in self.frames and not self.frames[last].eop:
            last += 1
        if first in self.frames and last in self.frames:
            self._make_ready(first, last)

    def _make_ready(self, first, last):
        if first in self._gone:
            self._gone.discard(first)
            return
        if not self.in_order:
            self._gone.add(first)
        data = b"".join(self.frames[f].data for f in range(first, last + 1))
        if self.packet_crc:
            data, crc = data[:-CRC], data[-CRC:]
            if not data or crc != trailer(data):
                self.counters["rx_packets_corrupt"] += 1
                return
        self.ready.append((first, data))
        self.counters["rx_packets"] += 1
        self.counters["rx_bytes"] += len(data)

    def _advance(self):
        """Moves `base_limit` over everything that is delivered, discarded or skipped."""
        while True:
            run, end = self._run()
            if self.contradiction:
                return
            whole = bool(run) and run[-1].eop
            if whole and run[0].sop:
                self._make_ready(self.base_limit, end - 1)
                self._open, self._gap = False, 0
            elif run and not run[0].sop:
                self._discard(run)
            elif not whole and (end < self.abandon_edge or end in self.skipped):  # frame `end` is skipped
                if run:
                    self._discard(run)
                self.counters["rx_frames_skipped"] += 1
                self._gap += 1
                end += 1
            else:
                self._judge(end, len(run))
                return
            for fsn in range(self.base_limit, end):
                self.frames.pop(fsn, None)
                self.skipped.discard(fsn)
            self.base_limit = end

    def _run(self):
        """Frames of one packet from `base_limit` on that are there, and the FSN after them."""
        run, end, within = [], self.base_limit, self._open
        while end in self.frames:
            frame = self.frames[end]
            if frame.sop == within and not (self._gap and not run):
                fault = "begins a packet within another" if within else "is of no packet"
                self.contradiction = f"frame {end} {fault}"
                break
            run.append(frame)
            end += 1
            within = not frame.eop
            if frame.eop:
                break
        return run, end

    def _judge(self, awaited, collected):
        """A frame is awaited, and that many of its packet are there."""
        if awaited < self.resolved:
            self.contradiction = f"frame {awaited} is incomplete, and the peer takes it for received"
        elif collected >= self.window:
            self.contradiction = f"the packet of frame {self.base_limit} has no end"

    def _discard(self, run):
        """Counts dropped packets. After two skipped frames in a row nobody can tell whether the frames on both sides are
        of one packet, so the count is a range."""
        if run[0].sop or not self._open:
            self.dropped_range[0] += 1
            self.dropped_range[1] += 1
        elif self._gap >= 2:
            self.dropped_range[1] += 1
        self._open, self._gap = not run[-1].eop, 0
