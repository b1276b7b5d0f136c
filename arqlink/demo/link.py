# SPDX-License-Identifier: Apache-2.0
"""`arqlink demo link`: a file and a packet capture cross a geostationary link, recovered in three ways."""

import itertools
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rich.table import Table

from arqlink import tree
from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import number, ranges
from arqlink.rtl import verilog
from arqlink.run import pair_simulator
from arqlink.run.transfer import Pace, judge, load, save, transfer

OUTPUT = tree.BUILD / "demo"
CAPTURE = tree.ROOT / "tests" / "data" / "office.pcap"
FILE_BYTES = 200_000

GEO: dict[str, Any] = dict(config="paper", k=10, loss=loss.Bernoulli(0.01), rate_mbps=2.0, delay_ms=250.0)

SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("FEC alone", dict(n=11, delta=0)),
    ("ARQ alone", dict(n=10, delta=1)),
    ("ARQ alone", dict(n=10, delta=math.inf)),
    ("hybrid", dict(n=11, delta=1)),
    ("hybrid", dict(n=11, delta=math.inf)),
)


def example_file():
    """A file made of the project's licence, documents and sources, at most FILE_BYTES long."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    parts = [tree.ROOT / "LICENSE"]
    for folder, pattern in (("docs", "*.md"), ("rtl/src", "*.scala"), ("arqlink", "*.py"), ("sim", "*.cpp")):
        parts += sorted((tree.ROOT / folder).rglob(pattern))
    data = b"".join(part.read_bytes() for part in parts)[:FILE_BYTES]
    path = OUTPUT / "sources.txt"
    path.write_bytes(data)
    return path


def pair_of(entry):
    """Measured value and model in one cell, one above the other."""
    return "\n".join(number(entry[which], 4) for which in ("measured", "model"))


def describe_lost(traffic, setup, lost):
    """Which packets were lost, exactly: bytes of the file, or number and time in the capture."""
    if traffic.capture is None:
        spans = [f"{i * setup.packet_bytes}-{i * setup.packet_bytes + len(traffic.packets[i]) - 1}" for i in lost]
        return f"lost packets {ranges(lost)}: bytes {', '.join(spans)}"
    entries = [f"no. {i + 1} ({len(traffic.packets[i])} bytes at {traffic.times[i]:.3f} s)" for i in lost]
    return f"lost packets: {', '.join(entries)}"


def run_all(runs):
    """Outcomes of transfers, each given as (setup, traffic, pace), in this order; as many run at a time as there are processors."""
    with progress_bar("Sending …") as progress, ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = []
        for outcome in pool.map(lambda run: transfer(*run), runs):
            outcomes.append(outcome)
            progress(len(outcomes), len(runs))
    return outcomes


def present(console, path, results):
    """Prints what became of one input with each setting, of which `results` has (setup, traffic, outcome); returns whether all infinite ones arrived
    whole."""
    table = Table(title=f"{path.name}: measured values, and the model's below", title_justify="left", show_lines=True)
    table.add_column("setting")
    for heading in ("N", "δ", "packets", "P_T", "packet loss", "α", "mean delay, ms"):
        table.add_column(heading, justify="right")
    notes, whole = [], True
    for (name, _), (setup, traffic, outcome) in zip(SETTINGS, results):
        label = f"{name}, N = {setup.n}, δ = {setup.delta}"
        report, lost = outcome.report, outcome.matched.lost
        delta = setup.describe()["delta"]
        save(OUTPUT / f"{path.stem}-n{setup.n}-delta-{delta}{path.suffix}", setup, traffic, outcome)
        table.add_row(
            name, str(setup.n), str(delta), f"{report['delivered_packets']}\nof {report['packets']}",
            pair_of(report["p_t"]), pair_of(report["packet_loss"]), pair_of(report["alpha"]),
            pair_of(report["delay_ms"]["mean"]),
        )  # fmt: skip
        if lost:
            notes.append(f"{label}: {describe_lost(traffic, setup, lost)}.")
        if math.isinf(setup.delta) and not report["identical"]:
            notes.append(f"{label}: the output differs from the input, although nothing may be given up.")
            whole = False
        try:
            judge(report)
        except UserError as error:
            notes.append(f"{label}: {error}")
            whole = False
        if report["unexpected_packets"] or not report["in_order"]:
            notes.append(f"{label}: the run ended wrongly.")
            whole = False
    console.print(table)
    for note in notes:
        console.print(note, highlight=False)
    return whole


def show():
    """Runs the demonstration; whether all was as it should be."""
    tree.require()
    console, times = TextConsole(), [time.monotonic()]
    console.print("A GEO link: 2 Mb/s, 250 ms one way, units of 25 bytes, erased with p = 0.01; frames of K = 10 units.")
    verilog.generate(pair_simulator.TOP, GEO["config"])
    times.append(time.monotonic())
    pair_simulator.simulator(GEO["config"])
    times.append(time.monotonic())
    inputs = [(example_file(), Pace.line), (CAPTURE, Pace.capture)]
    setups = [LinkSetup(**GEO, **options) for _, options in SETTINGS]
    runs = [(setup, load(path, setup.packet_bytes), pace) for path, pace in inputs for setup in setups]
    results = [(*run[:2], outcome) for run, outcome in zip(runs, run_all(runs))]
    times.append(time.monotonic())
    right = [present(console, path, results[i * len(setups) :]) for i, (path, _) in enumerate(inputs)]
    console.print(f"The outputs are in {OUTPUT.relative_to(tree.ROOT)}.")
    took = zip(("Verilog", "Verilator and C++", "runs"), itertools.pairwise(times))
    console.print(f"This took: {', '.join(f'{kind} {end - begin:.0f} s' for kind, (begin, end) in took)}.", highlight=False)
    if all(right):
        console.print("With δ = inf the file and the packets arrived identical and in order.")
    return all(right)
