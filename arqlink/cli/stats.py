# SPDX-License-Identifier: Apache-2.0
"""`arqlink stats`: Monte Carlo on the RTL, with generator, channel and counters in the simulated hardware."""

from dataclasses import dataclass
from typing import Annotated

import typer

from arqlink import files
from arqlink.board.serial_port import BAUD, SerialPort
from arqlink.board.uart_shell import UartShell
from arqlink.cli import options
from arqlink.cli.dashboards import run_dashboard
from arqlink.errors import UserError
from arqlink.report import plots
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import comparison, counter_table, number, print_json
from arqlink.run import monte_carlo


@dataclass(kw_only=True)
class StatsOptions(options.RunOptions):
    delay_ms: Annotated[
        float, typer.Option(help=f"{options.DELAY} Short, as what is measured does not depend on it, while a long one needs a larger window.")
    ] = 5.0


def read_board(name, baud):
    """The report on a link end, from the firmware on a serial port."""
    with SerialPort(name, baud) as port:
        shell = UartShell(port)
        settings = {command: shell.values(command) for command in ("info", "link")}
        return {**shell.values("end"), **settings, "counters": shell.values("stats")}


def _refuse_others(context):
    """A board has its own settings: what would set a simulation is not silently ignored."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in ("uart", "baud", "json") and source is not None and source.name == "COMMANDLINE":
            raise UserError(f"--{name.replace('_', '-')} is for the simulation; it cannot be used with --uart.")


@options.spread
def stats(
    context: typer.Context,
    link: StatsOptions,
    frames: Annotated[float, typer.Option(help="Frames to send for the first time; 1e6 is accepted.")] = 1e5,
    json: options.Json = False,
    waves: options.Waves = None,
    plot: options.Plot = None,
    pcap_phy: options.PcapPhy = None,
    web: options.Web = None,
    web_host: options.WebHost = "127.0.0.1",
    uart: Annotated[
        str | None,
        typer.Option(metavar="PORT", help="Measure nothing; print, as JSON, what the firmware on this serial port has counted."),
    ] = None,
    baud: Annotated[int, typer.Option(help="Bit rate of that port.")] = BAUD,
):
    """Measure loss and efficiency of the RTL link, with 99.9 % confidence intervals.

    Example: arqlink stats --frames 1e5 --n 11 --delta 1 --loss bernoulli:0.05
    """
    if uart is not None:
        _refuse_others(context)
        print_json(read_board(uart, baud))
        return
    if not 1 <= frames <= 1e12:
        raise UserError(f"The number of frames is {frames:g}; it must be 1 to 1e12.")
    setup = link.setup()
    files.check(list(filter(None, (waves, plot, pcap_phy))), setup.traces)
    with run_dashboard(web, web_host, setup, "arqlink stats", f"{round(frames)} frames") as watch, progress_bar("frames") as progress:
        report = monte_carlo.measure(setup, round(frames), waves, progress, pcap_phy, watch)
    title = f"{report['frames']} frames, {setup.loss}, δ = {link.delta}"
    unwritten = files.attempt(lambda: files.write(plot, plots.comparison(report, title).encode())) if plot else []
    if json:
        print_json(report)
        files.give_up(unwritten)
        return
    console = TextConsole()
    console.print(comparison(report, title))
    console.print(counter_table(report["counters"]))
    console.print(
        f"{report['cycles']} clocks at {report['cycles_per_s']:,.0f} clocks/s "
        f"({report['cycles_per_cpu_s']:,.0f} a second of processor time); "
        f"the PHY was busy in {number(report['line_use'])} of the clocks."
    )
    console.print(report["limit"].sentence())
    files.give_up(unwritten)
