# SPDX-License-Identifier: Apache-2.0
"""One point: long-lived TCP connections over a link with all its settings, simulated with several seeds beside the model of RR-4752.

The path is that of RR-4752, Fig. 2: senders, wired links of 10 Mb/s and 20 ms, a queue of 500 packets, the link, and a wired link to the receiver;
acknowledgements go back the same way. They and the link's own feedback are not lost.
"""

import math
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup
from arqlink.model.tcp import TcpOverLink
from arqlink.rtl import verilated_end
from arqlink.tcp import builds

OWN = "reno"
"""NewReno without SACK, by RFC 5681 and 6582 (sim/tcp/reno.h)."""
VARIANTS = (OWN, "NewReno", "Hybla", "Vegas", "WestwoodPlus", "Cubic", "Bbr")
"""The others are those of ns-3, with SACK."""
LINKS = ("event", "rtl")
ACCESS_MBPS, ACCESS_MS = 10.0, 20.0
WINDOW_PACKETS, QUEUE_PACKETS = 2000, 500
ACK_BYTES = 40


@dataclass(frozen=True)
class Point:
    """`setup` has the link; `link` is the model that carries the packets. `seconds` are measured after `warm_up` seconds."""

    setup: LinkSetup
    connections: int = 10
    variant: str = OWN
    link: str = "event"
    seconds: float = 200.0
    warm_up: float = 20.0

    def __post_init__(self):
        if self.connections < 1:
            raise UserError(f"The number of connections is {self.connections}; it must be 1 or more.")
        if self.variant not in VARIANTS:
            raise UserError(f"The TCP variant is '{self.variant}'; it must be one of {', '.join(VARIANTS)}.")
        if self.link not in LINKS:
            raise UserError(f"The link is '{self.link}'; it must be {' or '.join(LINKS)}.")
        if not (0 < self.seconds < math.inf and 0 <= self.warm_up < math.inf):
            raise UserError(f"The time is {self.seconds:g} s after {self.warm_up:g} s; the first must be above 0, the second 0 or more.")

    def erasures(self):
        """The erasure process from A to B, as the simulator reads it. The two states of a Gilbert-Elliott chain last for a time there."""
        process = self.setup.loss
        if isinstance(process, loss.Bernoulli):
            return f"bernoulli {process.p!r}"
        _, bad = process.stationary()
        if not 0 < bad < 1:
            return f"bernoulli {process.mean()!r}"
        return f"markov {process.p_good!r} {process.p_bad!r} {self.setup.unit_clocks / process.p_bg!r} {float(bad)!r}"

    def job(self, seed, library=None):
        """What `tcp_run` reads."""
        s, limits, timers = self.setup, self.setup.limits, self.setup.timers
        values = [
            s.k,
            s.n,
            s.nr,
            s.arq_delta,
            s.ord,
            1,
            *(timers[t] for t in ("POLL_TIMEOUT", "HELLO_INTERVAL", "KEEPALIVE", "OUTAGE_TIMEOUT", "STATUS_INTERVAL")),
        ]
        end = " ".join(map(str, values))
        delay = max(1, s.delay_clocks)
        build = [limits[name] for name in ("data_bytes", "unit_bytes", "window_frames", "max_packet_bytes", "max_k", "max_parity")]
        return "\n".join(
            [
                f"model {self.link}", *([f"library {library}"] if library else []), f"build {' '.join(map(str, build))}", f"delay {delay} {delay}",
                f"end A {end}", f"end B {end}", f"erasures A {self.erasures()}", "erasures B bernoulli 0", f"clock {s.clock_hz!r}",
                f"connections {self.connections}", f"variant {self.variant} 1", f"time {self.warm_up!r} {self.seconds!r}",
                f"access {ACCESS_MBPS * 1e6!r} {ACCESS_MS * 1e-3!r}", f"packets {s.packet_bytes} {WINDOW_PACKETS} {QUEUE_PACKETS}", f"seed {seed}", "",
            ]
        )  # fmt: skip

    def model(self):
        """The point by the analytic model (arqlink.model.tcp): U, goodput and round trip without queue."""
        rest = 4 * ACCESS_MS * 1e-3 + 8 * (2 * self.setup.packet_bytes + 2 * ACK_BYTES) / (ACCESS_MBPS * 1e6)
        return TcpOverLink(self.setup.model(), self.connections, rest).operation()


@dataclass
class Simulated:
    """What one seed gave."""

    seed: int
    goodputs: list[float] = field(default_factory=list)
    """Bits a second of each connection, headers of its packets included: packets received once and in sequence."""
    values: dict = field(default_factory=dict)
    """Mean round trip in s; segments, retransmissions, spurious ones and timeouts; packets dropped by the queue; clocks."""
    counters: dict = field(default_factory=lambda: {"a": {}, "b": {}})
    """Counters of the link's ends; those that are 0 are left out."""
    wall_s: float = 0.0


def library(point):
    """The shared library of a link end that the point needs, or None; builds it where necessary."""
    return verilated_end.library(point.setup.config) if point.link == "rtl" else None


def simulate(point, seed):
    """One run."""
    job, program = point.job(seed, library(point)), builds.program()
    begun = time.monotonic()
    done = subprocess.run([program], input=job, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"The simulation ended with code {done.returncode}.")
    result = Simulated(seed, wall_s=time.monotonic() - begun)
    for line in done.stdout.splitlines():
        name, *words = line.split()
        if name == "goodput":
            result.goodputs.append(float(words[0]))
        elif name == "counter":
            result.counters[words[0].lower()][words[1]] = int(words[2])
        else:
            result.values[name] = float(words[0])
    return result


def measure(point, seeds, progress=lambda done, total: None, workers=1):
    """Runs all seeds, `workers` at a time, and puts them together as `report`."""
    builds.program()
    done, lock = 0, threading.Lock()

    def one(seed):
        nonlocal done
        result = simulate(point, seed)
        with lock:
            done += 1
            progress(done, len(seeds))
        return result

    with ThreadPoolExecutor(workers) as pool:
        return report(point, list(pool.map(one, seeds)))


def spread(values, model=None):
    """Mean, and over the seeds the standard deviation, least and most; beside them the model's value."""
    values = np.asarray(values, float)
    found = {
        "mean": float(values.mean()),
        "std": float(values.std(ddof=1)) if len(values) > 1 else None,
        "min": float(values.min()),
        "max": float(values.max()),
    }
    return found | {"model": model}


def values(point, result):
    """What one seed gave, as numbers. Retransmissions are shares of the segments that were sent."""
    segments, counters = max(1.0, result.values["segments"]), result.counters["a"]
    goodput = sum(result.goodputs)
    found = {
        "utilization": goodput / (point.setup.rate_mbps * 1e6),
        "goodput": goodput,
        "rtt": result.values["round_trip"],
        "retransmissions": result.values["retransmissions"] / segments,
        "queue_drops": result.values["dropped"],
        "frame_failure": counters.get("tx_outcomes_failed", 0) / max(1, counters.get("tx_frames", 0) + counters.get("tx_retx", 0)),
    }
    if point.variant == OWN:
        found |= {"spurious": result.values["spurious"] / segments, "timeouts": result.values["timeouts"]}
    return found


def expected(point):
    """The model's values of `values`, as far as it has them."""
    operation = point.model()
    return {
        "utilization": operation.utilization,
        "goodput": 8 * operation.goodput,
        "rtt": operation.round_trip,
        "retransmissions": point.setup.model().packet_loss,
    }


def report(point, results):
    """All of a point, as JSON has it."""
    of_seeds, of_model = [values(point, result) for result in results], expected(point)
    own = {name: getattr(point, name) for name in ("connections", "variant", "link", "seconds", "warm_up")}
    return {
        "settings": point.setup.describe() | own,
        "seeds": [result.seed for result in results],
        **{name: spread([numbers[name] for numbers in of_seeds], of_model.get(name)) for name in of_seeds[0]},
        "times_real_time": spread([(point.seconds + point.warm_up) / result.wall_s for result in results]),
    }
