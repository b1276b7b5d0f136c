# SPDX-License-Identifier: Apache-2.0
"""`make bench`: measures and compares, in one file.

Writes build/bench.json, prints it as tables, and with --docs writes docs/results.md and the tables of README.md and docs/integration.md.
"""

import argparse
import json
import sys

from arqlink import tree
from arqlink.bench import documents, measurements
from arqlink.errors import UserError

OUTPUT = tree.BUILD / "bench.json"


def main():
    parser = argparse.ArgumentParser(prog="arqlink.bench", description="Measures, compares and prints.")
    parser.add_argument("--docs", action="store_true", help="write docs/results.md and the tables of README.md and docs/integration.md too")
    parser.add_argument("--gather", action="store_true", help="take what earlier runs have left, run no bench again")
    options = parser.parse_args()
    try:
        tree.require()
        if options.docs:
            documents.refuse_to_lose(documents.README.read_text(), measurements.placed())
        if not options.gather:
            measurements.run_benches()
        found = measurements.gather()
    except UserError as error:
        sys.exit(str(error))
    OUTPUT.write_text(json.dumps(found, indent=1) + "\n")
    measurements.show(found)
    if options.docs:
        documents.RESULTS.write_text(documents.page(found))
        for path, written in ((documents.README, documents.readme), (documents.INTEGRATION, documents.integration)):
            path.write_text(written(path.read_text(), found["place_and_route"]))


if __name__ == "__main__":
    main()
