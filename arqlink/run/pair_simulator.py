# SPDX-License-Identifier: Apache-2.0
"""Builds `arqsim` around the Verilated pair of links, once for each configuration."""

from arqlink import tree
from arqlink.rtl import verilator, verilog

FOLDER = tree.ROOT / "sim" / "pair"
END = tree.ROOT / "sim" / "end"
JOB = tree.ROOT / "sim" / "job"
INCLUDES = [f"-I{FOLDER}", f"-I{END}", f"-I{JOB}"]
TOP = "ArqPair"
PARTS = ("arqsim", "arq_pair_sim", "job", "packet_format", "pair_capture", "pair_registers", "pair_reports", "register_console")
SOURCES = [FOLDER / f"{name}.cpp" for name in PARTS] + [END / "pcapng.cpp", END / "unit_capture.cpp", JOB / "json_job.cpp"]


def model(config, waves=False, settings=()):
    """The Verilated pair of a configuration with `settings` ("name=value") changed. With `waves` it can write FST."""
    name = tree.file_name("-".join([config, *settings, *(["waves"] if waves else [])]))
    return verilator.Model([verilog.generate(TOP, config, settings)], tree.BUILD / "sim" / name, waves=waves)


def simulator(config, waves=False, settings=()):
    """Path of the program for a configuration with `settings` changed; builds it where necessary. With `waves` it can write FST."""
    around = model(config, waves, settings)
    return around.link(SOURCES, around.folder / "arqsim", ["-O2", "-Wall", *INCLUDES], uses=[FOLDER, END, JOB])
