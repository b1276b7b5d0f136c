# SPDX-License-Identifier: Apache-2.0
"""How fast software decodes erasures on one CPU core, with a fresh pattern for each frame: ISA-L and zfec."""

import os
import random
import re
import subprocess
import time
from importlib import metadata
from pathlib import Path

from arqlink import cache, locks, tree
from arqlink.errors import UserError
from arqlink.rtl import tools

SOURCE = tree.ROOT / "sim" / "codec" / "decode_isal.c"
PROGRAM = tree.BUILD / "bench" / "decode_isal"
FRAMES = 64


def run_isal(*words):
    """Runs the benchmark of ISA-L, built where its source has changed; returns what it prints."""
    with locks.locked("bench"):
        PROGRAM.parent.mkdir(parents=True, exist_ok=True)
        key = cache.digest(SOURCE)
        if not cache.is_made(PROGRAM, key):
            tools.need("gcc")
            command = ["gcc", "-O3", "-march=native", "-Wall", "-Wextra", str(SOURCE), "-lisal", "-o", str(PROGRAM)]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode:
                raise UserError(f"The ISA-L benchmark cannot be built; is libisal-dev installed?\n{done.stderr}")
            cache.made(PROGRAM, key)
    done = subprocess.run([str(PROGRAM), *map(str, words)], check=False, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"The ISA-L benchmark failed: {done.stderr.strip()}")
    return done.stdout.strip()


def isal(k, n, unit_bytes, seconds):
    """Bytes of data units a second that ISA-L decodes."""
    return float(run_isal(k, n, unit_bytes, seconds))


def zfec_decode(k, n, unit_bytes, seconds):
    """Bytes of data units a second that zfec decodes: its C code, called from Python once a frame."""
    import zfec

    rng = random.Random(1)
    data = [[rng.randbytes(unit_bytes) for _ in range(k)] for _ in range(FRAMES)]
    encoder, decoder = zfec.Encoder(k, n), zfec.Decoder(k, n)
    coded = [encoder.encode(units) for units in data]
    patterns = []
    for i in range(16 * FRAMES):
        received = sorted(rng.sample(range(n), k))
        patterns.append((i % FRAMES, [coded[i % FRAMES][j] for j in received], received))
    for frame, units, received in patterns:
        if decoder.decode(units, received) != data[frame]:
            raise UserError("zfec decoded a frame wrongly.")
    frames, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        for _, units, received in patterns:
            decoder.decode(units, received)
        frames += len(patterns)
    return frames * k * unit_bytes / spent


def cpu(path=Path("/proc/cpuinfo")):
    """The processor's name, where the system gives it."""
    found = re.search(r"^model name\s*:\s*(.*\S)", path.read_text(), re.MULTILINE) if path.exists() else None
    return found[1] if found else "an unknown CPU"


def versions():
    """What the rates depend on."""
    return {"CPU": cpu(), "ISA-L": run_isal("--version"), "zfec": metadata.version("zfec")}


def measure(k, n, unit_bytes, seconds=1.0):
    """Both on one core, by name."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        return {"ISA-L": isal(k, n, unit_bytes, seconds), "zfec": zfec_decode(k, n, unit_bytes, seconds)}
    finally:
        os.sched_setaffinity(0, cores)
