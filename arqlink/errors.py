# SPDX-License-Identifier: Apache-2.0
"""The exceptions that the command line turns into a sentence and an exit code, and that sentence."""

import signal


class UserError(Exception):
    """Something the user can mend; its text is one whole sentence."""

    code = 2
    """Exit code of a command that ends with it."""


class Interrupted(UserError):
    """Ctrl-C. The exit code is what a shell gives a program that SIGINT has ended."""

    code = 128 + signal.SIGINT

    def __init__(self):
        super().__init__("Interrupted.")


def sentence(error):
    """What to say of the UserError, or of the system's refusal, that a program ends with."""
    if isinstance(error, UserError):
        return str(error)
    where = f"'{error.filename}'" if error.filename else "Standard output, or a file of the run,"
    return f"{where} cannot be read or written: {error.strerror or error}."
