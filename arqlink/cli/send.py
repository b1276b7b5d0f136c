# SPDX-License-Identifier: Apache-2.0
"""`arqlink send`: a file, or the packets of a capture, through the RTL link."""

from typing import Annotated

import typer

from arqlink import files
from arqlink.cli import options
from arqlink.cli.dashboards import run_dashboard
from arqlink.errors import UserError
from arqlink.model import link_setup
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


def send(
    input: Annotated[str, typer.Argument(metavar="IN", help="File to send, or a pcap or pcapng capture; - is standard input.")],
    output: Annotated[str, typer.Argument(metavar="OUT", help="Delivered file, or capture with delivery times; - is standard output.")],
    config: options.Config = "paper",
    k: options.K = None,
    n: options.N = None,
    nr: options.Nr = None,
    delta: options.Delta = "inf",
    ord: options.Ord = 1,
    preset: options.Preset = "zfec",
    loss: options.Loss = "bernoulli:0.01",
    feedback_loss: options.FeedbackLoss = "none",
    spare_control: options.SpareControl = False,
    delay_ms: options.DelayMs = 250.0,
    rate_mbps: options.RateMbps = 2.0,
    rate_includes_header: options.RateIncludesHeader = False,
    clocks_per_beat: options.ClocksPerBeat = 1,
    packet_bytes: options.PacketBytes = None,
    pace: Annotated[Pace, typer.Option(help="Offer packets as fast as the line takes them, or at capture times.")] = Pace.line,
    delays: Annotated[
        str | None,
        typer.Option("--delay-trace", metavar="FILE.csv", help="Write when each packet was sent and delivered.", show_default=False),
    ] = None,
    seed: options.Seed = 1,
    json: options.Json = False,
    waves: options.Waves = None,
    pcap_phy: options.PcapPhy = None,
    web: options.Web = None,
    web_host: options.WebHost = "127.0.0.1",
):
    """Send a file, or the packets of a capture, through the RTL link.

    Example: arqlink send report.pdf received.pdf --n 11 --delta inf --loss bernoulli:0.01 --delay-ms 250
    """
    setup = link_setup.from_options(
        config=config, k=k, n=n, nr=nr, delta=delta, ord=ord, preset=preset, loss=loss, feedback_loss=feedback_loss,
        spare_control=spare_control, delay_ms=delay_ms, rate_mbps=rate_mbps,
        rate_includes_header=rate_includes_header, clocks_per_beat=clocks_per_beat, packet_bytes=packet_bytes, seed=seed,
    )  # fmt: skip
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
    title = f"{label}: {setup.loss}, δ = {delta}, delay {delay_ms:g} ms"
    console.print(comparison(report, title, port_rate(setup) if ord else None))
    console.print(counter_table(report["counters"]))
    console.print(summary(report))
    if traffic.capture and (words := cut(traffic.capture)):
        console.print(words)
    console.print(f"{report['cycles']} clocks at {report['cycles_per_s']:,.0f} clocks/s.")
    files.give_up(unwritten)
    judge(report)
