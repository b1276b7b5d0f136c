# SPDX-License-Identifier: Apache-2.0
"""The one exception that the command line turns into a sentence and exit code 2."""


class UserError(Exception):
    """Something the user can mend; its text is one whole sentence."""
