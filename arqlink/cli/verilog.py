# SPDX-License-Identifier: Apache-2.0
"""`arqlink verilog`: modules for designs of others."""

import json
from typing import Annotated

import typer

from arqlink import tree
from arqlink.errors import UserError
from arqlink.integration.companions import write
from arqlink.integration.module import FOLDER, PREFIX, generate

BLOCKS = ("ArqLink", "ArqLinkPhyClock", "ArqLinkByteStream", "ArqPair")


def verilog(
    blocks: Annotated[list[str] | None, typer.Argument(metavar="[BLOCK]…", help="Of which modules are made.", show_default=" ".join(BLOCKS))] = None,
    config: Annotated[str | None, typer.Option(help="Built configuration.", show_default="all that have a name, as files cost nothing")] = None,
    values: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a value of that configuration; may be repeated.")] = None,
    prefix: Annotated[str, typer.Option(help="What the names of all modules begin with.")] = PREFIX,
):
    """Write blocks as modules for your design to build/verilog, and print where.

    Example: arqlink verilog ArqLink --config default --set windowFrames=4096 --set maxK=32
    """
    tree.require()
    if values and not config:
        raise UserError("Settings need a configuration that they change; name it, too.")
    if not prefix:
        raise UserError("The prefix is empty; a configuration's name may be a word of Verilog.")
    for name in [config] if config else json.loads(tree.CONFIGS.read_text()):
        for block in blocks or BLOCKS:
            module = generate(block, name, values or [], prefix)
            write(module)
            print(module.sources[0].relative_to(FOLDER.parents[1]))
