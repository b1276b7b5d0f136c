# SPDX-License-Identifier: Apache-2.0
"""Files that the user names: reasons, pipes, standard streams, and what is one file under two names."""

import io
import os
import tempfile
import threading

import pytest

from arqlink import files
from arqlink.errors import UserError
from tests import seeds

from .unprivileged import unprivileged


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(b"input")
    os.link("in", "hard")
    os.symlink("in", "soft")
    os.symlink("new", "dangling")
    os.mkdir("folder")
    os.symlink("folder", "way")
    os.mkfifo("pipe")
    return tmp_path


SAME = [
    (["in"], ["in"]),
    (["./folder/../in"], ["in"]),
    (["hard"], ["in"]),
    (["soft"], ["in"]),
    (["in"], ["soft"]),
    (["new", "dangling"], []),
    (["new", "./new"], []),
    (["folder/new", "way/new"], []),
    (["pipe", "pipe"], []),
    (["-", "-"], []),
    (["new", "in"], ["other", "in"]),
]


@pytest.mark.parametrize(("outputs", "inputs"), SAME)
def test_one_file_under_two_names(folder, outputs, inputs):
    with pytest.raises(UserError, match=r"The output to .* would overwrite .*: they are the same file\."):
        files.check(outputs, inputs)
    assert (folder / "in").read_bytes() == b"input" and not (folder / "new").exists()


@pytest.mark.parametrize("name", ["share", "way/share"])
def test_a_share_is_no_output(folder, name):
    (folder / "share").write_bytes(files.SHARE + b"x")
    os.link("share", "folder/share")
    with pytest.raises(UserError, match=f"The output to '{name}' would overwrite a share"):
        files.check([name])


def test_what_can_be_written(folder):
    """Nothing is changed, and a pipe without a reader is not waited for."""
    before = sorted(os.listdir())
    files.check(["new", "folder/new", "dangling/../other", "pipe", "/dev/null", "-"], ["in", "in", "hard", "-"])
    files.check(["in"])
    assert sorted(os.listdir()) == before and (folder / "in").read_bytes() == b"input"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("no/new", "No such file or directory"),
        ("folder", "Is a directory"),
        ("", "No such file or directory"),
        ("new/", "(No such file|Is a directory)"),
        ("in/new", "Not a directory"),
        ("x" * 300, "File name too long"),
        ("/proc/new", "No such file or directory"),
    ],
)
def test_what_cannot_be_written(folder, path, why):
    with pytest.raises(UserError, match=rf"'{path}' cannot be written: {why}"):
        files.check([path])
    with pytest.raises(UserError, match=rf"'{path}' cannot be written: {why}"):
        files.write(path, b"x")


def test_what_may_not_be_written(monkeypatch):
    """In a folder that all can reach, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        monkeypatch.chdir(name)
        os.mkdir("folder")
        for path in ("in", "folder/in"):
            open(path, "wb").close()
        os.chmod("in", 0o400)
        os.chmod("folder", 0o555)
        os.mkdir("open")
        os.chmod("open", 0o777)
        os.chmod(".", 0o755)
        for path in ("in", "folder/in", "folder/new", "new"):
            refused = f"UserError: '{path}' cannot be written: Permission denied."
            assert unprivileged(lambda path=path: files.check([path])) == refused
            assert unprivileged(lambda path=path: files.write(path, b"x")) == refused
        assert unprivileged(lambda: (files.check(["open/new"]), files.write("open/new", b"x"))) == "(None, None)"


def test_full_disk():
    files.check(["/dev/full"])
    with pytest.raises(UserError, match="'/dev/full' cannot be written: No space left on device"):
        files.write("/dev/full", b"x")


@pytest.mark.parametrize(("path", "why"), [("none", "No such file or directory"), ("folder", "Is a directory"), ("in/x", "Not a directory")])
def test_what_cannot_be_read(folder, path, why):
    with pytest.raises(UserError, match=f"'{path}' cannot be read: {why}"):
        files.read(path)


def test_an_endless_input(monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    with pytest.raises(UserError, match="'/dev/zero' cannot be read: it has more than"):
        files.read("/dev/zero")


def test_pipe(folder):
    content = seeds.rng("content").randbytes(100_000)
    writer = threading.Thread(target=files.write, args=("pipe", content))
    writer.start()
    assert files.read("pipe") == content
    writer.join()


def test_standard_streams(folder, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\r\n")))
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written))
    content = files.read("-")
    files.write("-", content)
    assert content == b"\xff\r\n" == written.getvalue()
    assert not os.path.exists("-")
    (folder / "-").write_bytes(b"file")
    assert files.read("./-") == b"file"
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UserError, match="Standard input cannot be read: it is closed"):
        files.read("-")


def test_standard_input_that_is_the_output(folder, monkeypatch):
    """As in `arqlink send - F < F`."""
    with open("in") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(UserError, match="The output to 'hard' would overwrite standard input: they"):
            files.check(["hard"], ["-"])
