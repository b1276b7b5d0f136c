# SPDX-License-Identifier: Apache-2.0
"""Losses as the simulators read them (struct ErasureSettings of sim/link/erasures.h)."""

from arqlink import job
from arqlink.model import loss


def describe(process, unit_clocks):
    """An erasure process by its description. The two states of a Gilbert-Elliott chain last for a time there."""
    if isinstance(process, loss.Bernoulli):
        return bernoulli(process.p)
    _, bad = process.stationary()
    if not 0 < bad < 1 or not process.bad_units():
        return bernoulli(process.mean())
    states = {"p": process.p_good, "p_bad": process.p_bad, "mean_bad": unit_clocks * process.bad_units(), "bad": float(bad)}
    return {"process": "markov"} | states


def bernoulli(p):
    """Each unit is erased with probability `p`."""
    return {"process": "bernoulli", "p": p}


def outage(dark, cycle, phase, p):
    """Dark for `dark` clocks of each `cycle`, which is at `phase` at first; else as `bernoulli`."""
    return {"process": "outage", "dark": dark, "cycle": cycle, "phase": phase, "p": p}


def intervals(path, p):
    """Dark as a file says (sim/link/README.md, "Tables of clocks"); else as `bernoulli`."""
    return {"process": "intervals", "file": job.file_name(path), "p": p}
