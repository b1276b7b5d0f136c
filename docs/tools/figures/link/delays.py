# SPDX-License-Identifier: Apache-2.0
"""Distribution of the delay over a GEO link, as packets are complete and in sequence."""

import random

import numpy as np

from arqlink.model.link_setup import from_options
from arqlink.report import plots
from arqlink.report.svg import svg
from arqlink.report.tables import csv_text
from arqlink.run import transfer
from docs.tools.figures.link import read_csv

ORDERS = {"as they are complete (ord = 0)": 0, "in sequence (ord = 1)": 1}
FIXED = {"config": "paper8", "n": 11, "loss": "bernoulli:0.01", "delay_ms": 250.0, "clocks_per_beat": 2}
PACKETS = 20_000
GRID = np.arange(250, 1301, 25)
"""Delays in ms."""
COLUMNS = ("order", "delay_ms", "measured", "model")


def measure():
    rows, content = [], random.Random(1)
    for label, order in ORDERS.items():
        setup = from_options(ord=order, **FIXED)
        packets = [content.randbytes(setup.packet_bytes) for _ in range(PACKETS)]
        times = transfer.transfer(setup, transfer.Traffic(packets)).times_ms
        delays = np.sort([out - begin for _, begin, out in times])
        model = setup.model_of_simulation([setup.packet_bytes])
        steps = model.resequenced() if order else model.unordered()
        measured = np.searchsorted(delays, GRID, side="right") / len(delays)
        rows += [[label, int(x), float(share), float(of_model)] for x, share, of_model in zip(GRID, measured, steps.at(GRID * 1e-3))]
    return csv_text(COLUMNS, rows)


def picture(text):
    def draw(axes):
        for place, label in enumerate(ORDERS):
            rows = [row for row in read_csv(text) if row["order"] == label]
            x, measured, model = ([row[name] for row in rows] for name in COLUMNS[1:])
            plots.points_and_line(axes, place, label, (x, measured), (x, model))
        axes.set_xlabel("delay in ms, of which 250 are the way")
        axes.set_ylabel("share of the packets with at most this delay")
        axes.set_ylim(0, 1.02)
        plots.finish(axes, "Delays on a full line, N = 11, δ infinite, p = 0.01: points by the RTL, lines by the model")

    return svg("link-delay", plots.SIZE, draw)


PICTURES = {"delay": picture}
