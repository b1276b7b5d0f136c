# SPDX-License-Identifier: Apache-2.0
"""The source tree: where it is, and what is where in it.

An installed package has no tree around it, only the contracts of rtl/regs and Wireshark's dissector.
"""

import hashlib
import os
import re
from pathlib import Path

from arqlink.errors import UserError

ROOT = Path(__file__).resolve().parents[1]
HERE = (ROOT / "rtl" / "pom.xml").is_file()
"""Whether there is one."""
BUILD = ROOT / "build"
REGS = ROOT / "rtl" / "regs" if HERE else Path(__file__).resolve().parent / "regs"
CONFIGS = REGS / "configs.json"
DISSECTOR = (ROOT if HERE else Path(__file__).resolve().parent) / "wireshark" / "arqlink.lua"
FILE_NAME = re.compile(r"[\w.=-]{1,200}", re.ASCII)


def require():
    """Refuses what cannot be done without the tree."""
    if not HERE:
        packages = "make, g++, maven and default-jdk-headless"
        raise UserError(f"This needs arqlink's source tree: clone it and run 'make setup', which also installs Debian's {packages}.")


def version():
    """The tree's version or, without it, that of the installed package."""
    if HERE:
        return (ROOT / "VERSION").read_text().strip()
    from importlib import metadata  # takes longer than all that this module else needs

    return metadata.version("arqlink")


def file_name(name):
    """`name` if a file or folder can have it, else a hash of it: what a user asks for may be too long, or have slashes."""
    return name if FILE_NAME.fullmatch(name) else hashlib.sha256(os.fsencode(name)).hexdigest()
