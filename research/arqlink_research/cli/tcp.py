# SPDX-License-Identifier: Apache-2.0
"""`arqlink tcp`: TCP over the link, simulated and by the model."""

import os
from typing import Annotated

import typer
from rich.table import Table

from arqlink import tree
from arqlink.cli import options
from arqlink.gateway import words as gateways
from arqlink.model import loss, prospects
from arqlink.model.link_setup import LinkSetup
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import number, print_json
from arqlink.seeds import parse_sample, parse_seeds
from arqlink_research.tcp import measurement, models
from arqlink_research.tcp import point as points
from arqlink_research.tcp.background import SYNTAX as BACKGROUND
from arqlink_research.tcp.low_orbit import STATIONS
from arqlink_research.tcp.low_orbit import SYNTAX as ORBIT
from arqlink_research.tcp.path import Path
from arqlink_research.tcp.shadowing import SYNTAX as SHADOWING
from arqlink_research.tcp.terminals import SYNTAX as TERMINALS
from arqlink_research.tcp.topologies import TOPOLOGIES

PATH, RUN = "Path", "Simulation"
"""Panels of the help."""


def usual(value):
    """How the help shows a default that a topology may have another of."""
    return f"{value:g}, or of the topology"


def words(metavar, help, **more):
    """An option with a syntax of its own, for what is not there unless it is given."""
    return typer.Option(metavar=metavar, help=help, show_default="none", **more)


Loss = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help=f"Loss of units on the way: {loss.SYNTAX}.", show_default=f"bernoulli:{points.USUAL_LOSS:g}, or of the topology"),
]
Outage = Annotated[str | None, words("DARK_MS,CYCLE_MS", "The link is dark, both ways, for so long of each cycle.")]
PollMs = Annotated[
    float | None, typer.Option(help="Time between polls of the link in ms; a short one finds an outage's end sooner.", show_default="by the round trip")
]
Shadowing = Annotated[str | None, words(SHADOWING, "Houses of a street hide the satellite from the sender, who moves: degrees, and m/s.")]
Orbit = Annotated[
    str | None,
    typer.Option(
        metavar=ORBIT,
        help=f"Satellites in low orbits between two of {', '.join(STATIONS)}: delays that change, and ms without a link at each hand-over.",
        show_default="none, or of the topology",
    ),
]
ReturnMbps = Annotated[
    float | None, typer.Option(help="Rate of the line back in Mb/s, of which --rate-mbps is a whole multiple.", show_default="as --rate-mbps")
]
WindowFrames = Annotated[int | None, typer.Option(help="Window of the link in frames, a power of two.", show_default="of the configuration")]

Connections = Annotated[
    int | None, typer.Option(help="TCP connections that share the link.", show_default=usual(points.Point.connections), rich_help_panel=PATH)
]
Variant = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"{', '.join(points.VARIANTS)}: {points.OWN[0]} is NewReno and {points.OWN[1]} Reno, both without SACK, the others have ns-3's sockets.",
        rich_help_panel=PATH,
    ),
]
Sack = Annotated[bool | None, typer.Option("--sack/--no-sack", help="TCP has SACK.", show_default=f"all but {' and '.join(points.OWN)}", rich_help_panel=PATH)]
Timestamps = Annotated[
    bool,
    typer.Option(
        "--timestamps/--no-timestamps",
        help=f"TCP has timestamps; without them {points.OWN[0]} and {points.OWN[1]} measure by Karn's rule.",
        rich_help_panel=PATH,
    ),
]
InitialWindow = Annotated[
    int | None,
    typer.Option(help="Segments of TCP's first window.", show_default=f"{points.USUAL_INITIAL}, of ns-3 {points.USUAL_INITIAL_OF_NS3}", rich_help_panel=PATH),
]
Pacing = Annotated[bool, typer.Option("--pacing/--no-pacing", help="Pace the segments of a TCP of ns-3.", rich_help_panel=PATH)]
Topology = Annotated[
    str, typer.Option(metavar="NAME", help="Path: " + "; ".join(f"{name}: {t.what}" for name, t in TOPOLOGIES.items()) + ".", rich_help_panel=PATH)
]
Gateway = Annotated[
    str | None,
    typer.Option(
        metavar=gateways.SYNTAX,
        help="Gateway that looks into packets: clamp, snoop, split, proxy; words as in sim/gateway/README.md, and cache=N.",
        show_default="none, or of the topology",
        rich_help_panel=PATH,
    ),
]
SecondMs = Annotated[float | None, typer.Option(help="Delay from a satellite to the receiver, in ms.", show_default="as --delay-ms", rich_help_panel=PATH)]
MinRto = Annotated[float, typer.Option(help=f"Least timeout of {points.OWN[0]} and {points.OWN[1]} in seconds.", rich_help_panel=PATH)]
MaxRto = Annotated[float, typer.Option(help="The longest one.", rich_help_panel=PATH)]
SenderMbps = Annotated[
    float | None, typer.Option(help="Wired line from each sender to the link, in Mb/s.", show_default=usual(Path.sender_mbps), rich_help_panel=PATH)
]
SenderMs = Annotated[float | None, typer.Option(help="Its delay one way, in ms.", show_default=usual(Path.sender_ms), rich_help_panel=PATH)]
ReceiverMbps = Annotated[
    float | None, typer.Option(help="Wired line from the link to the receiver, in Mb/s.", show_default=usual(Path.receiver_mbps), rich_help_panel=PATH)
]
ReceiverMs = Annotated[float | None, typer.Option(help="The delay of that line one way, in ms.", show_default=usual(Path.receiver_ms), rich_help_panel=PATH)]
Buffer = Annotated[int, typer.Option(help="Packets that can be stored before the link.", rich_help_panel=PATH)]
Copies = Annotated[
    bool,
    typer.Option("--copies/--no-copies", help="It stores a packet until all of it is acknowledged; else until it begins to leave.", rich_help_panel=PATH),
]
Window = Annotated[int | None, typer.Option(help="Window of TCP's receiver, in packets.", show_default=usual(Path.window), rich_help_panel=PATH)]
AckEvery = Annotated[
    int | None, typer.Option(metavar="1|2", help="Packets of an acknowledgement; 2: delayed ones.", show_default=usual(Path.ack_every), rich_help_panel=PATH)
]
Background = Annotated[
    str | None,
    words(
        BACKGROUND,
        "Traffic beside the connections: web=USERS, voice=CALLS, ftp=MBPS, udp=MBPS, and back ftp-back and udp-back. Needs a TCP of ns-3.",
        rich_help_panel=PATH,
    ),
]
NoisyTerminals = Annotated[
    str | None,
    words(TERMINALS, "The first so many connections end at terminals with bit errors behind the link, both ways.", rich_help_panel=PATH),
]
PacketBytes = Annotated[
    int | None, typer.Option(help="Length of a TCP packet in bytes.", show_default=usual(points.DEFAULTS["packet_bytes"]), rich_help_panel=PATH)
]

Delta = Annotated[
    str | None, typer.Option(metavar="D|inf", help="Persistency: retransmissions of a frame, 0 to 14, or inf.", show_default="5, or of the topology")
]
DelayMs = Annotated[float | None, typer.Option(help="One-way propagation delay in ms.", show_default=usual(points.DEFAULTS["delay_ms"]))]
RateMbps = Annotated[float | None, typer.Option(help="Line rate in Mb/s; counts unit payload.", show_default=usual(LinkSetup.rate_mbps))]

Link = Annotated[str, typer.Option(metavar="event|rtl", help="Model of the link: fast, or the Verilated RTL.", rich_help_panel=RUN)]
Seconds = Annotated[float, typer.Option(help="Simulated seconds that are measured.", rich_help_panel=RUN)]
WarmUp = Annotated[float, typer.Option(help="Simulated seconds before them.", rich_help_panel=RUN)]
Sample = Annotated[str | None, typer.Option(hidden=True)]
"""What --seed was called: of it a number alone is how many."""

ROWS = (
    ("utilization", "U: goodput by rate"),
    ("noisy_utilization", "U of noisy terminals, as if all were"),
    ("link_utilization", "packets over the link by rate"),
    ("goodput", "goodput, b/s"),
    ("rtt", "round trip, s"),
    ("retransmissions", "retransmitted segments"),
    ("spurious", "needless ones of all retransmissions"),
    ("timeouts", "timeouts"),
    ("queue_drops", "packets dropped by buffers"),
    ("gateway_retransmissions", "packets that gateways sent again"),
    ("gateway_drops", "packets that gateways had no room for"),
    ("frame_failure", "failed transmissions"),
    ("line_goodput", "goodput by bits on the line"),
    ("feedback", "feedback's share of the line back"),
    ("background", "background traffic that arrived, b/s"),
    ("background_back", "the same on the way back"),
    ("page_time", "time of a page of the web, s"),
    ("voice_loss", "lost datagrams of calls"),
    ("voice_delay", "their delay, s"),
    ("voice_delay_99", "99 of 100 have at most, s"),
)


def tcp(
    k: options.K = None,
    n: options.N = None,
    nr: options.Nr = None,
    delta: Delta = None,
    loss: Loss = None,
    feedback_loss: options.FeedbackLoss = "none",
    outage: Outage = None,
    shadowing: Shadowing = None,
    orbit: Orbit = None,
    delay_ms: DelayMs = None,
    rate_mbps: RateMbps = None,
    return_mbps: ReturnMbps = None,
    ord: options.Ord = 1,
    window_frames: WindowFrames = None,
    poll_ms: PollMs = None,
    config: options.Config = "paper",
    connections: Connections = None,
    variant: Variant = points.OWN[0],
    sack: Sack = None,
    timestamps: Timestamps = True,
    initial_window: InitialWindow = None,
    pacing: Pacing = False,
    topology: Topology = Path.topology,
    gateway: Gateway = None,
    sender_mbps: SenderMbps = None,
    sender_ms: SenderMs = None,
    receiver_mbps: ReceiverMbps = None,
    receiver_ms: ReceiverMs = None,
    second_ms: SecondMs = None,
    buffer: Buffer = Path.buffer,
    copies: Copies = Path.copies,
    window: Window = None,
    ack_every: AckEvery = None,
    packet_bytes: PacketBytes = None,
    background: Background = None,
    noisy_terminals: NoisyTerminals = None,
    min_rto: MinRto = Path.min_rto,
    max_rto: MaxRto = Path.max_rto,
    link: Link = "event",
    seconds: Seconds = 200.0,
    warm_up: WarmUp = 20.0,
    seed: options.Seeds = options.USUAL_SEEDS,
    seeds: Sample = None,
    json: options.Json = False,
):
    """Simulate long-lived TCP connections over the link, beside the model of their path.

    The path is that of RR-4752, Fig. 2, where no option says otherwise; its model's round trip is without the queue before the
    link, which grows where the line is full.

    Example: arqlink tcp --n 11 --delta 5 --loss 0.01 --delay-ms 200 --connections 10 --seed 1-3
    """
    given = {name: value for name, value in locals().items() if name in points.NAMES}
    tree.require()
    point = points.from_settings(given)
    chosen = parse_seeds(seed) if seeds is None else parse_sample(seeds)
    workers = os.cpu_count() or 1
    prospects.foretell(measurement.seconds(point) * -(-len(chosen) // workers), f"{seconds + warm_up:g} s of this path with {len(chosen)} seeds")
    with progress_bar("seeds") as progress:
        report = measurement.measure(point, chosen, progress, workers)
    if json:
        print_json(report)
        return
    setup = point.setup
    losses = f"{setup.loss}"
    for text, value in (
        ("dark for {} ms", point.outage),
        ("shadows of {}", point.shadowing),
        ("orbit {}", point.orbit),
        ("noisy terminals {}", point.noisy_terminals),
    ):
        losses += f", {text.format(value)}" if value else ""
    where = topology if point.path.gateway == "none" else f"{topology}, gateway {point.path.gateway}"
    title = f"{point.connections} connections ({variant}), {where}, {losses}, {setup.delay_ms:g} ms, K = {setup.k}, N = {setup.n}, δ = {setup.delta:g}"
    table = Table(title=title, title_justify="left")
    for heading in ("", "mean", "std", "least", "most", "model"):
        table.add_column(heading, justify="right" if heading else "left")
    for key, row_title in ROWS:
        if (row := report.get(key)) is not None:
            table.add_row(row_title, *("-" if row[name] is None else number(row[name], 4) for name in ("mean", "std", "min", "max", "model")))
    console = TextConsole()
    console.print(table)
    if (limit := models.limit(point)) is not None:
        console.print(limit.sentence())
    console.print(f"Seeds {', '.join(map(str, chosen))}; {number(report['times_real_time']['mean'], 3)} times real time.")
