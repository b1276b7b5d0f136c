# SPDX-License-Identifier: Apache-2.0
"""Command line options that several commands share."""

import inspect
import os
import stat
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption

from arqlink.errors import UserError
from arqlink.model import link_setup, loss, packets
from arqlink.rtl import tools
from arqlink.seeds import SYNTAX as SEEDS

BUILT = "Built configuration: paper, default, …"
PERSISTENCY = "Persistency: retransmissions of a frame, 0 to 14, or inf."
DELAY = "One-way propagation delay in ms."
"""Help of options that have other defaults in some commands, which say why."""

Config = Annotated[str, typer.Option(help=BUILT)]
K = Annotated[int | None, typer.Option(help="Data units in a frame.", show_default="of the configuration")]
N = Annotated[int | None, typer.Option(help="Units in a first transmission.", show_default="of the configuration")]
Nr = Annotated[int | None, typer.Option(help="Units in a retransmission.", show_default="as --n")]
Delta = Annotated[str, typer.Option(metavar="D|inf", help=PERSISTENCY)]
Ord = Annotated[int, typer.Option(metavar="0|1", help="1: packets leave in order; 0: as soon as they are complete.")]
Preset = Annotated[str, typer.Option(help="Evaluation points of the code: zfec, rfc5510 or cauchy.")]
Loss = Annotated[str, typer.Option(metavar="MODEL", help=f"Loss of units on the way: {loss.SYNTAX}.")]
FeedbackLoss = Annotated[str, typer.Option(metavar="MODEL", help="Loss of units on the way back, written as --loss.")]
SpareControl = Annotated[
    bool,
    typer.Option("--spare-control/--control-loss", help="Never erase control units that go the way of the data."),
]
DelayMs = Annotated[float, typer.Option(help=DELAY)]
RateMbps = Annotated[float, typer.Option(help="Line rate in Mb/s; counts unit payload.")]
ClocksPerBeat = Annotated[
    int, typer.Option(metavar="R", help="Clocks of the core per beat of its line: how much faster the core is. The simulation takes as much longer.")
]
RateIncludesHeader = Annotated[bool, typer.Option("--rate-includes-header", help="The rate counts unit headers too.")]
Seed = Annotated[int, typer.Option(help="Seed of the channels' random numbers.")]
Seeds = Annotated[str, typer.Option(metavar=SEEDS, help="A seed, a range, or a list; several, as the results are of all of them.")]
USUAL_SEEDS = "1-3"
PacketBytes = Annotated[int | None, typer.Option(help="Length of a packet in bytes.", show_default="six full frames")]
PacketMix = Annotated[
    str,
    typer.Option(
        "--packet-bytes",
        metavar=packets.SYNTAX,
        help="Length of a packet in bytes, as traffic has it, or the mix of the Internet: 7:4:1 of 40, 576 and 1500.",
    ),
]
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


OLD_NAMES = {"--n-retx": "--nr", "--order": "--ord", "--p": "--loss"}
"""Of options, and what they are called now: they still work, and no help shows them."""


class Command(TyperCommand):
    """A command that takes old names of its options. The value of the option Web may be left out."""

    def make_parser(self, ctx):
        parser = super().make_parser(ctx)
        for param in self.get_params(ctx):
            old = [old for old, new in OLD_NAMES.items() if new in param.opts]
            if old and isinstance(param, TyperOption):
                parser.add_option(obj=param, opts=old, dest=param.name, nargs=param.nargs)
        return parser

    def parse_args(self, ctx, args):
        own = args[: args.index("--")] if "--" in args else args
        if "--web" in own and any("--web" in param.opts for param in self.params):
            after = own.index("--web") + 1
            if not args[after : after + 1] or not args[after].isdigit():
                args.insert(after, str(WEB_PORT))
        return super().parse_args(ctx, args)


@dataclass(kw_only=True)
class LinkOptions:
    """A link, as all commands know it that have one."""

    config: Config = "paper"
    k: K = None
    n: N = None
    nr: Nr = None
    delta: Delta = "inf"
    loss: Loss = "bernoulli:0.01"
    delay_ms: DelayMs = 250.0
    rate_mbps: RateMbps = 2.0

    def setup(self, **more):
        """The LinkSetup that they describe; `more` goes before them."""
        return link_setup.from_options(**{**vars(self), **more})


@dataclass(kw_only=True)
class ModelOptions(LinkOptions):
    """What its model takes beside."""

    rate_includes_header: RateIncludesHeader = False
    packet_bytes: PacketBytes = None


@dataclass(kw_only=True)
class ChannelOptions(LinkOptions):
    """What a link takes beside that carries something."""

    ord: Ord = 1
    feedback_loss: FeedbackLoss = "none"
    seed: Seed = 1


@dataclass(kw_only=True)
class RunOptions(ChannelOptions, ModelOptions):
    """All options of a simulated link."""

    preset: Preset = "zfec"
    spare_control: SpareControl = False
    clocks_per_beat: ClocksPerBeat = 1


def spread(function):
    """The same command, in which each parameter that is a dataclass of options is these options."""
    parameters, groups = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if is_dataclass(group := parameter.annotation):
            groups[name] = group
            hints = get_type_hints(group, include_extras=True)
            parameters += [parameter.replace(name=f.name, kind=parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name]) for f in fields(group)]
        else:
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))

    @wraps(function)
    def command(**given):
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        return function(**given)

    command.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del command.__wrapped__  # whose annotations would be read in place of these
    return command
