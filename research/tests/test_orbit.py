# SPDX-License-Identifier: Apache-2.0
"""Satellites' places, passes, ways and delays against closed forms and calculations of their own."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from arqlink.errors import UserError
from arqlink_research.paths import leo_path, orbit
from arqlink_research.paths.leo_path import LeoPath, Mesh
from arqlink_research.paths.orbit import LOS_ANGELES, NEW_YORK, ROME, SAN_FRANCISCO, Constellation, GeoPath, Station
from tests import seeds

TELEDESIC = Constellation()
RADIUS = 6378.137 + 1375
LIGHT = 299792.458


def test_the_period_is_keplers():
    """6794 s; a satellite is then where it was, and halfway on the other side."""
    assert TELEDESIC.period == pytest.approx(2 * math.pi * math.sqrt(RADIUS**3 / 398600.4418)) == pytest.approx(6794, abs=0.5)
    begin = TELEDESIC.positions(0.0)
    assert TELEDESIC.positions(TELEDESIC.period) == pytest.approx(begin, abs=1e-6)
    assert TELEDESIC.positions(TELEDESIC.period / 2) == pytest.approx(-begin, abs=1e-6)


def turned(axis, degrees, vector):
    """By Rodrigues' formula."""
    axis, angle = np.asarray(axis, float), math.radians(degrees)
    return vector * math.cos(angle) + np.cross(axis, vector) * math.sin(angle) + axis * (axis @ vector) * (1 - math.cos(angle))


def placed(plane, place, time):
    """A satellite of Table II, by three turns of the x axis."""
    along = 15 * place + (7.5 if plane % 2 else 0) + 360 * time / TELEDESIC.period
    return turned([0, 0, 1], 15 * plane, turned([1, 0, 0], 84.7, turned([0, 0, 1], along, np.array([RADIUS, 0.0, 0.0]))))


def test_satellites_are_where_three_turns_put_them():
    for time in (0.0, 1234.5, 50_000.0):
        all_of_them = TELEDESIC.positions(time)
        assert all_of_them.shape == (288, 3)
        for plane, place in ((0, 0), (0, 5), (3, 23), (11, 12)):
            assert all_of_them[24 * plane + place] == pytest.approx(placed(plane, place, time), abs=1e-6)
            assert TELEDESIC.positions(time, 24 * plane + place) == pytest.approx(placed(plane, place, time), abs=1e-6)


def test_planes_are_those_of_a_star():
    """15° between nodes, and 15° are left for the seam, on both sides of which satellites move against each other."""
    assert TELEDESIC.seam == 15
    north = (TELEDESIC.positions(1.0) - TELEDESIC.positions(0.0))[:, 2]
    places = TELEDESIC.positions(0.0)
    low = [i for i in range(288) if abs(places[i, 2]) < 1000]
    angle = {i: math.degrees(math.atan2(places[i, 1], places[i, 0])) % 360 for i in low}
    for one in low:
        for other in low:
            if 0 < (angle[other] - angle[one]) % 360 < 16:
                at_seam = {one // 24, other // 24} == {0, 11}
                assert (north[one] * north[other] < 0) == (at_seam and one // 24 != other // 24)


def test_slant_range_and_coverage():
    assert orbit.slant_range(RADIUS, 90) == pytest.approx(1375)
    assert orbit.slant_range(RADIUS, 0) == pytest.approx(math.sqrt(RADIUS**2 - 6378.137**2))
    # Law of sines and of cosines in the triangle of the Earth's centre, station and satellite.
    angle = math.radians(orbit.coverage_angle(RADIUS, 40))
    distance = math.sqrt(6378.137**2 + RADIUS**2 - 2 * 6378.137 * RADIUS * math.cos(angle))
    assert orbit.slant_range(RADIUS, 40) == pytest.approx(distance) == pytest.approx(1920.1, abs=0.1)
    assert math.sin(angle) / distance == pytest.approx(math.sin(math.radians(130)) / RADIUS)
    assert orbit.coverage_angle(RADIUS, 90) == pytest.approx(0, abs=1e-9)


def test_a_pass_over_the_pole_is_as_long_as_the_coverage():
    """Polar planes all cross the pole, which does not turn away: 2 lambda/360 of a period, a 288th of a period apart in turn."""
    polar = Constellation(inclination=90, stagger=0, planes=1, per_plane=12)
    seen = [one for one in leo_path.passes(polar, Station(90, 0), polar.period) if one.begin > 0]
    assert len(seen) == 12
    for one in seen:
        assert one.end - one.begin == pytest.approx(2 * orbit.coverage_angle(RADIUS, 40) / 360 * polar.period, abs=1e-6)
    assert np.diff([one.begin for one in seen]) == pytest.approx(polar.period / 12, abs=1e-6)


def test_passes_begin_and_end_at_the_mask():
    """There the satellite is as far as the closed form says, and in the middle nearer; one second before and after it is below the mask."""
    found = [one for one in leo_path.passes(TELEDESIC, NEW_YORK, 2000) if one.begin > 0]
    assert len(found) > 10

    def range_of(one, time):
        return np.linalg.norm(TELEDESIC.positions(time, one.satellite) - NEW_YORK.position(time))

    for one in found:
        for edge, outside in ((one.begin, -1), (one.end, 1)):
            assert range_of(one, edge) == pytest.approx(orbit.slant_range(RADIUS, 40), abs=1e-3)
            assert orbit.elevation(NEW_YORK.position(edge + outside), TELEDESIC.positions(edge + outside, one.satellite)) < 40
        assert 1375 <= range_of(one, (one.begin + one.end) / 2) < orbit.slant_range(RADIUS, 40)
        # Beside the longest pass of a resting Earth, the turn of the Earth makes up to a tenth more.
        assert one.end - one.begin < 1.1 * 2 * orbit.coverage_angle(RADIUS, 40) / 360 * TELEDESIC.period


def test_all_passes_are_found():
    """Of all satellites, looked at each second; those of less than LOOK may be missed."""
    seen = leo_path.passes(TELEDESIC, NEW_YORK, 1000)
    for time in range(0, 1000, 7):
        above = set(np.nonzero(orbit.elevation(NEW_YORK.position(time), TELEDESIC.positions(time)) >= 40)[0].tolist())
        listed = {one.satellite for one in seen if one.begin <= time < one.end}
        assert listed == above


@pytest.mark.parametrize("choice", leo_path.CHOICES)
def test_a_station_keeps_its_satellite_and_then_takes_the_best(choice):
    used, seen = leo_path.contacts(TELEDESIC, NEW_YORK, 3000, choice), leo_path.passes(TELEDESIC, NEW_YORK, 3000)
    assert used[0].begin == 0 and used[-1].end >= 3000
    for one in used:
        others = [other for other in seen if other.begin <= one.begin < other.end]
        end = next(other.end for other in others if other.satellite == one.satellite)
        assert one.end == end
        if choice == "longest":
            assert end == max(other.end for other in others)
        else:
            heights = {other.satellite: orbit.elevation(NEW_YORK.position(one.begin), TELEDESIC.positions(one.begin, other.satellite)) for other in others}
            assert max(heights, key=heights.__getitem__) == one.satellite
    for one, other in zip(used, used[1:]):
        assert one.end <= other.begin and one.satellite != other.satellite
        if one.end < other.begin:  # none was above the mask
            assert not any(between.begin < other.begin and between.end > one.end for between in seen)


def test_the_longest_choice_has_fewer_handovers():
    assert len(leo_path.contacts(TELEDESIC, NEW_YORK, 3000)) < len(leo_path.contacts(TELEDESIC, NEW_YORK, 3000, "highest"))


def test_links_between_satellites():
    """Eight or fewer each, all in sight of each other; those between planes below 60° only, and across the seam one each."""
    for time in (0.0, 777.0, 2000.0):
        pairs, lengths = Mesh(TELEDESIC).links(time)
        places = TELEDESIC.positions(time)
        assert max(Counter(pairs.ravel().tolist()).values()) <= 8
        assert len({tuple(sorted(pair)) for pair in pairs.tolist()}) == len(pairs)
        crossing = 0
        for (one, other), length in zip(pairs.tolist(), lengths):
            assert length == pytest.approx(np.linalg.norm(places[one] - places[other]))
            assert np.linalg.norm((places[one] + places[other]) / 2) > orbit.EARTH_RADIUS
            if one // 24 != other // 24:
                latitudes = np.degrees(np.arcsin(places[[one, other], 2] / RADIUS))
                assert (np.abs(latitudes) <= 60).all()
                crossing += {one // 24, other // 24} == {0, 11}
        assert 8 <= crossing <= 24
        without, _ = Mesh(replace(TELEDESIC, cross_seam=False)).links(time)
        assert len(pairs) - len(without) == crossing
        assert sum(one // 24 == other // 24 for one, other in pairs) == 288 * 2


def test_routes_are_the_shortest():
    """Against Floyd and Warshall's algorithm on a smaller constellation."""
    small, random = Constellation(planes=6, per_plane=8, separation=30), seeds.generator("stations")
    for time in (0.0, 500.0):
        mesh, count = Mesh(small), small.satellites
        far = np.full((count, count), np.inf)
        np.fill_diagonal(far, 0)
        pairs, lengths = mesh.links(time)
        far[pairs[:, 0], pairs[:, 1]] = far[pairs[:, 1], pairs[:, 0]] = lengths
        direct = far.copy()
        for middle in range(count):
            far = np.minimum(far, far[:, middle, None] + far[middle])
        for sender, receiver in random.integers(0, count, (40, 2)).tolist():
            way, length = mesh.route(time, sender, receiver)
            assert length == pytest.approx(far[sender, receiver])
            assert (way[0], way[-1]) == (sender, receiver)
            assert length == pytest.approx(sum(direct[one, other] for one, other in zip(way, way[1:])))


def test_small_constellations_have_no_link_twice():
    for per_plane in (1, 2, 3, 4, 5):
        pairs, _ = Mesh(Constellation(planes=1, per_plane=per_plane)).links(0.0)
        assert sorted(map(tuple, pairs.tolist())) == [(i, j) for i in range(per_plane) for j in range(i + 1, per_plane)]


def test_up_and_down_over_one_satellite():
    """Two stations at one place: both use the same satellite, so the delay is that of two slant ranges."""
    path = LeoPath(NEW_YORK, NEW_YORK, duration=400.0)
    for time, delay in zip(path.table.times, path.table.delays):
        satellite = next(one.satellite for one in path.contacts[0] if one.begin <= time < one.end)
        distance = np.linalg.norm(TELEDESIC.positions(time, satellite) - NEW_YORK.position(time))
        assert delay == pytest.approx(2 * distance / LIGHT)
        assert 2 * 1375 / LIGHT <= delay <= 2 * orbit.slant_range(RADIUS, 40) / LIGHT + 1e-9


@pytest.fixture(scope="module")
def across_america():
    return LeoPath(NEW_YORK, SAN_FRANCISCO, duration=1200.0, gap=0.25)


def test_the_table(across_america):
    """A line each second and at each hand-over; delays between the straight line and three times it; they jump at hand-overs and where the way changes."""
    path, table = across_america, across_america.table
    assert table.times[0] == 0 and table.times == sorted(set(table.times))
    assert set(path.handovers) <= set(table.times) and set(range(1200)) <= set(table.times)
    straight = np.linalg.norm(NEW_YORK.position() - SAN_FRANCISCO.position()) / LIGHT
    assert all(straight < delay < 3 * straight for delay in table.delays)
    mesh = Mesh(TELEDESIC)
    for time in (0.0, 600.0, path.handovers[3]):
        one, other = (next(c.satellite for c in used if c.begin <= time < c.end) for used in path.contacts)
        places = TELEDESIC.positions(time)
        length = np.linalg.norm(places[one] - NEW_YORK.position(time)) + np.linalg.norm(places[other] - SAN_FRANCISCO.position(time))
        assert table.at(time) == pytest.approx((length + mesh.route(time, one, other)[1]) / LIGHT)
        assert table.at(time + 1e-6) == table.at(time)


def test_each_hand_over_has_its_gap(across_america):
    path = across_america
    assert len(path.handovers) == sum(len([c for c in used[1:] if c.begin < 1200]) for used in path.contacts) > 5
    assert path.table.outages == [pytest.approx((time, time + 0.25)) for time in path.handovers]
    assert not replace(path, gap=0.0).table.outages
    long = replace(path, gap=150.0).table.outages
    assert len(long) < len(path.handovers) and long[-1][1] <= 1200


def test_without_a_satellite_the_path_is_dark():
    """One plane: the Earth carries the station into its coverage, and out of it again."""
    alone, place = Constellation(planes=1), Station(40, -15)
    passes = leo_path.passes(alone, place, 10_000)
    path = LeoPath(place, place, alone, duration=10_000.0, step=10.0)
    for time in np.arange(3.0, 10_000, 11):
        covered = any(one.begin <= time < one.end for one in passes)
        assert covered != any(begin <= time < end for begin, end in path.table.outages)
    assert path.table.outages[0][0] == 0 and path.table.outages[-1][1] == 10_000
    assert 3000 < sum(end - begin for begin, end in path.table.outages) < 7000
    with pytest.raises(UserError, match="At no time is there a way"):
        _ = LeoPath(NEW_YORK, NEW_YORK, alone, duration=100.0).table


def law_of_cosines(station, longitude):
    """Distance to a geostationary satellite."""
    angle = math.cos(math.radians(station.latitude)) * math.cos(math.radians(station.longitude - longitude))
    return math.sqrt(6378.137**2 + orbit.GEO_RADIUS**2 - 2 * 6378.137 * orbit.GEO_RADIUS * angle)


def test_geostationary_delays():
    height = orbit.GEO_RADIUS - 6378.137
    assert height == pytest.approx(35786, abs=1)
    below = GeoPath(Station(0, 30), (30,), Station(0, 30))
    assert below.delay == pytest.approx(2 * height / LIGHT)
    single = GeoPath(NEW_YORK, (-96,), SAN_FRANCISCO)
    assert single.legs == pytest.approx([law_of_cosines(NEW_YORK, -96), law_of_cosines(SAN_FRANCISCO, -96)])
    # The paper takes 125 ms for each of them.
    assert [leg / LIGHT for leg in single.legs] == pytest.approx([0.125, 0.125], abs=0.002)
    double = GeoPath(ROME, (0, -95), LOS_ANGELES)
    chord = 2 * orbit.GEO_RADIUS * math.sin(math.radians(47.5))
    assert double.delay == pytest.approx((law_of_cosines(ROME, 0) + chord + law_of_cosines(LOS_ANGELES, -95)) / LIGHT)
    assert orbit.slant_range(orbit.GEO_RADIUS, 0) == pytest.approx(math.sqrt(orbit.GEO_RADIUS**2 - 6378.137**2))


def test_a_geostationary_satellite_rests():
    for time in (0.0, 12_345.0):
        turn = 2 * math.pi * time / orbit.SIDEREAL_DAY
        place = orbit.GEO_RADIUS * np.array([math.cos(math.radians(-96) + turn), math.sin(math.radians(-96) + turn), 0])
        assert np.linalg.norm(place - NEW_YORK.position(time)) == pytest.approx(law_of_cosines(NEW_YORK, -96))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: GeoPath(ROME, (-95,), LOS_ANGELES), "The sender does not see a satellite at -95°"),
        (lambda: GeoPath(ROME, (0,), LOS_ANGELES), "The receiver does not see a satellite at 0°"),
        (lambda: GeoPath(ROME, (0, 175, -95), LOS_ANGELES), "The Earth is between satellites at 0° and 175°"),
        (lambda: GeoPath(ROME, (), ROME), "has none"),
        (lambda: Station(91, 0), "A station is at 91° north"),
        (lambda: Constellation(altitude=0), "The altitude is 0 km"),
        (lambda: Constellation(planes=0), "There are 0 planes"),
        (lambda: Constellation(planes=14), "14 planes that are 15° apart"),
        (lambda: Constellation(mask=90), "The elevation mask is 90°"),
        (lambda: LeoPath(ROME, ROME, duration=0), "The duration is 0 s"),
        (lambda: LeoPath(ROME, ROME, gap=-1), "The hand-over gap is -1 s"),
        (lambda: LeoPath(ROME, ROME, step=0), "The step of the table is 0 s"),
        (lambda: LeoPath(ROME, ROME, choice="best").contacts, "The choice of satellites is 'best'"),
    ],
)
def test_what_is_none(make, message):
    with pytest.raises(UserError, match=message):
        make()


def test_satellites_across_the_date_line_see_each_other():
    assert GeoPath(Station(0, 170), (170, -170), Station(0, -170)).legs[1] == pytest.approx(2 * orbit.GEO_RADIUS * math.sin(math.radians(10)))
