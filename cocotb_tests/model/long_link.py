# SPDX-License-Identifier: Apache-2.0
"""Goodput of a long link whose feedback is lost: frames of one unit, one way, as fast as the window lets them go.

    .venv/bin/python -m cocotb_tests.model.long_link --help

The ends are those of link.py; units go between them as objects, which is all that is reduced.
"""

import argparse
import random
from collections import Counter, deque
from heapq import heappop, heappush

from .config import Config, Rules
from .link import LinkEnd
from .sender import Setting
from .units import ControlUnit

DATA, CONTROL = 20, 8
"""Clocks that a unit lasts: 64 bytes of payload at 4 bytes a clock."""


class Loss:
    """Units are lost with probability `share`: one by one, or `burst` in a row."""

    def __init__(self, share, burst, seed):
        self.share, self.burst, self.rng, self.left = share, burst, random.Random(seed), 0  # fixed seed: --seed is the user's

    def __call__(self):
        if self.burst == 1:
            return self.rng.random() < self.share
        if not self.left and self.rng.random() < self.share / (self.burst * (1 - self.share)):
            self.left = self.burst
        self.left -= self.left > 0
        return self.left > 0 or self.share == 1


class Endless:
    """A backlog of short packets without end."""

    def __getitem__(self, index):
        return b"packet"

    def __len__(self):
        return 1

    def popleft(self):
        return b"packet"

    def clear(self):
        pass


class LongLink:
    """A sends to B; `frames` last a round trip."""

    def __init__(self, frames, window_log2, data_loss, feedback_loss, status_interval=0, rules=Rules(), **config):
        trip = frames * DATA
        c = Config(
            window_log2=window_log2, unit_bytes=64, setting=Setting(1, 1, 1), poll_timeout=trip + 64 * DATA, keepalive=1 << 60,
            hello_interval=trip, status_interval=status_interval, rules=rules, **config,
        )  # fmt: skip
        self.delay = trip // 2
        self.ends = [LinkEnd(c, name="A"), LinkEnd(c, name="B")]
        self.loss = [data_loss, feedback_loss]
        self.lines = [deque(), deque()]  # (clock at which it arrives, unit)
        self.free = [0, 0]
        self.now = 0
        self.sent = Counter()
        self.acted = []

    def _send(self, i):
        """Sends what may leave now; the next clock at which this end has something to do."""
        end = self.ends[i]
        while self.free[i] <= self.now:
            unit = end.next_unit(self.now)
            if unit is None:
                return max(end.deadline(), self.now + 1)
            control = isinstance(unit, ControlUnit)
            self.sent[i, control] += 1
            self.free[i] = self.now + (CONTROL if control else DATA)
            if not self.loss[i]() or (control and unit.hello):
                self.lines[i].append((self.free[i] + self.delay, unit))
        return self.free[i]

    def run(self, until):
        wake = []
        for i in (0, 1):
            heappush(wake, (self._send(i), i))
        while self.now < until:
            self.now = min(until, min([wake[0][0]] + [line[0][0] for line in self.lines if line]))
            touched = set()
            while wake and wake[0][0] <= self.now:
                touched.add(heappop(wake)[1])
            for i, line in enumerate(self.lines):
                while line and line[0][0] <= self.now:
                    self.ends[1 - i].take(line.popleft()[1], self.now)
                    touched.add(1 - i)
            for i in touched:
                heappush(wake, (self._send(i), i))

    def goodput(self, warm, trips):
        """Frames delivered as a share of those the line carries, in `trips` round trips after `warm` of them."""
        trip = 2 * self.delay
        self.ends[0].backlog = Endless()
        self.run(warm * trip)
        before = len(self.ends[1].delivered)
        self.run((warm + trips) * trip)
        return (len(self.ends[1].delivered) - before) * DATA / (trips * trip)


def main():
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    p.add_argument("--frames", type=int, default=5000, help="frames a round trip")
    p.add_argument("--window", type=int, default=14, help="log2 of the window")
    p.add_argument("--data-loss", type=float, default=0.02)
    p.add_argument("--feedback-loss", type=float, default=0.1)
    p.add_argument("--burst", type=int, default=1)
    p.add_argument("--status-interval", type=int, default=0, help="clocks")
    p.add_argument("--trips", type=int, default=40)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--without", nargs="*", default=[], help="rules that are switched off")
    a = p.parse_args()
    rules = Rules(**dict.fromkeys(a.without, False))
    losses = Loss(a.data_loss, 1, a.seed), Loss(a.feedback_loss, a.burst, a.seed + 1)
    link = LongLink(a.frames, a.window, *losses, a.status_interval, rules)
    goodput = link.goodput(8, a.trips)
    end = link.ends[0]
    print(f"goodput {goodput:.4f}, polls {end.counters['tx_polls']}, control units back {link.sent[1, True]}"
          f", older blocks {link.ends[1].reporter.shown}, restarts {end.counters['link_restarts'] - 1}")  # fmt: skip


if __name__ == "__main__":
    main()
