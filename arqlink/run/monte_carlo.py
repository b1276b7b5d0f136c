# SPDX-License-Identifier: Apache-2.0
"""Measures the RTL link with the generator, the channels and the counters of the simulated hardware."""

from arqlink.errors import UserError
from arqlink.model import limits, prospects
from arqlink.run import books, harness, pair, pair_simulator
from arqlink.run import phy_capture as captures
from arqlink.run.evaluation import Evaluation, window_line_use, window_utilization


def simulator(setup, waves=False):
    """The program that carries the frames; builds it where necessary."""
    return pair_simulator.simulator(setup.config, waves=waves)


def measure(setup, frames, waves=None, progress=None, phy_capture=None, watch=None):
    """Runs at least `frames` frames through the RTL; returns the report that `--json` prints. `watch`: a RunSource to show the run."""
    model = setup.model()
    prospects.check(setup, model, frames)
    if phy_capture:
        captures.check(setup, model, frames)
    if progress:  # a sweep foretells all its runs together
        prospects.foretell(prospects.seconds(setup, model, frames), f"{frames} frames of this link")
    program, job = simulator(setup, waves is not None), pair.stats_job(setup, frames, waves, phy_capture)
    result = harness.run(program, job, progress, watch and watch.begin(job.frames))
    if result.report["end"] != "done":
        raise UserError("The link made no progress before all frames were resolved; is nearly everything lost?")
    checks = {name: result[f"traffic_b.{name}"] for name in pair.WATCHED["traffic_b"]}
    for name in ("CORRUPT", "ABORTED") + (("DISORDERED",) if setup.ord else ()):
        if checks[name]:
            raise UserError(f"The checker counted {checks[name]} packets as {name}; this is a bug of the link.")
    evaluation = Evaluation(setup, result, model)
    books.check(evaluation.a, evaluation.b, result["traffic_a.SENT"], checks["RECEIVED"])
    entries = evaluation.entries(window_utilization(setup, result))
    return {
        "settings": setup.describe(),
        **entries,
        "line_use": window_line_use(result),
        "limit": limits.lowest(model.alpha, entries["utilization"]["model"]),
        "frames": evaluation.a["tx_frames"],
        **result.speed,
        "channel": {name: result[f"ab.{name}"] for name in pair.WATCHED["ab"]},
        "feedback_channel": {name: result[f"ba.{name}"] for name in pair.WATCHED["ba"]},
        "checker": checks,
        "counters": {"a": evaluation.a, "b": evaluation.b},
    }
