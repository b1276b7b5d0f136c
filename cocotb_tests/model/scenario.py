# SPDX-License-Identifier: Apache-2.0
"""What the tests of the model start from: a pair of ends with a trace checker at each, and units that leave forged."""

from collections.abc import Callable

from tests import seeds

from .checker import EndChecker
from .config import Config, Rules
from .link import LinkEnd
from .pair import Direction, Pair
from .sender import Setting
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


DELAY = 300
"""Of each way of `ends_of`."""
LIMIT = 100_000


class ErasingPair(Pair):
    """`erase(end, unit)` decides whether a unit is lost."""

    def __init__(self, a, b, forward, backward):
        super().__init__(a, b, forward, backward)
        self.erase: Callable[..., bool] = lambda end, unit: False


def ends_of(rules=Rules(), setting=Setting(2, 2, 2), **options):
    """A pair whose units are erased as `pair.erase` says: (end, unit) -> bool."""
    c = Config(setting=setting, keepalive=1 << 30, rules=rules, **options)
    a, b = LinkEnd(c, name="A"), LinkEnd(c, name="B")
    pair = ErasingPair(a, b, Direction(DELAY), Direction(DELAY))
    for end, way in zip((a, b), pair.ways):
        inner = end.next_unit

        def next_unit(now, end=end, way=way, inner=inner):
            unit = inner(now)
            way.loss = float(unit is not None and pair.erase(end, unit)) * 2  # of two, so that it is not flagged but gone
            return unit

        end.next_unit = next_unit
    pair.run(5000)
    return pair, a, b


def numbered(count, size=8):
    return [bytes([i]) * size for i in range(count)]


def delivered(end):
    return [packet for _, packet in end.delivered]


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
