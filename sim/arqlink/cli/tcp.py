# SPDX-License-Identifier: Apache-2.0
"""`arqlink tcp`: TCP over the link, simulated and by the model."""

import os
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from arqlink import tree
from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.report.progress import progress_bar
from arqlink.report.tables import number, print_json
from arqlink.sweep.seeds import parse_seeds
from arqlink.tcp import point as points

Probability = Annotated[float, typer.Option(metavar="P", help="Share of units that are erased, independently.")]
Loss = Annotated[str | None, typer.Option(metavar="MODEL", help=f"In place of --p: {options.loss.SYNTAX}.", show_default=False)]
NRetx = Annotated[int | None, typer.Option("--n-retx", help="Units in a retransmission.", show_default="as --n")]
Connections = Annotated[int, typer.Option(help="TCP connections that share the link.")]
Variant = Annotated[str, typer.Option(metavar="NAME", help=f"{', '.join(points.VARIANTS)}: {points.OWN} is NewReno without SACK, the others are of ns-3.")]
Link = Annotated[str, typer.Option(metavar="event|rtl", help="Model of the link: fast, or the Verilated RTL.")]
Seconds = Annotated[float, typer.Option(help="Simulated seconds that are measured.")]
WarmUp = Annotated[float, typer.Option(help="Simulated seconds before them.")]
Seeds = Annotated[str, typer.Option(metavar="N|A-B|A,B,…", help="Seeds: the first N, a range, or a list.")]
Order = Annotated[int, typer.Option(metavar="0|1", help="1: packets leave in order; 0: as soon as they are complete.")]

ROWS = (
    ("utilization", "U: goodput by rate"),
    ("goodput", "goodput, b/s"),
    ("rtt", "round trip, s"),
    ("retransmissions", "retransmitted segments"),
    ("spurious", "of them spurious"),
    ("timeouts", "timeouts"),
    ("queue_drops", "packets dropped by the queue"),
    ("frame_failure", "failed transmissions of frames"),
)


def tcp(
    k: options.K = None,
    n: options.N = None,
    n_retx: NRetx = None,
    delta: options.Delta = "5",
    p: Probability = 0.01,
    loss: Loss = None,
    delay_ms: options.DelayMs = 200.0,
    rate_mbps: options.RateMbps = 2.0,
    connections: Connections = 10,
    variant: Variant = points.OWN,
    order: Order = 1,
    link: Link = "event",
    seconds: Seconds = 200.0,
    warm_up: WarmUp = 20.0,
    seeds: Seeds = "3",
    packet_bytes: Annotated[int, typer.Option(help="Length of a TCP packet in bytes.")] = 1500,
    config: options.Config = "paper",
    json: options.Json = False,
):
    """Simulate long-lived TCP connections over the link (RR-4752, Fig. 2), beside its model.

    The model's round trip is without the queue before the link, which grows where the line is full.

    Example: arqlink tcp --n 11 --delta 5 --p 0.01 --delay-ms 200 --connections 10 --seeds 3
    """
    tree.require()
    if not 0 <= p < 1:
        raise UserError(f"p is {p:g}; it must be 0 or more, and below 1.")
    setup = options.link_setup(
        config=config, k=k, n=n, nr=n_retx, delta=delta, ord=order, loss=loss or f"bernoulli:{p!r}", delay_ms=delay_ms, rate_mbps=rate_mbps,
        packet_bytes=packet_bytes,
    )  # fmt: skip
    point = points.Point(setup, connections, variant, link, seconds, warm_up)
    chosen = parse_seeds(seeds)
    with progress_bar("seeds") as progress:
        report = points.measure(point, chosen, progress, workers=os.cpu_count() or 1)
    if json:
        print_json(report)
        return
    table = Table(
        title=f"{connections} connections ({variant}), {setup.loss}, {delay_ms:g} ms, K = {setup.k}, N = {setup.n}, δ = {delta}", title_justify="left"
    )
    for heading in ("", "mean", "std", "least", "most", "model"):
        table.add_column(heading, justify="right" if heading else "left")
    for key, title in ROWS:
        if (row := report.get(key)) is not None:
            table.add_row(title, *("-" if row[name] is None else number(row[name], 4) for name in ("mean", "std", "min", "max", "model")))
    console = Console()
    console.print(table)
    console.print(f"Seeds {', '.join(map(str, chosen))}; {number(report['times_real_time']['mean'], 3)} times real time.")
