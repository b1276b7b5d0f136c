# SPDX-License-Identifier: Apache-2.0
"""The command `arqlink`. Each command has a module of its own."""

import sys

import typer

from arqlink import __version__
from arqlink.cli.codec import codec_app
from arqlink.cli.console import board, console
from arqlink.cli.model import model
from arqlink.cli.plan import plan
from arqlink.cli.send import send
from arqlink.cli.size import size
from arqlink.cli.stats import stats
from arqlink.cli.sweep import sweep
from arqlink.cli.tcp import tcp
from arqlink.errors import UserError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Run, measure and model the arqlink hybrid FEC/ARQ link.",
)
app.command()(send)
app.command()(stats)
app.command()(model)
app.command()(plan)
app.command()(size)
app.command()(tcp)
app.command()(sweep)
app.command()(console)
app.command()(board)
app.add_typer(codec_app, name="codec")


def _version(value: bool):
    if value:
        print(__version__)
        raise typer.Exit()


@app.callback()
def root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version.")):
    """Run, measure and model the arqlink hybrid FEC/ARQ link."""


def main(arguments=None):
    """Runs one command. Every error that a user can mend is one sentence on standard error and exit code 2."""
    try:
        code = app(args=arguments, standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message().strip()
    except UserError as error:
        message = str(error)
    except (typer.Abort, KeyboardInterrupt):
        message = "Interrupted."
    else:
        sys.exit(code or 0)
    if message:
        print(message if message.endswith((".", "?", "!")) else f"{message}.", file=sys.stderr)
    sys.exit(2)
