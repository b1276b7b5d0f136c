# SPDX-License-Identifier: Apache-2.0
"""What limits the utilization of a link, and what would raise it."""

import math
from enum import StrEnum

SLIGHT = 0.01
"""A limit that takes a smaller share of what is left does not count."""


class Limit(StrEnum):
    """The value is its name in JSON."""

    LINE = "line"
    WINDOW = "window"
    LOSSES = "losses"
    TCP = "tcp"

    def sentence(self):
        name, remedy = WORDS[self]
        return f"U is limited by {name}; what would raise it: {remedy}."


WORDS = {
    Limit.LINE: ("the line", "a faster line, less parity, longer frames, or fewer units lost"),
    Limit.WINDOW: ("the window of the link", "a longer window of the link, longer frames and packets, or fewer retransmissions"),
    Limit.LOSSES: ("losses of packets", "more persistency or parity, as TCP takes packets that the link loses for congestion"),
    Limit.TCP: ("TCP's own window", "a longer window of TCP's receiver, more connections, or a shorter round trip"),
}


def lowest(line, window, losses=math.inf, tcp=math.inf):
    """The Limit, by the utilizations that each lets pass: the line with its code (alpha), the window of the link (LinkModel.through_window), the losses
    that TCP sees (Operation.utilization), and the windows of TCP's receivers."""
    if tcp < min(window, losses) * (1 - SLIGHT):
        return Limit.TCP
    if losses < window * (1 - SLIGHT):
        return Limit.LOSSES
    return Limit.WINDOW if window < line * (1 - SLIGHT) else Limit.LINE
