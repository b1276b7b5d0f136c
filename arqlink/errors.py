# SPDX-License-Identifier: Apache-2.0
"""The one exception that the command line turns into a sentence and exit code 2, and that sentence."""


class UserError(Exception):
    """Something the user can mend; its text is one whole sentence."""


def sentence(error):
    """What to say of the UserError, or of the system's refusal, that a program ends with."""
    if isinstance(error, UserError):
        return str(error)
    where = f"'{error.filename}'" if error.filename else "Standard output, or a file of the run,"
    return f"{where} cannot be read or written: {error.strerror or error}."
