# SPDX-License-Identifier: Apache-2.0
"""Shadowing in a street: intervals against rays that are cast at boxes, and statistics against renewal theory."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from arqlink.errors import UserError
from arqlink.model import intervals
from arqlink_research.paths.street import SIDES, Bounded, House, Houses, Street, row
from tests import seeds

FIRST = seeds.seed_of("street") >> 1
"""Of seeds in a row."""
DIRECTIONS = [(38, 90), (38, -90), (20, 45), (20, 135), (30, -30), (30, 200), (60, 80), (5, 3), (38, 0), (38, 180), (90, 40), (25, 721)]


class Boxes:
    """The houses of a street as boxes in space, at which rays are cast (slabs; Kay and Kajiya, 1986)."""

    def __init__(self, street):
        self.street = street
        corners = []
        for side in SIDES:
            front, back = side * street.width / 2, side * (street.width / 2 + street.houses.depth)
            for house in street.built[side]:
                corners.append(([house.begin, min(front, back), 0.0], [house.end, max(front, back), house.height]))
        self.low, self.high = np.array(corners).transpose(1, 0, 2)

    def hit(self, x, elevation=None, azimuth=None):
        """Whether the ray from the antenna at x hits a box."""
        street = self.street
        elevation, azimuth = (math.radians(own if given is None else given) for own, given in ((street.elevation, elevation), (street.azimuth, azimuth)))
        ray = np.array([math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation)])
        ray[np.abs(ray) < 1e-9] = 1e-9
        begin = np.array([x, street.across, street.antenna])
        one, other = (self.low - begin) / ray, (self.high - begin) / ray
        enters, leaves = np.minimum(one, other).max(axis=1), np.maximum(one, other).min(axis=1)
        return bool(((leaves >= enters) & (leaves > 0)).any())


def streets(count=3, **settings):
    for elevation, azimuth in DIRECTIONS:
        for seed in range(FIRST, FIRST + count):
            across = (0.0, 7.5, -9.0)[seed % 3]
            yield Street(elevation, azimuth, duration=200.0, across=across, seed=seed, **settings)


def test_the_satellite_is_hidden_where_a_ray_hits_a_house():
    random, hidden = seeds.generator("places"), 0
    for street in streets():
        boxes, edges = Boxes(street), [edge for interval in street.hidden() for edge in interval]
        for x in random.uniform(0, street.length, 100):
            if min((abs(x - edge) for edge in edges), default=1) > 1e-6:
                inside = any(begin <= x < end for begin, end in street.hidden())
                assert inside == boxes.hit(x), (street.elevation, street.azimuth, street.seed, x)
                hidden += inside
    assert 500 < hidden < 2500


def test_states_last_as_long_as_the_rays_say():
    """Each change between 0 and the end, found by casting rays each 5 cm and between them by bisection. Pieces below 5 cm could be missed: there are
    none among these."""
    for street in streets(count=1):
        boxes, step = Boxes(street), 0.05
        places = np.arange(0, street.length + step, step)
        states = [boxes.hit(x) for x in places]
        found = []
        for (x, before), (_, after) in pairwise(zip(places, states)):
            if before != after:
                low, high = x, x + step
                for _ in range(40):
                    middle = (low + high) / 2
                    low, high = (middle, high) if boxes.hit(middle) == before else (low, middle)
                found.append(low / street.speed)
        edges = [edge for interval in street.shadowed for edge in interval if 0 < edge < street.duration]
        assert found == pytest.approx(edges, abs=1e-6), (street.elevation, street.azimuth, street.seed)


def test_the_skyline_is_where_rays_begin_to_pass():
    random = seeds.generator("places")
    for street in streets(count=1):
        boxes = Boxes(street)
        for x, azimuth in zip(random.uniform(0, street.length, 20), random.uniform(-180, 180, 20)):
            # Only houses that were drawn can be in the way: as far as this street's own satellite needs them.
            low, high = 0.0, 90.0
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if boxes.hit(x, middle, azimuth) else (low, middle)
            assert street.masking_angle(x, azimuth) == pytest.approx(low, abs=1e-6)


def test_the_mask_decides():
    """As the paper has it: hidden is what is below the masking angle in the satellite's direction."""
    random = seeds.generator("places")
    for street in streets():
        for x in random.uniform(0, street.length, 20):
            hidden = any(begin <= x < end for begin, end in street.hidden())
            assert hidden == (street.elevation < street.masking_angle(x, street.azimuth))


def test_a_house_by_hand():
    """12 m from the terminal a house 13.5 m high hides what is below 45°: from 10 to 30 m, across the street."""
    house = {1: [House(10, 30, 13.5)], -1: []}
    street = Street(44.9, 90, rows=house, duration=50.0)
    assert street.hidden() == [pytest.approx((10, 30))] and street.shadowed == [pytest.approx((5, 15))]
    assert street.share == pytest.approx(0.2) and street.in_sight == [pytest.approx((0, 5)), pytest.approx((15, 50))]
    assert not replace(street, elevation=45.1).hidden()
    assert not replace(street, azimuth=-90).hidden()
    assert replace(street, speed=4.0).shadowed == [pytest.approx((2.5, 7.5))]
    # Ahead to the left the front is 12 sqrt(2) m away, so the house is met 12 m earlier; of its depth the part counts that is below the roof.
    low = replace(street, elevation=math.degrees(math.atan(12 / (20 * math.sqrt(2)))), azimuth=45)
    assert low.hidden() == [pytest.approx((0, 18))]  # 10 - 20 is before the way begins
    assert replace(low, azimuth=135).hidden() == [pytest.approx((22, 50))]
    # To the back of the house, 24 m, and no further.
    assert replace(low, elevation=5, azimuth=135).hidden() == [pytest.approx((22, 54))]


def test_crossroads_are_free_of_houses():
    """All houses are high and side by side, so across the street the satellite is in sight on crossroads alone."""
    houses = Houses(height=Bounded(40, 0), gap_share=0, block=100, crossing=20)
    street = Street(45, 90, houses=houses, duration=500.0, seed=FIRST)
    assert len(street.shadowed) in (10, 11)
    assert [end - begin for begin, end in street.shadowed[1:-1]] == [pytest.approx(40)] * (len(street.shadowed) - 2)
    assert [end - begin for begin, end in street.in_sight[1:-1]] == [pytest.approx(10)] * (len(street.in_sight) - 2)
    assert len(replace(street, houses=replace(houses, block=0)).shadowed) == 1


@pytest.mark.parametrize("azimuth", [20, 90, 160, -20, -160])
def test_there_are_houses_beyond_the_ends_of_the_way(azimuth):
    """Between high houses without gaps the satellite is hidden from the first moment to the last."""
    houses = Houses(height=Bounded(40, 0), gap_share=0, block=0)
    assert Street(10, azimuth, houses=houses, seed=FIRST).shadowed == [pytest.approx((0, 600))]


def test_a_row_does_not_begin_with_a_house():
    """Of 1500 rows as many begin within a house as the share of the street that houses take, within an exact 99.9 % interval."""
    houses, random = Houses(block=0), seeds.generator("places")
    rows = [row(houses, random, 0.0, 30.0, 0.0) for _ in range(1500)]
    interval = intervals.clopper_pearson(sum(bool(one) and one[0].begin < 0 for one in rows), len(rows))
    share = renewal(houses, houses.height.least)[0]
    assert [interval.contains(value) for value in (share, 0.9 * share, 1.1 * share)] == [True, False, False]


def truncated_mean(bounded):
    """Of a normal distribution that is drawn again below its least value."""
    ratio = (bounded.mean - bounded.least) / bounded.sigma
    return bounded.mean + bounded.sigma * float(stats.norm.pdf(ratio) / stats.norm.cdf(ratio))


def renewal(houses, least):
    """(share hidden, mean length of a hidden piece), across the street, by renewal theory: a row is independent pieces, of which each is a house that
    is higher than `least` with probability q."""
    tall = stats.norm.sf(least, houses.height.mean, houses.height.sigma) / stats.norm.sf(houses.height.least, houses.height.mean, houses.height.sigma)
    wide, free = truncated_mean(houses.width), truncated_mean(houses.gap)
    q = (1 - houses.gap_share) * tall
    return q * wide / ((1 - houses.gap_share) * wide + houses.gap_share * free), wide / (1 - q)


def mean_interval(values, confidence=0.999):
    """Of the mean of independent values, by Student's t."""
    values = np.asarray(values)
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return values.mean() - half, values.mean() + half


def test_statistics_are_those_of_renewal_theory():
    """Share and mean length of hidden pieces across the street, of 300 streets of 2.4 km without crossroads, within 99.9 % intervals of their mean;
    those of a street that is 2 m wider are outside."""
    houses = Houses(block=0)
    drawn = [Street(38, 90, houses=houses, duration=1200.0, seed=seed) for seed in range(FIRST, FIRST + 300)]
    least = 1.5 + 12 * math.tan(math.radians(38))
    share, length = renewal(houses, least)
    other_share, other_length = renewal(houses, least + math.tan(math.radians(38)))
    low, high = mean_interval([street.share for street in drawn])
    assert low < share < high and not low < other_share < high
    # Pieces that the street's ends cut are left out; longer ones are so more often, by their length in 2.4 km: 2 %.
    inner = [[2 * (end - begin) for begin, end in street.shadowed if begin > 0 and end < street.duration] for street in drawn]
    low, high = mean_interval([np.mean(pieces) for pieces in inner])
    assert low < length < high * 1.03 and not low < other_length < high


def test_houses_are_drawn_as_stated():
    """Heights and widths of a long street without crossroads, by Kolmogorov and Smirnov's test; gaps by their share."""
    houses = Houses(block=0)
    street = Street(38, 90, houses=houses, duration=40_000.0, seed=FIRST)
    left = street.built[1]
    widths, heights = [house.end - house.begin for house in left], [house.height for house in left if house.height < 50]
    assert len(left) > 1500 and min(heights) >= 4 and max(house.height for house in left) <= 50
    for drawn, bounded, most in ((widths, houses.width, np.inf), (heights, houses.height, 50)):
        law = stats.truncnorm((bounded.least - bounded.mean) / bounded.sigma, (most - bounded.mean) / bounded.sigma, bounded.mean, bounded.sigma)
        assert stats.kstest(drawn, law.cdf).pvalue > 0.001
    assert left != street.built[-1]


def test_a_seed_is_a_street():
    assert Street(seed=FIRST).shadowed == Street(seed=FIRST).shadowed != Street(seed=FIRST + 1).shadowed


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"elevation": 0}, "The elevation is 0°"),
        ({"elevation": 91}, "The elevation is 91°"),
        ({"azimuth": math.inf}, "The azimuth is inf°"),
        ({"speed": 0}, "moves with 0 m/s"),
        ({"duration": math.nan}, "for nan s"),
        ({"width": -1}, "The street is -1 m wide"),
        ({"across": 12}, "The terminal is 12 m from the middle"),
        ({"antenna": -1}, "The antenna is -1 m high"),
    ],
)
def test_streets_that_are_none(settings, message):
    with pytest.raises(UserError, match=message):
        Street(**settings)


@pytest.mark.parametrize(
    "settings, message",
    [({"gap_share": 1}, "share of gaps is 1"), ({"depth": -1}, "-1 m deep"), ({"block": 10}, "narrower"), ({"block": -5}, "narrower")],
)
def test_houses_that_are_none(settings, message):
    with pytest.raises(UserError, match=message):
        Houses(**settings)
    with pytest.raises(UserError, match="A length has the mean 5 m"):
        Bounded(5, 1, 6)
