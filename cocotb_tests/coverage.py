# SPDX-License-Identifier: Apache-2.0
"""Shows what the benches have not reached: python -m cocotb_tests.coverage

Reads what models built with ARQLINK_COVERAGE=1 have written (build/coverage, `make coverage`), and writes build/coverage.json. The same point of a module
in several builds and benches counts once, as reached if one of them reaches it: a line or branch by its text, a signal by its name and bit.
"""

import json
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from rich.table import Table

from arqlink import tree
from arqlink.report.console import table_console

FOLDER, REPORT = tree.BUILD / "coverage", tree.BUILD / "coverage.json"
KINDS = ("line", "branch", "toggle")
HOLES = 10
POINT = re.compile(r"C '(.*)' (\d+)$")


def points(data):
    """(kind, module, file, line, what, count) of each point in a file that Verilator has written."""
    for text in data.read_text(errors="replace").splitlines():
        if found := POINT.match(text):
            fields = dict(part.split("\x02", 1) for part in found[1].split("\x01")[1:])
            kind, _, module = fields["page"].removeprefix("v_").partition("/")
            yield kind, module, fields["f"], int(fields["l"]), fields["o"], int(found[2])


@cache
def lines_of(file):
    """Of a Verilog file: each line, and how many with the same text are ahead of it in the module."""
    seen, numbered = Counter(), [("", 0)]
    for line in Path(file).read_text().splitlines():
        if line.startswith("module "):
            seen.clear()
        numbered.append((line.strip(), seen[line.strip()]))
        seen[line.strip()] += 1
    return numbered


@cache
def modules():
    """Names of what is written in Scala here."""
    return {name for path in (tree.ROOT / "rtl" / "src").rglob("*.scala") for name in re.findall(r"\bclass (\w+)", path.read_text())}


def reached(folder):
    """Of each module, by kind, the points and whether they were reached."""
    found = defaultdict(lambda: defaultdict(dict))
    for data in sorted(folder.rglob("coverage.dat")):
        for kind, module, file, line, what, count in points(data):
            module = re.sub(r"_\d+$", "", module)
            if kind in KINDS and module in modules():
                text, number = lines_of(file)[line] if kind != "toggle" else ("", 0)
                if not text.startswith("if(!("):  # an assertion
                    of, place = found[module][kind], (text, number, what) if text else what
                    of[place] = of.get(place, False) or count > 0
    return found


def main():
    found = reached(FOLDER)
    rows = [
        {"module": module, "kind": kind, "points": len(of), "reached": sum(of.values()), "missing": sorted(str(place) for place, was in of.items() if not was)}
        for module, kinds in sorted(found.items())
        for kind, of in kinds.items()
    ]
    REPORT.write_text(json.dumps(rows, indent=1) + "\n")
    console = table_console()
    for kind in KINDS:
        of = [row for row in rows if row["kind"] == kind]
        total, count = sum(row["points"] for row in of), sum(row["reached"] for row in of)
        console.print(f"{kind}: {count} of {total}, {count / max(total, 1):.2%}")
    table = Table("module", "kind", "not reached", "of", title="Largest holes", title_justify="left")
    for row in sorted(rows, key=lambda row: row["reached"] - row["points"])[:HOLES]:
        table.add_row(row["module"], row["kind"], str(row["points"] - row["reached"]), str(row["points"]))
    console.print(table)


if __name__ == "__main__":
    main()
