# SPDX-License-Identifier: Apache-2.0
"""What the benches measure in clocks, the software to compare with, and what place and route gave: gathered, and as tables."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from rich.table import Table

from arqlink.bench import requirements, software_codecs
from arqlink.campaign import feedback_loss
from arqlink.errors import UserError
from arqlink.fpga import place_and_route
from arqlink.fpga.results import HEADINGS, cells
from arqlink.fpga.targets import named
from arqlink.report.console import table_console

CODES = ((32, 40, 64), (10, 12, 64), (10, 14, 64))
"""K, N and bytes of a unit for the comparison with software."""
DECODERS = ("decoder", "decoder-16")
"""Targets of place and route that decode."""


def measure():
    """Runs all benches and experiments. The keys are those of `gather` that take minutes."""
    from cocotb_tests import measurements  # which only the source tree has

    lines = {point.name: (measurements.line_use, point) for point in measurements.LINE_POINTS}
    flows = {point: (feedback_loss.measure, point) for point in feedback_loss.points()}
    clocks, lines, flows = run(clock_benches(), lines, flows)
    return {"clocks": clocks, "line_use": lines, "feedback_loss": list(feedback_loss.rows(flows))}


def measure_clocks():
    """Of `measure`, what benches count in clocks."""
    (clocks,) = run(clock_benches())
    return clocks


def clock_benches():
    from cocotb_tests import measurements

    return {f"{kind}-{config}": (of, config) for kind, (of, configs) in measurements.CLOCKS.items() for config in configs}


def run(*groups):
    """What the functions of each group (by name: function, argument) return, as many at a time as there are processors; UserError where a bench fails."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        submitted = [{name: pool.submit(*job) for name, job in group.items()} for group in groups]
        try:
            return [{name: future.result() for name, future in futures.items()} for futures in submitted]
        except AssertionError as failed:
            pool.shutdown(cancel_futures=True)
            raise UserError(f"A bench failed: {failed}") from None


def placed():
    """The worst seed of each target that has been placed and routed, as cells by HEADINGS."""
    return {target.name: dict(zip(HEADINGS, cells(target, found))) for target, found in place_and_route.kept().items()}


def compare(synthesis):
    """Bytes of data units a second that each decoder gives, with a fresh erasure pattern for each frame."""
    rows = []
    for k, n, unit_bytes in CODES:
        row = {"k": k, "n": n, "unit_bytes": unit_bytes}
        row |= software_codecs.measure(k, n, unit_bytes)
        for name in DECODERS:
            if name in synthesis:  # a beat a clock, which cocotb_tests/codec asserts for every pattern
                row[name] = synthesis[name]["MHz"] * 1e6 * named(name).data_bytes
        rows.append(row)
    return rows


def gather(measured):
    """`measured` (of `measure`), with place and route and the comparison with software."""
    synthesis = placed()
    return measured | {"place_and_route": synthesis, "software": software_codecs.versions(), "decode_bytes_per_second": compare(synthesis)}


def window_rows(synthesis):
    """Targets that differ in nothing but the length of the window."""
    links = {}
    for name, row in synthesis.items():
        settings = dict(setting.split("=") for setting in row["settings"].split() if setting != "-")
        if frames := settings.pop("windowFrames", None):
            grown = links.setdefault((row["block"], row["device"], *settings.items()), [])
            grown.append((name, int(frames), *(row[key] for key in ("LUT", "FF", "RAM", "MHz"))))
    for rows in links.values():
        if len(rows) > 1:
            yield from sorted(rows, key=lambda row: row[1])


PLACED = "Place and route, the worst seed"


def placed_sections(synthesis):
    """Those of `sections` that follow from place and route alone."""
    if synthesis:
        yield PLACED, "make synth-all", HEADINGS, [list(row.values()) for row in synthesis.values()]
    if windows := list(window_rows(synthesis)):
        yield "Cost of window growth: the same link with longer windows", "make synth-all", ("target", "windowFrames", "LUT", "FF", "RAM", "MHz"), windows


CLOCK_TITLES = {
    "encoder": "Encoder, in clocks",
    "decoder": "Decoder, in clocks",
    "latency": "Latency of a link end, in clocks",
    "nack": "From a NACK to the retransmission, in clocks",
}
"""Of the benches that measure clocks, by the first word of their names; the rest is the build."""


def clock_sections(clocks):
    """A table for each kind of bench: a row for each build, a column for each measure."""
    for kind, title in CLOCK_TITLES.items():
        builds = {name.removeprefix(f"{kind}-"): values for name, values in clocks.items() if name.startswith(f"{kind}-")}
        if builds:
            measures = list(next(iter(builds.values())))
            headings = ("build", *(key.removesuffix("_clocks").replace("_", " ") for key in measures))
            yield title, "make bench", headings, [(build, *(f"{values[key]:.4g}" for key in measures)) for build, values in builds.items()]


def sections(results):
    """Title, command, column headings and rows of each table."""
    yield "What is asked, in clocks and rates", "make bench", requirements.HEADINGS, list(requirements.rows(results))
    yield from placed_sections(results["place_and_route"])
    if results["decode_bytes_per_second"]:
        software = results["software"]
        decoders = [d for d in DECODERS if d in results["place_and_route"]]
        yield (
            f"Decoding with fresh erasure patterns, MB/s of data units; software on one core of {software['CPU']}",
            "make bench",
            ("K", "N", "unit bytes", *(f"{name} {software[name]}" for name in ("ISA-L", "zfec")), *decoders),
            [(r["k"], r["n"], r["unit_bytes"], *(round(r[name] / 1e6) for name in ("ISA-L", "zfec", *decoders))) for r in results["decode_bytes_per_second"]],
        )
    yield from clock_sections(results["clocks"])
    if results["line_use"]:
        yield (
            "Line use of a user who always sends",
            "make bench",
            ("point", "PHY beats in use", "data units", "goodput / α"),
            [(name, *(f"{r[key]:.4f}" for key in ("line_use", "data_unit_use", "goodput_over_alpha"))) for name, r in results["line_use"].items()],
        )

    if results["feedback_loss"]:
        title = "Throughput against feedback loss, K = N = 1, δ infinite; three seeds"
        yield title, "make bench", feedback_loss.HEADINGS, results["feedback_loss"]


def show(results):
    console = table_console()
    for title, _, headings, rows in sections(results):
        table = Table(*headings, title=title, title_justify="left")
        for row in rows:
            table.add_row(*map(str, row))
        console.print(table)
