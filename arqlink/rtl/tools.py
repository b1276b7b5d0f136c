# SPDX-License-Identifier: Apache-2.0
"""Programs and Python packages that only building needs. Where one is missing, the user reads the name to install it by."""

import importlib
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


def need(*programs):
    """Raises UserError if one of these programs is not on PATH."""
    missing = sorted({DEBIAN[program] for program in programs if shutil.which(program) is None})
    if missing:
        which = "which are" if len(missing) > 1 else "which is"
        raise UserError(f"This needs Debian's {' and '.join(missing)}, {which} not installed; run 'make setup' as root.")


def package(module):
    """The module of a Python package that the installed command does without; UserError if it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UserError(f"This needs the Python package {module.replace('_', '-')}, which is not installed; run 'make setup'.") from None


def version(distribution):
    """Version of an installed package, by the name that it has in requirements.txt."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        raise UserError(f"{distribution} is not installed; run 'make setup'.") from None
