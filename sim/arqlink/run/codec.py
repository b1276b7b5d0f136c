# SPDX-License-Identifier: Apache-2.0
"""The erasure code on files, computed by the Verilated RsEncoder and RsDecoder.

A file is cut into stripes of K units of `unit` bytes, the last one filled up with zeros; share j holds unit j of each
stripe, in order. Each byte position is a codeword of its own, so the RTL may see the shares in units of its own length.
"""

import hashlib
import json
import re
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arqlink.report.progress import busy
from arqlink.run import codec_simulator, harness

PRESETS = {"zfec": 0, "rfc5510": 1, "cauchy": 2}
SIDECAR_FIELDS = ("k", "n", "unit", "preset")


def check(k, n, unit, preset):
    """Raises ValueError with a sentence if the build cannot do this code."""
    built = codec_simulator.limits()
    if preset not in PRESETS:
        raise ValueError(f"preset is '{preset}'; it must be {', '.join(PRESETS)}.")
    if not 1 <= k <= built["max_k"]:
        raise ValueError(f"k is {k}; this build has room for 1 to {built['max_k']} data units.")
    if n < k:
        raise ValueError(f"n is {n}; it must be at least k, which is {k}.")
    if n - k > built["max_parity"]:
        raise ValueError(f"n - k is {n - k}; this build has room for {built['max_parity']} parity units.")
    if unit < 1:
        raise ValueError(f"unit is {unit}; it must be at least 1 byte.")


def share_index(path):
    """Index of a share from the suffix of its name, or ValueError."""
    match = re.fullmatch(r"\.(\d+)", Path(path).suffix)
    if not match:
        raise ValueError(f"The name '{path}' does not end in a share index such as .03; give the indices with --index.")
    return int(match[1])


def share_paths(prefix, n):
    """The names of n shares: prefix.00, prefix.01 …"""
    return [Path(f"{prefix}.{j:02d}") for j in range(n)]


def sidecar_path(share):
    """Where the description of a set of shares is kept: the share's name without its index, plus .json."""
    share = Path(share)
    bare = share.with_suffix("") if re.fullmatch(r"\.\d+", share.suffix) else share
    return bare.with_name(bare.name + ".json")


@dataclass
class Watch:
    """How a run may be watched: `progress(done, total)` is called now and then, `waves` is an FST file to write."""

    progress: Callable | None = None
    waves: Path | None = None


def run(block, k, preset, shape, units, watch=Watch()):
    """Pushes units through a block. `units`: array (K, length) of bytes; returns an array (units out, length)."""
    length = units.shape[1]
    if not length:
        return np.zeros((shape if block == "RsEncoder" else k, 0), dtype=np.uint8)
    unit_bytes = codec_simulator.limits()["unit_bytes"]
    frames = -(-length // unit_bytes)
    padded = np.zeros((k, frames * unit_bytes), dtype=np.uint8)
    padded[:, :length] = units
    stream = padded.reshape(k, frames, unit_bytes).transpose(1, 0, 2).tobytes()
    with busy(f"Building the simulator of {block} …"):
        program = codec_simulator.simulator(block, waves=watch.waves is not None)
    words = [program, PRESETS[preset], k, shape, unit_bytes, frames] + ([watch.waves] if watch.waves else [])
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
        source.write(stream)
        source.seek(0)
        with subprocess.Popen([str(w) for w in words], stdin=source, stdout=sink, stderr=subprocess.PIPE, text=True) as process:
            said = harness.follow(process, watch.progress)
        if process.returncode:
            raise RuntimeError(f"The simulation of {block} failed: {said}")
        sink.seek(0)
        out = np.frombuffer(sink.read(), dtype=np.uint8).reshape(frames, -1, unit_bytes).transpose(1, 0, 2)
    return out.reshape(out.shape[0], -1)[:, :length]


def encode(in_path, out_paths, k, n, unit, preset, watch=Watch()):
    """Writes the N shares of a file, and a sidecar with what decoding needs; returns the sidecar's path.

    Args:
        in_path: file of any length, empty as well.
        out_paths: N paths, share j to the j-th.
        k, n: units in a stripe that hold data, and in all.
        unit: length of a unit in bytes.
        preset: zfec, rfc5510 or cauchy.
    """
    check(k, n, unit, preset)
    if len(out_paths) != n:
        raise ValueError(f"n is {n}, but {len(out_paths)} output names are given.")
    content = Path(in_path).read_bytes()
    stripes = -(-len(content) // (k * unit))
    data = np.zeros(stripes * k * unit, dtype=np.uint8)
    data[: len(content)] = np.frombuffer(content, dtype=np.uint8)
    units = data.reshape(stripes, k, unit).transpose(1, 0, 2).reshape(k, stripes * unit)
    for path, share in zip(out_paths, run("RsEncoder", k, preset, n, units, watch), strict=True):
        Path(path).write_bytes(share.tobytes())
    sidecar = sidecar_path(out_paths[0])
    facts = {"size": len(content), "k": k, "n": n, "unit": unit, "preset": preset}
    facts["sha256"] = hashlib.sha256(content).hexdigest()
    sidecar.write_text(json.dumps(facts, indent=2) + "\n")
    return sidecar


def decode(share_paths, out_path, k, n, unit, preset, indices=None, size=None, watch=Watch()):
    """Restores a file from K of its N shares.

    Args:
        share_paths: K or more shares; of more than K those with the lowest indices are used.
        indices: index of each share; None: from the names' suffixes.
        size: length of the file in bytes; None: from the sidecar, and without one the padding is kept, with a warning.

    Raises:
        ValueError: shares are too few, of unlike or odd length, named twice, or contradict the sidecar.
    """
    check(k, n, unit, preset)
    indices = [share_index(p) for p in share_paths] if indices is None else list(indices)
    if len(indices) != len(share_paths):
        raise ValueError(f"{len(indices)} indices are given for {len(share_paths)} shares.")
    if len(set(indices)) != len(indices):
        raise ValueError("A share index is given twice.")
    if any(not 0 <= i < n for i in indices):
        raise ValueError(f"A share index is not within 0 to {n - 1}.")
    if len(indices) < k:
        raise ValueError(f"{len(indices)} shares are given, but k is {k}.")
    facts = _sidecar(share_paths[0], dict(k=k, n=n, unit=unit, preset=preset))
    size = facts.get("size") if size is None else size

    used = sorted(zip(indices, share_paths, strict=True))[:k]
    contents = [Path(path).read_bytes() for _, path in used]
    length = len(contents[0])
    if any(len(c) != length for c in contents):
        raise ValueError("The shares are not equally long.")
    if length % unit:
        raise ValueError(f"The shares are {length} bytes long, which is not a multiple of the unit ({unit}).")
    if size is not None and not 0 <= size <= k * length:
        raise ValueError(f"The size is {size} bytes, but the shares hold {k * length}.")

    units = np.stack([np.frombuffer(c, dtype=np.uint8) for c in contents])
    data = run("RsDecoder", k, preset, sum(1 << i for i, _ in used), units, watch)
    content = data.reshape(k, length // unit, unit).transpose(1, 0, 2).tobytes()
    if size is None:
        warnings.warn("The file's length is not known, so the zeros that fill its last stripe are kept.", stacklevel=2)
    content = content[:size]
    if "sha256" in facts and hashlib.sha256(content).hexdigest() != facts["sha256"]:
        raise ValueError("The restored file is not the encoded one: a share is damaged or its index is wrong.")
    Path(out_path).write_bytes(content)


def _sidecar(share, given):
    """The sidecar's facts, {} if there is none; they must agree with the code that is given."""
    path = sidecar_path(share)
    if not path.is_file():
        return {}
    try:
        facts = json.loads(path.read_text())
    except ValueError:
        raise ValueError(f"'{path}' is not JSON.") from None
    if not isinstance(facts, dict):
        raise ValueError(f"'{path}' does not describe shares.")
    for name in SIDECAR_FIELDS:
        if facts.get(name, given[name]) != given[name]:
            raise ValueError(f"{name} is {given[name]}, but '{path}' says {facts[name]}.")
    return facts
