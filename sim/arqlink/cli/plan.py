# SPDX-License-Identifier: Apache-2.0
"""`arqlink plan`: which K, N, N of retransmissions and persistency to choose."""

from typing import Annotated

import typer
from rich.table import Table

from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.model import link_setup, planner
from arqlink.model import loss as losses
from arqlink.report.console import TextConsole
from arqlink.report.tables import number, print_json

Probability = Annotated[float, typer.Option(metavar="P", help="Share of units that are erased, independently.")]
Connections = Annotated[int, typer.Option(help="TCP connections that share the link; 0: datagrams that fill it.")]
RestMs = Annotated[float, typer.Option(help="Round trip of TCP outside of the link in ms.")]
Goal = Annotated[str, typer.Option(metavar="GOAL", help=f"Most goodput, within a packet loss or a delay: {planner.SYNTAX}.")]
K = Annotated[int | None, typer.Option(help="Data units in a frame.", show_default="the best")]
PacketBytes = Annotated[int, typer.Option(help="Length of a packet in bytes.")]

COLUMNS = ("δ", "K", "N", "N retx", "goodput Mb/s", "U", "packet loss", "delay ms", "0.99 of delays")


def plan(
    p: Probability = 0.01,
    loss: options.LossForP = None,
    delay_ms: options.DelayMs = 250.0,
    rate_mbps: options.RateMbps = 2.0,
    connections: Connections = 0,
    rest_ms: RestMs = 80.0,
    goal: Goal = "goodput",
    k: K = None,
    packet_bytes: PacketBytes = 1500,
    config: options.Config = "paper",
    json: options.Json = False,
):
    """Choose K, N, N of retransmissions and persistency by the analytic models (RR-4752).

    Delays are those of a line that is always busy. For TCP the goodput is that of RR-4752, section 4, with Proposition 1.

    Example: arqlink plan --p 0.01 --delay-ms 200 --rate-mbps 2 --connections 10
    """
    if connections < 0:
        raise UserError(f"The number of connections is {connections}; it must be 0 or more.")
    if rest_ms < 0:
        raise UserError(f"The round trip outside of the link is {rest_ms:g} ms; it must be 0 or more.")
    independent = losses.independent(p)
    setup = link_setup.from_options(
        config=config, k=k, loss=loss or independent, delay_ms=delay_ms, rate_mbps=rate_mbps, packet_bytes=packet_bytes, delta="inf",
    )  # fmt: skip
    wanted = planner.parse_goal(goal)
    rows = planner.plans(setup, wanted, connections, rest_ms, k)
    best = planner.choose(rows)
    if json:
        print_json({"goal": str(wanted), "connections": connections, "best": best.values(), "plans": [row.values() for row in rows]})
        return
    what = f"{connections} TCP connections" if connections else "Datagrams"
    table = Table(title=f"{what}, {setup.loss}, {delay_ms:g} ms, {rate_mbps:g} Mb/s, goal {wanted}; the best in bold", title_justify="left")
    for heading in COLUMNS:
        table.add_column(heading, justify="right")
    for row in rows:
        v = row.values()
        cells = [v["delta"], v["k"], v["n"], v["nr"], v["goodput_mbps"], v["utilization"], v["packet_loss"], v["delay_ms"]["mean"], v["delay_ms"]["p99"]]
        table.add_row(*(c if isinstance(c, str) else number(c, 4) for c in cells), style="bold" if row is best else None)
    TextConsole().print(table)
