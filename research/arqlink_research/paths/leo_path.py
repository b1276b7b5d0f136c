# SPDX-License-Identifier: Apache-2.0
"""A path between two stations over a constellation of low orbits: which satellites they use, what it delays, and when it is dark because one of
them changes its satellite. Lengths in kilometres, times in seconds."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arqlink.errors import UserError
from arqlink.link import clock_table
from arqlink_research.paths import dark_intervals
from arqlink_research.paths.orbit import Constellation, Station, elevation, seconds

LOOK = 5.0
"""Seconds between looks at the sky: a shorter pass may be missed."""
BISECTIONS = 40
"""Of LOOK, for a rise or a set: 5 ps are left."""
CHOICES = ("longest", "highest")


@dataclass(frozen=True)
class Contact:
    """`satellite`, by its number, is seen above the mask, or used, from `begin` to `end`."""

    satellite: int
    begin: float
    end: float


def passes(constellation, station, duration):
    """Contacts with all satellites that are above the mask at some time from 0 to `duration`; those at time 0 begin then. Ends are true ones also where
    they are after `duration`."""
    times = np.arange(0, duration + constellation.period + LOOK, LOOK)
    visible = np.stack([_above_mask(constellation, station, time, np.arange(constellation.satellites)) >= 0 for time in times])
    look, satellite = np.nonzero(visible[1:] != visible[:-1])
    early, late, rises = times[look], times[look + 1], visible[look + 1, satellite]
    for _ in range(BISECTIONS):
        middle = (early + late) / 2
        passed = (_above_mask(constellation, station, middle, satellite) >= 0) == rises
        early, late = np.where(passed, early, middle), np.where(passed, middle, late)
    begins = {int(number): 0.0 for number in np.nonzero(visible[0])[0]}
    found = []
    for number, time, rising in zip(satellite.tolist(), late.tolist(), rises.tolist()):
        if rising:
            begins[number] = time
        else:
            found.append(Contact(number, begins.pop(number), time))
    # A satellite that never sets until the end of the looks, such as one of a resting sky, stays.
    found += [Contact(number, begin, math.inf) for number, begin in begins.items()]
    return sorted((contact for contact in found if contact.begin <= duration), key=lambda contact: contact.begin)


def _above_mask(constellation, station, time, satellite):
    """Degrees, of satellites at times; negative below the mask."""
    return elevation(station.position(time), constellation.positions(time, satellite)) - constellation.mask


def contacts(constellation, station, duration, choice="longest"):
    """The satellites that a station uses, one after the other. It keeps one until it is below the mask, and then takes, of those above it, the one that
    stays longest, or the highest one. While there is none it has none."""
    if choice not in CHOICES:
        raise UserError(f"The choice of satellites is '{choice}'; it must be {' or '.join(CHOICES)}.")
    seen = passes(constellation, station, duration)
    used, now = [], 0.0
    while now <= duration:
        above = [contact for contact in seen if contact.begin <= now < contact.end]
        if not above:
            now = min((contact.begin for contact in seen if contact.begin > now), default=math.inf)
            continue
        if choice == "longest":
            best = max(above, key=lambda contact: contact.end)
        else:
            best = max(above, key=lambda contact: _above_mask(constellation, station, now, contact.satellite))
        used.append(Contact(best.satellite, now, best.end))
        now = best.end
    return used


class Mesh:
    """Links between satellites: with one and two places ahead and behind in the plane, and with the same place in the planes one and two beside it
    (Teledesic's eight, as in ns-2's tcl/ex/sat-teledesic-links.tcl). Links between planes exist while both satellites are below `isl_latitude`.
    Across the seam a satellite of the first plane has one link, with the nearest satellite of the last plane."""

    def __init__(self, constellation):
        self.constellation = c = constellation
        rings = [[plane * c.per_plane + place for place in range(c.per_plane)] for plane in range(c.planes)]
        inner = {tuple(sorted((ring[i], ring[(i + ahead) % c.per_plane]))) for ring in rings for ahead in (1, 2) for i in range(c.per_plane)}
        outer = {pair for beside in (1, 2) for one, other in zip(rings, rings[beside:]) for pair in zip(one, other)}
        self._inner, self._outer = (np.array(sorted((one, other) for one, other in pairs if one != other), int).reshape(-1, 2) for pairs in (inner, outer))

    def links(self, time):
        """(pairs of satellites, lengths) at a time."""
        c = self.constellation
        places = c.positions(time)
        outer = self._outer
        if c.cross_seam and c.planes > 2:
            first, last = np.arange(c.per_plane), np.arange(c.satellites - c.per_plane, c.satellites)
            apart = np.linalg.norm(places[first][:, None] - places[last], axis=-1)
            outer = np.concatenate([outer, np.stack([first, last[apart.argmin(axis=1)]], axis=-1)])
        low = np.abs(places[:, 2]) <= c.radius * math.sin(math.radians(c.isl_latitude))
        pairs = np.concatenate([self._inner, outer[low[outer].all(axis=1)]])
        return pairs, np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=-1)

    def route(self, time, sender, receiver):
        """(satellites from `sender` to `receiver`, length): the shortest way over links; length math.inf where there is none."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import dijkstra

        pairs, lengths = self.links(time)
        graph = coo_array((lengths, (pairs[:, 0], pairs[:, 1])), shape=(self.constellation.satellites,) * 2).tocsr()
        far, before = dijkstra(graph, directed=False, indices=sender, return_predecessors=True)
        if math.isinf(far[receiver]):
            return [], math.inf
        way = [receiver]
        while way[-1] != sender:
            way.append(int(before[way[-1]]))
        return way[::-1], float(far[receiver])


@dataclass(frozen=True)
class Delays:
    """times   from which on each delay holds, the first one 0
    delays  one way, seconds
    outages intervals in which nothing passes
    duration  of the table
    """

    times: list[float]
    delays: list[float]
    outages: list[tuple[float, float]]
    duration: float

    def at(self, time):
        """The delay of what leaves then."""
        return self.delays[max(0, int(np.searchsorted(self.times, time, side="right")) - 1)]

    def write(self, path, clock_hz):
        """Writes the delays as the file that `delays` of the simulators names; the table begins again at its end."""
        clock_table.check_rate(clock_hz)
        cycle = round(self.duration * clock_hz)
        rows = {round(time * clock_hz): max(1, round(delay * clock_hz)) for time, delay in zip(self.times, self.delays)}
        title = f"Delays in clocks of {clock_hz:g} Hz: clock from which on it holds, delay one way."
        clock_table.write(path, title, ((clock, delay) for clock, delay in rows.items() if clock < cycle), cycle)

    def write_outages(self, path, clock_hz):
        """Writes the outages as the file of the process `intervals`, which begins again at the same time as that of the delays."""
        dark_intervals.write(path, self.outages, clock_hz, cycle=self.duration)


@dataclass(frozen=True)
class LeoPath:
    """sender, receiver  stations
    duration          of the table
    choice            of satellites: see `contacts`
    gap               seconds without a link after a station has changed its satellite
    step              seconds from one delay of the table to the next; hand-overs have lines of their own
    """

    sender: Station
    receiver: Station
    constellation: Constellation = Constellation()
    duration: float = 600.0
    choice: str = "longest"
    gap: float = 0.0
    step: float = 1.0

    def __post_init__(self):
        if not 0 < self.duration < math.inf:
            raise UserError(f"The duration is {self.duration:g} s; it must be above 0.")
        if not 0 <= self.gap < math.inf:
            raise UserError(f"The hand-over gap is {self.gap:g} s; it must be 0 or more.")
        if not 0 < self.step < math.inf:
            raise UserError(f"The step of the table is {self.step:g} s; it must be above 0.")

    @cached_property
    def contacts(self):
        """Of the sender, and of the receiver."""
        return tuple(contacts(self.constellation, station, self.duration, self.choice) for station in (self.sender, self.receiver))

    @property
    def handovers(self):
        """Times at which one of them changes its satellite."""
        return sorted({contact.begin for used in self.contacts for contact in used[1:] if contact.begin < self.duration})

    @cached_property
    def table(self):
        """Delays and outages. A line holds until the next one. While there is no way, the last delay holds, and the path is dark."""
        mesh = Mesh(self.constellation)
        ends = [contact.end for used in self.contacts for contact in used]
        times = sorted({0.0, *np.arange(0, self.duration, self.step).tolist(), *self.handovers, *(end for end in ends if end < self.duration)})
        kept, delays, dark = [], [], [(time, time + self.gap) for time in self.handovers]
        for time, until in zip(times, [*times[1:], self.duration]):
            length = self._length(mesh, time)
            if math.isinf(length):
                dark.append((time, until))
            else:
                kept.append(time)
                delays.append(seconds(length))
        if not kept:
            raise UserError("At no time is there a way between the two stations.")
        return Delays([0.0, *kept[1:]], delays, dark_intervals.within(dark_intervals.merged(dark), 0.0, self.duration), self.duration)

    def _length(self, mesh, time):
        """Of the way at a time; math.inf where there is none."""
        used = [next((contact.satellite for contact in of_one if contact.begin <= time < contact.end), None) for of_one in self.contacts]
        if None in used:
            return math.inf
        places = self.constellation.positions(time, np.array(used))
        ground = [station.position(time) for station in (self.sender, self.receiver)]
        return mesh.route(time, *used)[1] + float(np.linalg.norm(places - ground, axis=-1).sum())
