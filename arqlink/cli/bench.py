# SPDX-License-Identifier: Apache-2.0
"""`arqlink bench`: measures and compares, in one file."""

import json
from typing import Annotated

import typer

from arqlink import tree
from arqlink.bench import documents, measurements, statistics
from arqlink.errors import UserError

OUTPUT = tree.BUILD / "bench.json"


def earlier():
    """What an earlier run has measured."""
    if not OUTPUT.exists():
        raise UserError(f"{OUTPUT} does not exist; run 'arqlink bench' first.")
    return json.loads(OUTPUT.read_text())


def bench(
    docs: Annotated[bool, typer.Option("--docs", help="Write docs/results.md and the tables of README.md and docs/integration.md too.")] = False,
    gather: Annotated[bool, typer.Option("--gather", help="Take what build/bench.json has of an earlier run, measure nothing again.")] = False,
    placed: Annotated[bool, typer.Option("--placed", help="Write what place and route gave to these documents, and nothing else.")] = False,
    clocks: Annotated[bool, typer.Option("--clocks", help="Write what benches count in clocks to docs/results.md, and nothing else.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Write the first table of docs/statistics.md, and nothing else.")] = False,
):
    """Measure in simulation, compare with software, and write build/bench.json.

    Example: arqlink bench --docs
    """
    if (placed or clocks or stats) and (placed + clocks + stats + docs + gather > 1):
        raise UserError("--placed, --clocks and --stats write one thing and nothing else; give one option.")
    tree.require()
    if stats:
        statistics.write()
        return
    if clocks:
        documents.write_clocks(measurements.measure_clocks())
        return
    synthesis = measurements.placed() if docs or placed else {}
    if docs or placed:
        documents.refuse_to_lose(documents.RESULTS.read_text(), synthesis)
    if placed:
        documents.write_placed(synthesis)
        return
    found = measurements.gather(earlier() if gather else measurements.measure())
    OUTPUT.write_text(json.dumps(found, indent=1) + "\n")
    measurements.show(found)
    if docs:
        documents.RESULTS.write_text(documents.page(found))
        documents.write_tables(found["place_and_route"])
