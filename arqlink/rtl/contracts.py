# SPDX-License-Identifier: Apache-2.0
"""The generated contracts, of which rtl/regs has copies."""

import re
import shutil
import tempfile
from pathlib import Path

from arqlink import tree
from arqlink.rtl import verilog

FOLDER = tree.REGS


def configurations():
    """All named configurations as JSON text."""
    output = verilog.java("Describe").stdout
    return re.sub(r"\x1b\[[0-9;]*m", "", output)  # SpinalHDL resets the terminal's colours on exit


def ports(config="default"):
    """Ports of `ArqLink`, one a line: direction, width in bits, name. Widths but those of the streams' data are the same
    in every configuration."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        verilog.java("Generate", "ArqLink", config, folder)
        text = (Path(folder) / "ArqLink.v").read_text()
    (header,) = re.findall(r"^module ArqLink \((.*?)^\);", text, re.S | re.M)
    for way, high, name in re.findall(r"(input|output)\s+(?:wire|reg)\s*(?:\[(\d+):0\])?\s*(\w+)", header):
        lines.append(f"{way:6}  {int(high or 0) + 1:3} {name}\n")
    return f"# Ports of ArqLink, configuration {config}\n" + "".join(lines)


def write(folder: str | Path = FOLDER):
    """Writes the register contracts, the list of configurations and the port list to `folder`: all of them, or none where the generator refuses."""
    tree.require()
    with tempfile.TemporaryDirectory() as made:
        verilog.java("Contracts", made)
        (Path(made) / "configs.json").write_text(configurations())
        (Path(made) / "ports.txt").write_text(ports())
        shutil.copytree(made, folder, dirs_exist_ok=True)
