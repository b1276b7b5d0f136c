# SPDX-License-Identifier: Apache-2.0
"""A terminal that moves along a street between houses, and the intervals of time in which they hide the satellite: the land mobile satellite
channel of M. Luglio, M. Y. Sanadidi, M. Gerla, J. Stepanek, "On-board satellite 'split TCP' proxy" (IEEE JSAC 22, 2004), section IV.A.

The satellite is either in sight or hidden; there is no diffraction, and there are no houses behind the first row. x runs along the street in
the direction of motion, y across it to the left; the middle of the street is y = 0. Lengths are in metres, angles in degrees, times in seconds.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arqlink.errors import UserError
from arqlink_research.paths import dark_intervals

SIDES = (1, -1)
"""Of the street, by the sign of y: left, right."""
RUN_UP = 1000.0
"""Metres of a row before its beginning, which are drawn and left out: so a house, or a gap, begins there no likelier than elsewhere."""


@dataclass(frozen=True)
class Bounded:
    """A normal distribution of mean `mean` and deviation `sigma`. Values below `least` are drawn again; those above `most` become `most`."""

    mean: float
    sigma: float
    least: float = 0.0
    most: float = math.inf

    def __post_init__(self):
        if not (0 <= self.least <= self.mean <= self.most and 0 < self.mean < math.inf and 0 <= self.sigma < math.inf):
            raise UserError(f"A length has the mean {self.mean:g} m and deviation {self.sigma:g} m; the mean must be above 0 and within its bounds.")

    def draw(self, random):
        while True:
            value = random.normal(self.mean, self.sigma)
            if value >= self.least:
                return float(min(value, self.most))


@dataclass(frozen=True)
class Houses:
    """How the houses of a street are drawn, each side by itself: along a row, every piece is a gap with probability `gap_share`, else a house.

    Widths, heights, gaps and the place of the fronts are those of an urban street in the DLR's land mobile satellite channel model, which
    Recommendation ITU-R P.681, section 7, describes. The depth of houses and the crossroads are our choice.
    """

    width: Bounded = Bounded(22, 25, 10)
    height: Bounded = Bounded(16, 6.4, 4, 50)
    gap: Bounded = Bounded(27, 25, 10)
    gap_share: float = 0.18
    depth: float = 12.0
    """Of a house, across the street."""
    block: float = 150.0
    """From one crossroads to the next one; 0: there are none."""
    crossing: float = 15.0
    """Width of a crossroads, on which neither side has houses. The first one is at a random place."""

    def __post_init__(self):
        if not 0 <= self.gap_share < 1:
            raise UserError(f"The share of gaps is {self.gap_share:g}; it must be 0 or more, and below 1.")
        if not 0 <= self.depth < math.inf:
            raise UserError(f"Houses are {self.depth:g} m deep; it must be 0 or more.")
        if self.block != 0 and not 0 < self.crossing < self.block < math.inf:
            raise UserError(f"Crossroads are {self.crossing:g} m wide and {self.block:g} m apart; they must be narrower than their distance.")


@dataclass(frozen=True)
class House:
    """A box: x from `begin` to `end`, y between the front of its side and as much further as houses are deep, z from 0 to `height`."""

    begin: float
    end: float
    height: float


def row(houses, random, begin, end, first_crossing):
    """Houses along one side from `begin` to `end`; what reaches into a crossroads is cut off there."""
    result, x = [], begin - RUN_UP
    while x < end:
        if random.random() < houses.gap_share:
            x += houses.gap.draw(random)
            continue
        width = houses.width.draw(random)
        parts = _beside_crossroads(houses, House(x, x + width, houses.height.draw(random)), first_crossing)
        result += [part for part in parts if part.end > begin]
        x += width
    return result


def _beside_crossroads(houses, house, first_crossing):
    """The parts of a house that are on no crossroads."""
    if not houses.block:
        return [house]
    i = math.floor((house.begin - first_crossing) / houses.block)
    parts = []
    while (free := first_crossing + i * houses.block + houses.crossing) < house.end:
        begin, end = max(house.begin, free), min(house.end, free - houses.crossing + houses.block)
        if end > begin:
            parts.append(House(begin, end, house.height))
        i += 1
    return parts


@dataclass(frozen=True)
class Street:
    """elevation  of the satellite
    azimuth    of the satellite, from the direction of motion to the left; 90: across the street
    speed      of the terminal, m/s
    duration   of the way, s
    width      of the street, from front to front
    across     y of the terminal: its distance from the middle of the street
    antenna    height of the terminal's antenna
    seed       of the houses
    rows       houses by side, in place of drawn ones: {1: […], -1: […]}
    """

    elevation: float = 38.0
    azimuth: float = 90.0
    speed: float = 2.0
    duration: float = 600.0
    width: float = 24.0
    across: float = 0.0
    antenna: float = 1.5
    houses: Houses = Houses()
    seed: int = 1
    rows: dict[int, list[House]] | None = None

    def __post_init__(self):
        if not 0 < self.elevation <= 90:
            raise UserError(f"The elevation is {self.elevation:g}°; it must be above 0 and at most 90.")
        if not math.isfinite(self.azimuth):
            raise UserError(f"The azimuth is {self.azimuth:g}°.")
        if not (0 < self.speed < math.inf and 0 < self.duration < math.inf):
            raise UserError(f"The terminal moves with {self.speed:g} m/s for {self.duration:g} s; both must be above 0.")
        if not 0 < self.width < math.inf:
            raise UserError(f"The street is {self.width:g} m wide; it must be above 0.")
        if not abs(self.across) < self.width / 2:
            raise UserError(f"The terminal is {self.across:g} m from the middle of a street that is {self.width:g} m wide.")
        if not 0 <= self.antenna < math.inf:
            raise UserError(f"The antenna is {self.antenna:g} m high; it must be 0 or more.")

    @property
    def length(self):
        """Metres of the way; it begins at x = 0."""
        return self.speed * self.duration

    @cached_property
    def built(self):
        """Houses by side."""
        if self.rows is not None:
            return self.rows
        random = np.random.default_rng(self.seed)
        first = random.uniform(0, self.houses.block) if self.houses.block else 0.0
        margin = self._reach()
        return {side: row(self.houses, random, -margin, self.length + margin, first) for side in SIDES}

    def _reach(self):
        """Metres within which houses can hide the satellite: the ray is neither above all roofs nor beyond the back of the houses."""
        height = min(self.houses.height.most, self.houses.height.mean + 8 * self.houses.height.sigma)
        ways = [way for side in SIDES if (way := self._way_to(side, self.azimuth))]
        return max((min(back, self._distance_below(height)) for _, back, _ in ways), default=0.0)

    def _distance_below(self, height):
        """Metres over ground within which the ray to the satellite is below `height`."""
        return max(0.0, height - self.antenna) / math.tan(math.radians(self.elevation))

    def _way_to(self, side, azimuth):
        """(metres over ground to the fronts, to the backs, cosine of the azimuth) of a ray in this direction to the houses of a side; None if it
        runs along the street or away from them."""
        sine = math.sin(math.radians(azimuth)) * side
        if sine < 1e-12:
            return None
        front = self.width / 2 - side * self.across
        return front / sine, (front + self.houses.depth) / sine, math.cos(math.radians(azimuth))

    def hidden(self):
        """Metres of x, as merged intervals, at which the satellite is hidden.

        A house of height H hides the ray at distances t over ground at which it is beside the house, t1 <= t <= t2, and below its roof,
        t < t_H = (H - antenna)/tan(elevation). Its place x + t cos(azimuth) is within the house for some of these t if x is between
        begin - t cos(azimuth) and end - t cos(azimuth), taken over all of them.
        """
        found = []
        for side in SIDES:
            way = self._way_to(side, self.azimuth)
            if way is None:
                continue
            front, back, cosine = way
            for house in self.built[side]:
                last = min(back, self._distance_below(house.height))
                if last > front:
                    shifts = (front * cosine, last * cosine)
                    found.append((house.begin - max(shifts), house.end - min(shifts)))
        return dark_intervals.within(dark_intervals.merged(found), 0.0, self.length)

    def masking_angle(self, x, azimuth):
        """Elevation of the skyline at x in a direction: satellites below it are hidden. 0 where there is no house. Houses beyond the ends of the way are there
        as far as they can hide this street's satellite."""
        tangent = 0.0
        for side in SIDES:
            way = self._way_to(side, azimuth)
            if way is None:
                continue
            front, back, cosine = way
            for house in self.built[side]:
                # Metres over ground at which the ray is beside the house: from `enters` to `leaves`.
                if abs(cosine) > 1e-12:
                    first, last = sorted(((house.begin - x) / cosine, (house.end - x) / cosine))
                else:
                    first, last = (0.0, math.inf) if house.begin <= x <= house.end else (math.inf, 0.0)
                enters, leaves = max(front, first), min(back, last)
                if enters <= leaves:
                    tangent = max(tangent, (house.height - self.antenna) / enters)
        return math.degrees(math.atan(tangent))

    @cached_property
    def shadowed(self):
        """Intervals of time in which the satellite is hidden."""
        return [(begin / self.speed, end / self.speed) for begin, end in self.hidden()]

    @property
    def in_sight(self):
        """Intervals of time in which it is not."""
        return dark_intervals.complement(self.shadowed, self.duration)

    @property
    def share(self):
        """Share of the time in which it is hidden."""
        return dark_intervals.total(self.shadowed) / self.duration

    def write(self, path, clock_hz, cyclic=True, ahead=0.0):
        """Writes the shadowed times for the simulators, see `dark_intervals.write`. `cyclic`: the street begins again at its end."""
        dark_intervals.write(path, self.shadowed, clock_hz, self.duration if cyclic else None, ahead)
