# SPDX-License-Identifier: Apache-2.0
"""Values of the lines that describe a link to the programs of sim/link, research/tcp and sim/live (sim/link/README.md, "Runs")."""

BUILD = ("data_bytes", "unit_bytes", "window_frames", "max_packet_bytes", "max_k", "max_parity")
TIMERS = ("POLL_TIMEOUT", "HELLO_INTERVAL", "KEEPALIVE", "OUTAGE_TIMEOUT", "STATUS_INTERVAL")


def build(limits):
    """Of `build`: struct Build of sim/link/link_model.h."""
    return [limits[name] for name in BUILD]


def end(setup, timers):
    """Of `end`: struct EndSettings there, the same for both ends of a LinkSetup; what an outage fails is not counted. `timers`: registers in clocks."""
    return [setup.k, setup.n, setup.nr, setup.arq_delta, setup.ord, 1, *(timers[name] for name in TIMERS)]
