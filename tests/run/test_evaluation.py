# SPDX-License-Identifier: Apache-2.0
"""Measured values from counters: made-up runs whose counters are drawn from the model."""

import math

import pytest

from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup
from arqlink.rtl import registers
from arqlink.run.evaluation import Evaluation, window_line_use, window_utilization
from arqlink.run.harness import Result
from tests import seeds


def made_up(setup, packets):
    """Counters of a run of full packets, each transmission failing independently."""
    rng, model = seeds.generator("run"), setup.model()
    attempts, frames = model.attempts(), setup.frames(setup.packet_bytes)
    zero = {f"{end}.{name}": 0 for end in "ab" for name in registers.counter_names()}
    done = rng.random((packets, frames)) >= attempts.p_first
    zero["a.tx_acked_0"] = int(done.sum())
    retx, i = 0, 0
    while not done.all() and i < setup.delta:
        i += 1
        open_frames = ~done
        retx += int(open_frames.sum())
        now = open_frames & (rng.random(done.shape) >= attempts.p_retx)
        zero[f"a.tx_acked_{min(i, 15)}"] += int(now.sum())
        done |= now
    delivered = int(done.all(axis=1).sum())
    total = packets * frames
    values = {
        "a.tx_packets": packets,
        "a.tx_packets_lost": packets - delivered,
        "a.tx_frames": total,
        "a.tx_retx": retx,
        "a.tx_frames_acked": int(done.sum()),
        "a.tx_frames_abandoned": total - int(done.sum()),
        "a.tx_outcomes_ok": int(done.sum()),
        "a.tx_outcomes_failed": total + retx - int(done.sum()),
        "a.tx_units": total * setup.n,
        "a.tx_retx_units": retx * setup.nr,
        "b.rx_packets": delivered,
        "b.rx_bytes": delivered * setup.packet_bytes,
    }
    return Result({"registers": {**zero, **values}, "window": []})


CASES = [(10, 10, 0), (10, 10, 2), (11, 11, 1), (10, 13, 3), (11, 11, math.inf)]


@pytest.mark.parametrize("n, nr, delta", CASES)
def test_intervals_hold_the_model(n, nr, delta):
    setup = LinkSetup(n=n, nr=nr, delta=delta, loss=loss.Bernoulli(0.03))
    entries = Evaluation(setup, made_up(setup, 4000), setup.model()).entries(None)
    for key in ("p_t", "p_f", "packet_loss", "mean_transmissions", "alpha"):
        entry = entries[key]
        assert entry["low"] <= entry["measured"] <= entry["high"]
        assert entry["low"] - 1e-12 <= entry["model"] <= entry["high"] + 1e-12, key


def test_intervals_reject_a_wrong_model():
    setup = LinkSetup(n=11, delta=1, loss=loss.Bernoulli(0.03))
    wrong = LinkSetup(n=11, delta=1, loss=loss.Bernoulli(0.04))
    entries = Evaluation(setup, made_up(setup, 4000), wrong.model()).entries(None)
    for key in ("p_t", "p_f", "mean_transmissions", "alpha"):
        assert not entries[key]["low"] <= entries[key]["model"] <= entries[key]["high"]


def test_nothing_was_sent():
    setup = LinkSetup()
    empty = Result({"registers": {f"{e}.{n}": 0 for e in "ab" for n in registers.counter_names()}, "window": []})
    entries = Evaluation(setup, empty, setup.model()).entries(None)
    assert entries["p_t"]["measured"] is None and entries["alpha"]["measured"] is None


def test_window():
    setup = LinkSetup()
    first = {"clock": 1000, "units": 10, "idle": 100, "bytes": 0}
    last = {"clock": 1000 + 41 * 1000, "units": 1010, "idle": 510, "bytes": 900 * 25}
    result = Result({"registers": {}, "window": [first, last]})
    assert window_utilization(setup, result) == pytest.approx(0.9)
    assert window_line_use(result) == pytest.approx(0.99)
    assert window_utilization(setup, Result({"registers": {}, "window": []})) is None
