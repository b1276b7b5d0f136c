# SPDX-License-Identifier: Apache-2.0
"""Where Python keeps what it compiles: each simulation of a bench starts it anew, and compiling cocotb takes longer than many a bench."""

import os

from arqlink import tree


def keep():
    """Processes that are started from now on keep their modules' bytecode in build/pycache: what is installed by uv has none, and PYTHONDONTWRITEBYTECODE
    may be set."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(tree.BUILD / "pycache")
