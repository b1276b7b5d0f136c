# SPDX-License-Identifier: Apache-2.0
"""Builds `codecsim` around the Verilated RsEncoder or RsDecoder, once for each, again only when a source is newer."""

import json
import os

from arqlink import build, rtl

CONFIG = "codec"
SOURCE = rtl.ROOT / "sim" / "codec" / "codecsim.cpp"
DEFINES = {"RsEncoder": "-DCODEC_ENCODER", "RsDecoder": "-DCODEC_DECODER"}


def limits():
    """The build's limits: data_bytes, unit_bytes, max_k, max_parity."""
    return json.loads((rtl.ROOT / "rtl" / "regs" / "configs.json").read_text())[CONFIG]


def simulator(block):
    """Path of the program for block RsEncoder or RsDecoder; builds it where necessary."""
    source = rtl.generate(block, CONFIG)
    folder = rtl.BUILD / "codec" / block
    program = folder / "codecsim"
    with rtl.locked(f"codec-{block}"):
        if rtl.is_stale(program, source.stat().st_mtime, SOURCE.stat().st_mtime, build.CHANGED, os.stat(__file__).st_mtime):
            defines = f"{DEFINES[block]} -DCODEC_DATA_BYTES={limits()['data_bytes']}"
            build.verilate(source, folder, [SOURCE], program, defines)
    return program
