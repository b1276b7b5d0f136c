# SPDX-License-Identifier: Apache-2.0
"""Small targets through Yosys and nextpnr: area and clock rate stay near their committed budgets."""

import pytest

from arqlink import synth
from arqlink.synth_targets import TARGETS, Demand

MORE_LUTS, LESS_MHZ = 1.03, 0.93
"""A change elsewhere moves the placement, and by that the clock rate, by a few percent."""
BUDGETED = [t for t in TARGETS if t.budget != Demand()]


def within(budget, mhz, luts):
    return Demand(budget.mhz * LESS_MHZ, round(budget.luts * MORE_LUTS)).met(mhz, luts)


@pytest.mark.parametrize("target", BUDGETED, ids=[t.name for t in BUDGETED])
def test_budget(target):
    (result,) = synth.run(target, seeds=(1,))
    assert within(target.budget, result.mhz, result.luts), f"{result}; the budget is {target.budget}"


def test_budget_would_be_missed():
    """By a tenth more area, or a tenth less clock."""
    budget = Demand(200, 1000)
    assert within(budget, 200, 1000)
    assert not within(budget, 200, 1100) and not within(budget, 180, 1000)
