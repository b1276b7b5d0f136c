# SPDX-License-Identifier: Apache-2.0
"""What the fault campaign runs: a shared library for each build of a link end, and the program that loads two of them."""

from functools import cache

from arqlink import tree
from arqlink.errors import UserError
from arqlink.rtl import native, verilated_end, verilog

SOURCES = tree.ROOT / "sim" / "campaign"
FOLDER = tree.BUILD / "campaign"

ONE_UNIT = ("maxK=1", "k=1", "nFirst=2", "nRetx=2")

BUILDS = {
    "tiny": ("tiny", ()),
    "small": ("small", ()),
    "wraps": ("wraps", ()),
    "small_w32": ("small", ("windowFrames=32", "maxPacketBytes=256")),
    "small_w1024": ("small", ("windowFrames=1024",)),
    "small_w8192": ("small", ("windowFrames=8192",)),
    "small_b2": ("small", ("dataBytes=2",)),
    "k1": ("small", ONE_UNIT),
    "montecarlo_w256": ("montecarlo", ("windowFrames=256", "maxPacketBytes=2048")),
    "wide8": ("wide8", ()),
    "short8": ("short8", ()),
    "long": ("long", ()),
    "crc4": ("crc4", ()),
    "crc8": ("crc8", ()),
    "short1": ("short1", ()),
    "queued": ("queued", ()),
    **{f"line_w{window}": ("small", (*ONE_UNIT, "unitBytes=24", f"windowFrames={window}")) for window in (256, 1024, 16384, 65536)},
}
"""Name -> configuration and the values that are changed in it."""

PAIRS = (
    "small:small",
    "wraps:wraps",
    "small:small_w1024",
    "small_w1024:small_w1024",
    "tiny:tiny",
    "k1:k1",
    "small_w32:small_w32",
    "montecarlo_w256:montecarlo_w256",
    "long:long",
    "wide8:wide8",
    "small:small_b2",
    "k1:small",
    "short8:short8",
    "small_w8192:small_w8192",
    "crc4:crc4",
    "crc8:crc8",
    "short1:short1",
    "queued:queued",
)
"""Ends that can talk: unitBytes and the first numbers are the same, and each window holds the other's longest packet."""


def ends_of(pair):
    """The builds at both ends of a pair; UserError where a name is not known."""
    names = pair.split(":")
    unknown = [name for name in names if name not in BUILDS]
    if len(names) != 2 or unknown:
        raise UserError(f"'{pair}' is not END:END of the builds {', '.join(BUILDS)}.")
    if names[0] != names[1] and first_sn(names[0]) != first_sn(names[1]):
        raise UserError(f"The ends of '{pair}' do not begin with the same sequence numbers.")
    return names


@cache
def first_sn(name):
    """The first FSN and TSN of a build, by its Verilog: `wraps` begins shortly before they wrap."""
    return verilog.first_sn(verilog.generate("ArqLink", *BUILDS[name]))


def library(name, waves=False):
    """The shared library of one build of a link end; builds it where necessary. With `waves` it can write FST."""
    config, settings = BUILDS[name]
    return verilated_end.library(config, settings, waves)


def program():
    """The program `campaign`, and beside it `selftest` of its wire codec and checks."""
    native.make(SOURCES, FOLDER, ["-std=c++17"])
    return FOLDER / "campaign"


def build_all(pairs, waves):
    """Builds come one after the other: each uses all cores."""
    program()
    for name in dict.fromkeys(name for pair in pairs for name in ends_of(pair)):
        library(name, waves)
