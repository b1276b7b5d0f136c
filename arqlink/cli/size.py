# SPDX-License-Identifier: Apache-2.0
"""`arqlink size`: window and timers to build and set."""

import math
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.table import Table

from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.model import sizing
from arqlink.report.console import TextConsole
from arqlink.report.tables import print_json

ClockMhz = Annotated[float, typer.Option(help="Clock of the core in MHz.")]


@dataclass(kw_only=True)
class SizeOptions(options.LinkOptions):
    config: Annotated[str, typer.Option(help=f"{options.BUILT} One for hardware, which paper is not.")] = "default"
    rate_includes_header: options.RateIncludesHeader = False
    packet_bytes: options.PacketMix = "1500"


@options.spread
def size(link: SizeOptions, clock_mhz: ClockMhz = 100.0, json: options.Json = False):
    """Size a link end: the window to build, and the timers to write, in clocks of the core.

    Example: arqlink size --config default --clock-mhz 100 --rate-mbps 50 --delay-ms 250 --n 18 --delta 3
    """
    if not 0 < clock_mhz < math.inf:
        raise UserError(f"The clock is {clock_mhz:g} MHz; it must be above 0.")
    if not 0 <= link.delay_ms < math.inf:
        raise UserError(f"The delay is {link.delay_ms:g} ms; it must be 0 or more.")
    setup = link.setup(delay_ms=0.0)  # the simulation's limit is none of hardware
    found = sizing.size(setup, link.delay_ms / 1e3, clock_mhz * 1e6)
    if json:
        print_json({"config": link.config, "clock_mhz": clock_mhz, **asdict(found)})
        return
    table = Table(title=f"{link.config}, {link.rate_mbps:g} Mb/s, {link.delay_ms:g} ms, δ = {link.delta}, {clock_mhz:g} MHz", title_justify="left")
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_row("time of a frame, on average (ms)", f"{1e3 * found.frame_time:.4g}")
    table.add_row("round trip (ms)", f"{1e3 * found.round_trip:.4g}")
    table.add_row("round trips of a frame", str(found.rounds))
    table.add_row("windowFrames", str(found.window_frames))
    table.add_row("frame stores of an end (KiB)", f"{found.store_bytes / 1024:g}")
    table.add_row("U, use of the line by these packets", f"{found.utilization:.4g}")
    for name, value in found.timers.items():
        table.add_row(f"{name} (clocks)", str(value))
    console = TextConsole()
    console.print(table)
    console.print(found.limit.sentence())
