# SPDX-License-Identifier: Apache-2.0
"""The seeded faults: one-line changes of the RTL, of the kind that a refactoring makes, each with the test that must find it.

They are in faults/*.toml, by package. An entry's `at` is a piece of a source with the expression in question between « and », `faulty` what a
faulty design has in its place; `stands_for` says what is wrong then. `test` is the one that must fail (a test of pytest); or `equivalent` says why
nothing can be seen; or `missing` says which test is still to be written, until which the fault counts as one that survives.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from arqlink import tree

LISTS = Path(__file__).with_name("faults")
SOURCES = Path("rtl", "src", "main", "scala", "arqlink")
"""Of the RTL, in the tree."""
PACKAGE = re.compile(r"^package .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """`number` is what the simulator is told (ARQLINK_FAULT), from 1 on; it changes with the list, `name` does not."""

    number: int
    name: str
    file: str
    at: str
    faulty: str
    stands_for: str
    test: str = ""
    equivalent: str = ""
    missing: str = ""

    @property
    def fragment(self):
        """As the source has it."""
        return self.at.replace("«", "").replace("»", "")

    @property
    def replaced(self):
        """With the choice between the expression and the faulty one in it."""
        before, rest = self.at.split("«")
        as_it_is, after = rest.split("»")
        return f"{before}Fault({self.number})({as_it_is}, {self.faulty}){after}"


def read():
    """All faults, in the order of their files."""
    entries = [entry for path in sorted(LISTS.glob("*.toml")) for entry in tomllib.loads(path.read_text())["fault"]]
    return [Fault(number, **entry) for number, entry in enumerate(entries, 1)]


def contradictions(faults, text_of=lambda file: (tree.ROOT / SOURCES / file).read_text()):
    """A sentence for all that is wrong with the list; `text_of` gives the text of a source."""
    names = [fault.name for fault in faults]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"Two faults have the name '{name}'."
    for fault in faults:
        if [fault.at.count(mark) for mark in "«»"] != [1, 1]:
            yield f"'{fault.name}': the expression has to be between « and »."
            continue
        if [bool(fault.test), bool(fault.equivalent), bool(fault.missing)].count(True) != 1:
            yield f"'{fault.name}' needs a test, or a reason why it is equivalent, or the test that is missing."
        if (count := text_of(fault.file).count(fault.fragment)) != 1:
            yield f"'{fault.name}': {fault.file} has {fault.fragment!r} {count} times, and must have it once."
        elif f"Fault({fault.number})(" not in seeded(text_of(fault.file), [other for other in faults if other.file == fault.file and "«" in other.at]):
            yield f"'{fault.name}': its piece of {fault.file} is in that of another fault, and would not be replaced."


def seeded(text, faults):
    """A source with the faults of it in place."""
    for fault in faults:
        text = text.replace(fault.fragment, fault.replaced)
    return PACKAGE.sub(lambda package: f"{package[0]}\nimport arqlink.lib.Fault\n", text, count=1) if faults else text
