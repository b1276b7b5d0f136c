# SPDX-License-Identifier: Apache-2.0
"""`arqlink planner`: the page that plans in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from arqlink import files
from arqlink.pages import build


def planner(output: Annotated[Path, typer.Argument(metavar="OUT.html", help="File to write; folders that are missing are made.")]):
    """Write the page that draws `arqlink plan` in a browser, with everything inside: it opens without a server.

    Example: arqlink planner planner.html
    """
    text = build.page("planner")
    output.parent.mkdir(parents=True, exist_ok=True)
    files.check([output])
    files.write(output, text.encode())
