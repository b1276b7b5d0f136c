# SPDX-License-Identifier: Apache-2.0
"""The sending half of a link end as a trace checker: is each unit that left legal, and what must the counters say?

The checker knows what was offered, what control units came and what left, each in its order at the ports. A control unit
takes effect some time after it came: decisions made before then are legal, so limits are taken at their loosest and
`slack` says how many new frames may begin after a NACK came before its retransmission does.
"""

from collections import Counter, deque
from dataclasses import dataclass, field

from . import code
from .units import distance, unwrap

INFINITE = 15


@dataclass(frozen=True)
class Setting:
    """Active values of CODE and ARQ."""

    k: int
    n_first: int
    n_retx: int
    preset: int = 0
    delta: int = INFINITE


@dataclass
class SentFrame:
    """A frame that was sent at least once."""

    units: list
    pad: int
    sop: bool
    eop: bool
    attempt: int = 0
    state: str = "sent"  # sent, queued, acked, abandoned
    codewords: dict = field(default_factory=dict)

    def unit(self, preset, n, index):
        """Unit `index` of the codeword with `n` units."""
        if (preset, n) not in self.codewords:
            self.codewords[preset, n] = code.encode(self.units, n, preset)
        return self.codewords[preset, n][index]


class Sender:
    """Feed it with `offered`, `sent_data`, `sent_control` and `control`, in time order; AssertionError where a unit is not
    legal. `settings` are the Setting values that may be active; the first one at the start.
    """

    def __init__(self, window, unit_bytes, settings, slack=4):
        self.window = window
        self.unit_bytes = unit_bytes
        self.settings = list(settings)
        self.slack = slack
        self.counters = Counter()
        self.packets = deque()  # packets not yet sent in full
        self.at = 0  # bytes of packets[0] that are in frames
        self.peer_window = window
        self.restart(first=True)

    def restart(self, first=False):
        """All sequence numbers start again at 0; what was not resolved is flushed."""
        if not first:
            left = sum(1 for f in self.frames.values() if f.state in ("sent", "queued"))
            self.counters["tx_frames_flushed"] += left
        self.packets.clear()
        self.at = 0
        self.frames = {}
        self.next_fsn = 0
        self.next_tsn = 0
        self.sending = None  # header of the transmission that is leaving
        self.index = 0
        self.pending = deque()  # [FSN, new frames begun since the NACK came]
        self.tsn_fsn = {}
        self.ack_tsn = 0
        self.tx_base = 0
        self.abandoned_in_packet = False
        self.peer_rx_base = 0
        self.peer_rx_next = 0
        self.last = {"tx_base": 0, "tx_edge": 0, "ack": 0}
        self.delta = self.settings[0].delta
        self.freeze_below = 0

    # -- what is offered and sent

    def offered(self, packet):
        """A good packet was taken whole on s_axis."""
        self.packets.append(packet)
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
        assert unit.tsn == self.next_tsn % (1 << 20), f"TSN {unit.tsn} left, {self.next_tsn} was next"
        if unit.fsn == self.next_fsn % (1 << 20):
            self._new_frame(unit)
            fsn, retx = self.next_fsn, False
            self.next_fsn += 1
        else:
            fsn, retx = self._retransmission(unit), True
        parity = unit.n - unit.k
        legal = {(s.n_retx if retx else s.n_first) - s.k for s in self.settings}
        assert parity in legal, f"FSN {unit.fsn}: N - K is {parity}, legal is {legal}"
        assert unit.preset in {s.preset for s in self.settings}, f"preset {unit.preset} is not active"
        self.tsn_fsn[self.next_tsn] = fsn
        self.next_tsn += 1
        self.counters["tx_retx" if retx else "tx_frames"] += 1
        self.counters["tx_retx_units" if retx else "tx_units"] += unit.n

    def _new_frame(self, unit):
        fsn = self.next_fsn
        limit = min(self.tx_base + min(self.window, self.peer_window), self.peer_rx_base + self.peer_window)
        assert fsn < limit, f"FSN {fsn} left beyond the window, limit {limit}"
        for entry in self.pending:
            entry[1] += 1
            assert entry[1] <= self.slack, f"FSN {fsn} left while FSN {entry[0]} waits for retransmission"
        assert self.packets, f"FSN {fsn} left and no packet was offered"
        assert unit.attempt == 0, f"FSN {fsn} is new and has attempt {unit.attempt}"
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
        assert self.pending, f"FSN {unit.fsn} left again and nothing is to be retransmitted"
        fsn = self.pending.popleft()[0]
        frame = self.frames[fsn]
        assert unit.fsn == fsn % (1 << 20), f"FSN {unit.fsn} left again, {fsn} was the first to be retransmitted"
        assert unit.attempt == frame.attempt, f"FSN {fsn}: attempt {unit.attempt}, not {frame.attempt}"
        expected = (len(frame.units), frame.pad, frame.sop, frame.eop)
        assert (unit.k, unit.pad, unit.sop, unit.eop) == expected, f"FSN {fsn}: the header changed: {unit}"
        frame.state = "sent"
        return fsn

    def sent_control(self, unit):
        """A control unit without hello left: checks its sender part."""
        whole = self.next_tsn - (self.sending is not None)
        edge = unwrap(unit.tx_edge, self.last["tx_edge"])
        base = unwrap(unit.tx_base, self.last["tx_base"])
        ack = unwrap(unit.ack_tsn, self.last["ack"])
        assert self.last["tx_edge"] <= edge <= whole, f"txEdge {edge} is not within {self.last['tx_edge']} … {whole}"
        assert self.last["tx_base"] <= base <= self.tx_base, f"txBase {base} is not within … {self.tx_base}"
        assert self.last["ack"] <= ack <= self.ack_tsn, f"ackTsn {ack} is not within … {self.ack_tsn}"
        self.last.update(tx_edge=edge, tx_base=base, ack=ack)

    # -- feedback

    def control_is_valid(self, unit):
        """The receiver part of a control unit is possible."""
        return (
            0 <= distance(unit.rx_next, self.ack_tsn % (1 << 20)) <= self.next_tsn - self.ack_tsn
            and 0 <= distance(unit.rx_base, self.peer_rx_base % (1 << 20)) <= self.next_fsn - self.peer_rx_base
        )

    def control(self, unit):
        """Takes the receiver part of a valid control unit without hello."""
        rx_next = unwrap(unit.rx_next, self.ack_tsn)
        base = unwrap(unit.bitmap_base, self.ack_tsn)
        self.peer_rx_base = unwrap(unit.rx_base, self.peer_rx_base)
        self.peer_rx_next = max(rx_next, self.peer_rx_next)
        if base > self.ack_tsn:
            return
        while self.ack_tsn < min(base + 64, rx_next):
            self._outcome(self.ack_tsn, unit.bitmap >> (self.ack_tsn - base) & 1)
            self.ack_tsn += 1

    def _outcome(self, tsn, received):
        fsn = self.tsn_fsn.pop(tsn)
        frame = self.frames[fsn]
        if received:
            self.counters["tx_outcomes_ok"] += 1
            self.counters["tx_frames_acked"] += 1
            frame.state = "acked"
        else:
            self.counters["tx_outcomes_failed"] += 1
            frozen = tsn < self.freeze_below and self.delta != 0
            if frozen:
                self.counters["tx_outcomes_outage"] += 1
            if not frozen and self.delta != INFINITE and frame.attempt >= self.delta:
                self.counters["tx_frames_abandoned"] += 1
                frame.state = "abandoned"
            else:
                if not frozen:
                    frame.attempt = min(15, frame.attempt + 1)
                frame.state = "queued"
                self.pending.append([fsn, 0])
        while self.tx_base in self.frames and self.frames[self.tx_base].state in ("acked", "abandoned"):
            passed = self.frames.pop(self.tx_base)
            self.abandoned_in_packet |= passed.state == "abandoned"
            if passed.eop:
                self.counters["tx_packets_lost"] += self.abandoned_in_packet
                self.abandoned_in_packet = False
            self.tx_base += 1

    @property
    def resolved(self):
        """Every packet offered was sent, and every frame is acknowledged or abandoned."""
        return not self.packets and self.tx_base == self.next_fsn and self.sending is None
