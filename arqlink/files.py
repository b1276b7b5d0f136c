# SPDX-License-Identifier: Apache-2.0
"""Files that the user names. `-` is standard input or output, and a pipe is read or written once, from its beginning. What cannot be done is a
UserError with the system's reason."""

import errno
import os
import stat
import sys
import tempfile

from arqlink.errors import UserError

STANDARD = "-"
SHARE = b"ARQSHARE"
"""A share begins with it: arqlink.run.share."""
MOST_BYTES = 1 << 30
"""More would take days to simulate, and an endless input, such as /dev/zero, ends somewhere."""


def label(path, standard):
    """The name of a file in a sentence; `standard`: that of the stream which `-` stands for."""
    return standard if os.fspath(path) == STANDARD else f"'{path}'"


def read(path):
    """All bytes of an input."""
    name = label(path, "Standard input")
    try:
        if os.fspath(path) == STANDARD:
            content = _stream(sys.stdin).read(MOST_BYTES + 1)
        else:
            with open(path, "rb") as handle:
                content = handle.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{name} cannot be read: {error.strerror}.") from None
    if len(content) > MOST_BYTES:
        raise UserError(f"{name} cannot be read: it has more than {MOST_BYTES >> 30} GiB.")
    return content


def write(path, content):
    """Writes the bytes of an output, in place of what it held."""
    try:
        if os.fspath(path) == STANDARD:
            _stream(sys.stdout).write(content)
            sys.stdout.flush()
        else:
            with open(path, "wb") as handle:
                handle.write(content)
    except OSError as error:
        raise UserError(f"{label(path, 'Standard output')} cannot be written: {error.strerror}.") from None


def attempt(write):
    """The errors of a write that comes after a run: its results are printed all the same, and then give_up() tells."""
    try:
        write()
    except UserError as error:
        return [error]
    return []


def give_up(errors):
    """One UserError for those that attempt() has met."""
    if errors:
        raise UserError(" ".join(map(str, errors)))


def check(outputs, inputs=()):
    """Refuses an output that cannot be written, that is the same file as an input or another output, whatever their names, or that holds a share of
    `arqlink codec`: a name too many, or too few, must not cost one. It changes nothing: called before a run it keeps hours of simulation from being lost,
    and files from being overwritten. Standard input is one input."""
    if [os.fspath(path) for path in inputs].count(STANDARD) > 1:
        raise UserError("Two inputs are -; standard input can be read once.")
    known = {_identity(path, sys.stdin): label(path, "standard input") for path in inputs}
    for path in outputs:
        name, identity = label(path, "standard output"), _identity(path, sys.stdout)
        if identity in known:
            raise UserError(f"The output to {name} would overwrite {known[identity]}: they are the same file.")
        known[identity] = name
        try:
            _try_to_write(path)
        except OSError as error:
            raise UserError(f"{label(path, 'Standard output')} cannot be written: {error.strerror}.") from None
        if _begins_with(path, SHARE):
            raise UserError(f"The output to {name} would overwrite a share of 'arqlink codec'; remove it first if it is of no use.")


def check_new(outputs):
    """Refuses outputs that are there and hold something: for names that come in a row, of which one may be meant as an input."""
    for path in outputs:
        if os.fspath(path) != STANDARD and os.path.isfile(path) and os.path.getsize(path):
            raise UserError(f"The output to '{path}' would overwrite it; remove it first, or give another name.")


def _begins_with(path, content):
    if os.fspath(path) == STANDARD or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as handle:
            return handle.read(len(content)) == content
    except OSError:  # who may not read it may have the right to write
        return False


def _stream(standard):
    """The bytes of a standard stream, which may have been closed."""
    if standard is None:
        raise OSError(errno.EBADF, "it is closed")
    return standard.buffer


def _identity(path, standard):
    """Equal for two names of one file, which need not be there."""
    try:
        if os.fspath(path) != STANDARD:
            status = os.stat(path)
        elif standard is not None and stat.S_ISREG(os.fstat(standard.fileno()).st_mode):
            status = os.fstat(standard.fileno())
        else:
            return standard
    except OSError:
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _try_to_write(path):
    """Raises OSError where it could not be written. A pipe is not opened: that would wait for its reader, and then end what it reads."""
    if os.fspath(path) == STANDARD:
        _stream(sys.stdout)
        return
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not os.path.basename(path):
            raise
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
            return
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        os.close(os.open(path, os.O_WRONLY))
    elif not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
