# SPDX-License-Identifier: Apache-2.0
"""Which blocks of outcomes the receiving half of the protocol model shows, and when older ones have their turn."""

from .units import SN, distance

BLOCK = 32
PACE = 126
"""Clocks between two control units that show older blocks."""


class Reporter:
    """Blocks are named by their number: block b holds the outcomes of TSN 32b … 32b + 31. Older ones go in pairs."""

    def __init__(self, receiver, window):
        self.receiver, self.window = receiver, window
        self.lag = None
        self.repeat = 0  # even block at whose beginning the next repeat is due
        self.series = range(0)  # pairs that a poll has asked for, by their first block
        self.peer_ack = 0  # oldest outcome that the peer has said to miss
        self.last = -PACE
        self.turn = True  # a control unit of the other kind has gone since the last of this kind
        self.shown = self.asked = 0

    def begin(self, lag):
        """The windows of both sides are known."""
        self.lag = lag
        self.repeat = None if lag is None else self.receiver.rx_next // 64 * 2 + 2 + lag

    @property
    def recent(self):
        """First of the two blocks that a control unit normally shows."""
        return max(0, self.receiver.rx_next // BLOCK - 1)

    def told(self, ack_tsn, poll):
        """A control unit of the peer tells the oldest outcome that it misses."""
        behind = distance(self.receiver.rx_next % SN, ack_tsn)
        if not 0 <= behind <= self.window:
            return
        self.peer_ack = max(self.peer_ack, self.receiver.rx_next - behind)
        if poll:
            self.asked = (self.receiver.rx_next - behind) // BLOCK
            self.series = range(0)  # it follows the reply

    def replied(self):
        """The reply to a poll has shown the recent blocks."""
        self.series = range(self.asked, self.recent, 2)

    def _due(self):
        """First block of the pair whose turn it is, or None."""
        if self.repeat is not None:
            while self.repeat <= self.receiver.rx_next // BLOCK:
                first = self.repeat - 2 - self.lag
                if BLOCK * (first + 2) > self.peer_ack:
                    return first
                self.repeat += 2
        return self.series[0] if self.series else None

    def ready(self, now):
        """Older blocks wait, and may go."""
        return self._due() is not None and now - self.last >= PACE

    def deadline(self):
        """Clocks at which `ready` becomes true by itself."""
        return [] if self._due() is None else [self.last + PACE]

    def take(self, now):
        """The pair that is shown now, by its first block."""
        first = self._due()
        if self.series and first == self.series[0]:
            self.series = self.series[1:]
        else:
            self.repeat += 2
        self.last, self.turn = now, False
        self.shown += 1
        return first
