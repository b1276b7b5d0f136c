# SPDX-License-Identifier: Apache-2.0
"""Which blocks of outcomes the receiving half of the protocol model shows, and when older ones have their turn."""

from .units import unwrap

BLOCK = 32
PACE = 128
"""Clocks from a control unit that shows older blocks to the next one, at least."""
STEP = 8
"""Outcomes from turn to turn."""
EARLY = (16, 32)
"""In a ring of more places, the pair so far below the newest one has a turn as a block of an even, or an odd number begins."""


class Reporter:
    """Blocks are named by their number: block b holds the outcomes of TSN 32b … 32b + 31. Older ones go in pairs: pair i has blocks 2i and 2i + 1."""

    def __init__(self, receiver, rules):
        self.receiver, self.rules = receiver, rules
        self.places = 0  # of the ring
        self.place = 0  # that has the next turn, modulo `places`
        self.turns = 0  # that are still to come
        self.early = False  # the next one is that of a pair EARLY below the newest one
        self.steps = 0  # of rxNext, as it was last seen
        self.pair = None  # that waits for its report
        self.peer_ack = 0  # oldest outcome that the peer has said to miss
        self.last = -PACE
        self.turn = True  # a control unit of the other kind has gone since the last of this kind
        self.shown = 0

    def begin(self, places):
        """The windows of both sides are known."""
        self.places = places

    @property
    def recent(self):
        """First of the two blocks that a control unit normally shows."""
        return max(0, self.receiver.rx_next // BLOCK - 1)

    def on_ack(self, ack_tsn):
        """A control unit of the peer names the oldest outcome that the peer misses."""
        self.peer_ack = unwrap(ack_tsn, self.receiver.rx_next)

    def moved(self):
        """rxNext may have moved: a turn, which waits behind another one. No second one does."""
        steps, before = self.receiver.rx_next // STEP, self.steps
        self.steps = steps
        if steps != before and self.rules.ring:
            is_early = self.places > EARLY[1] and not self.early and STEP * steps // BLOCK != STEP * before // BLOCK
            self.early |= is_early
            self._take_turns(max(1, self.turns + is_early))

    def replied(self):
        """The reply to a poll has shown the recent blocks; a round follows."""
        if self.rules.rounds:
            self.place = self.peer_ack // (2 * BLOCK)
            self._take_turns(self.places + self.early)

    def _take_turns(self, count):
        """So many turns are to come. They go by until one has something to report."""
        self.turns = count if self.places else 0
        block = self.receiver.rx_next // BLOCK
        newest = block // 2 - 1
        while self.turns and self.pair is None:
            pair = newest - (EARLY[block % 2] if self.early else (newest - self.place) % self.places)
            older = min(2 * pair + 2, block - 1)  # blocks of the pair below it are older ones
            if pair >= 0 and BLOCK * older > self.peer_ack:
                self.pair = pair
            self.place += not self.early
            self.early = False
            self.turns -= 1

    def ready(self, now):
        """Older blocks wait, and may go."""
        return self.pair is not None and now - self.last >= PACE

    def deadline(self):
        """Clocks at which `ready` becomes true by itself."""
        return [] if self.pair is None else [self.last + PACE]

    def take(self, now):
        """The pair that is shown now, by its first block."""
        assert self.pair is not None, "nothing waits"
        first, self.pair = 2 * self.pair, None
        self.last, self.turn = now, False
        self.shown += 1
        self._take_turns(self.turns)
        return first
