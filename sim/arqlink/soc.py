# SPDX-License-Identifier: Apache-2.0
"""Builds the software of the soft system, and the Verilog of the system around it."""

import os
import subprocess
from pathlib import Path

from arqlink import rtl
from arqlink.errors import UserError

SW = rtl.BUILD / "sw"


def software():
    """Builds boot loader and RAM images with make, where a source is newer; returns their folder, build/sw."""
    with rtl.locked("sw"):
        try:  # a calling make's flags are not for this one
            env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
            command = ["make", "-C", str(rtl.ROOT / "sw")]
            done = subprocess.run(command, check=False, capture_output=True, text=True, env=env)
        except FileNotFoundError:
            raise UserError("make is not installed.") from None
        if done.returncode:
            raise UserError(f"The software of the soft system cannot be built:\n{done.stdout}{done.stderr}")
    return SW


def cpu():
    """Path of the CPU's Verilog, which the package pythondata-cpu-vexriscv brings."""
    import pythondata_cpu_vexriscv

    return Path(pythondata_cpu_vexriscv.data_location) / "VexRiscv_Lite.v"


def generate(block, config, image=None, settings=()):
    """Writes the Verilog of `block` (ArqSoc, ArqPairSoc) with the boot loader in ROM, and in RAM the image file `image` if
    it is given; `settings` as for arqlink.soc.GenerateSoc. Returns all Verilog files, those of the CPU too."""
    boot = software() / "boot.bin"
    rtl.compile_rtl()
    files = [f"rom={boot}"] + ([f"image={image}"] if image else [])
    name = "-".join(["soc", config, *([Path(image).stem] if image else []), *settings])
    folder = rtl.BUILD / "rtl" / name
    output = folder / f"{block}.v"
    times = [(rtl.ROOT / "rtl" / "target" / ".compiled").stat().st_mtime, boot.stat().st_mtime]
    times += [Path(image).stat().st_mtime] if image else []
    with rtl.locked(f"{block}-{name}"):
        if rtl.is_stale(output, *times):
            rtl.java("arqlink.soc.GenerateSoc", block, config, folder, *files, *settings, stdout=subprocess.DEVNULL)
    return [output, cpu()]
