# SPDX-License-Identifier: Apache-2.0
"""`make synth`: places and routes the targets of targets.py with several seeds, the worst of which counts."""

import argparse
import sys

from arqlink import tree
from arqlink.errors import UserError, sentence
from arqlink.fpga import record, timing
from arqlink.fpga.place_and_route import OUTPUT, SEEDS, run
from arqlink.fpga.results import misses, table
from arqlink.fpga.targets import TARGETS, named
from arqlink.report.console import TextConsole


def main():
    parser = argparse.ArgumentParser(prog="arqlink.fpga", description="Places and routes targets; without names all of them.")
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=", ".join(t.name for t in TARGETS))
    parser.add_argument("--seeds", metavar="N", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--recorded", action="store_true", help="take what docs/place_and_route.json has of these sources, and add to it")
    parser.add_argument("--slowest", metavar="COUNT", type=int, default=0, help="print where so many of the slowest paths end, for each seed")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target does not reach what it must")
    options = parser.parse_args()
    try:
        targets = [named(name) for name in options.targets] or TARGETS
    except KeyError as unknown:
        parser.error(f"no target named {unknown}; there are {', '.join(t.name for t in TARGETS)}")
    try:
        tree.require()
        recorded = record.read() if options.recorded else None
        results = {target: run(target, options.seeds, recorded) for target in targets}
    except (UserError, OSError) as error:
        sys.exit(sentence(error))
    console = TextConsole(width=None if sys.stdout.isatty() else 200)
    console.print(table(results))
    try:
        for target, found in results.items() if options.slowest else ():
            for result in found:
                console.print(timing.table(target, result.seed, OUTPUT / target.name / f"report-{result.seed}.json", options.slowest))
    except (UserError, OSError) as error:
        sys.exit(sentence(error))
    if options.check and any(misses(target, found) for target, found in results.items()):
        sys.exit(1)


if __name__ == "__main__":
    main()
