# SPDX-License-Identifier: Apache-2.0
"""The erasure code on files, computed by the Verilated RsEncoder and RsDecoder.

A file is cut into stripes of K units of `unit` bytes, the last one filled up with zeros; share j holds unit j of each
stripe, in order, behind a header (run/share.py). Each byte position is a codeword of its own, so the RTL may see the shares in units of its own length.
"""

import hashlib
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arqlink import files, job
from arqlink.errors import UserError
from arqlink.model import prospects
from arqlink.model.link_setup import PRESETS
from arqlink.run import codec_simulator, harness, share

MOST_UNIT = 1 << 20
"""Bytes. The shortest file takes a stripe of K units, which has to fit into memory."""


def check(preset, k, n, unit):
    """Raises UserError if the build cannot do this code."""
    built = codec_simulator.limits()
    if preset not in PRESETS:
        raise UserError(f"preset is '{preset}'; it must be {', '.join(PRESETS)}.")
    if not 1 <= k <= built["max_k"]:
        raise UserError(f"k is {k}; this build has room for 1 to {built['max_k']} data units.")
    if n < k:
        raise UserError(f"n is {n}; it must be at least k, which is {k}.")
    if n - k > built["max_parity"]:
        raise UserError(f"n - k is {n - k}; this build has room for {built['max_parity']} parity units.")
    if not 1 <= unit <= MOST_UNIT:
        raise UserError(f"unit is {unit}; it must be 1 to {MOST_UNIT} bytes.")


def share_paths(prefix, n):
    """The names of n shares: prefix.00, prefix.01 …"""
    return [f"{prefix}.{j:02d}" for j in range(n)]


@dataclass
class Watch:
    """How a run may be watched: `progress(done, total)` is called now and then, `waves` is an FST file to write."""

    progress: Callable | None = None
    waves: Path | str | None = None

    @property
    def outputs(self):
        return [self.waves] if self.waves else []


def run(block, k, preset, shape, units, watch=Watch()):
    """Pushes units through a block. `units`: array (K, length) of bytes; returns an array (units out, length)."""
    length = units.shape[1]
    if not length:
        return np.zeros((shape if block == "RsEncoder" else k, 0), dtype=np.uint8)
    unit_bytes = codec_simulator.limits()["unit_bytes"]
    frames = -(-length // unit_bytes)
    beats = frames * (shape if block == "RsEncoder" else k) * unit_bytes / codec_simulator.limits()["data_bytes"]
    prospects.foretell(beats / prospects.CLOCKS_PER_S, f"{block} for {length * k} bytes")
    padded = np.zeros((k, frames * unit_bytes), dtype=np.uint8)
    padded[:, :length] = units
    stream = padded.reshape(k, frames, unit_bytes).transpose(1, 0, 2).tobytes()
    program = codec_simulator.simulator(block, waves=watch.waves is not None)
    asked = {"preset": PRESETS.index(preset), "k": k, "shape": shape, "unit_bytes": unit_bytes, "frames": frames, "waves": job.file_name(watch.waves)}
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
        source.write(stream)
        source.seek(0)
        with subprocess.Popen([program, job.text(asked)], stdin=source, stdout=sink, stderr=subprocess.PIPE, text=True) as process:
            said = job.follow(process, harness.listener(watch.progress))
        if process.returncode:
            raise UserError(f"The simulation of {block} failed: {said}")
        sink.seek(0)
        out = np.frombuffer(sink.read(), dtype=np.uint8).reshape(frames, -1, unit_bytes).transpose(1, 0, 2)
    return out.reshape(out.shape[0], -1)[:, :length]


def encode(in_path, out_paths, k, n, unit, preset, watch=Watch()):
    """Writes the N shares of a file.

    Args:
        in_path: file of any length, empty as well.
        out_paths: N paths, share j to the j-th.
        k, n: units in a stripe that hold data, and in all.
        unit: length of a unit in bytes.
        preset: zfec, rfc5510 or cauchy.
    """
    check(preset, k, n, unit)
    if len(out_paths) != n:
        raise UserError(f"n is {n}, but {len(out_paths)} output names are given.")
    files.check([*out_paths, *watch.outputs], [in_path])
    files.check_new(out_paths)
    content = files.read(in_path)
    encoding = share.Encoding(preset, k, n, unit, len(content), hashlib.sha256(content).digest())
    stripes = encoding.share_bytes // unit
    data = np.zeros(stripes * k * unit, dtype=np.uint8)
    data[: len(content)] = np.frombuffer(content, dtype=np.uint8)
    units = data.reshape(stripes, k, unit).transpose(1, 0, 2).reshape(k, stripes * unit)
    for index, (path, row) in enumerate(zip(out_paths, run("RsEncoder", k, preset, n, units, watch), strict=True)):
        files.write(path, share.pack(encoding, index, row.tobytes()))


def decode(paths, out_path, watch=Watch()):
    """Restores a file from K or more of its shares; returns sentences about the shares that are left out, which may be bad or of another file. Of
    more than K good ones those with the lowest indices are used."""
    files.check([out_path, *watch.outputs], paths)
    encoding, shares, left_out = share.choose((files.label(path, "standard input"), files.read(path)) for path in paths)
    check(encoding.preset, encoding.k, encoding.n, encoding.unit)
    used = sorted(shares)[: encoding.k]
    units = np.stack([np.frombuffer(shares[index], dtype=np.uint8) for index in used])
    data = run("RsDecoder", encoding.k, encoding.preset, sum(1 << index for index in used), units, watch)
    stripes = encoding.share_bytes // encoding.unit
    content = data.reshape(encoding.k, stripes, encoding.unit).transpose(1, 0, 2).tobytes()[: encoding.size]
    if hashlib.sha256(content).digest() != encoding.sha256:
        raise UserError("The restored file is not the encoded one: its SHA-256 is another.")
    files.write(out_path, content)
    return left_out
