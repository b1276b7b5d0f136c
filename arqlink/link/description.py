# SPDX-License-Identifier: Apache-2.0
"""A link in the jobs of the programs of sim/link, research/tcp and sim/live (sim/link/README.md, "Runs")."""

from arqlink import job

BUILD = ("data_bytes", "unit_bytes", "window_frames", "max_packet_bytes", "max_k", "max_parity")
TIMERS = ("POLL_TIMEOUT", "HELLO_INTERVAL", "KEEPALIVE", "OUTAGE_TIMEOUT", "STATUS_INTERVAL")


def link(model, library, build, ends, delay, erasures, delays=None, beats=(1, 1)):
    """`erasures`: by the end that sends, or None; `delays`: a table in place of `delay`; `beats`: clocks of a beat on the line of A, and of B."""
    described = {"model": model, "build": build, "ends": ends, "delay": delay, "erasures": erasures, "beats": beats}
    return described | {"library": job.file_name(library), "delays": job.file_name(delays)}


def build(limits):
    """struct Build of sim/link/link_model.h."""
    return {name: limits[name] for name in BUILD}


def end(setup, timers):
    """struct EndSettings there, the same for both ends of a LinkSetup; what an outage fails is not counted. `timers`: registers in clocks."""
    code = {"k": setup.k, "n_first": setup.n, "n_retx": setup.nr, "delta": setup.arq_delta, "in_order": bool(setup.ord), "outage_freeze": True}
    return code | {name.lower(): timers[name] for name in TIMERS}
