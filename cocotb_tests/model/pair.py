# SPDX-License-Identifier: Apache-2.0
"""Two link ends of the protocol model, and a lossy FIFO channel with delay between them. Time is in clocks; a unit takes its
length in beats."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from tests import seeds


@dataclass
class Direction:
    """One direction of the channel: delay in clocks, and the probability that a unit is erased, or a function of the clock
    that gives it."""

    delay: int = 100
    loss: float | Callable[[int], float] = 0.0
    busy: int = 0  # clock at which the line is free

    def probability(self, now):
        return self.loss(now) if callable(self.loss) else self.loss


class Pair:
    """Two ends and the channel. `sent(end, raw, now)` and `received(end, raw, erased, now)` observe;
    the channel draws from `rng`."""

    def __init__(self, a, b, forward=None, backward=None, rng=None):
        self.ends = [a, b]
        self.ways = [forward or Direction(), backward or Direction()]
        self.rng = rng or seeds.rng("channel")
        self.now = 0
        self.events = []
        self.order = 0
        self.wake: list[int | None] = [None, None]
        self.sent = lambda end, raw, now: None
        self.received = lambda end, raw, erased, now: None
        self.units = 0

    def _at(self, time, *what):
        self.order += 1
        heapq.heappush(self.events, (time, self.order) + what)

    def at(self, time, action):
        """Calls `action` at clock `time`."""
        self._at(time, "call", action)

    def _pump(self, i):
        end, way = self.ends[i], self.ways[i]
        while way.busy <= self.now:
            raw = end.pull(self.now)
            if raw is None:
                break
            self.units += 1
            self.sent(end, raw, self.now)
            way.busy = self.now + len(raw) // end.config.data_bytes
            erased = self.rng.random() < way.probability(self.now)
            if not erased or self.rng.random() < 0.5:  # an erased unit vanishes or comes flagged
                self._at(way.busy + way.delay, "unit", 1 - i, raw, erased)
        time = way.busy if way.busy > self.now else max(end.deadline(), self.now + 1)
        if self.wake[i] is None or self.wake[i] <= self.now or time < self.wake[i]:
            self.wake[i] = time
            self._at(time, "wake")

    def run(self, until, stop=None):
        """Runs to clock `until`, or until `stop()`; returns True in the latter case."""
        for i in (0, 1):
            self._pump(i)
        while self.events and self.events[0][0] <= until:
            event = heapq.heappop(self.events)
            self.now = event[0]
            if event[2] == "unit":
                _, _, _, i, raw, erased = event
                self.received(self.ends[i], raw, erased, self.now)
                self.ends[i].receive(raw, erased, self.now)
            elif event[2] == "call":
                event[3]()
            for i in (0, 1):
                self._pump(i)
            if stop is not None and stop():
                return True
        self.now = until
        return stop is not None and stop()

    def settle(self, limit):
        """Runs until both ends are settled; returns the clock, or raises TimeoutError after `limit` clocks."""
        if not self.run(self.now + limit, lambda: all(e.settled for e in self.ends)):
            ends = [(e.name, e.state, e.tx.base, e.tx.stored, e.tx.peer_base, e.tx.ack, e.tx.next_tsn) for e in self.ends]
            raise TimeoutError(f"not settled after {limit} clocks: (name, state, base, stored, peer, ack, next) {ends}")
        return self.now
