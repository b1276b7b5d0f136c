# SPDX-License-Identifier: Apache-2.0
"""The window in the model: what the RTL carries of packets of any length, where the window is shorter than a round trip."""

import bisect
import itertools

import pytest

from arqlink.model import limits, loss, packets
from arqlink.model.limits import Limit
from arqlink.model.link_setup import LinkSetup
from arqlink.run import monte_carlo, transfer
from tests import seeds

WINDOWS = 5
"""Windows of frames that a run has."""


def link(packet_bytes, delta=0, n=12, trips=1.5, mix=None):
    """A link whose round trip lasts so many times as long as its window."""
    setup = LinkSetup(config="montecarlo", k=10, n=n, delta=delta, packet_bytes=packet_bytes, loss=loss.Bernoulli(0.001), mix=mix, seed=seeds.seed_of("line"))
    model = setup.model()
    setup.delay_ms = 1e3 * trips * setup.limits["window_frames"] * model.units_per_frame * model.unit_time / 2
    return setup


def carried(setup, sizes):
    """Utilization over whole windows in the middle of a run."""
    outcome = transfer.transfer(setup, transfer.Traffic([bytes(size) for size in sizes]))
    frames, window = list(itertools.accumulate(setup.frames(size) for size in sizes)), setup.limits["window_frames"]
    first, last = (bisect.bisect(frames, windows * window) for windows in (1, WINDOWS - 1))
    clocks = outcome.deliveries[last].clock - outcome.deliveries[first].clock
    assert len(outcome.deliveries) > last
    return sum(sizes[first + 1 : last + 1]) / setup.unit_bytes * setup.unit_clocks / clocks


@pytest.mark.parametrize("name", ["40", "576", "imix", *(pytest.param(name, marks=pytest.mark.full) for name in ("200", "1500"))])
def test_the_window_lets_through_what_the_model_says(name):
    """Within 2 %, and of a mix within 4; a model that takes all frames for full is 70 % off at 40 bytes, and 5 % at 576."""
    mix, rng = packets.parse(name), seeds.rng("mix")
    setup = link(max(mix), mix=mix)
    wanted = WINDOWS * setup.limits["window_frames"] / setup.model().frames_per_packet
    measured = carried(setup, rng.choices(list(mix), list(mix.values()), k=round(wanted)))
    model = setup.model().through_window(setup.limits["window_frames"])
    print(f"{name}: {measured:.4f}, model {model:.4f}")
    assert measured == pytest.approx(model, rel=0.02 if len(mix) == 1 else 0.04)


def test_retransmissions_take_round_trips_of_the_window():
    """The model is an eighth too low at most, and hardly too high."""
    setup = link(576, delta=3, n=10, trips=0.8)
    report = monte_carlo.measure(setup, 10 * setup.limits["window_frames"])
    measured, model = (report["utilization"][of] for of in ("measured", "model"))
    print(f"δ = 3: {measured:.4f}, model {model:.4f}, alpha {setup.model().alpha:.4f}")
    assert model / 1.02 < measured < model / 0.875 and measured < 0.9 * setup.model().alpha and report["limit"] == "window"


def test_a_window_that_is_long_enough_costs_nothing():
    model = link(576, trips=0.5).model()
    assert model.through_window(1 << 11) == pytest.approx(model.alpha)
    line, short = (limits.lowest(model.alpha, model.through_window(window)) for window in (1 << 11, 1 << 9))
    assert line is Limit.LINE and short is Limit.WINDOW
