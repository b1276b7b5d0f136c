# SPDX-License-Identifier: Apache-2.0
"""`arqlink codec`: shares bit for bit as zfec and galois make them, any K restore the file whatever they are named, bad ones are named, nothing
is overwritten, errors are one sentence."""

import hashlib
import os
import struct

import numpy as np
import pytest

from arqlink.errors import UserError
from arqlink.run import codec, codec_simulator, share
from cocotb_tests.codec import golden
from tests import seeds


@pytest.fixture(scope="module", autouse=True)
def simulators():
    """Built before the tests, which look at what commands say."""
    for block in codec_simulator.DEFINES:
        codec_simulator.simulator(block)


def shares_of(content, k, n, unit, preset):
    """The n shares without their headers as the reference makes them, stripe by stripe."""
    shares = [b""] * n
    for at in range(0, len(content), k * unit):
        stripe = content[at : at + k * unit].ljust(k * unit, b"\0")
        data = [stripe[i * unit : (i + 1) * unit] for i in range(k)]
        for j, u in enumerate(golden.encode(golden.PRESETS[preset], data, n)):
            shares[j] += u
    return shares


def header(content, k, n, unit, preset, index, units):
    """A share's header by the description in docs/command_line.md."""
    fields = b"ARQSHARE" + bytes([1, ("zfec", "rfc5510", "cauchy").index(preset), k, n, index, 0, 0, 0])
    fields += struct.pack("<QQ", unit, len(content)) + hashlib.sha256(content).digest()
    return fields + hashlib.sha256(fields + units).digest()


def code_options(k, n, unit=64, preset="zfec"):
    return ["--k", k, "--n", n, "--unit", unit, "--preset", preset]


@pytest.fixture
def shares(arqlink, tmp_path):
    """Three shares of 300 bytes in s.00, s.01 and s.02, of which two restore them; the bytes."""
    content = bytes(range(250)) + bytes(50)
    (tmp_path / "in").write_bytes(content)
    assert arqlink("codec", "encode", *code_options(2, 3), "in", "s") == (0, "", "")
    return content


def damage(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("preset", golden.PRESETS)
@pytest.mark.parametrize(
    "k, n, unit, size",
    [(4, 6, 256, 5000), (10, 14, 25, 777), (1, 3, 8, 100), (32, 48, 64, 9000), (3, 3, 1024, 1), (16, 24, 4000, 70000)],
)
def test_round_trip(arqlink, tmp_path, preset, k, n, unit, size):
    rng = seeds.rng(f"{preset} {k} {n} {unit} {size}")
    content = rng.randbytes(size)
    (tmp_path / "in").write_bytes(content)
    assert arqlink("codec", "encode", *code_options(k, n, unit, preset), "in", "share") == (0, "", "")
    written = [(tmp_path / f"share.{j:02d}").read_bytes() for j in range(n)]
    expected = shares_of(content, k, n, unit, preset)
    assert written == [header(content, k, n, unit, preset, j, units) + units for j, units in enumerate(expected)]
    for used in (range(n - k, n), rng.sample(range(n), k), range(n)):
        names = [f"share.{j:02d}" for j in used]
        assert arqlink("codec", "decode", *names, "-o", "out") == (0, "", "")
        assert (tmp_path / "out").read_bytes() == content
        (tmp_path / "out").unlink()


@pytest.mark.parametrize("preset, k, n", golden.PARITY)
def test_published_values(tmp_path, preset, k, n):
    """Values that zfec, RFC 5510 and ISA-L give."""
    (tmp_path / "in").write_bytes(bytes(range(1, k + 1)))
    paths = codec.share_paths(tmp_path / "s", n)
    codec.encode(tmp_path / "in", paths, k, n, 1, list(golden.PRESETS)[preset])
    units = b"".join((tmp_path / f"s.{j:02d}").read_bytes()[share.HEADER_BYTES :] for j in range(n))
    assert units.hex() == bytes(range(1, k + 1)).hex() + golden.PARITY[preset, k, n]


def test_names_mean_nothing(arqlink, tmp_path, shares):
    """Shares with names of one's own, and with each other's."""
    assert arqlink("codec", "encode", *code_options(2, 3), "in", "a", "b", "c") == (0, "", "")
    assert (tmp_path / "b").read_bytes() == (tmp_path / "s.01").read_bytes()
    (tmp_path / "s.01").rename(tmp_path / "x")
    (tmp_path / "s.02").rename(tmp_path / "s.01")
    (tmp_path / "x").rename(tmp_path / "s.02")
    for names in (("c", "a"), ("s.01", "s.02")):
        assert arqlink("codec", "decode", *names, "-o", "out") == (0, "", "")
        assert (tmp_path / "out").read_bytes() == shares


def test_a_large_file_is_foretold(monkeypatch, capsys):
    """A GiB with much parity; the units are no more than a shape here."""

    def begun(*_, **__):
        raise UserError("It has begun.")

    monkeypatch.setattr(codec.np, "zeros", begun)
    with pytest.raises(UserError, match="It has begun"):
        codec.run("RsEncoder", 16, "zfec", 32, np.broadcast_to(np.uint8(0), (16, 1 << 26)))
    assert capsys.readouterr().err == "Simulating RsEncoder for 1073741824 bytes takes about 14.9 minutes.\n"


def test_empty_file(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(b"")
    assert arqlink("codec", "encode", *code_options(2, 3), "in", "s")[0] == 0
    assert arqlink("codec", "decode", "s.01", "s.02", "-o", "out") == (0, "", "")
    assert (tmp_path / "out").read_bytes() == b""


@pytest.mark.parametrize("at", [0, 8, 9, 12, 16, 24, 40, 64, 95, 96, -1])
def test_a_bad_share_is_named(arqlink, tmp_path, shares, at):
    """Whatever byte is wrong, in the header and behind it: it is left out where the others are enough, and refused where not."""
    damage(tmp_path / "s.00", at)
    code, out, err = arqlink("codec", "decode", "s.00", "s.01", "s.02", "-o", "out")
    assert (code, out) == (0, "") and err.startswith("'s.00' ") and err.endswith("left out.\n")
    assert (tmp_path / "out").read_bytes() == shares
    (tmp_path / "out").unlink()
    code, out, err = arqlink("codec", "decode", "s.00", "s.02", "-o", "out")
    assert (code, out) == (2, "") and "'s.00'" in err and "2 shares of a file are needed, and 1 can be used" in err
    assert not (tmp_path / "out").exists()


def test_shares_of_other_files(arqlink, tmp_path, shares):
    (tmp_path / "other").write_bytes(shares[:-1] + b"x")
    assert arqlink("codec", "encode", *code_options(2, 3), "other", "t")[0] == 0
    code, _, err = arqlink("codec", "decode", "t.00", "s.01", "s.02", "-o", "out")
    assert code == 0 and err == "'t.00' is of another file; it is left out.\n"
    assert (tmp_path / "out").read_bytes() == shares
    (tmp_path / "out").unlink()
    code, _, err = arqlink("codec", "decode", "t.00", "s.01", "-o", "out")
    assert code == 2 and "'s.01' is of another file" in err
    code, _, err = arqlink("codec", "decode", "t.00", "t.01", "s.01", "s.02", "-o", "out")
    assert code == 2 and "'t.00' and 's.01' are of different ones" in err
    assert not (tmp_path / "out").exists()


def test_the_file_that_can_be_restored_is(arqlink, tmp_path, shares):
    """Though another one has more shares here, which are too few."""
    assert arqlink("codec", "encode", *code_options(4, 5), "in", "t")[0] == 0
    code, _, err = arqlink("codec", "decode", "t.00", "t.01", "t.02", "s.01", "s.02", "-o", "out")
    assert code == 0 and err.splitlines() == [f"'t.0{i}' is of another file; it is left out." for i in range(3)]
    assert (tmp_path / "out").read_bytes() == shares


def test_a_share_given_twice(arqlink, tmp_path, shares):
    (tmp_path / "copy").write_bytes((tmp_path / "s.00").read_bytes())
    code, _, err = arqlink("codec", "decode", "s.00", "copy", "s.02", "s.02", "-o", "out")
    assert code == 0 and err.splitlines() == ["'copy' is share 0, as 's.00' is; it is left out.", "'s.02' is given twice; it is left out."]
    assert (tmp_path / "out").read_bytes() == shares
    code, _, err = arqlink("codec", "decode", "s.00", "copy", "-o", "new")
    assert code == 2 and "1 can be used; 'copy' is share 0" in err and not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda share: share[:8], "damaged"),
        (lambda share: share[:50], "damaged"),
        (lambda share: share[:-64], "damaged"),
        (lambda share: share + b"x", "damaged"),
        (lambda share: share[96:], "is no share"),
        (lambda share: b"", "is no share"),
        (lambda share: share[:8] + b"\2" + share[9:], "has share format 2, and this program reads 1"),
    ],
    ids=["first word", "header", "cut", "longer", "before headers", "empty", "later format"],
)
def test_what_is_no_share(arqlink, tmp_path, shares, change, words):
    path = tmp_path / "s.00"
    path.write_bytes(change(path.read_bytes()))
    code, _, err = arqlink("codec", "decode", "s.00", "s.02", "-o", "out")
    assert code == 2 and words in err and "'s.00'" in err and not (tmp_path / "out").exists()


@pytest.mark.parametrize(("at", "value"), [(9, 3), (10, 0), (10, 4), (12, 3), (16, 0), (16, 65), (24, 2)])
def test_a_header_that_contradicts_itself(tmp_path, shares, at, value):
    """With a good hash, as only a program that is wrong writes it."""
    content = bytearray((tmp_path / "s.01").read_bytes())
    content[at] = value
    if at == 24:
        content[25] = 0
    content[64:96] = hashlib.sha256(content[:64] + content[96:]).digest()
    with pytest.raises(share.UserError, match="contradicts itself"):
        share.unpack(bytes(content))


@pytest.mark.parametrize(("k", "n", "index"), [(4, 3, 0), (4, 4, 4), (1, 1, 1), (255, 254, 0)])
def test_a_code_that_cannot_be(k, n, index):
    """Though length and hashes are right for it."""
    units = bytes(64)
    with pytest.raises(share.UserError, match="contradicts itself"):
        share.unpack(header(bytes(64), k, n, 64, "zfec", index, units) + units)


OVERWRITING = [
    "encode --k 2 --n 3 in a b a",
    "encode --k 2 --n 3 in a b in",
    "encode --k 2 --n 3 in a b ./sub/../a",
    "encode --k 2 --n 3 in a b hard",
    "encode --k 2 --n 3 in a b soft",
    "encode --k 2 --n 3 in a new dangling",
    "encode --k 2 --n 3 in.00 in",
    "encode --k 2 --n 3 in.00 a b in.fst --waves in.fst",
    "encode --k 2 --n 3 in a b - -",
    "encode --k 2 --n 3 in a b other",
    "encode --k 2 --n 3 in s",
    "decode s.00 s.01 -o s.00",
    "decode s.00 s.01 -o share",
    "decode s.00 s.01 -o s.02",
    "decode s.00 s.01 s.02",
    "decode s.00 s.01 other",
    "decode s.00 s.01 -o out.fst --waves ./out.fst",
    "decode s.00 s.01 -o out --waves share.fst",
]


@pytest.mark.parametrize("arguments", OVERWRITING)
def test_nothing_is_overwritten(arqlink, tmp_path, shares, arguments):
    (tmp_path / "sub").mkdir()
    (tmp_path / "in.00").write_bytes(shares)
    os.link(tmp_path / "in", tmp_path / "hard")
    (tmp_path / "soft").symlink_to(tmp_path / "in")
    (tmp_path / "dangling").symlink_to("new")
    (tmp_path / "share").symlink_to("s.01")
    (tmp_path / "share.fst").symlink_to("s.02")
    (tmp_path / "other").write_bytes(b"something")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    code, out, err = arqlink("codec", *arguments.split())
    assert (code, out) == (2, "") and len(err.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_file_that_is_restored_again(arqlink, tmp_path, shares):
    """-o says what is meant: what is there and is no share is written anew."""
    for content in (b"", b"before"):
        (tmp_path / "out").write_bytes(content)
        assert arqlink("codec", "decode", "s.00", "s.02", "--output", "out") == (0, "", "")
        assert (tmp_path / "out").read_bytes() == shares


BAD = [
    ("encode --k 33 --n 34 in s", "k is 33"),
    ("encode --k 0 --n 2 in s", "k is 0"),
    ("encode --k 4 --n 3 in s", "n is 3"),
    ("encode --k 4 --n 21 in s", "n - k is 17"),
    ("encode --k 4 --n 6 --unit 0 in s", "unit is 0"),
    ("encode --k 4 --n 6 --unit 1048577 in s", "unit is 1048577"),
    ("encode --k 4 --n 6 --preset reed in s", "preset is 'reed'"),
    ("encode --k 4 --n 6 in s t", "2 output names"),
    ("encode --k 4 --n 6 missing s", "'missing' cannot be read: No such file"),
    ("encode --k 4 --n 6 . s", "'.' cannot be read: Is a directory"),
    ("encode --k 4 --n 6 in no/s", "'no/s.00' cannot be written: No such file"),
    ("encode --k 1 --n 1 in .", "'.' cannot be written: Is a directory"),
    ("encode --k 4 --n 6 in -", "cannot all go to standard output"),
    ("encode --k 4 in s", "--n"),
    ("decode out", "Name the file to write with -o"),
    ("decode in out", "Name the file to write with -o"),
    ("decode in -o out", "'in' is no share"),
    ("decode s.01 s.02 -o out", "'s.01' cannot be read: No such file"),
    ("decode in -o in/out", "'in/out' cannot be written: Not a directory"),
]


@pytest.mark.parametrize("arguments, words", BAD)
def test_errors(arqlink, tmp_path, arguments, words):
    (tmp_path / "in").write_bytes(b"0123456789")
    code, out, err = arqlink("codec", *arguments.split())
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1 and err.strip()[-1] in ".?!"
    assert not out and [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_help_has_examples(arqlink, command):
    code, out, _ = arqlink("codec", command, "--help")
    assert code == 0 and f"Example: arqlink codec {command} " in out


@pytest.mark.full  # a model of the codec that writes waves is built for it; test_pair.py has the link's
@pytest.mark.parametrize("way", ["encode", "decode"])
def test_waves(way, arqlink, tmp_path):
    """Either direction writes an FST file; its shares, or its file, are those of a run without."""
    content = bytes(range(200)) * 8
    (tmp_path / "in").write_bytes(content)
    waves = {one: ("--waves", tmp_path / "waves.fst") if one == way else () for one in ("encode", "decode")}
    arqlink("codec", "encode", *code_options(3, 5, 64, "zfec"), *waves["encode"], tmp_path / "in", tmp_path / "s")
    shares = [tmp_path / f"s.{i:02d}" for i in (1, 3, 4)]
    arqlink("codec", "decode", *waves["decode"], *shares, "-o", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == content
    assert (tmp_path / "waves.fst").stat().st_size > 1000
