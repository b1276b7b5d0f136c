# SPDX-License-Identifier: Apache-2.0
"""Runs of the fault campaign: its program on seeds of pairs of link ends, and what it reports."""

import json
import subprocess
import tempfile
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from arqlink import job
from arqlink.campaign import builds
from arqlink.errors import UserError

CHUNK = 10
"""Seeds that one process runs; the progress moves with each of its runs."""

COMMAND = ".venv/bin/arqlink campaign run"


@dataclass
class Recovery:
    """How a link got over `units` forged units: in `clocks` from the last fault on, fresh packets crossed both ways, at the last of so many
    `attempts`. `poll_timeout` is the longer POLL_TIMEOUT of both ends, in clocks. The units came in so many `shots`. The run has looked at the registers
    every `look` clocks."""

    units: int
    clocks: int
    round_trip: int
    poll_timeout: int
    restarts: int
    attempts: int
    shots: int = 1
    look: int = 0


@dataclass
class RunResult:
    """A run as the program reports it; `kind` is empty where nothing is wrong."""

    pair: str
    seed: int
    clocks: int
    units: int
    packets: int
    lives: int
    polls: int
    early_polls: int
    lost: int
    digest: str
    kind: str
    text: str

    forge: float = 0
    frames: int = 0
    ignore: tuple[str, ...] = ()
    recovery: Recovery | None = None
    sent: list[int] = field(default_factory=list)
    """With `frames`: frames and transmissions of A, and of B."""

    def repeat(self):
        """The command that repeats the run, with waves."""
        more = f" --forge {self.forge:g}" if self.forge else f" --frames {self.frames}" if self.frames else ""
        known = "".join(f" --ignore {kind}" for kind in self.ignore)
        return f"{COMMAND} --pair {self.pair} --seed {self.seed} --runs 1{more}{known} --waves x.fst"


def result_of(pair, run, forge=0.0, frames=0, ignore=()):
    """The RunResult of what the program says of a run."""
    recovery = run.get("recovery")
    more = {"forge": forge, "frames": frames, "ignore": tuple(ignore), "recovery": Recovery(**recovery) if recovery else None}
    return RunResult(pair, **run | more)


def job_of(pair, first, count, seconds=None, waves=None, show=False, forge=0.0, ignore=(), frames=0, blank=False):
    """The program's job for a range of seeds; builds what is missing."""
    ends = builds.ends_of(pair)
    libraries = [job.file_name(builds.library(name, waves is not None)) for name in ends]
    asked = {"libraries": libraries, "pair": pair, "first_sn": builds.first_sn(ends[0]), "seed": first, "count": count, "seconds": seconds}
    asked |= {"forge": forge, "ignore": ignore, "frames": frames, "show": show, "blank": blank}
    if waves:
        path = Path(waves)
        asked["waves"] = [job.file_name(path.with_name(f"{path.stem}.{end}{path.suffix or '.fst'}")) for end in "ab"]
    return asked


def found(asked):
    """What the program says of each run of a job, as it comes."""
    runs = 0
    # A pipe of errors, which nobody reads meanwhile, would hold up the program once it is full.
    with job.given(asked) as given, tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen([builds.program()], stdin=given, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            assert process.stdout
            for line in process.stdout:
                run = json.loads(line)
                runs += "kind" in run
                yield run
        errors.seek(0)
        said = errors.read().strip()
    if process.returncode not in (0, 1):
        raise UserError(f"The campaign's program ended with code {process.returncode} at pair {asked['pair']}, seed {asked['seed'] + runs}. {said}")


def run_seeds(pair, first, count, seconds=None, waves=None, show=False, forge=0.0, ignore=(), on_result=None, frames=0, blank=False):
    """Runs `count` seeds from `first` on, one after the other; returns their RunResults. `blank` leaves the forged units out, and nothing else."""
    results = []
    for run in found(job_of(pair, first, count, seconds, waves, show, forge, ignore, frames, blank)):
        if "scenario" in run:
            print("scenario", run["scenario"])
            continue
        results.append(result_of(pair, run, forge, frames, ignore))
        if on_result:
            on_result(results[-1])
    return results


def run_pairs(pairs, first, runs, workers, seconds=None, forge=0.0, ignore=(), on_result=None):
    """`runs` seeds of each pair, in turns, by `workers` processes; none begins after `seconds`."""
    begin = time.monotonic()
    chunks = deque()
    for offset in range(0, runs, CHUNK):
        chunks.extend((pair, first + offset, min(CHUNK, runs - offset)) for pair in pairs)
    results = []

    def work():
        while chunks:
            left = None if seconds is None else seconds - (time.monotonic() - begin)
            if left is not None and left <= 0:
                return
            try:
                pair, seed, count = chunks.popleft()
            except IndexError:
                return
            results.extend(run_seeds(pair, seed, count, left, forge=forge, ignore=ignore, on_result=on_result))

    with ThreadPoolExecutor(workers) as pool:
        for running in [pool.submit(work) for _ in range(workers)]:
            running.result()
    return sorted(results, key=lambda r: (pairs.index(r.pair), r.seed))


def summary(results, seconds):
    """What all runs together came to."""

    def total(name):
        return sum(getattr(result, name) for result in results)

    failures = Counter(result.kind for result in results if result.kind)
    return {
        "runs": len(results),
        "clocks": total("clocks"),
        "units": total("units"),
        "packets": total("packets"),
        "units_lost": total("lost"),
        "lives": total("lives"),
        "polls": total("polls"),
        "forged_units": sum(result.recovery.units for result in results if result.recovery),
        "known_failures": dict(Counter(r.text.split(": ")[0].removeprefix("known, ") for r in results if not r.kind and r.text.startswith("known"))),
        "silent_losses_by_sequences": sum(1 for r in results if not r.kind and r.text and not r.text.startswith("known")),
        "seconds": round(seconds, 1),
        "failures": dict(failures.most_common()),
        "failures_by_pair": {pair: dict(Counter(r.kind for r in results if r.kind and r.pair == pair)) for pair in dict.fromkeys(r.pair for r in results)},
    }
