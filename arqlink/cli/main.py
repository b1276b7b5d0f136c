# SPDX-License-Identifier: Apache-2.0
"""The command `arqlink`: a verb for each thing that a user does. Each has a module of its own, which is imported when it is asked for."""

import os
import sys
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module

import typer
from typer.core import TyperCommand, TyperGroup

from arqlink import __version__
from arqlink.errors import Interrupted, UserError, sentence
from arqlink.report.console import write_names

VERBS = {
    "Run a link": {
        "send": "Send a file, or the packets of a capture.",
        "stats": "Measure loss and efficiency, beside the model's.",
        "live": "Put the link between programs of Linux, in real time.",
        "codec": "Encode a file into N shares, restore it from any K.",
        "console": "Speak to the firmware of a board.",
        "board": "Simulate a board for other programs.",
        "wireshark": "Say where Wireshark's dissector of units is.",
        "demo": "Watch a satellite link, or the firmware at work.",
    },
    "Choose settings": {
        "model": "Print what the formulas say of a link.",
        "plan": "Choose K, N, persistency, and a gateway's buffer.",
        "size": "Size window and timers of a link end.",
        "planner": "Write the page that draws this in a browser.",
    },
    "Build hardware": {
        "verilog": "Write modules for your design.",
        "synth": "Place and route.",
        "regs": "Write the generated contracts of the registers.",
        "release": "Write an archive with all that a design needs.",
    },
    "Verify": {
        "campaign": "Try random faults between two link ends.",
        "fuzz": "Send hostile packets through the gateway.",
        "bench": "Measure, compare, and write the results down.",
    },
}
"""Panels of the help, and in each its verbs, a line of help each. `arqlink.cli.VERB` has the function, or the Typer of sub-verbs, VERB."""
RESEARCH = {
    "tcp": "Simulate TCP over the link.",
    "sweep": "Run a grid of points on many processors.",
    "figures": "Simulate and draw the figures of the papers.",
    "paths": "Print tables of channels over satellites.",
}
"""The same of the package in `research`, which plugs its verbs in."""
PLUGINS = "arqlink.commands"
"""Entry points of other packages: each is a verb."""


@cache
def _plugged_in():
    """Entry points by name."""
    from importlib.metadata import entry_points  # takes as long as all else that the help needs

    return {point.name: point for point in entry_points(group=PLUGINS)}


def as_command(name, target):
    """The command that is made of a function, or of the Typer of sub-verbs."""
    from arqlink.cli.options import Command

    app = target
    if not isinstance(target, typer.Typer):
        app = typer.Typer(add_completion=False)
        app.command(name, cls=Command)(target)
    return typer.main.get_command(app)


class Verb(TyperCommand):
    """Stands for a verb until it is asked for: what the help shows of it."""

    def __init__(self, name, line, panel):
        super().__init__(name, help=line, rich_help_panel=panel)

    @cached_property
    def command(self):
        """What it stands for."""
        return as_command(self.name, self._target())

    def _target(self):
        return getattr(import_module(f"arqlink.cli.{self.name}"), str(self.name))

    def make_context(self, info_name, args, parent=None, **extra):
        return self.command.make_context(info_name, args, parent, **extra)


class Plugin(Verb):
    """A verb of another package."""

    def _target(self):
        if point := _plugged_in().get(str(self.name)):
            return point.load()
        raise UserError(f"'arqlink {self.name}' belongs to arqlink-research: run 'make setup-all' in arqlink's source tree, or 'pip install ./research'.")


class Verbs(TyperGroup):
    """All verbs. Those of research are known without it, and say then where they are."""

    def __init__(self, **attributes):
        super().__init__(**attributes)
        self.commands = {name: Verb(name, line, panel) for panel, verbs in VERBS.items() for name, line in verbs.items()}
        self.commands |= {name: Plugin(name, line, "Research") for name, line in RESEARCH.items()}

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # of which Typer would make an exit without a word
            raise Interrupted from None

    def list_commands(self, ctx):
        return list(dict.fromkeys([*(name for name, verb in self.commands.items() if type(verb) is Verb or name in _plugged_in()), *sorted(_plugged_in())]))

    def get_command(self, ctx, cmd_name):
        return self.commands.get(cmd_name) or (Plugin(cmd_name, "", "Others") if cmd_name in _plugged_in() else None)


app = typer.Typer(
    cls=Verbs,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Run, measure and model the arqlink hybrid FEC/ARQ link.",
)


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
    except (typer.Abort, KeyboardInterrupt):
        code, message = Interrupted.code, str(Interrupted())
    except UserError as error:
        code, message = error.code, str(error)
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
