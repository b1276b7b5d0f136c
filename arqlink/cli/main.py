# SPDX-License-Identifier: Apache-2.0
"""The command `arqlink`. Each command has a module of its own."""

import os
import sys
from contextlib import suppress
from importlib.metadata import entry_points

import typer

from arqlink import __version__
from arqlink.cli.codec import codec_app
from arqlink.cli.console import board, console
from arqlink.cli.live import live
from arqlink.cli.model import model
from arqlink.cli.options import WebCommand
from arqlink.cli.plan import plan
from arqlink.cli.send import send
from arqlink.cli.size import size
from arqlink.cli.stats import stats
from arqlink.cli.wireshark import wireshark
from arqlink.errors import UserError, sentence
from arqlink.report.console import write_names

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Run, measure and model the arqlink hybrid FEC/ARQ link.",
)
app.command(cls=WebCommand)(send)
app.command(cls=WebCommand)(stats)
app.command()(model)
app.command()(plan)
app.command()(size)
app.command(cls=WebCommand)(live)
app.command()(console)
app.command()(board)
app.command()(wireshark)
app.add_typer(codec_app, name="codec")

PLUGINS = "arqlink.commands"
"""Entry points of other packages: each is a command."""
RESEARCH = ("tcp", "sweep")
"""Commands of the package in `research`."""


def _plug_in():
    """Adds the commands of installed packages. Those of research are known without it, and say where they are."""
    found = {point.name: point for point in entry_points(group=PLUGINS)}
    for name, point in sorted(found.items()):
        app.command(name)(point.load())
    for name in set(RESEARCH) - set(found):
        app.command(name, hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})(_missing(name))


def _missing(name):
    def command():
        raise UserError(f"'arqlink {name}' belongs to arqlink-research: run 'make setup-all' in arqlink's source tree, or 'pip install ./research'.")

    return command


_plug_in()


def _version(value: bool):
    if value:
        print(__version__)
        raise typer.Exit()


@app.callback()
def root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version.")):
    """Run, measure and model the arqlink hybrid FEC/ARQ link."""


def main(arguments=None):
    """Runs one command. Every error that a user can mend is one sentence on standard error and exit code 2."""
    write_names()
    try:
        code, message = app(args=arguments, standalone_mode=False) or 0, ""
        print(end="", flush=True)
    except typer.TyperException as error:
        code, message = 2, error.format_message().strip()
    except UserError as error:
        code, message = 2, str(error)
    except (typer.Abort, KeyboardInterrupt):
        code, message = 2, "Interrupted."
    except BrokenPipeError:  # who reads has seen enough, as `head` has
        code, message = 1, ""
    except OSError as error:
        code, message = 2, sentence(error)
    if message and sys.stderr is not None:
        with suppress(OSError):
            print(message if message.endswith((".", "?", "!")) else f"{message}.", file=sys.stderr)
    _give_up_unwritten()
    sys.exit(code)


def _give_up_unwritten():
    """What the standard streams did not take is dropped; else the interpreter would try again at its end, and complain."""
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            print(end="", file=stream, flush=True)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
