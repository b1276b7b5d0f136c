# SPDX-License-Identifier: Apache-2.0
"""`arqlink plan`: which K, N, N of retransmissions and persistency to choose, and which buffer and ACK reservation for a gateway."""

from typing import Annotated

import typer
from rich.table import Table

from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.model import gateway_plan, link_setup, planner
from arqlink.model import loss as losses
from arqlink.model.outage import Outage as OnOff
from arqlink.report.console import TextConsole
from arqlink.report.tables import number, print_json

Connections = Annotated[int, typer.Option(help="TCP connections that share the link; 0: datagrams that fill it.")]
RestMs = Annotated[float, typer.Option(help="Round trip of TCP outside of the link in ms; with --gateway from the source to it.")]
Goal = Annotated[str, typer.Option(metavar="GOAL", help=f"Most goodput, within a packet loss or a delay: {planner.SYNTAX}.")]
K = Annotated[int | None, typer.Option(help="Data units in a frame.", show_default="the best")]

GATEWAY = "Gateway"
"""Panel of the help."""
Gateway = Annotated[
    bool, typer.Option("--gateway", help="Choose buffer and ACK reservation of a gateway that splits TCP before the link.", rich_help_panel=GATEWAY)
]
Buffer = Annotated[int | None, typer.Option(metavar="B", help="Packets that it stores.", show_default="the fewest that cost nothing", rich_help_panel=GATEWAY)]
Outage = Annotated[
    str | None,
    typer.Option(metavar="DARK_MS,CYCLE_MS", help="The link is dark, both ways, for so long of each cycle.", show_default="none", rich_help_panel=GATEWAY),
]

COLUMNS = ("δ", "K", "N", "N retx", "goodput Mb/s", "U", "packet loss", "delay ms", "0.99 of delays")


def plan(
    loss: options.Loss = "bernoulli:0.01",
    delay_ms: options.DelayMs = 250.0,
    rate_mbps: options.RateMbps = 2.0,
    connections: Connections = 0,
    rest_ms: RestMs = 80.0,
    goal: Goal = "goodput",
    k: K = None,
    packet_bytes: options.PacketMix = "1500",
    gateway: Gateway = False,
    buffer: Buffer = None,
    outage: Outage = None,
    config: options.Config = "paper",
    json: options.Json = False,
):
    """Choose K, N, N of retransmissions and persistency by the analytic models (RR-4752); with --gateway also its buffer and ACK reservation.

    Delays are those of a line that is always busy. For TCP the goodput is that of RR-4752, section 4, with Proposition 1.

    Example: arqlink plan --loss 0.01 --delay-ms 200 --rate-mbps 2 --connections 10
    """
    if connections < 0:
        raise UserError(f"The number of connections is {connections}; it must be 0 or more.")
    if rest_ms < 0:
        raise UserError(f"The round trip outside of the link is {rest_ms:g} ms; it must be 0 or more.")
    setup = link_setup.from_options(
        config=config, k=k, loss=loss, delay_ms=delay_ms, rate_mbps=rate_mbps, packet_bytes=packet_bytes, delta="inf",
    )  # fmt: skip
    losses.refuse_all(setup.loss)
    wanted = planner.parse_goal(goal)
    if setup.mix and (gateway or connections):
        raise UserError("The models of TCP and of the gateway have packets of one length; give it by --packet-bytes.")
    if gateway:
        if connections:
            raise UserError("The model of the gateway has one connection; leave out --connections.")
        plan_gateway(gateway_plan.choose(setup, wanted, rest_ms, buffer, k), OnOff.parse(outage) if outage else None, wanted, json)
        return
    if outage or buffer is not None:
        raise UserError("--buffer and --outage need --gateway.")
    rows = planner.plans(setup, wanted, connections, rest_ms, k)
    best = planner.choose(rows)
    if json:
        print_json({"goal": str(wanted), "connections": connections, "best": best.values(), "limit": best.limit, "plans": [row.values() for row in rows]})
        return
    what = f"{connections} TCP connections" if connections else "Datagrams"
    table = Table(title=f"{what}, {setup.loss}, {delay_ms:g} ms, {rate_mbps:g} Mb/s, goal {wanted}; the best in bold", title_justify="left")
    for heading in COLUMNS:
        table.add_column(heading, justify="right")
    for row in rows:
        v = row.values()
        cells = [v["delta"], v["k"], v["n"], v["nr"], v["goodput_mbps"], v["utilization"], v["packet_loss"], v["delay_ms"]["mean"], v["delay_ms"]["p99"]]
        table.add_row(*(c if isinstance(c, str) else number(c, 4) for c in cells), style="bold" if row is best else None)
    console = TextConsole()
    console.print(table)
    console.print(best.limit.sentence())


def plan_gateway(chosen, outage, goal, json):
    """Prints a GatewayPlan, and what an Outage leaves of it."""
    values, setup = chosen.values(), chosen.link.setup
    left = chosen.outage(1e-3 * outage.dark_ms, 1e-3 * outage.cycle_ms) if outage else None
    if json:
        print_json({"goal": str(goal), **values, "outage": left, "gateway": chosen.description()})
        return
    title = f"Gateway, {setup.loss}, {setup.delay_ms:g} ms, {setup.rate_mbps:g} Mb/s, K = {setup.k}, N = {setup.n}, {setup.nr}, δ = inf, goal {goal}"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("value", justify="right")

    def throughput(of):
        return f"{number(of['share'], 4)} ({number(of['mbps'], 4)} Mb/s)"

    table.add_row("packets a second over the link (μ)", number(values["packets_per_second"], 4))
    table.add_row("packets of a round trip to the source (B1)", number(values["terrestrial_pipe"], 4))
    table.add_row("packets of a round trip over the link (B2)", number(values["satellite_pipe"], 4))
    table.add_row("least buffer without loss of throughput (B_min)", number(values["least_buffer"], 5))
    table.add_row("the same without reservation, if the window closes", number(values["least_buffer_closing"], 5))
    table.add_row("buffer (B)", str(values["buffer"]), style="bold")
    table.add_row("ACKs are reserved above this share of it (K)", number(values["reserve"], 4), style="bold")
    table.add_row("best K by eq. 11", number(values["best_reserve"], 4))
    table.add_row("reserved ACKs (B_K)", str(values["reserved_acks"]))
    table.add_row("throughput without outage", throughput(values["without_outage"]))
    if left:
        table.add_row(f"throughput, dark for {outage} ms, of {number(left['most'], 4)}", throughput(left))
        table.add_row("recovery time (ms)", number(left["recovery_ms"], 4))
    console = TextConsole()
    console.print(table)
    console.print(f"arqlink tcp --gateway {chosen.description()}")
