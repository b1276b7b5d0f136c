# SPDX-License-Identifier: Apache-2.0
"""Which control units a link end may send to show older outcomes and which it must, and when it has to answer a poll."""

from collections import Counter, deque
from typing import NamedTuple

from .units import unwrap

BLOCK = 32
PAIR = 2 * BLOCK
"""Outcomes of a report. Pair i holds those of TSN 64i … 64i + 63."""
STEP = 8
"""Outcomes from turn to turn."""
EARLY = (16, 32)
"""In a ring of more places, pairs so far below the newest one have a turn between others, as a block begins."""
APART = 127
"""Clocks from a control unit that shows older blocks to the next one."""
JUDGED = 40
"""Clocks from a poll's last beat on the PHY within which the reply to it is composed, unless something else is due."""
PASSED_OVER = 8
"""Clocks of a turn that has nothing to report, at most."""
PAST = 64
"""Control units that leave or come while a pair waits for its report, where there are no clocks."""
OTHERS = 3
"""So many other control units do not leave while older blocks wait: one that was composed before they did, one whose turn it is, and one that is counted
as it leaves late."""


BEHIND = 1
"""Pairs that had their turn and wait behind the one that waits for its report."""
REMEMBERED = 6
"""Control units that may leave between a pair's turn and its report."""
WAITING = 3
"""Turns of steps that a report shows as passed, and that have yet to come: two behind the report, and one if it was composed as rxNext moved."""


def is_known(pair, ack, rx_next):
    """The peer's ackTsn has passed all older blocks of the pair."""
    return ack // BLOCK >= min(2 * pair + 2, rx_next // BLOCK - 1)


def places_of(window, peer_window):
    """Places of the ring of an end of this window."""
    return 0 if window <= BLOCK else max(1, min(window, peer_window) // PAIR)


class Poll(NamedTuple):
    """A poll of the peer: the least rxNext that its reply may show, and the clock of its last beat."""

    needed: int
    came: int | None


class Moment(NamedTuple):
    """The peer's ackTsn, and rxNext, from a clock on."""

    clock: int | None
    ack: int
    rx_next: int


class Turn(NamedTuple):
    """What may be so after a turn: the place that has the next one, turns that a round still has, the step of rxNext that had the last turn, where a round
    may begin whose reply has left, and how many pairs were shown since that had their turn before."""

    place: int = 0
    left: int = 0
    step: int = 0
    rounds: frozenset = frozenset()
    strays: int = 0


class Reports:
    """Feed it with the peer's control units (`heard`) and the end's own (`sent`), none of them with hello. `late`: clocks that one may
    wait for the line when its time has come. With clocks it demands what is due, too."""

    def __init__(self, window, late=0):
        self.window, self.late = window, late
        self.polls = []  # those without a reply
        self.unseen = []  # those that came before the last reply left, and maybe after it was composed: another reply may follow
        self.ack = 0
        self.peer_deaf = False
        self.past = deque([Moment(None, 0, 0)])  # from when on the pair that is shown next may have had its turn
        self.last = deque([], REMEMBERED)  # clocks of the last control units that left
        self.places = 0
        self.over = set()  # places that may have had a turn without a report since the last one that had
        self.rx_next = 0  # as it was shown last
        self.turns = set()  # what may be so now; with which place the ring begins, the first report shows
        self.replies = 0  # since the last control unit with older blocks
        self.older_at = None  # clock of the last control unit with older blocks
        self._forget_dues()

    def heard(self, unit, rx_next, now=None):
        """A control unit of the peer came; `rx_next` after its txEdge has been dealt with."""
        self.ack = unwrap(unit.ack_tsn, rx_next)
        self._note(Moment(now, self.ack, rx_next))
        self._forget_known()
        if unit.poll:
            self.polls.append(Poll(rx_next, now))
        self.peer_deaf = unit.deaf

    def sent(self, unit, rx_next, first, places, now=None):
        """A control unit left that has `rx_next` and shows outcomes from TSN `first` on."""
        if places != self.places:
            self.places, self.turns = places, {Turn(place) for place in range(places)}
        self.rx_next = rx_next
        recent = rx_next // BLOCK - 1
        block = first // BLOCK
        older = block not in (recent, max(0, recent))
        self._forget_past(now)
        if older:
            assert block < recent, f"bitmapBase {first} is ahead of the recent blocks, rxNext {rx_next}"
            assert not unit.poll and not unit.reply, "a control unit with older blocks has poll or reply"
            self._turn_of(block, rx_next)
            apart = None if now is None or self.older_at is None else now - self.older_at
            assert apart is None or apart >= APART - self.late, f"{apart} clocks between control units with older blocks"
            self.older_at = now
        self._note(Moment(now, self.ack, rx_next))
        self.last.append(now)
        if unit.deaf or self.peer_deaf:
            self.last.clear()
        if unit.deaf or self.peer_deaf or now is None:
            self._forget_dues()
        else:
            self._demand(block // 2 if older else None, rx_next, now)
        if unit.reply:
            self._answer(rx_next, now)
            self._begin_round(rx_next)

    def _note(self, moment):
        self.past.append(moment)
        self.over |= self._passed_over(moment)

    def _passed_over(self, moment):
        """Places whose turn has nothing to report."""
        newest = moment.rx_next // PAIR - 1
        ring = range(newest - self.places + 1, newest + 1)
        return {pair % self.places for pair in ring if pair < 0 or is_known(pair, moment.ack, moment.rx_next)}

    def _forget_past(self, now):
        """A pair may have had its turn long before its report: it waits for its time, for the line, and until an outage ends."""
        since = min(now - 3 * APART - self.late, self.last[0]) if now is not None and len(self.last) == REMEMBERED else -1
        while len(self.past) > 1 and (len(self.past) > PAST if now is None else (self.past[1].clock or 0) <= since):
            self.past.popleft()

    # -- what may leave

    def _newest(self):
        """Numbers that the newest pair of the ring may have had at a turn."""
        steps = [m.rx_next // PAIR - 1 for m in self.past]
        return range(min(steps), max(steps) + 1)

    def _turn_of(self, block, rx_next):
        """The pair that begins with `block` was shown: it must have had its turn."""
        pair, step = block // 2, rx_next // STEP
        assert self.places and block % 2 == 0, f"blocks {block} and {block + 1} are no pair of a ring of {self.places}"
        assert self._newest()[0] - self.places < pair < rx_next // PAIR, f"pair {pair} is not in the ring of {self.places}, rxNext {rx_next}"
        assert not all(is_known(pair, m.ack, rx_next) for m in self.past), f"pair {pair} is shown, and the peer's ackTsn is {self.ack}"
        self.over |= self._passed_over(Moment(None, max(m.ack for m in self.past), min(m.rx_next for m in self.past)))
        after = set()
        is_early = self.places > EARLY[-1] and any(pair + age in self._newest() for age in EARLY)
        for turn in self.turns:
            if is_early:
                after |= {turn._replace(step=at) for at in range(max(turn.step, step - WAITING), step + 1)}
            used = self._walk(turn.place, pair, turn.left + step - turn.step)
            if used:
                after |= {Turn(place, self.places, step) for place in turn.rounds}
            if used and (not turn.rounds or turn.strays < BEHIND):
                steps = range(max(step - WAITING, turn.step + max(0, used - turn.left)), step + 1)
                after |= {Turn(pair + 1, max(0, turn.left - used), at, turn.rounds, turn.strays + bool(turn.rounds)) for at in steps}
            for place in turn.rounds:
                if used := self._walk(place, pair, self.places):
                    again = turn.rounds if self.replies > 1 else frozenset()
                    after |= {Turn(pair + 1, self.places - used, at, again) for at in range(max(turn.step, step - WAITING), step + 1)}
        assert after, f"pair {pair} is shown out of turn: rxNext {rx_next}, ackTsn {self.ack}, ring of {self.places}, {self.turns}"
        self.turns, self.replies = {turn._replace(place=turn.place % self.places) for turn in after}, 0
        self.over = (self.over if is_early else set()).union(*(self._passed_over(moment) for moment in self.past))

    def _walk(self, place, pair, turns):
        """Turns from the one of `place` to the one of `pair`, if there were as many; 0 if there were not, or a pair between had to be shown."""
        used = (pair - place) % self.places + 1
        return used if used <= turns and all(p % self.places in self.over for p in range(place, place + used - 1)) else 0

    def _begin_round(self, rx_next):
        """A reply has left: a turn that waits comes first."""
        if not self.places:
            return
        begins = frozenset(m.ack // PAIR % self.places for m in self.past)
        self.turns = {turn._replace(rounds=turn.rounds | begins, strays=0) for turn in self.turns}
        self.replies += 1
        if not self.round:
            self.period, self.others = None, 0
        self.round = self._lacking(rx_next)
        self.passed.clear()
        self.fresh = True

    # -- what must leave

    def _lacking(self, rx_next):
        """Pairs of the ring that the peer may lack."""
        newest = rx_next // PAIR - 1
        return {pair for pair in range(max(0, newest - self.places + 1), newest + 1) if not is_known(pair, self.ack, rx_next)}

    def _forget_dues(self):
        """In an outage nothing is due."""
        self.round = set()  # pairs that the last reply's round has yet to show
        self.passed = Counter()  # turns that went by for sure since a pair was shown, or came into the ring
        self.period = None  # clock since when the present period lasts, the step whose turn was counted last, and the one before the end of the period
        self.others = 0  # control units of another kind at its end
        self.fresh = False  # a reply has left in it

    def _forget_known(self):
        lacking = self._lacking(self.rx_next)
        self.round &= lacking
        self.passed = Counter({pair: self.passed[pair] for pair in self.passed if pair in lacking})

    def _demand(self, pair, rx_next, now):
        """Older blocks that wait go as soon as their time has come, and alternate with other control units. So where time goes by, and then others leave,
        none have waited. Where rxNext moved before these, or a pair was shown, a turn went by."""
        lacking, step = self._lacking(rx_next) - {pair}, rx_next // STEP
        self.round &= lacking
        self.passed = Counter({p: self.passed[p] for p in lacking})
        since, counted, seen = self.period or (now, step, step)
        self.others += now >= since + APART + self.late + JUDGED + PASSED_OVER * self.places
        seen = seen if self.others else step
        self.period = since, counted, seen
        if pair is None and self.others < OTHERS:
            return
        if pair is None:
            assert not self.round, f"pairs {sorted(self.round)} are not shown after a reply: rxNext {rx_next}, ackTsn {self.ack}"
            self._end_round(counted)
        if pair is not None or seen > counted:
            self.passed.update(lacking)
        most = self.places + 2 if self.places <= EARLY[-1] else 3 * self.places  # early ones go by, too
        missed = [p for p, turns in self.passed.items() if turns > most]
        assert not missed, f"pairs {missed} are not shown again: rxNext {rx_next}, ackTsn {self.ack}"
        counted = seen if pair is None else step
        self.period, self.others, self.fresh = (now, counted, counted), 0, False

    def _end_round(self, step):
        """No pair waits: turns up to this step are over, and so is a round, unless its reply has just left."""
        if self.fresh or not self.places:
            return
        over = set()
        for turn in self.turns:
            by_moves = max(0, step - turn.step)
            for place in {turn.place + turn.left, *turn.rounds}:
                over |= {Turn((place + moves) % self.places, 0, turn.step + by_moves) for moves in range(min(by_moves + 1, self.places))}
        self.turns, self.replies = over, 0

    # -- polls

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
