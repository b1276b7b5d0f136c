# SPDX-License-Identifier: Apache-2.0
"""The list of seeded faults fits the sources; `make mutants` runs them."""

import re

import pytest

from arqlink import tree
from cocotb_tests.mutants import copy
from cocotb_tests.mutants.faults import SOURCES, Fault, contradictions, read, seeded

SOURCE = "package arqlink.arq\n\nclass Sum {\n  val sum = a + b\n  val other = a + b\n}\n"
FAULT = Fault(7, "sum", "arq/Sum.scala", "val sum = «a + b»", "a", "a test", test="t")


def test_the_list_fits_the_sources():
    assert not list(contradictions(read()))


def test_named_tests_exist():
    for fault in read():
        if fault.test:
            file, _, name = fault.test.partition("::")
            text = (tree.ROOT / file).read_text()
            assert not name or re.search(rf"^(    )?def {name.split('[')[0].split('::')[-1]}\(", text, re.MULTILINE), fault.test


@pytest.mark.full
def test_the_seeded_sources_are_a_design():
    """A faulty expression may name what is no longer there; `make mutants` says so, and this does where nobody runs that."""
    folder = copy.make(read())
    code, said = copy.python(folder, "-c", "from cocotb_tests.lib import rtl; rtl.java('Generate', 'ArqLink', 'small', 'build/seeded')")
    assert code == 0, said[-3000:]
    assert "arqlink_fault" in (folder / "build" / "seeded" / "ArqLink.v").read_text().lower()


def test_a_fault_stands_beside_what_the_source_has():
    text = seeded(SOURCE, [FAULT])
    assert "val sum = Fault(7)(a + b, a)\n  val other = a + b\n" in text and "\nimport arqlink.lib.Fault\n" in text
    assert seeded(SOURCE, []) == SOURCE


def test_what_does_not_fit_is_named():
    def said(source, *faults):
        return list(contradictions(faults, lambda file: source))

    assert said(SOURCE, FAULT) == []
    assert said(SOURCE.replace("val sum", "val product"), FAULT) == ["'sum': arq/Sum.scala has 'val sum = a + b' 0 times, and must have it once."]
    assert said(SOURCE + SOURCE, FAULT) == ["'sum': arq/Sum.scala has 'val sum = a + b' 2 times, and must have it once."]
    assert said(SOURCE, FAULT, FAULT) == ["Two faults have the name 'sum'."]
    assert said(SOURCE, Fault(1, "x", "f", "a + b", "a", "s", test="t")) == ["'x': the expression has to be between « and »."]
    overlaps = Fault(8, "right side", "arq/Sum.scala", "sum = a + «b»", "a", "s", test="t")
    assert said(SOURCE, FAULT, overlaps) == ["'right side': its piece of arq/Sum.scala is in that of another fault, and would not be replaced."]
    for test, reason in (("", ""), ("t", "why")):
        lacks = ["'x' needs a test, or a reason why it is equivalent, or the test that is missing."]
        assert said(SOURCE, Fault(1, "x", "f", "val sum = «a + b»", "a", "s", test, reason)) == lacks


def test_the_sources_are_there():
    assert (tree.ROOT / SOURCES / "top" / "ArqLink.scala").exists()
