# SPDX-License-Identifier: Apache-2.0
"""`arqlink codec`: shares bit for bit as zfec and galois make them, any K restore the file, errors are one sentence."""

import json
import random

import pytest

from arqlink.run import codec
from cocotb_tests.codec import golden


def shares_of(content, k, n, unit, preset):
    """The n shares as the reference makes them, stripe by stripe."""
    shares = [b""] * n
    for at in range(0, len(content), k * unit):
        stripe = content[at : at + k * unit].ljust(k * unit, b"\0")
        data = [stripe[i * unit : (i + 1) * unit] for i in range(k)]
        for j, u in enumerate(golden.encode(golden.PRESETS[preset], data, n)):
            shares[j] += u
    return shares


def code_options(k, n, unit, preset):
    return ["--k", k, "--n", n, "--unit", unit, "--preset", preset]


@pytest.mark.parametrize("preset", golden.PRESETS)
@pytest.mark.parametrize(
    "k, n, unit, size",
    [(4, 6, 256, 5000), (10, 14, 25, 777), (1, 3, 8, 100), (32, 48, 64, 9000), (3, 3, 1024, 1), (16, 24, 4000, 70000)],
)
def test_round_trip(arqlink, tmp_path, preset, k, n, unit, size):
    rng = random.Random(f"{preset} {k} {n} {unit} {size}")
    content = rng.randbytes(size)
    (tmp_path / "in").write_bytes(content)
    code, out, err = arqlink("codec", "encode", *code_options(k, n, unit, preset), "in", "share")
    assert (code, out, err) == (0, "share.json\n", "")
    shares = [(tmp_path / f"share.{j:02d}").read_bytes() for j in range(n)]
    assert shares == shares_of(content, k, n, unit, preset)
    for used in (range(n - k, n), rng.sample(range(n), k), range(n)):
        names = [f"share.{j:02d}" for j in used]
        code, out, err = arqlink("codec", "decode", *code_options(k, n, unit, preset), *names, "out")
        assert (code, out, err) == (0, "", "")
        assert (tmp_path / "out").read_bytes() == content
        (tmp_path / "out").unlink()


@pytest.mark.parametrize("preset, k, n", golden.PARITY)
def test_published_values(tmp_path, preset, k, n):
    """Values that zfec, RFC 5510 and ISA-L give."""
    (tmp_path / "in").write_bytes(bytes(range(1, k + 1)))
    paths = codec.share_paths(tmp_path / "s", n)
    codec.encode(tmp_path / "in", paths, k, n, 1, list(golden.PRESETS)[preset])
    assert b"".join(p.read_bytes() for p in paths).hex() == bytes(range(1, k + 1)).hex() + golden.PARITY[preset, k, n]


def test_names_and_indices(arqlink, tmp_path):
    """Names of one's own, --index, --size, and what happens without the length."""
    content = bytes(range(250)) * 3
    (tmp_path / "in").write_bytes(content)
    options = code_options(2, 3, 100, "cauchy")
    assert arqlink("codec", "encode", *options, "in", "a", "b", "c")[0] == 0
    facts = json.loads((tmp_path / "a.json").read_text())
    assert (facts["size"], facts["k"], facts["n"], facts["unit"], facts["preset"]) == (750, 2, 3, 100, "cauchy")
    (tmp_path / "a.json").unlink()
    assert arqlink("codec", "decode", *options, "--index", "2,0", "--size", 750, "c", "a", "out") == (0, "", "")
    assert (tmp_path / "out").read_bytes() == content
    code, out, err = arqlink("codec", "decode", *options, "--index", "2,1", "c", "b", "out")
    assert (code, out) == (0, "") and "length is not known" in err
    assert (tmp_path / "out").read_bytes() == content + bytes(50)


def test_empty_file(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(b"")
    options = code_options(2, 3, 64, "zfec")
    assert arqlink("codec", "encode", *options, "in", "s")[0] == 0
    assert arqlink("codec", "decode", *options, "s.01", "s.02", "out") == (0, "", "")
    assert (tmp_path / "out").read_bytes() == b""


def test_damaged_share(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(bytes(300))
    options = code_options(2, 3, 64, "rfc5510")
    assert arqlink("codec", "encode", *options, "in", "s")[0] == 0
    share = bytearray((tmp_path / "s.02").read_bytes())
    share[5] ^= 1
    (tmp_path / "s.02").write_bytes(share)
    code, _, err = arqlink("codec", "decode", *options, "s.01", "s.02", "out")
    assert code == 2 and "damaged" in err and not (tmp_path / "out").exists()


BAD = [
    ("encode --k 33 --n 34 in s", "k is 33"),
    ("encode --k 0 --n 2 in s", "k is 0"),
    ("encode --k 4 --n 3 in s", "n is 3"),
    ("encode --k 4 --n 21 in s", "n - k is 17"),
    ("encode --k 4 --n 6 --unit 0 in s", "unit is 0"),
    ("encode --k 4 --n 6 --preset reed in s", "preset is 'reed'"),
    ("encode --k 4 --n 6 in s t", "2 output names"),
    ("encode --k 4 --n 6 missing s", "missing"),
    ("encode --k 4 in s", "--n"),
    ("decode --k 2 --n 3 out", "shares first"),
    ("decode --k 2 --n 3 s.00 out", "k is 2"),
    ("decode --k 2 --n 3 s.00 s.00 out", "twice"),
    ("decode --k 2 --n 3 s.00 s.03 out", "0 to 2"),
    ("decode --k 2 --n 3 s.00 in out", "--index"),
    ("decode --k 2 --n 3 --index 0,x s.00 s.01 out", "0,x"),
    ("decode --k 2 --n 3 --index 0 s.00 s.01 out", "1 indices"),
    ("decode --k 2 --n 3 --unit 7 --index 0,1 in in out", "multiple of the unit"),
    ("decode --k 2 --n 3 --unit 5 --index 0,1 --size 21 in in out", "21 bytes"),
    ("decode --k 2 --n 3 --unit 5 --index 0,1 in other out", "equally long"),
    ("decode --k 2 --n 3 s.01 s.02 out", "s.01"),
]


@pytest.mark.parametrize("arguments, words", BAD)
def test_errors(arqlink, tmp_path, arguments, words):
    (tmp_path / "in").write_bytes(b"0123456789")
    (tmp_path / "other").write_bytes(b"01234")
    code, out, err = arqlink("codec", *arguments.split())
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1 and err.strip()[-1] in ".?!"
    assert not out and not (tmp_path / "out").exists()


def test_sidecar_contradicts(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(b"0123456789")
    assert arqlink("codec", "encode", *code_options(2, 3, 64, "zfec"), "in", "s")[0] == 0
    code, _, err = arqlink("codec", "decode", *code_options(2, 3, 64, "cauchy"), "s.00", "s.01", "out")
    assert code == 2 and "preset is cauchy" in err and "zfec" in err


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_help_has_examples(arqlink, command):
    code, out, _ = arqlink("codec", command, "--help")
    assert code == 0 and f"arqlink codec {command} --k" in out


def test_waves(arqlink, tmp_path):
    """Both directions write an FST file; the shares are those of a run without."""
    content = bytes(range(200)) * 8
    (tmp_path / "in").write_bytes(content)
    code = code_options(3, 5, 64, "zfec")
    arqlink("codec", "encode", *code, "--waves", tmp_path / "encode.fst", tmp_path / "in", tmp_path / "s")
    shares = [tmp_path / f"s.{i:02d}" for i in (1, 3, 4)]
    arqlink("codec", "decode", *code, "--waves", tmp_path / "decode.fst", *shares, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == content
    for name in ("encode.fst", "decode.fst"):
        assert (tmp_path / name).stat().st_size > 1000
