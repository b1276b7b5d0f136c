# SPDX-License-Identifier: Apache-2.0
"""`arqlink fuzz`: hostile packets and conversations through the gateway (sim/gateway/fuzz)."""

import subprocess
from typing import Annotated

import typer

from arqlink import tree
from arqlink.gateway import builds


def fuzz(
    packets: Annotated[int, typer.Option(min=1, help="Hostile packets; for each 500 there is a conversation, too.")] = 5_000_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all runs.")] = 1,
    run: Annotated[int | None, typer.Option(min=0, help="This run alone, as a fault names it.", show_default="all")] = None,
):
    """Send hostile packets, and conversations over bad wires, through the gateway, with the checks of AddressSanitizer and UBSan.

    Example: arqlink fuzz --packets 100000 --seed 7
    """
    tree.require()
    words = [packets, seed, *([] if run is None else [run])]
    if code := subprocess.run([builds.fuzzer(), *map(str, words)], check=False).returncode:
        raise typer.Exit(abs(code))
