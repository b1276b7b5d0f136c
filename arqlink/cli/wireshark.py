# SPDX-License-Identifier: Apache-2.0
"""`arqlink wireshark`: where Wireshark's dissector of units is."""

import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from arqlink import tree
from arqlink.errors import UserError

PLUGINS = Path("~/.local/lib/wireshark/plugins")
"""Where Wireshark looks for a user's plugins on Linux and macOS."""


def wireshark(install: Annotated[bool, typer.Option("--install", help=f"Copy the dissector to {PLUGINS}.")] = False):
    """Print the path of the dissector of units, a Lua file for Wireshark and tshark.

    Example: arqlink wireshark --install
    """
    path = tree.DISSECTOR
    if install:
        folder = PLUGINS.expanduser()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = Path(shutil.copy(tree.DISSECTOR, folder))
        except OSError as error:
            raise UserError(f"'{os.path.join(folder, tree.DISSECTOR.name)}' cannot be written: {error.strerror or error}.") from None
    print(path)
