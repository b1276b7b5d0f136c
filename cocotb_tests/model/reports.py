# SPDX-License-Identifier: Apache-2.0
"""Which control units a link end may send to show older outcomes, and when it has to answer a poll."""

from collections import Counter, deque

from .units import SN, distance, unwrap

BLOCK = 32
APART = 127
"""Clocks from a control unit that shows older blocks to the next one."""


def repeat_lags(smaller_window):
    """How many blocks after a pair of blocks each of its repeats comes."""
    if smaller_window < 256:
        return []
    lag = min(32, smaller_window // 256)
    return [lag, lag + 64] if smaller_window >= 8192 else [lag]


class Reports:
    """Feed it with the peer's control units (`heard`) and the end's own (`sent`), none of them with hello."""

    def __init__(self, window):
        self.window = window
        self.polls = []  # (rxNext that the answer has to tell, first block of the series or None) of each poll without reply
        self.series = Counter()  # pairs that polls have asked for and that were not shown since, by first block
        self.repeats = Counter()  # how often a pair of blocks was repeated
        self.acks = deque([0], maxlen=3)  # the peer's ackTsn, as it was when the last control units left
        self.ack = 0
        self.older_at = None  # clock of the last control unit with older blocks

    def heard(self, unit, rx_next):
        """A control unit of the peer came; `rx_next` after its txEdge has been dealt with."""
        behind = distance(rx_next % SN, unit.ack_tsn)
        within = 0 <= behind <= self.window
        if within:
            self.ack = max(self.ack, rx_next - behind)
        if unit.poll:
            self.polls.append((rx_next, (rx_next - behind) // BLOCK if within else None))

    def sent(self, unit, rx_next, first, lags, now=None):
        """A control unit left that tells `rx_next` and shows outcomes from TSN `first` on."""
        recent = rx_next // BLOCK - 1
        assert first % BLOCK == 0, f"bitmapBase {first} is not a block's first TSN"
        block = first // BLOCK
        older = block not in (recent, max(0, recent))
        if older:
            assert block < recent, f"bitmapBase {first} is ahead of the recent blocks, rxNext {rx_next}"
            assert not unit.poll and not unit.reply, "a control unit with older blocks has poll or reply"
            assert self._asked(block) or self._repeated(block, rx_next, lags), (
                f"blocks {block} and {block + 1} are shown without a cause: rxNext {rx_next}, peer's ackTsn {self.ack}"
            )
            apart = None if now is None or self.older_at is None else now - self.older_at
            assert apart is None or apart >= APART, f"{apart} clocks between control units with older blocks"
            self.older_at = now
        if unit.reply:
            self._answer(rx_next)
        self.acks.append(self.ack)

    def _asked(self, block):
        if not self.series[block]:
            return False
        self.series[block] -= 1
        return True

    def _repeated(self, block, rx_next, lags):
        now = rx_next // BLOCK
        if block % 2 or BLOCK * (block + 2) <= self.acks[0]:
            return False
        self.repeats[block] += 1
        return self.repeats[block] <= sum(block <= now - 2 - lag for lag in lags)

    def _answer(self, rx_next):
        """A reply answers all polls whose txEdge it tells of."""
        assert self.polls, "a reply left, and no poll had come"
        answered = [p for p in self.polls if p[0] <= rx_next]
        assert answered, f"a reply with rxNext {rx_next} left, the poll's txEdge had closed all below {self.polls[0][0]}"
        self.polls = [p for p in self.polls if p[0] > rx_next]
        for _, asked in answered:
            if asked is not None:
                self.series.update(range(asked, rx_next // BLOCK, 2))


def outcomes_shown(unit, rx_next, window):
    """(TSN, received) of all outcomes that a control unit shows; those older than a window are without meaning."""
    first = unwrap(unit.bitmap_base, rx_next)
    for tsn in range(max(first, 0, rx_next - window), min(first + 64, rx_next)):
        yield tsn, bool(unit.bitmap >> (tsn - first) & 1)
