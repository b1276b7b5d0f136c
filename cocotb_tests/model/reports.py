# SPDX-License-Identifier: Apache-2.0
"""Which control units a link end may send to show older outcomes, and when it has to answer a poll."""

from collections import Counter, deque
from typing import NamedTuple

from .units import SN, distance, unwrap

BLOCK = 32
APART = 127
"""Clocks from a control unit that shows older blocks to the next one."""
JUDGED = 40
"""Clocks from a poll's last beat on the PHY within which the reply to it is composed, unless something else is due."""


def repeat_lags(smaller_window):
    """How many blocks after a pair of blocks each of its repeats comes."""
    if smaller_window < 256:
        return []
    lag = min(32, smaller_window // 256)
    return [lag, *[lag + 32] * (smaller_window >= 32768), *[lag + 64] * (smaller_window >= 8192)]


class Poll(NamedTuple):
    """A poll of the peer: the least rxNext that its reply may show, and the clock of its last beat."""

    needed: int
    came: int | None


class Reports:
    """Feed it with the peer's control units (`heard`) and the end's own (`sent`), none of them with hello. `late`: clocks that one may
    wait for the line when its time has come."""

    def __init__(self, window, late=0):
        self.window, self.late = window, late
        self.polls = []  # those without a reply
        self.unseen = []  # those that came before the last reply left, and maybe after it was composed: another reply may follow
        self.series = []  # of each series, the first blocks of the pairs of which it may show one next: a pair that was shown may have been a repeat
        self.repeats = Counter()  # how often a pair of blocks was repeated
        self.acks = deque([(None, 0)])  # (clock, the peer's ackTsn) when the last control units left
        self.ack = 0
        self.older_at = None  # clock of the last control unit with older blocks

    def heard(self, unit, rx_next, now=None):
        """A control unit of the peer came; `rx_next` after its txEdge has been dealt with."""
        behind = distance(rx_next % SN, unit.ack_tsn)
        within = 0 <= behind <= self.window
        if within:
            self.ack = max(self.ack, rx_next - behind)
        if unit.poll:
            self.polls.append(Poll(rx_next, now))
        if unit.poll and within:  # its first pair may have its turn before the reply has, and pairs of two earlier series may still wait for theirs
            self.series = self.series[-2:] + [{(rx_next - behind) // BLOCK}]

    def sent(self, unit, rx_next, first, lags, now=None):
        """A control unit left that has `rx_next` and shows outcomes from TSN `first` on."""
        recent = rx_next // BLOCK - 1
        self.series = [{b + self._forgotten(b, rx_next) for b in pairs} for pairs in self.series]
        block = first // BLOCK
        older = block not in (recent, max(0, recent))
        if older:
            assert block < recent, f"bitmapBase {first} is ahead of the recent blocks, rxNext {rx_next}"
            assert not unit.poll and not unit.reply, "a control unit with older blocks has poll or reply"
            self._forget_acks(now)
            assert self._repeated(block, rx_next, lags) or self._asked(block, recent), (  # repeats go first
                f"blocks {block} and {block + 1} are shown without a cause: rxNext {rx_next}, peer's ackTsn {self.ack}"
            )
            apart = None if now is None or self.older_at is None else now - self.older_at
            assert apart is None or apart >= APART - self.late, f"{apart} clocks between control units with older blocks"
            self.older_at = now
        self.series = [pairs for each in self.series if (pairs := {b for b in each if b < recent})]
        if unit.reply:
            self._answer(rx_next, now)
        self.acks.append((now, self.ack))

    def _forget_acks(self, now):
        """The end may have chosen a pair when it showed the one before."""
        while len(self.acks) > 1 and (len(self.acks) > 3 if now is None else self.acks[1][0] <= now - 2 * APART - self.late):
            self.acks.popleft()

    def _forgotten(self, block, rx_next):
        """Blocks from `block` on, in pairs, that are older than a window."""
        kept = max(0, rx_next - self.window) // BLOCK
        return max(0, kept - block) // 2 * 2

    def _asked(self, block, recent):
        """A series goes on from pair to pair, until it has come to the recent blocks."""
        for pairs in self.series:
            if block in pairs and block < recent:
                pairs.remove(block)
                pairs.add(block + 2)
                return True
        return False

    def _repeated(self, block, rx_next, lags):
        now = rx_next // BLOCK
        if block % 2 or BLOCK * (block + 2) <= self.acks[0][1] or self.repeats[block] >= sum(block <= now - 2 - lag for lag in lags):
            return False
        self.repeats[block] += 1
        for pairs in self.series:
            pairs |= {block + 2} if block in pairs else set()
        return True

    def _answer(self, rx_next, now):
        """A reply answers all polls whose txEdge it has reached."""
        asked = self.polls or self.unseen
        assert asked, "a reply left, and no poll had come"
        needed = asked[0].needed
        assert needed <= rx_next, f"a reply with rxNext {rx_next} left, the poll's txEdge had closed all below {needed}"
        answered = [poll for poll in self.polls if poll.needed <= rx_next]
        self.polls = [poll for poll in self.polls if poll.needed > rx_next]
        self.unseen = [] if now is None else [poll for poll in answered if poll.came > now - self.late - JUDGED]


def outcomes_shown(unit, rx_next, window):
    """(TSN, received) of all outcomes that a control unit shows; those older than a window are without meaning."""
    first = unwrap(unit.bitmap_base, rx_next)
    for tsn in range(max(first, 0, rx_next - window), min(first + 64, rx_next)):
        yield tsn, bool(unit.bitmap >> (tsn - first) & 1)
