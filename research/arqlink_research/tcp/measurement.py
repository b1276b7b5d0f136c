# SPDX-License-Identifier: Apache-2.0
"""Simulates points with several seeds, and puts together what was measured beside the model's values."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from arqlink import job
from arqlink.model import prospects
from arqlink_research.tcp import builds, models
from arqlink_research.tcp import point as points

OWN_MBPS, NS3_MBPS = 600, 20
"""Simulated seconds in a real one, times the rate of the link in Mb/s, about: with TCP of its own, and with that of ns-3."""
OF_BACKGROUND = ("background", "background_back", "page_time", "voice_loss", "voice_delay", "voice_delay_99")
"""Bits a second of packets of background traffic that arrived; mean seconds that a page of the web took; of datagrams of calls, the share that is
lost, and seconds of delay: the mean, and what 99 of 100 do not exceed."""


@dataclass
class Simulated:
    """What one seed gave."""

    seed: int
    goodputs: list[float]
    """Bits a second of each connection, headers of its packets included: packets received once and in sequence."""
    values: dict
    """Mean round trip in s; segments, retransmissions, spurious ones and timeouts; packets dropped by buffers; clocks."""
    counters: dict
    """Counters of the link's ends "a" and "b"."""
    gateways: list
    """Counters of each gateway."""
    windows: list[list[float]]
    """Samples of the congestion windows: time in s, then segments of each connection."""
    rates: list[list[float]]
    """Samples of the goodputs since the sample before, at the same times: time in s, then bits a second of each connection."""
    cached: list[list[float]]
    """Samples of the gateways' caches at the same times: time in s, then packets of each gateway."""
    wall_s: float


def seconds(point):
    """Of real time, about, that one run takes."""
    simulated = point.seconds + point.warm_up
    if point.link == "rtl":
        return simulated * point.setup.clock_hz / prospects.CLOCKS_PER_S
    return simulated * point.setup.rate_mbps / (OWN_MBPS if point.variant in points.OWN else NS3_MBPS)


def simulate(point, seed, trace=0.0):
    """One run; with samples of the congestion windows each `trace` seconds."""
    asked, program = point.job(seed, point.library(), trace), builds.program()
    point.write_channel(seed)
    begun = time.monotonic()
    found = job.run(program, asked)
    return Simulated(seed, **found, wall_s=time.monotonic() - begun)


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
    """What one seed gave, as numbers. Retransmissions are shares of the segments that were sent. Spurious ones are shares of all retransmissions,
    those of gateways included: of those that arrived in the time, so that short runs may have more of them than retransmissions. What the link
    counted is of the whole run."""
    segments, counters, back = max(1.0, result.values["segments"]), result.counters["a"], result.counters["b"]
    setup, goodput, failed = point.setup, sum(result.goodputs), counters["tx_outcomes_failed"]
    sent_again = result.values["retransmissions"] + result.values.get("gateway_retransmissions", 0)
    reports = back["tx_control_units"] * 32 / setup.limits["data_bytes"]
    return {
        "utilization": goodput / (setup.rate_mbps * 1e6),
        "link_utilization": result.values["carried"] / (setup.rate_mbps * 1e6),
        "goodput": goodput,
        "rtt": result.values["round_trip"],
        "retransmissions": result.values["retransmissions"] / segments,
        "queue_drops": result.values["dropped"],
        "frame_failure": failed / max(1, failed + counters["tx_outcomes_ok"]),
        "line_goodput": goodput / setup.line_rate,
        "feedback": reports / result.values["clocks"],
        "spurious": min(1.0, result.values["spurious"] / max(1.0, sent_again)),
        "timeouts": result.values["timeouts"],
        **of_terminals(point, result),
        **of_gateways(result),
        **{name: result.values[name] for name in OF_BACKGROUND if name in result.values},
    }


def of_terminals(point, result):
    """U of the connections whose terminals have bit errors, as if all were such."""
    if not point.noisy_terminals:
        return {}
    noisy = result.goodputs[: point.noisy_terminals.noisy]
    return {"noisy_utilization": sum(noisy) / len(noisy) * len(result.goodputs) / (point.setup.rate_mbps * 1e6)}


def of_gateways(result):
    """What the gateways of a run did, all together: numbers of packets."""
    if not result.gateways:
        return {}
    names = {"gateway_drops": "cache_full", "gateway_timeouts": "timeouts"}
    counted = {name: sum(counters[counter] for counters in result.gateways) for name, counter in names.items()}
    return {"gateway_retransmissions": result.values["gateway_retransmissions"]} | counted


def report(point, results):
    """All of a point, as JSON has it."""
    of_seeds, of_model = [values(point, result) for result in results], models.expected(point)
    return {
        "settings": point.describe(),
        "seeds": [result.seed for result in results],
        **{name: spread([numbers[name] for numbers in of_seeds], of_model.get(name)) for name in of_seeds[0]},
        "times_real_time": spread([(point.seconds + point.warm_up) / result.wall_s for result in results]),
    }
