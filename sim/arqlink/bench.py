# SPDX-License-Identifier: Apache-2.0
"""`make bench`: what the benches measure in clocks, the software to compare with, and what place and route gave, in one file.

Writes build/bench.json, prints it as tables, and with --docs writes docs/results.md and the table of README.md.
"""

import argparse
import json
import subprocess
import sys

from rich.console import Console
from rich.table import Table

from arqlink import demands, feedback_loss, rtl, software_codecs, synth
from arqlink.errors import UserError
from arqlink.synth_targets import TARGETS, named

OUTPUT = rtl.BUILD / "bench.json"
RESULTS = rtl.ROOT / "docs" / "results.md"
README = rtl.ROOT / "README.md"
BEGIN, END = "<!-- make bench: begin -->", "<!-- make bench: end -->"
README_COLUMNS = ("target", "block", "device", "LUT", "FF", "RAM", "seeds", "MHz", "Gb/s", "Mb/s per LUT")
"""Of synth.HEADINGS."""
BENCHES = (
    "cocotb_tests/codec",
    "cocotb_tests/system/test_latency.py",
    "cocotb_tests/system/test_nack.py",
    "cocotb_tests/statistics/test_line_use.py",
    "sim/tests/test_feedback_loss.py",
)
CLOCKS, LINE_USE, FEEDBACK = ("bench", "*.json"), ("statistics", "line-*.json"), (feedback_loss.FOLDER.name, "*.json")
"""What they leave in the build folder: one folder, and the files in it."""
CODES = ((32, 40, 64), (10, 12, 64), (10, 14, 64))
"""K, N and bytes of a unit for the comparison with software."""
DECODERS = ("decoder", "decoder-16")
"""Targets of place and route that decode."""


def run_benches():
    """Runs the benches, after taking away what earlier ones have left: a bench may have another name since."""
    for folder, pattern in (CLOCKS, LINE_USE, FEEDBACK):
        for path in (rtl.BUILD / folder).glob(pattern):
            path.unlink()
    command = [sys.executable, "-m", "pytest", "-n", "auto", "-m", "", *BENCHES]
    if subprocess.run(command, cwd=rtl.ROOT, check=False).returncode:
        raise UserError("A bench failed; its message is above.")


def read(folder, pattern):
    """The measurements in build/`folder`, by the files' names."""
    return {p.stem: json.loads(p.read_text()) for p in sorted((rtl.BUILD / folder).glob(pattern))}


def placed():
    """The worst seed of each target that has been placed and routed, as cells by synth.HEADINGS."""
    return {target.name: dict(zip(synth.HEADINGS, synth.cells(target, found))) for target, found in synth.kept().items()}


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


def gather():
    synthesis = placed()
    return {
        "clocks": read(*CLOCKS),
        "line_use": read(*LINE_USE),
        "feedback_loss": list(feedback_loss.rows(feedback_loss.kept())),
        "place_and_route": synthesis,
        "software": software_codecs.versions(),
        "decode_bytes_per_second": compare(synthesis),
    }


def window_rows(synthesis):
    """Targets that differ in nothing but the length of the window."""
    links = {}
    for name, row in synthesis.items():
        settings = dict(setting.split("=") for setting in named(name).settings)
        if frames := settings.pop("windowFrames", None):
            links.setdefault((row["block"], *settings.items()), []).append((name, int(frames), *(row[key] for key in ("LUT", "FF", "RAM", "MHz"))))
    for rows in links.values():
        if len(rows) > 1:
            yield from sorted(rows, key=lambda row: row[1])


def sections(results):
    """Title, command, column headings and rows of each table."""
    yield "What is asked, in clocks and rates", "make bench", demands.HEADINGS, list(demands.rows(results))
    if results["place_and_route"]:
        rows = [list(row.values()) for row in results["place_and_route"].values()]
        yield "Place and route, the worst seed", "make synth-all", synth.HEADINGS, rows
    if windows := list(window_rows(results["place_and_route"])):
        yield "Cost of window growth: the same link with longer windows", "make synth-all", ("target", "windowFrames", "LUT", "FF", "RAM", "MHz"), windows
    if results["decode_bytes_per_second"]:
        software = results["software"]
        decoders = [d for d in DECODERS if d in results["place_and_route"]]
        yield (
            f"Decoding with fresh erasure patterns, MB/s of data units; software on one core of {software['CPU']}",
            "make bench",
            ("K", "N", "unit bytes", *(f"{name} {software[name]}" for name in ("ISA-L", "zfec")), *decoders),
            [(r["k"], r["n"], r["unit_bytes"], *(round(r[name] / 1e6) for name in ("ISA-L", "zfec", *decoders))) for r in results["decode_bytes_per_second"]],
        )
    if results["clocks"]:
        rows = [(name, key, value) for name, values in results["clocks"].items() for key, value in values.items()]
        yield "Clocks", "make bench", ("bench", "measure", "value"), rows
    if results["line_use"]:
        yield (
            "Line use of a user who always sends",
            "make bench",
            ("point", "PHY beats in use", "data units", "goodput / α"),
            [
                (name.removeprefix("line-"), *(f"{r[key]:.4f}" for key in ("line_use", "data_unit_use", "goodput_over_alpha")))
                for name, r in results["line_use"].items()
            ],
        )

    if results["feedback_loss"]:
        title = "Throughput against feedback loss, K = N = 1, δ infinite; the worst of three seeds"
        yield title, "make bench", feedback_loss.HEADINGS, results["feedback_loss"]


def show(results):
    console = Console(width=None if sys.stdout.isatty() else 200)
    for title, _, headings, rows in sections(results):
        table = Table(*headings, title=title, title_justify="left")
        for row in rows:
            table.add_row(*map(str, row))
        console.print(table)


def markdown(headings, rows):
    """A table, as lines."""
    return [f"| {' | '.join(map(str, cells))} |" for cells in (headings, ["---"] * len(headings), *rows)]


def page(results):
    """docs/results.md."""
    lines = ["# Results", "", "Generated by `make bench`, which takes what place and route left in build/synth; command beside each table.", ""]
    for title, command, headings, rows in sections(results):
        lines += [f"## {title}", "", f"`{command}`", "", *markdown(headings, rows), ""]
    return "\n".join(lines)


def readme(text, synthesis):
    """README.md with the table of place and route between its marks, and below it the settings, which are too long for a column."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    table = markdown(README_COLUMNS, [[row[name] for name in README_COLUMNS] for row in synthesis.values()])
    settings = [f"`{name}` with `{row['settings']}`" for name, row in synthesis.items() if row["settings"] != "-"]
    below = ["", f"Built with settings of their own: {', '.join(settings)}."] if settings else []
    return "\n".join([before + BEGIN, *table, *below, END + after])


def refuse_to_lose(text, synthesis):
    """Refuses to write documents without the targets that README.md, whose text this is, has in its table."""
    table = text.split(BEGIN)[1].split(END)[0]
    listed = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    if lost := " ".join(t.name for t in TARGETS if t.name in listed and t.name not in synthesis):
        raise UserError(
            f"README.md has results of targets that were not placed from these sources: {lost}. "
            f"Run 'make synth TARGETS=\"{lost}\" SEEDS=\"1 2 3\"' first, or 'python -m arqlink.bench', which leaves the documents as they are."
        )


def main():
    parser = argparse.ArgumentParser(description="Measures, compares and prints.")
    parser.add_argument("--docs", action="store_true", help="write docs/results.md and the table of README.md too")
    parser.add_argument("--gather", action="store_true", help="take what earlier runs have left, run no bench again")
    options = parser.parse_args()
    try:
        if options.docs:
            refuse_to_lose(README.read_text(), placed())
        if not options.gather:
            run_benches()
        results = gather()
    except UserError as error:
        sys.exit(str(error))
    OUTPUT.write_text(json.dumps(results, indent=1) + "\n")
    show(results)
    if options.docs:
        RESULTS.write_text(page(results))
        README.write_text(readme(README.read_text(), results["place_and_route"]))


if __name__ == "__main__":
    main()
