# SPDX-License-Identifier: Apache-2.0
"""The model of Snoop against a simulation of its repairs, and at its limits."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from arqlink import tree
from arqlink.model import tcp
from arqlink_research.model.snoop import SnoopPath
from tests import seeds

GEO = SnoopPath(0.05, 0.5, 1000, 1000, 0.001)


def acknowledged(path, sent, last, repairs):
    """When a segment is acknowledged that was sent at `sent`, the one before it was at `last`, and this one needs some repairs."""
    mended = repairs * path.satellite
    if path.sack:
        return max(last, sent + path.satellite + mended)
    return max(last, sent + path.satellite) + mended


def repairs(path, segments, draw):
    """Of each segment."""
    lost = draw.random(segments) < path.loss
    return np.where(lost, np.minimum(draw.geometric(1 - path.loss, segments), path.tries - 1), 0)


def waits(path, arrivals, name, segments=4000):
    """Mean wait for repairs in one run of segments that come as a Poisson process."""
    draw = seeds.generator(name)
    last = total = 0.0
    for sent, number in zip(draw.exponential(1 / arrivals, segments).cumsum(), repairs(path, segments, draw)):
        last = acknowledged(path, sent, last, number)
        total += last - sent - path.satellite
    return total / segments


@pytest.mark.parametrize("sack", [True, False], ids=["sack", "no sack"])
@pytest.mark.parametrize(("arrivals", "loss", "tries"), [(20, 0.02, np.inf), (60, 0.05, np.inf), (20, 0.3, 2), (1, 0.4, 3)])
def test_wait(arrivals, loss, tries, sack):
    """The interval of runs has the model's wait; it has none of a loss that is 15 % more."""
    path = replace(GEO, satellite=0.1, loss=loss, tries=tries, sack=sack)
    runs = np.array([waits(path, arrivals, name) for name in range(100)])
    low, high = stats.t.interval(0.9999, len(runs) - 1, runs.mean(), stats.sem(runs))
    assert low < path.wait(arrivals) < high
    assert not low < replace(path, loss=1.15 * loss).wait(arrivals) < high
    if arrivals * loss > 2:
        assert not low < replace(path, sack=not sack).wait(arrivals) < high, "repairs overlap"


def simulated(path, segments=100_000):
    """Segments a second of a source whose window is never halved."""
    needed, times, sent = repairs(path, segments, seeds.generator("repairs")), [0.0] * segments, 0.0
    for j in range(segments):
        sent += 1 / path.rate / (1 - path.loss)
        if j >= path.window:
            sent = max(sent, times[j - path.window] + path.terrestrial)
        times[j] = acknowledged(path, sent, times[j - 1] if j else 0.0, needed[j])
    return segments / times[-1]


@pytest.mark.parametrize("sack", [True, False], ids=["sack", "no sack"])
@pytest.mark.parametrize("loss", [0.001, 0.01, 0.03, 0.1])
@pytest.mark.parametrize(
    ("terrestrial", "satellite", "rate", "window"), [(0.05, 0.01, 1000, 100), (0.05, 0.1, 1000, 300), (0.05, 0.5, 250, 100), (0.2, 0.5, 250, 300)]
)
def test_throughput_of_a_window(terrestrial, satellite, rate, window, loss, sack):
    """The model is off by up to 12 %, and by 20 % where a tenth is lost; the rest is for chance."""
    path = SnoopPath(terrestrial, satellite, rate, window, loss, sack=sack)
    assert path.snoop() == pytest.approx(simulated(path), rel=0.18 if loss < 0.1 else 0.24)


def test_end_to_end_is_eq_1():
    path = replace(GEO, loss=0.02)
    timeouts = 4 * min(1, 3 * np.sqrt(3 * 2 * 0.02 / 8)) * 0.02 * (1 + 32 * 0.02**2)
    assert path.end_to_end() == pytest.approx(0.98 / (0.55 * (np.sqrt(4 * 0.02 / 3) + timeouts)))
    assert path.end_to_end() == pytest.approx(float(tcp.rate(0.02, 0.55, 1.0)))


def test_where_throughput_ends():
    """Without losses at the window or the line; with Snoop, long windows and no SACK at a repair under way all the time."""
    assert replace(GEO, loss=0.0, window=110).snoop() == pytest.approx(200) and replace(GEO, loss=0.0).snoop() == pytest.approx(1000)
    assert replace(GEO, loss=0.0).gain() == pytest.approx(1)
    busy = replace(GEO, loss=0.02, window=1e6, sack=False)
    assert busy.snoop() == pytest.approx(float(busy.most_repaired), rel=1e-3) and busy.most_repaired == pytest.approx(0.98 / 0.02 / 0.5)
    assert np.isinf(busy.wait(1.01 * busy.most_repaired))
    assert replace(busy, sack=True).snoop() == pytest.approx(980) and np.isinf(replace(busy, sack=True).most_repaired)


def test_without_a_second_try_there_is_no_gain():
    losses = np.array([0.001, 0.01, 0.1])
    path = replace(GEO, loss=losses, tries=1)
    assert (
        path.gain() == pytest.approx(1)
        and (path.residual_loss == losses).all()
        and (path.wait(100) == 0).all()
        and (replace(path, sack=False).wait(100) == 0).all()
    )


def test_one_repair_leaves_the_square_of_the_losses():
    """Where repairs are quick, throughput is that of eq. 1 with p^2."""
    path = SnoopPath(0.2, 0.001, 1e6, 1e6, 0.01, tries=2)
    assert path.residual_loss == pytest.approx(1e-4)
    assert path.snoop() == pytest.approx(float(tcp.rate(1e-4, 0.201, 1.0)), rel=0.001)
    assert replace(path, tries=3).snoop() > 5 * path.snoop()


def test_what_snoop_gains():
    """More with each try, most where the satellite path is short; a long one costs it by its repairs."""
    gains = [float(replace(GEO, tries=tries).gain()) for tries in (1, 2, 3)]
    assert gains[0] < gains[1] and gains[1] <= gains[2]
    short, long = replace(GEO, satellite=0.05, loss=0.02, sack=False), replace(GEO, loss=0.02, sack=False)
    assert short.snoop() > 9 * long.snoop()
    assert replace(long, sack=True).snoop() > 9 * long.snoop()
    losses = np.array([1e-4, 1e-3, 1e-2])
    assert replace(GEO, loss=losses).gain().tolist() == pytest.approx([float(replace(GEO, loss=loss).gain()) for loss in losses])


@pytest.mark.parametrize("loss", [0.0001, 0.001, 0.01, 0.05])
def test_numbers_of_the_page(loss):
    """docs/papers.md has the model's."""
    path = replace(GEO, loss=loss)
    values = (path.end_to_end(), replace(path, tries=2).snoop(), path.snoop(), replace(path, sack=False).snoop())
    assert "| " + " | ".join(f"{value:.4g}" for value in (loss, *values)) + " |\n" in (tree.ROOT / "docs" / "papers.md").read_text()
