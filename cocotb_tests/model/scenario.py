# SPDX-License-Identifier: Apache-2.0
"""A pair of model ends with a trace checker at each."""

from .checker import EndChecker
from .config import Config
from .link import LinkEnd
from .pair import Direction, Pair


def checked_pair(a=None, b=None, forward=None, backward=None, seed=1, slack=0):
    """(pair, checkers): every unit that leaves or comes, and every packet, goes through the checkers."""
    ends = [LinkEnd(a or Config(), name="A"), LinkEnd(b or a or Config(), name="B")]
    pair = Pair(*ends, forward or Direction(), backward or Direction(), seed)
    checkers = {}
    for end in ends:
        c = end.config
        check = EndChecker(c.window, c.unit_bytes, [c.setting], c.in_order, slack=slack, freeze=c.outage_freeze)
        checkers[end.name] = check
        end.on_accept = check.offered
        end.on_deliver = check.packet
    pair.sent = lambda end, raw, now: checkers[end.name].sent(raw)
    pair.received = lambda end, raw, erased, now: checkers[end.name].received(raw, erased)
    return pair, checkers
