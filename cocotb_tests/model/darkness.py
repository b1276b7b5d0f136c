# SPDX-License-Identifier: Apache-2.0
"""Feedback that goes dark again and again: what the random scenarios of the model and of the RTL have in common."""


def gaps(rng, gap, distance, end, begin=0):
    """(first, last + 1) of each gap between the clocks `begin` and `end`: about `gap` clocks long, about `distance` apart."""
    now = begin
    while gap:
        now += int(rng.uniform(0.3, 1.7) * distance)
        first, now = now, now + int(rng.uniform(0.3, 1.7) * gap)
        if now > end:
            return
        yield first, now


class Darkness:
    """Probability of losing a unit by the clock: `loss`, and 1 in the gaps."""

    def __init__(self, rng, loss, gap, distance, end, begin=0):
        self.loss, self.times = loss, list(gaps(rng, gap, distance, end, begin))

    def __call__(self, now):
        while self.times and self.times[0][1] <= now:
            self.times.pop(0)
        return 1 if self.times and self.times[0][0] <= now else self.loss


def random_gaps(rng, window):
    """(gap, distance) in clocks, in keeping with a window of frames; often none."""
    gap = rng.choice([0, 500, 2000, 5 * window, 15 * window])
    return gap, gap * rng.choice([1, 3])
