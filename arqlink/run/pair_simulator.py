# SPDX-License-Identifier: Apache-2.0
"""Builds `arqsim` around the Verilated pair of links, once for each configuration."""

from arqlink import tree
from arqlink.rtl import verilator, verilog

FOLDER = tree.ROOT / "sim" / "pair"
END = tree.ROOT / "sim" / "end"
JOB = tree.ROOT / "sim" / "job"
INCLUDES = [f"-I{FOLDER}", f"-I{END}", f"-I{JOB}"]
OPTIONS = ["-O2", "-Wall", *INCLUDES]
TOP = "ArqPair"
PARTS = ("arqsim", "job", "packet_format", "pair_capture", "pair_registers", "pair_reports", "register_console")
COMMON = [FOLDER / f"{name}.cpp" for name in PARTS] + [END / "pcapng.cpp", END / "unit_capture.cpp", JOB / "json_job.cpp"]
"""They are the same around each model …"""
AROUND = [FOLDER / "arq_pair_sim.cpp"]
"""… and this knows it."""


def model(config, waves=False, settings=()):
    """The Verilated pair of a configuration with `settings` ("name=value") changed. With `waves` it can write FST."""
    name = tree.file_name("-".join([config, *settings, *(["waves"] if waves else [])]))
    return verilator.Model([verilog.generate(TOP, config, settings)], tree.BUILD / "sim" / name, waves=waves)


def simulator(config, waves=False, settings=()):
    """Path of the program for a configuration with `settings` changed; builds it where necessary. With `waves` it can write FST."""
    return around(model(config, waves, settings))


def around(model):
    """The program around a Verilated pair."""
    return model.link(AROUND, model.folder / "arqsim", OPTIONS, uses=[FOLDER, END, JOB], common=COMMON)
