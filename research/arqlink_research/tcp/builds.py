# SPDX-License-Identifier: Apache-2.0
"""The programs of research/tcp: ns-3 with a model of the link in it."""

import importlib.util
from functools import cache
from pathlib import Path

from arqlink import tree
from arqlink.errors import UserError
from arqlink.gateway import builds as gateway_builds
from arqlink.link import builds as link_builds
from arqlink.rtl import native

SOURCES = tree.ROOT / "research" / "tcp"
FOLDER = tree.BUILD / "tcp"


def ns3():
    """The folder of the package ns3, which has headers and libraries. It is not imported: that needs its Python bindings."""
    spec = importlib.util.find_spec("ns3")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise UserError("ns-3 is not installed; run 'make setup-research'.")
    return Path(places[0])


@cache
def program(name="tcp_run"):
    """A program of research/tcp: `tcp_run`, or one of those for tests; builds them all where necessary, once in a process."""
    link_builds.program()
    gateway_builds.library()
    native.make(SOURCES, FOLDER, [], LINK=link_builds.FOLDER / "objects", GATEWAY=gateway_builds.FOLDER / "objects", NS3=ns3())
    return FOLDER / name
