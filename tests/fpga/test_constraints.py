# SPDX-License-Identifier: Apache-2.0
"""Constraints for AMD's tools name instances and registers that the generated Verilog has."""

import re

import pytest

from arqlink import tree
from arqlink.rtl import verilog

FOLDER = tree.ROOT / "constraints" / "amd"


def cells(text):
    """What each pattern `NAME =~ ...` consists of: its instances, and its register."""
    for pattern in re.findall(r"NAME =~ ([^}]+)}", text):
        *instances, register = [part for part in pattern.removesuffix("/CLR").split("/") if part != "*"]
        yield [part.strip("*") for part in instances], register.split("_reg")[0].strip("*_")


def missing(text, verilog):
    """Names in constraints that no instance and no register or memory has."""
    for instances, register in cells(text):
        yield from (name for name in instances if not re.search(rf"\b\w*{name}\w* \(", verilog))
        if not re.search(rf"\breg\b[^;]*\b{register}\w*( \[[\d:]+\])?;", verilog):
            yield register


@pytest.mark.parametrize(("block", "name"), [("ArqLink", "arqlink"), ("ArqLinkPhyClock", "arqlink"), ("ArqLinkPhyClock", "arqlink_phy_clock")])
def test_names_are_in_the_verilog(block, name):
    text = (FOLDER / f"{name}.xdc").read_text()
    assert list(cells(text)) and not list(missing(text, verilog.generate(block, "default").read_text()))


def test_a_wrong_name_is_found():
    source = verilog.generate("ArqLinkPhyClock", "default").read_text()
    text = (FOLDER / "arqlink_phy_clock.xdc").read_text()
    assert list(missing(text.replace("ptrToPush", "ptrToPop").replace("popToPushGray_buffercc", "popToPush_sync"), source)) == [
        "popCC_ptrToPop",
        "popToPush_sync",
    ]
