# SPDX-License-Identifier: Apache-2.0
"""Programs and Python packages that only building needs. Where one is missing, the user reads the name to install it by."""

import importlib
import re
import shutil
from importlib import metadata

from arqlink.errors import UserError

DEBIAN = {
    "c++": "g++",
    "gcc": "g++",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "make": "make",
    "mvn": "maven",
    "perl": "perl",
    "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
}
"""Debian's package of each program."""
FIRMWARE = {"gcc-riscv64-unknown-elf"}
"""Those of them that the set-up has in its group `firmware`; the others are in each."""


def need(*programs):
    """Raises UserError if one of these programs is not on PATH."""
    missing = sorted({DEBIAN[program] for program in programs if shutil.which(program) is None})
    if missing:
        which = "which are" if len(missing) > 1 else "which is"
        target = "setup-firmware" if FIRMWARE & set(missing) else "setup"
        raise UserError(f"This needs Debian's {' and '.join(missing)}, {which} not installed; run 'make {target}' as root.")


def target(distribution):
    """The target of make that installs a Python package: that of the first extra with it."""
    try:
        required = metadata.requires("arqlink") or []
    except metadata.PackageNotFoundError:
        required = []
    groups = [found[1] for line in required if (found := re.fullmatch(rf"{re.escape(distribution)}(?![\w.-]).*; *extra == ['\"](\w+)['\"]", line))]
    return f"setup-{groups[0]}" if groups else "setup-all"


def package(module):
    """The module of a Python package that the installed command does without; UserError if it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.replace("_", "-")
        raise UserError(f"This needs the Python package {name}, which is not installed; run 'make {target(name)}'.") from None


def version(distribution):
    """Version of an installed package, by the name that it has in requirements.txt."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        raise UserError(f"{distribution} is not installed; run 'make {target(distribution)}'.") from None
