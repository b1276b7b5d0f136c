# SPDX-License-Identifier: Apache-2.0
"""What is built is known by what it was made from: the contents of its sources, not the times of files.

An output is made again only where its key has changed. With $ARQLINK_CACHE, a folder, outputs are also kept there by their keys: another
clone, or an older state of this one, finds what it once made.
"""

import hashlib
import os
import tarfile
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from arqlink import tree

KEPT_S = 30 * 24 * 3600
"""Seconds after which $ARQLINK_CACHE forgets what nobody asked for."""


def digest(*parts):
    """Hash of `parts`: files (name and content), folders (all files below), and words, in which the tree's own place does not count."""
    sha = hashlib.sha256()

    def add(name, content):
        sha.update(f"{len(name)} {len(content)} {name}".encode())
        sha.update(content)

    for part in parts:
        if not isinstance(part, Path):
            add("", str(part).replace(str(tree.ROOT), "").encode())
        elif part.is_dir():
            for path in sorted(path for path in part.rglob("*") if path.is_file() and path.suffix != ".pyc"):
                add(path.relative_to(part).as_posix(), path.read_bytes())
        else:
            add(part.name, part.read_bytes())
    return sha.hexdigest()


def is_made(output, key):
    """Whether the file `output` is there and was made from what `key` stands for. What has too long a name for a file is not."""
    record = _record(output)
    return os.path.exists(output) and record.exists() and record.read_text() == key


def made(output, key):
    """Remembers what `output` was made from."""
    record = _record(output)
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(key)


def obtain(output, key, make, beside=lambda output: []):
    """Brings the file `output` up to date, from $ARQLINK_CACHE or by `make()`; returns its path. `beside(output)`: files in its folder that come
    with it. The caller holds a lock of this output."""
    if is_made(output, key):
        return output
    folder = os.environ.get("ARQLINK_CACHE")
    stored = Path(folder) / "outputs" / key[:2] / f"{key[2:]}-{output.name}.tar.gz" if folder else None
    if not (stored and _take(stored, output.parent)):
        _record(output).unlink(missing_ok=True)
        make()
        if stored:
            _keep(stored, [output, *beside(output)])
    made(output, key)
    return output


def _record(output):
    """Not beside the output, whose folder may be the user's."""
    return tree.BUILD / "made" / hashlib.sha256(os.fsencode(os.path.abspath(output))).hexdigest()[:32]


def _take(stored, folder):
    """Unpacks what is stored; another process may be running what it replaces. What cannot be read is made again."""
    try:
        with tarfile.open(stored) as archive:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as place:
                archive.extractall(place, filter="tar")
                for path in Path(place).iterdir():
                    path.replace(folder / path.name)
        os.utime(stored)
    except (OSError, tarfile.TarError, EOFError):
        return False
    return True


def _keep(stored, files):
    """Stores files under one name, and forgets what is old. A cache that cannot be written to is none."""
    with suppress(OSError):
        stored.parent.mkdir(parents=True, exist_ok=True)
        for path in stored.parent.iterdir():
            if path.stat().st_mtime < time.time() - KEPT_S:
                path.unlink()
        partial = stored.with_name(f"{stored.name}.{os.getpid()}")
        with tarfile.open(partial, "w:gz", compresslevel=1) as archive:
            for path in files:
                archive.add(path, path.name)
        partial.replace(stored)
