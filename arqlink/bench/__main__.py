# SPDX-License-Identifier: Apache-2.0
"""`make bench`: measures and compares, in one file.

Writes build/bench.json, prints it as tables, and with --docs writes docs/results.md and the tables of README.md and docs/integration.md. `--placed`
writes those of place and route alone, which takes no time.
"""

import argparse
import json
import sys

from arqlink import tree
from arqlink.bench import documents, measurements
from arqlink.errors import UserError, sentence

OUTPUT = tree.BUILD / "bench.json"


def main():
    parser = argparse.ArgumentParser(prog="arqlink.bench", description="Measures, compares and prints.")
    parser.add_argument("--docs", action="store_true", help="write docs/results.md and the tables of README.md and docs/integration.md too")
    parser.add_argument("--placed", action="store_true", help="write what place and route gave to these documents, and nothing else")
    parser.add_argument("--gather", action="store_true", help="take what earlier runs have left, run no bench again")
    options = parser.parse_args()
    try:
        tree.require()
        synthesis = measurements.placed() if options.docs or options.placed else {}
        if options.docs or options.placed:
            documents.refuse_to_lose(documents.RESULTS.read_text(), synthesis)
        if options.placed:
            documents.write_placed(synthesis)
            return
        if not options.gather:
            measurements.run_benches()
        found = measurements.gather()
    except (UserError, OSError) as error:
        sys.exit(sentence(error))
    OUTPUT.write_text(json.dumps(found, indent=1) + "\n")
    measurements.show(found)
    if options.docs:
        documents.RESULTS.write_text(documents.page(found))
        documents.write_tables(found["place_and_route"])


if __name__ == "__main__":
    main()
