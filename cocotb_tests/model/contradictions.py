# SPDX-License-Identifier: Apache-2.0
"""What the units of one link end say, against what it said before and what it can know: for every bench that sees its control units."""

from .reports import outcomes_shown
from .units import ControlUnit, DataUnit, Rejected, parse, unwrap

EDGES = "tx_base", "tx_edge", "rx_base", "rx_next", "ack_tsn"
"""Fields of a control unit that never go back within a life of an end."""


class Contradictions:
    """Feed it with all units that an end sends and all that reach it, in their order. An AssertionError names the first contradiction.

    It believes nothing of what comes, so forged units and a peer that lies are no reason for a complaint."""

    def __init__(self, window, unit_bytes, max_k=255, max_parity=255, link=0):
        self.window, self.limits, self.link = window, (unit_bytes, max_k, max_parity), link
        self.controls = 0  # control units without hello that were checked
        self.epoch = None
        self.begin_at(0)

    @staticmethod
    def of(build, link=0):
        """The monitor of an end of that build, and of the link with this number."""
        return Contradictions(build.window_frames, build.unit_bytes, build.max_k, build.max_parity, link)

    def begin_at(self, number):
        """A life begins; all its sequence numbers begin there."""
        self.edges = dict.fromkeys(EDGES, number)
        self.outcomes = {}  # by TSN, as said first
        self.fsn_end = self.begun = self.whole = number  # FSNs, transmissions begun, transmissions sent in full
        self.came = {}  # by TSN, and by (epoch, FSN, K): indices of the data units that came
        self.brought = set()  # (epoch, FSN) of which one transmission came

    def _parsed(self, raw, erased=False):
        try:
            return parse(raw, *self.limits, erased, self.link)
        except Rejected:
            return None

    def received(self, raw, erased=False):
        """A unit came on s_axis_phy."""
        self.has_come(self._parsed(raw, erased))

    def sent(self, raw):
        """A unit left on m_axis_phy; one whose CRC is wrong says nothing."""
        self.has_left(self._parsed(raw))

    def has_come(self, unit):
        if not isinstance(unit, DataUnit):
            return
        tsn, fsn = unwrap(unit.tsn, self.edges["rx_next"]), unwrap(unit.fsn, self.edges["rx_base"])
        indices = self.came.setdefault(tsn, {}).setdefault((unit.epoch, fsn, unit.k), set())
        indices.add(unit.index)
        if len(indices) >= unit.k:
            self.brought.add((unit.epoch, fsn))

    def has_left(self, unit):
        if unit is None:
            return
        if self.epoch is not None and unit.epoch != self.epoch:
            assert unit.epoch == (self.epoch + 1) % 256, f"a unit of epoch {unit.epoch} left after one of epoch {self.epoch}"
            self.begin_at(0)
        self.epoch = unit.epoch
        if isinstance(unit, ControlUnit):
            if not unit.hello:
                self._control(unit)
        else:
            self._data(unit)

    def _data(self, unit):
        tsn = unwrap(unit.tsn, self.begun)
        assert tsn >= self.edges["tx_edge"], f"TSN {tsn} leaves, and txEdge was said to be {self.edges['tx_edge']}"
        self.fsn_end = max(self.fsn_end, unwrap(unit.fsn, self.fsn_end) + 1)
        self.begun = max(self.begun, tsn + 1)
        if unit.index == unit.n - 1:
            self.whole = tsn + 1

    def _control(self, unit):
        self.controls += 1
        for name in EDGES:
            was, now = self.edges[name], unwrap(getattr(unit, name), self.edges[name])
            assert now >= was, f"{name} went back from {was} to {now}"
            self.edges[name] = now
        edges = self.edges
        assert edges["tx_edge"] <= self.whole, f"txEdge {edges['tx_edge']}, and {self.whole} transmissions have left in full"
        assert edges["ack_tsn"] <= self.whole, f"ackTsn {edges['ack_tsn']}, and {self.whole} transmissions have left in full"
        assert edges["tx_base"] <= self.fsn_end, f"txBase {edges['tx_base']}, and the next FSN is {self.fsn_end}"
        rx_next = edges["rx_next"]
        base = unwrap(unit.bitmap_base, rx_next)
        assert base <= rx_next, f"bitmapBase {base}, rxNext {rx_next}"
        for tsn, received in outcomes_shown(unit, rx_next, self.window):
            if tsn not in self.outcomes:
                assert not received or self._may_be_received(tsn, unit.peer_epoch), f"TSN {tsn} is reported as received, and too few of its units came"
            said = self.outcomes.setdefault(tsn, received)
            assert said == received, f"TSN {tsn} is reported as {_name(received)}, and was reported as {_name(said)}"

    def _may_be_received(self, tsn, epoch):
        """K units came, or one of a frame that the end has had already, or has passed."""
        return any(
            e == epoch and (len(indices) >= k or (e, fsn) in self.brought or fsn < self.edges["rx_base"])
            for (e, fsn, k), indices in self.came.get(tsn, {}).items()
        )


def _name(received):
    return "received" if received else "failed"
