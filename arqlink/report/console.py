# SPDX-License-Identifier: Apache-2.0
"""Text for people on any terminal: where the encoding lacks a symbol, its name stands in its place."""

import codecs
import io
import sys

from rich.console import Console

NAMES = {"α": "alpha", "β": "beta", "δ": "delta", "λ": "lambda", "μ": "mu", "σ": "sigma", "τ": "tau", "±": "+-", "…": "..."}
HANDLER = "arqlink.names"


def _names(error):
    """Handler of encoding errors. What has no name here is escaped, even the bytes of a file's name that are no text."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(NAMES.get(symbol, symbol.encode("ascii", "backslashreplace").decode()) for symbol in lacking), error.end


codecs.register_error(HANDLER, _names)


def write_names():
    """From now on standard output and standard error never fail for a symbol."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


class TextConsole(Console):
    """Prints text as it is: brackets and colons, which names of files may have, mean nothing. Symbols are named before tables are laid out, so
    that columns stay straight."""

    def __init__(self, **options):
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text, **options):
        return super().render_str(text.encode(self.encoding, HANDLER).decode(self.encoding), **options)


def table_console(width=200):
    """As wide as the terminal; into a file, as wide as a table needs."""
    return TextConsole(width=None if sys.stdout.isatty() else width)
