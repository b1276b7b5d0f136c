# SPDX-License-Identifier: Apache-2.0
import argparse
import inspect
import sys

from arqlink import tree
from arqlink.bench import made_from
from arqlink.errors import UserError, sentence
from docs.tools.figures.link import FOLDER, delays, losses, retransmission

RUNS = {"losses": losses, "delays": delays, "retransmission": retransmission}


def fingerprint(name):
    """Of what the numbers of a run are made from."""
    return made_from.fingerprint([RUNS[name].FIXED["config"]], inspect.getsource(RUNS[name]))


def main():
    parser = argparse.ArgumentParser(prog="docs.tools.figures.link", description="Runs the RTL for the pictures of docs/figures/link, and draws them.")
    parser.add_argument("runs", metavar="RUN", nargs="*", help=f"{', '.join(RUNS)}; all without names")
    parser.add_argument("--draw", action="store_true", help="run nothing; draw what the CSV files have")
    options = parser.parse_args()
    if unknown := [name for name in options.runs if name not in RUNS]:
        parser.error(f"no run named '{unknown[0]}'; there are {', '.join(RUNS)}")
    try:
        tree.require()
        for name in options.runs or RUNS:
            path = FOLDER / f"{name}.csv"
            if not options.draw:
                path.write_text(RUNS[name].measure())
                made_from.record(path.name, fingerprint(name))
            for picture, of in RUNS[name].PICTURES.items():
                (FOLDER / f"{picture}.svg").write_text(of(path.read_text()))
                print(f"docs/figures/link/{picture}.svg")
    except (UserError, OSError) as error:
        sys.exit(sentence(error))


if __name__ == "__main__":
    main()
