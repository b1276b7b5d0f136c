# SPDX-License-Identifier: Apache-2.0
"""The program `live_run` of sim/live."""

from arqlink import tree
from arqlink.link import builds as link_builds
from arqlink.rtl import native

SOURCES = tree.ROOT / "sim" / "live"
FOLDER = tree.BUILD / "live"


def program():
    """Builds it where necessary."""
    link_builds.program()
    native.make(SOURCES, FOLDER, [], LINK=link_builds.FOLDER / "objects")
    return FOLDER / "live_run"
