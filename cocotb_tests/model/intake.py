# SPDX-License-Identifier: Apache-2.0
"""When the sender of a link end may drop a control unit, because one is being dealt with and another one waits."""

CHECKS = 16
"""Clocks that it takes to judge a control unit, at most; and then one for each outcome."""
LONGEST = CHECKS + 64


class Intake:
    """Judges from the clocks at which control units came which of them found room for sure."""

    def __init__(self):
        self.ends = []  # clocks at which the last two are dealt with, at the latest
        self.doubtful = 0  # clock until which a dropped one may make the others longer

    def takes(self, now, outcomes):
        """A control unit came with so many outcomes that are new; whether it is sure to be accepted."""
        self.ends = [end for end in self.ends if end > now]
        sure = len(self.ends) < 2
        if not sure:
            self.doubtful = now + 4 * LONGEST
        cost = LONGEST if now < self.doubtful else CHECKS + outcomes
        begin = min(self.ends[-1], now + LONGEST) if self.ends else now
        self.ends = self.ends[-1:] + [begin + cost]
        return sure
