# SPDX-License-Identifier: Apache-2.0
"""Jobs for the pair of links: register values of a LinkSetup, traffic, and when to stop."""

import dataclasses
import random

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import PRESETS
from arqlink.rtl.registers import address, counter_address, counter_names, pack
from arqlink.run import harness, pair_simulator

MOST_PACKETS = (1 << 32) - 1
"""Of a generator, and what a checker can count."""
WATCHED = {
    "a": ("STATUS", "ERROR", "EPOCH", "COUNTERS", "VERSION"),
    "b": ("STATUS", "ERROR", "EPOCH", "COUNTERS", "VERSION"),
    "ab": ("UNITS", "ERASED", "CONTROL_UNITS", "CONTROL_ERASED", "DELAY"),
    "ba": ("UNITS", "ERASED", "CONTROL_UNITS", "CONTROL_ERASED", "DELAY"),
    "traffic_a": ("SENT", "SENT_BYTES"),
    "traffic_b": ("RECEIVED", "RECEIVED_BYTES", "LOST", "DISORDERED", "CORRUPT", "ABORTED"),
}


def _named():
    registers = {f"{block}.{name}": address(block, name) for block, names in WATCHED.items() for name in names}
    counters = {f"{end}.{name}": counter_address(end, name) for end in "ab" for name in counter_names()}
    return registers, counters


def configure(setup):
    """Register writes that make the pair what `setup` says; both ends are disabled meanwhile, and enabled last."""
    writes = []

    def write(block, register, value):
        writes.append((address(block, register), value))

    for end in "ab":
        write(end, "CTRL", 0)
    seeds = random.Random(setup.seed)
    for block, process, spare in (
        ("ab", setup.loss, setup.spare_control),
        ("ba", setup.feedback_loss, False),
    ):
        write(block, "DELAY", setup.delay_clocks)
        write(block, "PACE", setup.clocks_per_beat - 1)
        write(block, "SEED", seeds.getrandbits(32))
        for register, value in process.registers().items():
            write(block, register, value)
        flags = {"enable": 1, "gilbert_elliott": int(process.gilbert_elliott), "spare_control": int(spare)}
        write(block, "CTRL", pack(block, "CTRL", **flags))
    for end in "ab":
        for register, value in setup.timers.items():
            write(end, register, value)
        code = {"k": setup.k, "n_first": setup.n, "n_retx": setup.nr, "preset": PRESETS.index(setup.preset)}
        write(end, "CODE", pack(end, "CODE", **code))
        write(end, "ARQ", pack(end, "ARQ", delta=setup.arq_delta, ord=setup.ord, outage_freeze=1))
        write(end, "APPLY", 1)
    for end in "ab":
        write(end, "CTRL", pack(end, "CTRL", enable=1))
    return writes


def _rounds(setup):
    """Round trips without any progress after which a link is given up. A frame may need very many at high loss; where
    the model says that hardly any retransmission ever succeeds, there is no use in waiting."""
    success = 1 - setup.model().attempts().p_retx
    return 64 + (round(20 / success) if success > 1e-4 else 0)


def _job(setup, mode, frames, waves, phy_capture, patience=0):
    registers, counters = _named()
    patience += _rounds(setup) * setup.timers["POLL_TIMEOUT"] + 1_000_000
    return harness.Job(
        mode=mode,
        registers=registers,
        counters=counters,
        setup=configure(setup),
        frames=frames,
        check_clocks=min(max(setup.round_trip_clocks // 8, 2_000), 50_000),
        idle_clocks=patience,
        waves=waves,
        phy_capture=phy_capture,
        clock_hz=setup.clock_hz,
        traces={way: process.units for way, process in (("ab", setup.loss), ("ba", setup.feedback_loss)) if isinstance(process, loss.Trace)},
    )


def send_job(setup, packets, clocks=None, waves=None, phy_capture=None):
    """A job that carries `packets` (byte strings) from A to B, each offered from its clock in `clocks` on."""
    clocks = clocks or [0] * len(packets)
    limit = setup.limits["max_packet_bytes"]
    frames = sum(setup.frames(len(p)) for p in packets if len(p) <= limit)
    gap = max((b - a for a, b in zip([0, *clocks], clocks)), default=0)
    return dataclasses.replace(_job(setup, "send", frames, waves, phy_capture, patience=gap), packets=list(zip(packets, clocks)))


def stats_job(setup, frames, waves=None, phy_capture=None):
    """A job in which the generator at A sends at least `frames` frames in packets of one length, and the checker at B
    checks them."""
    per_packet = setup.frames(setup.packet_bytes)
    packets = -(-frames // per_packet)
    if packets > MOST_PACKETS:
        raise UserError(f"{frames} frames are {packets} packets of {setup.packet_bytes} bytes; the generator sends up to {MOST_PACKETS}.")
    writes = [
        (address("traffic_a", "LENGTH_MIN"), setup.packet_bytes),
        (address("traffic_a", "LENGTH_MAX"), setup.packet_bytes),
        (address("traffic_a", "GAP"), 0),
        (address("traffic_a", "COUNT"), packets),
        (address("traffic_b", "SINK_READY"), 0xFFFFFFFF),
    ]
    start = [
        (address("traffic_b", "CTRL"), pack("traffic_b", "CTRL", check=1)),
        (address("traffic_a", "CTRL"), pack("traffic_a", "CTRL", generate=1)),
    ]
    job = _job(setup, "stats", packets * per_packet, waves, phy_capture)
    return dataclasses.replace(job, setup=writes + job.setup, start=start, window=packets * per_packet // 10)


def run(setup, job, progress=None):
    """Builds the simulator where necessary, and runs the job."""
    return harness.run(pair_simulator.simulator(setup.config, waves=job.waves is not None), job, progress)
