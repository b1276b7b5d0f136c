# SPDX-License-Identifier: Apache-2.0
"""Delays of packets in sequence, by the RTL and by the model."""

import math

import numpy as np
import pytest

from arqlink.model import link_setup
from arqlink.model.link_setup import LinkSetup
from arqlink.run import transfer
from tests import seeds

BATCHES = 20
ERRORS = 4
"""Standard errors that the mean may be off: with 19 degrees of freedom, 99.9 %."""


def run(packets, **options):
    """(setup, mean, its standard error by batch means, the model's mean) of the delay in ms."""
    setup = link_setup.from_options(config="paper8", n=11, loss="bernoulli:0.01", delay_ms=250.0, **options)
    rng = seeds.rng("content")
    content = [rng.randbytes(setup.packet_bytes) for _ in range(packets)]
    outcome = transfer.transfer(setup, transfer.Traffic(content))
    assert outcome.report["identical"]
    delays = np.array([out - begin for _, begin, out in outcome.times_ms])
    means = delays[: packets // BATCHES * BATCHES].reshape(BATCHES, -1).mean(axis=1)
    return setup, delays.mean(), means.std(ddof=1) / math.sqrt(BATCHES), outcome.report["delay_ms"]["mean"]["model"]


@pytest.mark.full
@pytest.mark.parametrize(
    "packets, packet_bytes, ratio",
    [(20_000, 240, 1), (60_000, 240, 4), (20_000, 1440, 1), (20_000, 1440, 10)],
)
def test_delay_in_sequence(packets, packet_bytes, ratio):
    """Packets of one frame and of six. A model without the user port's rate is told from the right one where the port is less than twice as fast as
    the line."""
    setup, mean, error, model = run(packets, packet_bytes=packet_bytes, clocks_per_beat=ratio)
    print(f"{mean:.0f} ms, standard error {error:.1f}, model {model:.0f}")
    assert abs(mean - model) < ERRORS * error < 0.06 * mean
    if ratio == 1 and packet_bytes == 240:
        assert abs(mean - 1e3 * setup.model().resequenced().mean()) > 2 * ERRORS * error


def test_the_port_is_part_of_the_setup():
    slow, fast = LinkSetup(n=11), LinkSetup(n=11, clocks_per_beat=10, delay_ms=20)
    assert slow.egress_ratio == pytest.approx(11 * 41 / 250) and fast.egress_ratio == pytest.approx(10 * slow.egress_ratio)
    assert (fast.unit_clocks, fast.clock_hz, fast.delay_clocks) == (410, pytest.approx(4.1e6), 82_000)
    model = fast.model_of_simulation([1500, 1000])
    assert model.drain == pytest.approx(1250 / 4.1e6) and model.wait == pytest.approx(11 * 1e-4)
    assert fast.model().drain == fast.model().wait == 0
    assert fast.timers["POLL_TIMEOUT"] == pytest.approx(10 * LinkSetup(n=11, delay_ms=20).timers["POLL_TIMEOUT"], rel=0.1)
