# SPDX-License-Identifier: Apache-2.0
"""`arqlink console`: the firmware's shell on a serial port, or on a simulated board."""

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arqlink.board import boot_loader, simulation, terminal
from arqlink.board.serial_port import BAUD, SerialPort
from arqlink.board.uart_shell import UartShell
from arqlink.errors import UserError
from arqlink.report.progress import progress_bar


@contextmanager
def _port(name, baud, simulate, config):
    if (name is None) != simulate:
        raise UserError("Name a serial port, or leave it away and use --simulate.")
    if simulate:
        with simulation.simulated_board(config) as board, SerialPort(board.port, patience=simulation.PATIENCE_S) as port:
            yield port
    else:
        with SerialPort(name, baud) as port:
            yield port


def console(
    port: Annotated[str | None, typer.Argument(metavar="[PORT]", help="Serial port, such as /dev/ttyUSB0.")] = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Use a simulated board in place of a port.")] = False,
    config: Annotated[str, typer.Option(help="Built configuration, with room for the firmware.")] = simulation.CONFIG,
    baud: Annotated[int, typer.Option(help="Bit rate of the port.")] = BAUD,
    command: Annotated[list[str] | None, typer.Option(help="Run this and print its answer; may be repeated.")] = None,
    download: Annotated[Path | None, typer.Option(metavar="IMAGE", help="First put this program into RAM; the board has to be reset.")] = None,
):
    """Speak to the firmware. On a terminal Ctrl-] or Ctrl-D ends; otherwise each line of standard input is a command.

    Example: arqlink console /dev/ttyUSB0 --command "code 8 10" --command "delta 1"
    """
    image = boot_loader.read_image(download) if download else None
    with _port(port, baud, simulate, config) as line:
        if image:
            with progress_bar("download") as progress:
                boot_loader.download(line, image, progress, in_reset=simulate)
            print(f"{download} has been started.", file=sys.stderr)
        if not command and sys.stdin.isatty():
            print("Ctrl-] or Ctrl-D ends.", file=sys.stderr)
            terminal.join(line, sys.stdin.fileno(), sys.stdout.fileno())
            return
        commands = command or sys.stdin
        shell = None
        for text in commands:
            shell = shell or UartShell(line)
            for answer in shell.command(text.strip()):
                print(answer, flush=True)
