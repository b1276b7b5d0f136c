# SPDX-License-Identifier: Apache-2.0
"""Builds the software of the soft system, and the Verilog of the system around it."""

import os
import subprocess
from pathlib import Path

from arqlink import locks, tree
from arqlink.errors import UserError
from arqlink.rtl import tools, verilog

SW = tree.BUILD / "sw"


def software():
    """Builds boot loader and RAM images with make, where a source is newer; returns their folder, build/sw."""
    with locks.locked("sw"):
        tools.need("make", "riscv64-unknown-elf-gcc")
        # a calling make's flags are not for this one
        env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        done = subprocess.run(["make", "-C", str(tree.ROOT / "sw")], check=False, capture_output=True, text=True, env=env)
        if done.returncode:
            raise UserError(f"The software of the soft system cannot be built:\n{done.stdout}{done.stderr}")
    return SW


def cpu():
    """Path of the CPU's Verilog, which the package pythondata-cpu-vexriscv brings."""
    return Path(tools.package("pythondata_cpu_vexriscv").data_location) / "VexRiscv_Lite.v"


def generate(block, config, program, settings=(), module=None, folder=None):
    """Writes the Verilog of `block` (ArqControl, ArqSoc, ArqPairSoc, Ulx3s) with the boot loader in ROM and a program of sw, such as "firmware",
    in RAM; `settings` as for arqlink.gen.GenerateSoc, `module` and `folder` as for verilog.generate. Returns all Verilog files, those of the
    CPU too."""
    programs = software()
    boot, image = programs / "boot.bin", programs / f"{program}.img"
    words = [f"rom={boot}", f"image={image}", *settings]
    name = "-".join(["soc", config, program, *settings])
    return [verilog.write("GenerateSoc", block, config, name, words, module, folder, inputs=(boot, image)), cpu()]
