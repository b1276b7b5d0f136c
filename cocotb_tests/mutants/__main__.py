# SPDX-License-Identifier: Apache-2.0
"""Shows which test finds each seeded fault: python -m cocotb_tests.mutants [NAME]…

All faults are in one build of a copy of the tree (build/mutants), each a multiplexer between an expression of the design and the faulty one. The named
test of each fault runs with the fault on; where it passes, others are tried. Ends with 1 where a fault survives that is not argued to be equivalent, or
where another test finds it than the one that is named. Writes build/mutants.json.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from rich.table import Table

from arqlink import tree
from arqlink.building import building
from arqlink.errors import UserError
from arqlink.report.console import table_console
from tests import bytecode

from . import copy
from .faults import contradictions, read

REPORT = tree.BUILD / "mutants.json"
OTHERS = (
    "cocotb_tests/arq",
    "cocotb_tests/framing",
    "cocotb_tests/csr",
    "cocotb_tests/codec",
    "cocotb_tests/phy",
    "cocotb_tests/channel",
    "cocotb_tests/system",
    "cocotb_tests/soc",
    "tests/link/test_link_models.py",
    "tests/campaign/test_campaign.py",
)
"""Tried in this order where the named test passes."""
MARKED = ("-m", "")
"""What is named runs even where it is marked `full`."""
PASSED, FAILED = 0, 1
"""Exit codes of pytest; with any other it has not run the tests to their end."""


def level(test):
    """The kind of a test."""
    if not test:
        return "nothing"
    return {"system": "system", "campaign": "campaign", "link": "link models"}.get(test.split("/")[1], "block")


def pytest(folder, tests, *options, fault=0):
    """Exit code and output of pytest on tests of the copy, with a fault on. The first failure ends it, in a bench too."""
    return copy.python(folder, "-m", "pytest", "-q", "-x", *options, *tests, ARQLINK_FAULT=str(fault), COCOTB_MAX_FAILURES="1")


def find(folder, fault, others):
    """(the test that finds a fault, or "", seconds): the one that is named, or of `others`"""
    since = time.monotonic()
    for test in (fault.test, *others):
        code, said = pytest(folder, [test], "-n", "0", *(MARKED if test == fault.test else ()), fault=fault.number)
        if code not in (PASSED, FAILED):
            raise UserError(f"'{fault.name}': pytest ends with {code} on {test}:\n{said[-2000:]}")
        if code == FAILED:
            return test, time.monotonic() - since
    return "", time.monotonic() - since


def show(results):
    console = table_console()
    table = Table(
        "fault", "file", "stands for", "must be found by", "found by", "s", title="Seeded faults that are not found as they must", title_justify="left"
    )
    wrong = [result for result in results if result["missing"] or result["found_by"] != result["test"]]
    for result in wrong:
        demanded = result["test"] or f"(missing) {result['missing']}"
        table.add_row(result["name"], result["file"], result["stands_for"], demanded, result["found_by"] or "nothing", str(result["seconds"]))
    if wrong:
        console.print(table)
    found = Counter("equivalent" if result["equivalent"] else level(result["found_by"]) for result in results)
    console.print(f"{len(results)} faults; found by: {', '.join(f'{kind} {count}' for kind, count in found.most_common())}.")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="of faults, or of a file with several; all if none is given")
    parser.add_argument("--quick", action="store_true", help="where a named test passes, try no others")
    arguments = parser.parse_args()
    names = set(arguments.names)
    faults = read()
    if wrong := list(contradictions(faults)):
        raise UserError("\n".join(wrong))
    chosen = [fault for fault in faults if not names or fault.name in names or fault.file in names]
    if unknown := names - {fault.name for fault in faults} - {fault.file for fault in faults}:
        raise UserError(f"There is no fault '{min(unknown)}'.")
    bytecode.keep()
    folder = copy.make(faults)
    tests = sorted({fault.test for fault in chosen if fault.test})
    with building(f"Running {len(tests)} tests without a fault …"):
        code, said = pytest(folder, tests, "-n", "auto", *MARKED)
    if code != PASSED:
        raise UserError(f"Without a fault the named tests do not pass:\n{said[-4000:]}")
    with building(f"Running them with {len(chosen)} faults …"), ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda fault: find(folder, fault, () if arguments.quick else OTHERS) if fault.test else ("", 0.0), chosen)
        results = [asdict(fault) | {"found_by": test, "level": level(test), "seconds": round(seconds, 1)} for fault, (test, seconds) in zip(chosen, found)]
    REPORT.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    return 0 if show(results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(str(error))
