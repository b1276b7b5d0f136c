# SPDX-License-Identifier: Apache-2.0
"""Long links whose feedback gets lost: polls, and what they carry."""

from dataclasses import replace

import pytest

from arqlink.campaign.feedback_loss import FEEDBACK, LOSSES, SEEDS, VARIANTS, VARIED, WINDOWS, WORST, Flow, Point, measure, points, rows, survey
from arqlink.errors import UserError

LEAST = 0.97
"""Of what the link carries with lossless feedback, as the mean over the seeds: where all reports of an outcome are lost, the link may stand still for
most of a round trip, which is several percent of a run."""
VARIED_POINTS = len(VARIANTS) * sum(share in (0, WORST) for share, _ in FEEDBACK)
SHORT = 8
"""Round trips, of 5000 frames each."""


@pytest.mark.full
@pytest.mark.parametrize("round_trip", [64, 533, 5000])
def test_without_losses_nobody_polls(round_trip):
    flow = measure(Point(round_trip), trips=max(SHORT, 40_000 // round_trip))
    assert flow.polls == 0 and flow.again == 0
    assert flow.frames >= SHORT * 5000 * 0.9


@pytest.mark.parametrize("status", [0, 1200])
def test_long_links_are_judged_with_any_status_interval(status):
    """Reports at once, or one for 16 outcomes: no polls, and older outcomes in their turn alone, or the run fails."""
    flow = measure(Point(533, status=status), trips=40)
    assert flow.polls == 0 and flow.again == 0


@pytest.mark.parametrize(
    "burst, status, both_ways",
    [pytest.param(0, 0, False, marks=pytest.mark.full), (64, 0, False), pytest.param(64, *VARIANTS[-1], marks=pytest.mark.full)],
)
def test_lost_feedback_costs_a_long_link_little(burst, status, both_ways):
    point = Point(5000, 0.001, 0.1, burst, status, both_ways)
    assert measure(point, SHORT).rate > LEAST * measure(point.lossless(), SHORT).rate


def test_feedback_that_hardly_comes_is_noticed():
    """The measurement notices a link that loses throughput: nine of ten control units are erased, in bursts."""
    point = Point(5000, feedback_loss=0.9, burst=64)
    assert measure(point, SHORT).rate < 0.9 * measure(point.lossless(), SHORT).rate


def test_unknown_round_trip():
    with pytest.raises(UserError, match="5 frames a round trip"):
        measure(Point(5))


def test_rows_show_mean_and_worst_seed():
    flows = {Point(64, seed=1): Flow(1000, 100, 0, 0, 9), Point(64, 0, 0.1, seed=1): Flow(1000, 99, 0, 1, 9)}
    flows |= {Point(64, seed=2): Flow(1000, 100, 0, 0, 9), Point(64, 0, 0.1, seed=2): Flow(1000, 90, 0, 5, 9)}
    assert [row[8:10] for row in rows(flows)] == [("1.0000", "1.0000"), ("0.9450", "0.9000")]


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("round_trip", WINDOWS)
def test_throughput_against_feedback_loss(round_trip, loss):
    """The table of docs/results.md."""
    flows = survey(points([round_trip], losses=[loss]))
    assert len(flows) == len(SEEDS) * (len(FEEDBACK) + VARIED_POINTS * (round_trip == VARIED))
    shares = {}
    for point, flow in flows.items():
        lossless = flows[point.lossless()]
        assert lossless.polls == 0 or loss
        shares.setdefault(replace(point, seed=0), []).append(flow.rate / lossless.rate)
    for point, of_seeds in shares.items():
        if round_trip >= 5000 and point.feedback_loss:
            assert sum(of_seeds) / len(of_seeds) > LEAST, (point, of_seeds)


def test_points_are_those_of_the_table():
    assert len(set(points())) == len(list(points())) == len(LOSSES) * len(SEEDS) * (len(WINDOWS) * len(FEEDBACK) + VARIED_POINTS)
