# SPDX-License-Identifier: Apache-2.0
"""Runs the fault campaign: random faults between two link ends, and a check of all that they say and deliver.

`python -m arqlink.campaign --pair small:small --seed 123` repeats a run, and `--waves x.fst` shows it. sim/campaign/README.md tells what
is checked.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from arqlink import campaign_builds as builds
from arqlink.errors import UserError

CHUNK = 10
"""Seeds that one process runs; the progress moves with each of its runs."""

COMMAND = ".venv/bin/python -m arqlink.campaign"


@dataclass
class Recovery:
    """How a link got over `units` forged units: in `clocks` from the last fault on, fresh packets crossed both ways, at the last of so many
    `attempts`. `poll_timeout` is the longer POLL_TIMEOUT of both ends, in clocks."""

    units: int
    clocks: int
    round_trip: int
    poll_timeout: int
    restarts: int
    attempts: int


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
    recovery: Recovery | None = None

    def repeat(self):
        """The command that repeats the run, with waves."""
        more = f" --forge {self.forge:g}" if self.forge else f" --frames {self.frames}" if self.frames else ""
        return f"{COMMAND} --pair {self.pair} --seed {self.seed}{more} --waves x.fst"


def parse_line(pair, line, forge=0, frames=0):
    """The RunResult of one line of the program's output, or None."""
    words = line.split(" ", 11)
    if words[0] != "run" or len(words) < 11:
        return None
    numbers = [int(word) for word in words[1:9]]
    kind = words[10].strip()
    return RunResult(pair, *numbers, words[9], "" if kind == "-" else kind, words[11].strip() if len(words) > 11 else "", forge, frames)


def command_of(pair, first, count, seconds=None, waves=None, show=False, forge=0, ignore=(), frames=0, blank=False):
    """The program's command line for a range of seeds; builds what is missing."""
    names = builds.ends_of(pair)
    libraries = [builds.library(name, waves is not None) for name in names]
    command = [str(builds.program()), "--a", str(libraries[0]), "--b", str(libraries[1]), "--pair", pair]
    command += ["--seed", str(first), "--count", str(count), "--forge", str(forge), "--frames", str(frames)]
    command += [word for kind in ignore for word in ("--ignore", kind)]
    command += ["--seconds", str(max(seconds, 0))] if seconds is not None else []
    if waves:
        path = Path(waves)
        for end in "ab":
            command += [f"--waves-{end}", str(path.with_name(f"{path.stem}.{end}{path.suffix or '.fst'}"))]
    return command + ["--show"] * show + ["--blank"] * blank


def run_seeds(pair, first, count, seconds=None, waves=None, show=False, forge=0, ignore=(), on_result=None, frames=0, blank=False):
    """Runs `count` seeds from `first` on, one after the other; returns their RunResults. `blank` leaves the forged units out, and nothing else."""
    results, recovery = [], None
    command = command_of(pair, first, count, seconds, waves, show, forge, ignore, frames, blank)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("forged "):
                recovery = Recovery(*map(int, line.split()[1:]))
                continue
            result = parse_line(pair, line, forge, frames)
            if result is None:
                print(line, end="")
                continue
            result.recovery, recovery = recovery, None
            results.append(result)
            if on_result:
                on_result(result)
        said = process.stderr.read().strip()
    if process.returncode not in (0, 1):
        seed = first + len(results)
        raise UserError(f"The campaign's program ended with code {process.returncode} at pair {pair}, seed {seed}. {said}")
    return results


def run_pairs(pairs, first, runs, jobs, seconds=None, forge=0, ignore=(), on_result=None):
    """`runs` seeds of each pair, in turns, by `jobs` processes; none begins after `seconds`."""
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

    with ThreadPoolExecutor(jobs) as pool:
        for worker in [pool.submit(work) for _ in range(jobs)]:
            worker.result()
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


def report(result):
    print(f"{result.kind}: {result.text}\n  {result.repeat()}", flush=True)


def print_summary(totals):
    per_second = totals["clocks"] / max(totals["seconds"], 0.1)
    print(
        f"{totals['runs']} runs, {totals['units']} units ({totals['units_lost']} of them lost), {totals['packets']} packets, "
        f"{totals['clocks']} clocks, {totals['lives']} lives, {totals['polls']} polls, {totals['forged_units']} forged units, "
        f"{totals['seconds']} s, {per_second:.0f} clocks/s"
    )
    for pair, kinds in totals["failures_by_pair"].items():
        if kinds:
            print(f"  {pair}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    if not totals["failures"]:
        print("no failure")


def arguments():
    parser = argparse.ArgumentParser(prog="arqlink.campaign", description="Random faults between two link ends, and a check of all that follows.")
    parser.add_argument("--pair", help="one pair END:END; with --seed it is one run")
    parser.add_argument("--pairs", nargs="+", metavar="PAIR", default=builds.PAIRS, help=f"default: {' '.join(builds.PAIRS)}")
    parser.add_argument("--seed", type=int, help="first seed")
    parser.add_argument("--first", type=int, default=1, help="the same, for --runs")
    parser.add_argument("--count", type=int, help="seeds to run from --seed on")
    parser.add_argument("--runs", type=int, default=100, help="seeds of each pair")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--seconds", type=float, help="no run begins after that time")
    parser.add_argument("--forge", type=float, default=0, help="share of the runs with forged units, 0 to 1")
    parser.add_argument("--frames", type=int, default=0, help="with --seed: in place of random faults, traffic of so many frames of a unit each way")
    parser.add_argument("--ignore", nargs="*", metavar="KIND", default=(), help="kinds of failures that are known: what can go on goes on")
    parser.add_argument("--waves", help="FST file of a run; one for each end: x.a.fst and x.b.fst")
    parser.add_argument("--show", action="store_true", help="print each scenario")
    parser.add_argument("--json", action="store_true", help="print results as JSON")
    parser.add_argument("--build", action="store_true", help="build what the pairs need, and stop")
    return parser.parse_args()


def build_all(pairs, waves):
    """Builds come one after the other: each uses all cores."""
    builds.program()
    for name in dict.fromkeys(name for pair in pairs for name in builds.ends_of(pair)):
        builds.library(name, waves)


def watched(pairs, options):
    """run_pairs with a progress bar where there is a terminal."""
    total = options.runs * len(pairs)

    def tell(result):
        if result.kind and not options.json:
            report(result)

    if options.json or not sys.stdout.isatty():
        return run_pairs(pairs, options.first, options.runs, options.jobs, options.seconds, options.forge, options.ignore, on_result=tell)
    from rich.progress import Progress

    with Progress(transient=True) as progress:
        task = progress.add_task("runs", total=total)

        def step(result):
            progress.advance(task)
            if result.kind:
                progress.console.print(f"{result.kind}: {result.text}\n  {result.repeat()}", markup=False, highlight=False)

        return run_pairs(pairs, options.first, options.runs, options.jobs, options.seconds, options.forge, options.ignore, on_result=step)


def main():
    options = arguments()
    pairs = [options.pair] if options.pair else list(options.pairs)
    try:
        build_all(pairs, options.waves is not None)
        if options.build:
            return
        begin = time.monotonic()
        if options.pair and options.seed is not None:
            tell = None if options.json else lambda result: report(result) if result.kind else None
            results = run_seeds(
                options.pair,
                options.seed,
                options.count or 1,
                options.seconds,
                options.waves,
                options.show,
                options.forge,
                options.ignore,
                on_result=tell,
                frames=options.frames,
            )
        else:
            options.first = options.first if options.seed is None else options.seed
            options.runs = options.count or options.runs
            results = watched(pairs, options)
    except UserError as error:
        sys.exit(f"{error}")
    totals = summary(results, time.monotonic() - begin)
    if options.json:
        print(json.dumps(totals | {"failed": [asdict(r) | {"repeat": r.repeat()} for r in results if r.kind]}, indent=1))
    else:
        print_summary(totals)
    sys.exit(1 if totals["failures"] else 0)


if __name__ == "__main__":
    main()
