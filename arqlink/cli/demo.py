# SPDX-License-Identifier: Apache-2.0
"""`arqlink demo`: a satellite link, or the firmware, at work."""

import typer

from arqlink.demo import link as link_demo
from arqlink.demo import soc as soc_demo

demo = typer.Typer(no_args_is_help=True, help="Watch a satellite link, or the firmware at work.")


@demo.command()
def link():
    """Send a file and a capture over a geostationary link, recovered in three ways.

    Example: arqlink demo link
    """
    _check(link_demo.show())


@demo.command()
def soc():
    """Boot the firmware in simulation, and change its link over the UART while a file crosses.

    Example: arqlink demo soc
    """
    _check(soc_demo.show())


def _check(right):
    if not right:
        raise typer.Exit(1)
