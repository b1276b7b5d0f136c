# SPDX-License-Identifier: Apache-2.0
"""The program `link_run`. The rtl model also needs a shared library of a link end: arqlink.rtl.verilated_end."""

from arqlink import tree
from arqlink.rtl import native

SOURCES = tree.ROOT / "sim" / "link"
FOLDER = tree.BUILD / "link"


def program():
    """The program `link_run`; builds it where necessary."""
    native.make(SOURCES, FOLDER, ["-std=c++17"])
    return FOLDER / "link_run"
