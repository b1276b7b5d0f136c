# SPDX-License-Identifier: Apache-2.0
"""What the tests of the model start from: a pair of ends with a trace checker at each, and units that leave forged."""

from tests import seeds

from .checker import EndChecker
from .config import Config
from .link import LinkEnd
from .pair import Direction, Pair
from .units import ControlUnit


def checked_pair(a=None, b=None, forward=None, backward=None, seed: object = 1, slack=0):
    """(pair, checkers): every unit that leaves or comes, and every packet, goes through the checkers."""
    ends = [LinkEnd(a or Config(), name="A"), LinkEnd(b or a or Config(), name="B")]
    pair = Pair(ends[0], ends[1], forward or Direction(), backward or Direction(), seeds.rng(f"channel {seed}"))
    checkers = {}
    for end in ends:
        c = end.config
        check = EndChecker(c.window, c.unit_bytes, [c.setting], c.in_order, slack=slack, freeze=c.outage_freeze)
        checkers[end.name] = check
        end.on_accept = check.offered
        end.user.on_deliver = check.packet
    pair.sent = lambda end, raw, now: checkers[end.name].sent(raw)
    pair.received = lambda end, raw, erased, now: checkers[end.name].received(raw, erased)
    return pair, checkers


ANSWER = 10_000
"""Clocks for the answer to a poll that comes in the last moment."""


def finish(pair, checkers):
    """Both ends are settled: polls that have just come are answered, and the checkers' books agree."""
    pair.run(pair.now + ANSWER, lambda: not any(check.reports.polls for check in checkers.values()))
    for check in checkers.values():
        check.finish()


def is_control(unit):
    return isinstance(unit, ControlUnit) and not unit.hello


def forge(end, change, when=is_control, skip=0):
    """The next unit that `end` sends and `when` holds for, after `skip` of them, leaves changed. Returns where it is noted."""
    inner, done, left = end.next_unit, [], [skip]

    def next_unit(now):
        unit = inner(now)
        if unit is not None and not done and when(unit):
            left[0] -= 1
            if left[0] < 0:
                done.append(now)
                unit = change(unit)
        return unit

    end.next_unit = next_unit
    return done
