# SPDX-License-Identifier: Apache-2.0
"""Writes the generated contracts, rtl/regs by default: `python -m arqlink.contracts [FOLDER]`."""

import re
import subprocess
import sys
from pathlib import Path

from arqlink import rtl

FOLDER = rtl.ROOT / "rtl" / "regs"


def configurations():
    """All named configurations as JSON text."""
    output = rtl.java("arqlink.Describe", stdout=subprocess.PIPE, text=True).stdout
    return re.sub(r"\x1b\[[0-9;]*m", "", output)  # SpinalHDL resets the terminal's colours on exit


def write(folder=FOLDER):
    """Writes the register contracts and the list of configurations to `folder`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rtl.java("arqlink.csr.Contracts", folder, stdout=subprocess.DEVNULL)
    (folder / "configs.json").write_text(configurations())


if __name__ == "__main__":
    write(*sys.argv[1:])
