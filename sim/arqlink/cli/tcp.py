# SPDX-License-Identifier: Apache-2.0
"""`arqlink tcp`: TCP over the link, simulated and by the model."""

import os
from typing import Annotated

import typer
from rich.table import Table

from arqlink import tree
from arqlink.cli import options
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import number, print_json
from arqlink.sweep.seeds import parse_seeds
from arqlink.tcp import measurement
from arqlink.tcp import point as points
from arqlink.tcp.path import Path

PATH, RUN = "Path", "Simulation"
"""Panels of the help."""

Probability = Annotated[float | None, typer.Option(metavar="P", help="Share of units that are erased, independently.", show_default="0.01")]
Outage = Annotated[str | None, typer.Option(metavar="DARK_MS,CYCLE_MS", help="The link is dark, both ways, for so long of each cycle.", show_default="none")]
WindowFrames = Annotated[int | None, typer.Option(help="Window of the link in frames, a power of two.", show_default="of the configuration")]

Connections = Annotated[int, typer.Option(help="TCP connections that share the link.", rich_help_panel=PATH)]
Variant = Annotated[
    str,
    typer.Option(metavar="NAME", help=f"{', '.join(points.VARIANTS)}: {points.OWN} is NewReno without SACK, the others are of ns-3.", rich_help_panel=PATH),
]
Topology = Annotated[
    str, typer.Option(metavar="direct|split", help="TCP from end to end, or split at a gateway before the link, which needs --copies.", rich_help_panel=PATH)
]
SenderMbps = Annotated[float, typer.Option(help="Wired line from each sender to the link, in Mb/s.", rich_help_panel=PATH)]
SenderMs = Annotated[float, typer.Option(help="Its delay one way, in ms.", rich_help_panel=PATH)]
ReceiverMbps = Annotated[float, typer.Option(help="Wired line from the link to the receiver, in Mb/s.", rich_help_panel=PATH)]
ReceiverMs = Annotated[float, typer.Option(help="Its delay one way, in ms.", rich_help_panel=PATH)]
Buffer = Annotated[int, typer.Option(help="Packets that can be stored before the link.", rich_help_panel=PATH)]
Copies = Annotated[
    bool,
    typer.Option("--copies/--no-copies", help="It stores a packet until all of it is acknowledged; else until it begins to leave.", rich_help_panel=PATH),
]
Window = Annotated[int, typer.Option(help="Window of TCP's receiver, in packets.", rich_help_panel=PATH)]
AckEvery = Annotated[int, typer.Option(metavar="1|2", help="Packets of an acknowledgement; 2: delayed ones.", rich_help_panel=PATH)]
PacketBytes = Annotated[int, typer.Option(help="Length of a TCP packet in bytes.", rich_help_panel=PATH)]

Link = Annotated[str, typer.Option(metavar="event|rtl", help="Model of the link: fast, or the Verilated RTL.", rich_help_panel=RUN)]
Seconds = Annotated[float, typer.Option(help="Simulated seconds that are measured.", rich_help_panel=RUN)]
WarmUp = Annotated[float, typer.Option(help="Simulated seconds before them.", rich_help_panel=RUN)]
Seeds = Annotated[str, typer.Option(metavar="N|A-B|A,B,…", help="Seeds: the first N, a range, or a list.", rich_help_panel=RUN)]

ROWS = (
    ("utilization", "U: goodput by rate"),
    ("link_utilization", "packets over the link by rate"),
    ("goodput", "goodput, b/s"),
    ("rtt", "round trip, s"),
    ("retransmissions", "retransmitted segments"),
    ("spurious", "of them spurious"),
    ("timeouts", "timeouts"),
    ("queue_drops", "packets dropped by buffers"),
    ("frame_failure", "failed transmissions"),
    ("line_goodput", "goodput by bits on the line"),
    ("feedback", "feedback's share of the line back"),
)


def tcp(
    k: options.K = None,
    n: options.N = None,
    n_retx: options.Nr = None,
    delta: options.Delta = "5",
    p: Probability = None,
    loss: options.LossForP = None,
    feedback_loss: options.FeedbackLoss = "none",
    outage: Outage = None,
    delay_ms: options.DelayMs = points.DEFAULTS["delay_ms"],
    rate_mbps: options.RateMbps = 2.0,
    order: options.Ord = 1,
    window_frames: WindowFrames = None,
    config: options.Config = "paper",
    connections: Connections = 10,
    variant: Variant = points.OWN,
    topology: Topology = Path.topology,
    sender_mbps: SenderMbps = Path.sender_mbps,
    sender_ms: SenderMs = Path.sender_ms,
    receiver_mbps: ReceiverMbps = Path.receiver_mbps,
    receiver_ms: ReceiverMs = Path.receiver_ms,
    buffer: Buffer = Path.buffer,
    copies: Copies = Path.copies,
    window: Window = Path.window,
    ack_every: AckEvery = Path.ack_every,
    packet_bytes: PacketBytes = points.DEFAULTS["packet_bytes"],
    link: Link = "event",
    seconds: Seconds = 200.0,
    warm_up: WarmUp = 20.0,
    seeds: Seeds = "3",
    json: options.Json = False,
):
    """Simulate long-lived TCP connections over the link, beside the model of their path.

    The path is that of RR-4752, Fig. 2, where no option says otherwise; its model's round trip is without the queue before the
    link, which grows where the line is full.

    Example: arqlink tcp --n 11 --delta 5 --p 0.01 --delay-ms 200 --connections 10 --seeds 3
    """
    given = {name: value for name, value in locals().items() if name in points.NAMES}
    tree.require()
    point = points.from_settings(given)
    chosen = parse_seeds(seeds)
    with progress_bar("seeds") as progress:
        report = measurement.measure(point, chosen, progress, workers=os.cpu_count() or 1)
    if json:
        print_json(report)
        return
    setup = point.setup
    losses = f"{setup.loss}, dark for {point.outage} ms" if point.outage else setup.loss
    title = f"{connections} connections ({variant}), {topology}, {losses}, {delay_ms:g} ms, K = {setup.k}, N = {setup.n}, δ = {delta}"
    table = Table(title=title, title_justify="left")
    for heading in ("", "mean", "std", "least", "most", "model"):
        table.add_column(heading, justify="right" if heading else "left")
    for key, row_title in ROWS:
        if (row := report.get(key)) is not None:
            table.add_row(row_title, *("-" if row[name] is None else number(row[name], 4) for name in ("mean", "std", "min", "max", "model")))
    console = TextConsole()
    console.print(table)
    console.print(f"Seeds {', '.join(map(str, chosen))}; {number(report['times_real_time']['mean'], 3)} times real time.")
