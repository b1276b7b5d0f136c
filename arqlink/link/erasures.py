# SPDX-License-Identifier: Apache-2.0
"""Losses as the simulators read them (sim/link/erasures.h)."""

from arqlink.model import loss


def describe(process, unit_clocks):
    """An erasure process by its description. The two states of a Gilbert-Elliott chain last for a time there."""
    if isinstance(process, loss.Bernoulli):
        return f"bernoulli {process.p!r}"
    _, bad = process.stationary()
    if not 0 < bad < 1 or not process.bad_units():
        return f"bernoulli {process.mean()!r}"
    return f"markov {process.p_good!r} {process.p_bad!r} {unit_clocks * process.bad_units()!r} {float(bad)!r}"
