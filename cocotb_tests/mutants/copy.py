# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree whose RTL has the faults in it. What was built in it stays from one run to the next."""

import os
import subprocess
import sys
from pathlib import Path

from arqlink import tree

from .faults import SOURCES, seeded

FOLDER = tree.BUILD / "mutants"
CHOICE = Path(__file__).with_name("Fault.scala")
MADE, MADE_WITHIN = {"build", ".venv"}, {"target", "__pycache__"}
"""Folders of the copy, and of any folder in it, that hold what was built there."""


def make(faults):
    """Brings the copy up to date; returns its folder."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=tree.ROOT, capture_output=True, check=True).stdout
    names = [Path(name.decode()) for name in listed.split(b"\0") if name]
    wanted = {name: (tree.ROOT / name).read_bytes() for name in names if (tree.ROOT / name).is_file()}
    wanted[Path("FUSESOC_IGNORE")] = b""  # or its cores would be found in place of the tree's
    for file in {fault.file for fault in faults}:
        text = wanted[SOURCES / file].decode()
        wanted[SOURCES / file] = seeded(text, [fault for fault in faults if fault.file == file]).encode()
    wanted[SOURCES / "lib" / CHOICE.name] = CHOICE.read_bytes()
    for top in set(FOLDER.glob("*")) - {FOLDER / name for name in MADE}:
        for path in [top, *top.rglob("*")]:
            name = path.relative_to(FOLDER)
            if path.is_file() and name not in wanted and not MADE_WITHIN & {*name.parts}:
                path.unlink()
    for name, content in wanted.items():
        path = FOLDER / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    environment = FOLDER / ".venv"
    if not environment.exists():
        environment.symlink_to(tree.ROOT / ".venv")
    return FOLDER


def python(folder, *arguments, **variables):
    """Exit code and output of Python in the copy, with its packages and these variables of the environment."""
    paths = os.pathsep.join([str(folder), str(folder / "research")])
    environment = os.environ | {"PYTHONPATH": paths} | variables
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
