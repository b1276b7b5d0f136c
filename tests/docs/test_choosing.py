# SPDX-License-Identifier: Apache-2.0
"""The table of docs/choosing.md has what the commands that it names print."""

import re

import pytest

from arqlink.model import loss, planner
from arqlink.model.link_setup import LinkSetup
from arqlink.tree import ROOT

ROWS = [row.split(" | ") for row in re.findall(r"^\| ([\d.]+ \| .*) \|$", (ROOT / "docs" / "choosing.md").read_text(), re.MULTILINE)]


def best(p, goal="goodput", connections=0):
    """N, N of retransmissions, δ and U, as `arqlink plan --k 10` chooses them."""
    setup = LinkSetup(config="paper", loss=loss.Bernoulli(p), rate_mbps=2.0, delay_ms=250.0, packet_bytes=1500)
    chosen = planner.choose(planner.plans(setup, planner.parse_goal(goal), connections, 80, 10)).values()
    return [*(str(chosen[name]) for name in ("n", "nr", "delta")), f"{chosen['utilization']:.3f}"]


def test_the_table_has_both_halves():
    assert [len(row) for row in ROWS] == [9] * 4


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_table_is_that_of_the_command(row):
    p = float(row[0])
    assert row[1:5] == best(p, "loss=1e-6") and row[5:] == best(p, connections=10)
