# SPDX-License-Identifier: Apache-2.0
"""Jobs of the C++ programs: JSON in, JSON out (sim/job)."""

import dataclasses
import json
import os
import subprocess
import tempfile
from contextlib import contextmanager

from arqlink.errors import UserError


def file_name(path):
    """The name of a file, which is bytes, as JSON has it: each of them is a character. None: there is no file."""
    return None if path is None else os.fsencode(path).decode("latin-1")


def text(job):
    """A job, of dicts, dataclasses and their like, on one line."""
    return json.dumps(job, default=_plain, allow_nan=False)


def _plain(record):
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


@contextmanager
def given(job):
    """A file with a job, for a program's standard input."""
    with tempfile.TemporaryFile() as file:
        file.write(text(job).encode())
        file.seek(0)
        yield file


def run(program, job, take=lambda line: False):
    """What a program answers to a job. `take(line)`: what it says on standard error, as it comes; the rest, for which it returns False, is what a
    UserError says."""
    # Standard output is a file: a pipe, which nobody reads while standard error is read, would hold up the program once it is full.
    with given(job) as asked, tempfile.TemporaryFile("w+") as printed:
        options = {"text": True, "errors": "surrogateescape"}
        with subprocess.Popen([program], stdin=asked, stdout=printed, stderr=subprocess.PIPE, **options) as process:
            said = follow(process, take)
        printed.seek(0)
        output = printed.read()
    if process.returncode:  # what an assertion says is on standard output
        words = " ".join(filter(None, [*output.splitlines(), said]))
        raise UserError(words or f"The simulator ended with code {process.returncode}.")
    return json.loads(output)


def follow(process, take):
    """Reads a program's standard error to its end, as `run` does; returns what `take` has left, on one line."""
    try:
        other = [line.strip() for line in process.stderr if not take(line)]
    except BaseException:
        process.kill()
        raise
    return " ".join(filter(None, other))
