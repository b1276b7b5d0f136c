# SPDX-License-Identifier: Apache-2.0
"""Builds `codecsim` around the Verilated RsEncoder or RsDecoder, once for each, again only when a source is newer."""

import json
import os
import subprocess

from arqlink import rtl
from arqlink.errors import UserError

CONFIG = "codec"
SOURCE = rtl.ROOT / "sim" / "codec" / "codecsim.cpp"
DEFINES = {"RsEncoder": "-DCODEC_ENCODER", "RsDecoder": "-DCODEC_DECODER"}
VERILATOR_FLAGS = ["-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing", "-Wno-fatal", "-Wno-lint"]


def limits():
    """The build's limits: data_bytes, unit_bytes, max_k, max_parity."""
    return json.loads((rtl.ROOT / "rtl" / "regs" / "configs.json").read_text())[CONFIG]


def simulator(block):
    """Path of the program for block RsEncoder or RsDecoder; builds it where necessary."""
    source = rtl.generate(block, CONFIG)
    folder = rtl.BUILD / "codec" / block
    program = folder / "codecsim"
    with rtl.locked(f"codec-{block}"):
        if rtl.is_stale(program, source.stat().st_mtime, SOURCE.stat().st_mtime, os.stat(__file__).st_mtime):
            _verilate(block, source, folder, program)
    return program


def _verilate(block, source, folder, program):
    rtl.use_verilator()
    folder.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)  # a half-built program is never taken for a good one
    defines = f"{DEFINES[block]} -DCODEC_DATA_BYTES={limits()['data_bytes']}"
    command = ["verilator", "--cc", "--exe", "--build", "-j", str(os.cpu_count()), *VERILATOR_FLAGS]
    command += ["--top-module", block, "--Mdir", str(folder), "-o", str(program)]
    command += ["-CFLAGS", f"-std=c++17 -O3 -Wall {defines}", str(source), str(SOURCE)]
    log = folder / "build.log"
    with open(log, "w") as output:
        if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode:
            raise UserError(f"The codec's simulator cannot be built; see {log}.")
