# SPDX-License-Identifier: Apache-2.0
"""`arqlink send`: a file, or the packets of a capture, through the RTL link."""

from typing import Annotated

import typer

from arqlink import files
from arqlink.cli import options
from arqlink.cli.dashboards import run_dashboard
from arqlink.errors import UserError
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import comparison, counter_table, print_json, ranges
from arqlink.run.transfer import Pace, delay_trace, judge, load, save, transfer


def summary(report):
    """One sentence on what came through, and one on what did not."""
    text = f"{report['delivered_packets']} of {report['packets']} packets arrived"
    if report["identical"]:
        return text + ", all identical and in order."
    text += " in order." if report["in_order"] else ", not in order."
    if report["lost_packets"]:
        text += f" Lost packets (counted from 0): {ranges(report['lost_packets'])}."
    if report["unexpected_packets"]:
        text += f" {report['unexpected_packets']} packets arrived that were not sent."
    return text


def cut(capture):
    """A sentence on packets of which the capture has not all bytes; nothing if there are none."""
    found = [i for i, (packet, length) in enumerate(zip(capture.packets, capture.wire_lengths)) if len(packet) < length]
    return f"The capture has cut packets, which were sent as it has them (counted from 0): {ranges(found)}." if found else ""


def port_rate(setup):
    """What delays in sequence depend on, beside the link."""
    ratio = float(f"{setup.egress_ratio:.3g}")
    return f"Packets in sequence leave up to {ratio:g} times as fast as the line brings them (--clocks-per-beat {setup.clocks_per_beat})."


@options.spread
def send(
    input: Annotated[str, typer.Argument(metavar="IN", help="File to send, or a pcap or pcapng capture; - is standard input.")],
    output: Annotated[str, typer.Argument(metavar="OUT", help="Delivered file, or capture with delivery times; - is standard output.")],
    link: options.RunOptions,
    pace: Annotated[Pace, typer.Option(help="Offer packets as fast as the line takes them, or at capture times.")] = Pace.line,
    delays: Annotated[
        str | None,
        typer.Option("--delay-trace", metavar="FILE.csv", help="Write when each packet was sent and delivered.", show_default=False),
    ] = None,
    json: options.Json = False,
    waves: options.Waves = None,
    pcap_phy: options.PcapPhy = None,
    web: options.Web = None,
    web_host: options.WebHost = "127.0.0.1",
):
    """Send a file, or the packets of a capture, through the RTL link.

    Example: arqlink send report.pdf received.pdf --n 11 --delta inf --loss bernoulli:0.01 --delay-ms 250
    """
    setup = link.setup()
    to_stderr = files.STANDARD in (output, delays)
    if json and to_stderr:
        taken = "OUT" if output == files.STANDARD else "--delay-trace"
        raise UserError(f"With - as {taken}, standard output is taken; --json needs another {taken}.")
    files.check([output, *(name for name in (waves, delays, pcap_phy) if name is not None)], [input, *setup.traces])
    traffic = load(input, setup.packet_bytes)
    label = files.label(input, "standard input")
    with run_dashboard(web, web_host, setup, "arqlink send", label) as watch, progress_bar("frames") as progress:
        outcome = transfer(setup, traffic, pace, waves, progress, pcap_phy, watch)
    unwritten = files.attempt(lambda: save(output, setup, traffic, outcome))
    if delays is not None:
        unwritten += files.attempt(lambda: files.write(delays, delay_trace(traffic.packets, outcome.times_ms).encode()))
    report = outcome.report
    if json:
        print_json(report)
        files.give_up(unwritten)
        judge(report)
        return
    console = TextConsole(stderr=to_stderr)
    title = f"{label}: {setup.loss}, δ = {link.delta}, delay {link.delay_ms:g} ms"
    console.print(comparison(report, title, port_rate(setup) if setup.ord else None))
    console.print(counter_table(report["counters"]))
    console.print(summary(report))
    if traffic.capture and (words := cut(traffic.capture)):
        console.print(words)
    console.print(f"{report['cycles']} clocks at {report['cycles_per_s']:,.0f} clocks/s.")
    files.give_up(unwritten)
    judge(report)
