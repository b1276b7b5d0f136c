# SPDX-License-Identifier: Apache-2.0
"""What the measurements in clocks have to show, held against what `make bench` found. (Clock rates and areas: fpga/targets.py.)"""

MOST_NACK_CLOCKS, NACK_CLOCKS_GOAL = 64, 40
"""From a NACK to the first beat of the retransmission, at every width. Fewer would cost registers between the blocks, and so clock rate."""

HEADINGS = ("measure", "must", "goal", "measured", "reached")


def rows(results):
    """One row of HEADINGS for each demand that `results` (of bench.gather) say something about."""
    clocks, line = results["clocks"], results["line_use"]
    encoders, decoders = (list(of(kind, clocks).values()) for kind in ("encoder", "decoder"))
    if encoders and decoders:
        yield at_least("beats per clock, encoder and decoder, all configurations", 1.0, 1.0, min(r["beats_per_clock"] for r in encoders + decoders))
    if encoders:
        first = max(r["job_and_data_to_first_beat_clocks"] for r in encoders)
        parity = max(r["last_data_beat_to_first_parity_beat_clocks"] for r in encoders)
        yield at_most("encoder, clocks to the first data beat", 4, 4, first)
        yield at_most("encoder, clocks from the last data beat to the first parity beat", 16, 16, parity)
    if decoders:
        added = max(r["last_needed_beat_to_last_beat_out_clocks"] - r["of_which_a_frame_takes_clocks"] for r in decoders)
        yield at_most("decoder, clocks from the last needed beat to the frame's last beat, without a frame's own", 64, 32, added)
    if nacks := [r["nack_to_retransmission_clocks"] for r in of("nack", clocks).values()]:
        yield at_most("clocks from a NACK to the retransmission, idle line, all configurations", MOST_NACK_CLOCKS, NACK_CLOCKS_GOAL, max(nacks))
    if idle := [r["line_use"] for name, r in line.items() if name.endswith("-p0")]:
        yield at_least("share of PHY beats in use, user always sending, p = 0", 0.995, 0.995, min(idle))
    if lossy := [r["goodput_over_alpha"] for name, r in line.items() if name.endswith("-p0.05")]:
        yield at_least("goodput / α, user always sending, p = 0.05", 0.99, 0.99, min(lossy))
    for r in results["decode_bytes_per_second"]:
        if (r["k"], r["n"], r["unit_bytes"]) == (32, 40, 64):
            for name in (name for name in r if name.startswith("decoder")):
                yield at_least(f"decoding of fresh patterns against ISA-L on one core, (32, 40), 64 bytes: {name}", 1.0, 5.0, r[name] / r["ISA-L"])


def of(kind, clocks):
    """What the benches of one kind have measured, by configuration."""
    return {name.removeprefix(f"{kind}-"): r for name, r in clocks.items() if name.startswith(f"{kind}-")}


def at_least(measure, must, goal, value):
    return _row(measure, must, goal, value, value >= must, value >= goal)


def at_most(measure, must, goal, value):
    return _row(measure, must, goal, value, value <= must, value <= goal)


def _row(measure, must, goal, value, meets_must, meets_goal):
    reached = "goal" if meets_goal else "must" if meets_must else "NOT met"
    return (measure, f"{must:g}", f"{goal:g}", f"{value:.4g}", reached)
