# SPDX-License-Identifier: Apache-2.0
"""The program `live_run` of sim/live, and the soft system that it can load."""

from arqlink import tree
from arqlink.gateway import builds as gateway_builds
from arqlink.link import builds as link_builds
from arqlink.rtl import native, soc, verilated_end

SOURCES = tree.ROOT / "sim" / "live"
FOLDER = tree.BUILD / "live"


def program():
    """Builds it where necessary."""
    link_builds.program()
    gateway_builds.library()
    native.make(SOURCES, FOLDER, [], LINK=link_builds.FOLDER / "objects", GATEWAY=gateway_builds.FOLDER / "objects")
    return FOLDER / "live_run"


CPU_HZ = 250_000
"""Clocks of the soft system in a second of the link, as in sim/live/soft_system.h: 3,125 characters a second on its UART."""


def control():
    """The library of the soft system `ArqControl` with the firmware in its RAM and the fastest UART; builds it where necessary."""
    sources = soc.generate("ArqControl", "default", "firmware", ("uartDivider=0", "bootWait=1", f"clockHz={CPU_HZ}"))
    return verilated_end.shared_library(sources, tree.BUILD / "live" / "control", "control", "VArqControl", SOURCES / "soc" / "verilated_control.cpp")
