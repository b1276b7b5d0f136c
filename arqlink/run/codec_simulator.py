# SPDX-License-Identifier: Apache-2.0
"""Builds `codecsim` around the Verilated RsEncoder or RsDecoder, once for each."""

import json

from arqlink import tree
from arqlink.rtl import verilator, verilog

CONFIG = "codec"
JOB = tree.ROOT / "sim" / "job"
SOURCES = [tree.ROOT / "sim" / "codec" / "codecsim.cpp", JOB / "json_job.cpp"]
DEFINES = {"RsEncoder": "-DCODEC_ENCODER", "RsDecoder": "-DCODEC_DECODER"}


def limits():
    """The build's limits: data_bytes, unit_bytes, max_k, max_parity."""
    return json.loads(tree.CONFIGS.read_text())[CONFIG]


def simulator(block, waves=False):
    """Path of the program for block RsEncoder or RsDecoder; builds it where necessary. With `waves` it can write FST."""
    source = verilog.generate(block, CONFIG)
    folder = tree.BUILD / "codec" / (f"{block}-waves" if waves else block)
    options = ["-O2", "-Wall", DEFINES[block], f"-DCODEC_DATA_BYTES={limits()['data_bytes']}", f"-I{JOB}"]
    return verilator.Model([source], folder, waves=waves).link(SOURCES, folder / "codecsim", options, uses=[JOB])
