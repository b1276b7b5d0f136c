# SPDX-License-Identifier: Apache-2.0
"""The library that draws the charts, of which the set-up fetches the version that chart_library.json names to vendor/: `python -m
arqlink.pages.chart_library`. It is npm's, and MIT's licence applies to it."""

import base64
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from arqlink.errors import UserError, sentence

HERE = Path(__file__).parent
FOLDER = HERE / "vendor"
PINNED = json.loads((HERE / "chart_library.json").read_text())
NAME, VERSION, LICENCE = PINNED["name"], PINNED["version"], PINNED["licence"]


def text(name):
    """A file of the library, by its name without a folder."""
    try:
        return (FOLDER / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"The chart library {NAME} {VERSION} is not there; run 'make setup-live'.") from None


def unpack(archive, integrity, folder):
    """Writes the library's files, out of the bytes of its npm archive, to `folder`; UserError unless the archive has this checksum."""
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != integrity:
        raise UserError(f"{NAME} {VERSION} has the checksum {found}; it must be {integrity}.")
    folder.mkdir(exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for name in PINNED["files"]:
            member = files.extractfile(f"package/{name}")
            assert member is not None
            (folder / Path(name).name).write_bytes(member.read())


def fetch():
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, f"{NAME}@{VERSION}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UserError(f"npm cannot fetch {NAME} {VERSION}: {done.stderr.strip()}")
        (archive,) = Path(folder).glob("*.tgz")
        unpack(archive.read_bytes(), PINNED["integrity"], FOLDER)


def main():
    try:
        fetch()
    except (UserError, OSError) as error:
        sys.exit(sentence(error))


if __name__ == "__main__":
    main()
