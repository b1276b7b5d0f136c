# SPDX-License-Identifier: Apache-2.0
"""`arqlink regs`: the generated contracts."""

from pathlib import Path
from typing import Annotated

import typer

from arqlink.rtl import contracts


def regs(folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where they are written.", show_default="rtl/regs")] = contracts.FOLDER):
    """Write the register contracts, the list of configurations and the list of ports.

    Example: arqlink regs
    """
    contracts.write(folder)
