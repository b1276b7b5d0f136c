# SPDX-License-Identifier: Apache-2.0
"""`arqlink board`: a simulated board alone."""

from contextlib import suppress
from typing import Annotated

import typer

from arqlink.board import simulation


def board(config: Annotated[str, typer.Option(help="Built configuration, with room for the firmware.")] = simulation.CONFIG):
    """Run a simulated board until Ctrl-C; other commands use its port meanwhile, one at a time.

    Example: arqlink board
    """
    with simulation.simulated_board(config) as running:
        print(f"The UART is {running.port}; Ctrl-C ends the board.", flush=True)
        with suppress(KeyboardInterrupt):
            running.wait()
