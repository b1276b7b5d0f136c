# SPDX-License-Identifier: Apache-2.0
"""Which blocks of outcomes the receiving half of the protocol model shows, and when older ones have their turn."""

from .units import SN, distance

BLOCK = 32
PACE = 127
"""Clocks between two control units that show older blocks."""


class Reporter:
    """Blocks are named by their number: block b holds the outcomes of TSN 32b … 32b + 31. Older ones go in pairs."""

    def __init__(self, receiver, window):
        self.receiver, self.window = receiver, window
        self.repeats = []  # [lag, first block of the pair that is shown next]
        self.series = range(0)  # pairs that a poll has asked for, by their first block
        self.peer_ack = 0  # oldest outcome that the peer has said to miss
        self.last = -PACE
        self.turn = True  # a control unit of the other kind has gone since the last of this kind
        self.shown = 0
        self.asked = None  # block that a poll wants to begin with, until it has its reply

    def begin(self, lags):
        """The windows of both sides are known."""
        self.repeats = [[lag, self.receiver.rx_next // (2 * BLOCK) * 2] for lag in lags]

    @property
    def recent(self):
        """First of the two blocks that a control unit normally shows."""
        return max(0, self.receiver.rx_next // BLOCK - 1)

    def on_ack(self, ack_tsn, poll):
        """A control unit of the peer names the oldest outcome that the peer misses."""
        behind = distance(self.receiver.rx_next % SN, ack_tsn)
        if not 0 <= behind <= self.window:
            return
        oldest = self.receiver.rx_next - behind
        self.peer_ack = max(self.peer_ack, oldest)
        if poll:
            self.asked, self.series = oldest // BLOCK, range(0)

    def replied(self):
        """The reply to a poll has shown the recent blocks; what is older follows."""
        if self.asked is not None:
            self.series, self.asked = range(self.asked, self.recent, 2), None

    def _kept(self, block):
        """Its last outcome is no older than a window."""
        return BLOCK * (block + 1) > self.receiver.rx_next - self.window

    def _repeat(self):
        """The repeat whose turn it is, or None."""
        for repeat in self.repeats:
            lag, first = repeat
            while first <= self.receiver.rx_next // BLOCK - 2 - lag:
                if BLOCK * (first + 2) > self.peer_ack and self._kept(first + 1):
                    return repeat
                first = repeat[1] = first + 2
        return None

    def _due(self):
        """(first block of the pair whose turn it is, the repeat that it belongs to), or None."""
        repeat = self._repeat()
        if repeat is not None:
            return repeat[1], repeat
        while self.series and not self._kept(self.series[0] + 1):
            self.series = self.series[1:]
        return (self.series[0], None) if self.series else None

    def ready(self, now):
        """Older blocks wait, and may go."""
        return self._due() is not None and now - self.last >= PACE

    def deadline(self):
        """Clocks at which `ready` becomes true by itself."""
        return [] if self._due() is None else [self.last + PACE]

    def take(self, now):
        """The pair that is shown now, by its first block."""
        due = self._due()
        assert due is not None, "nothing waits"
        first, repeat = due
        if repeat is None:
            self.series = self.series[1:]
        else:
            repeat[1] += 2
        self.last, self.turn = now, False
        self.shown += 1
        return first
