# SPDX-License-Identifier: Apache-2.0
"""Command line options that several commands share."""

import os
import stat
from typing import Annotated

import typer
from typer.core import TyperCommand

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.rtl import tools

Config = Annotated[str, typer.Option(help="Built configuration: paper, default, …")]
K = Annotated[int | None, typer.Option(help="Data units in a frame.", show_default="of the configuration")]
N = Annotated[int | None, typer.Option(help="Units in a first transmission.", show_default="of the configuration")]
Nr = Annotated[int | None, typer.Option(help="Units in a retransmission.", show_default="as --n")]
Delta = Annotated[str, typer.Option(metavar="D|inf", help="Persistency: retransmissions of a frame, 0 to 14, or inf.")]
Ord = Annotated[int, typer.Option(metavar="0|1", help="1: packets leave in order; 0: as soon as they are complete.")]
Preset = Annotated[str, typer.Option(help="Evaluation points of the code: zfec, rfc5510 or cauchy.")]
Loss = Annotated[str, typer.Option(metavar="MODEL", help=f"Loss of units on the way: {loss.SYNTAX}.")]
LossForP = Annotated[str | None, typer.Option(metavar="MODEL", help=f"In place of --p: {loss.SYNTAX}.", show_default=False)]
FeedbackLoss = Annotated[str, typer.Option(metavar="MODEL", help="Loss of units on the way back, written as --loss.")]
SpareControl = Annotated[
    bool,
    typer.Option("--spare-control/--control-loss", help="Never erase control units that go the way of the data."),
]
DelayMs = Annotated[float, typer.Option(help="One-way propagation delay in ms.")]
RateMbps = Annotated[float, typer.Option(help="Line rate in Mb/s; counts unit payload.")]
ClocksPerBeat = Annotated[
    int, typer.Option(metavar="R", help="Clocks of the core per beat of its line: how much faster the core is. The simulation takes as much longer.")
]
RateIncludesHeader = Annotated[bool, typer.Option("--rate-includes-header", help="The rate counts unit headers too.")]
Seed = Annotated[int, typer.Option(help="Seed of the channels' random numbers.")]
PacketBytes = Annotated[int | None, typer.Option(help="Length of a packet in bytes.", show_default="six full frames")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def _svg(name: str | None):
    """Before a run of hours, what will be missing after it is told."""
    if name is None:
        return None
    if not name.lower().endswith(".svg"):
        raise UserError(f"'{name}' cannot be written: plots are SVG, so give a name that ends in .svg.")
    tools.package("matplotlib")
    return name


Plot = Annotated[str | None, typer.Option(metavar="FILE.svg", help="Draw the results, beside the model's.", callback=_svg, show_default=False)]


def _waves(name: str | None):
    """The simulator writes FST whatever the name says, and not into a pipe."""
    if name is None:
        return None
    if name.lower().endswith(".vcd"):
        raise UserError(f"'{name}' cannot be written: waves are FST, so give a name that ends in .fst; GTKWave's fst2vcd makes VCD of it.")
    if not name.lower().endswith(".fst"):
        raise UserError(f"'{name}' cannot be written: waves are FST, so give a name that ends in .fst.")
    if os.path.exists(name) and not os.path.isfile(name):
        raise UserError(f"'{name}' cannot be written: it is not a regular file.")
    return name


Waves = Annotated[
    str | None,
    typer.Option(metavar="FILE.fst", help="Record waves; slow, and large.", callback=_waves),
]


def _pcapng(name: str | None):
    """The simulator writes it as it runs: into a file, or into a named pipe, from which Wireshark can read at the same time."""
    if name is None or (os.path.exists(name) and stat.S_ISFIFO(os.stat(name).st_mode) and not name.startswith("/dev/")):
        return name
    if not name.lower().endswith(".pcapng"):
        raise UserError(f"'{name}' cannot be written: captures of the PHY are pcapng, so give a name that ends in .pcapng, or a named pipe.")
    if os.path.exists(name) and not os.path.isfile(name):
        raise UserError(f"'{name}' cannot be written: it is neither a regular file nor a named pipe.")
    return name


def pcap(option, what):
    """An option for a capture of `what`."""
    return typer.Option(option, metavar="FILE.pcapng", help=f"Record {what} for Wireshark.", callback=_pcapng, show_default=False)


PcapPhy = Annotated[str | None, pcap("--pcap-phy", "the units on the PHY, both ways,")]

WEB_PORT = 8480
Web = Annotated[
    int | None,
    typer.Option("--web", metavar="[PORT]", min=0, max=65535, help=f"Show a dashboard in the browser; port {WEB_PORT}, or PORT; 0: any.", show_default=False),
]
WebHost = Annotated[str, typer.Option(metavar="ADDRESS", help="Where the dashboard can be reached; elsewhere than here it asks for a token.")]


class WebCommand(TyperCommand):
    """A command with the option Web, whose value may be left out."""

    def parse_args(self, ctx, args):
        own = args[: args.index("--")] if "--" in args else args
        if "--web" in own:
            after = own.index("--web") + 1
            if not args[after : after + 1] or not args[after].isdigit():
                args.insert(after, str(WEB_PORT))
        return super().parse_args(ctx, args)
