# SPDX-License-Identifier: Apache-2.0
"""The program `live_run` of sim/live."""

from arqlink import tree
from arqlink.gateway import builds as gateway_builds
from arqlink.link import builds as link_builds
from arqlink.rtl import native

SOURCES = tree.ROOT / "sim" / "live"
FOLDER = tree.BUILD / "live"


def program():
    """Builds it where necessary."""
    link_builds.program()
    gateway_builds.library()
    native.make(SOURCES, FOLDER, [], LINK=link_builds.FOLDER / "objects", GATEWAY=gateway_builds.FOLDER / "objects")
    return FOLDER / "live_run"
