# SPDX-License-Identifier: Apache-2.0
"""Block tests of package arqlink.arq, on the smallest window so that every number wraps around the tables. The receiver also with units of eight beats or
more, and with units of two beats 8 bytes wide."""

import re

import pytest

from cocotb_tests.lib.rtl import run
from tests.effort import slow_in_full

CASES = [
    ("ArqSender", "small"),
    ("ArqReceiver", "small"),
    ("ArqReceiver", "short8"),
    ("ArqReceiver", "default"),
    ("ArqReceiver", "tiny"),
    ("ArqReceiver", "montecarlo"),
    ("UnitMover", "small"),
    ("UnitMover", "long"),
    ("Resequencer", "small"),
    ("ControlComposer", "small"),
    ("ControlComposer", "tiny"),
    ("PollSchedule", "small"),
    ("PollSchedule", "tiny"),
    ("OutcomeLog", "small"),
    ("OutcomeLog", "queued"),
    ("OutcomeLog", "default"),
    ("OlderReports", "small"),
    ("OlderReports", "default"),
    ("OlderReports", "deep"),
    ("LinkControl", "small"),
    ("ConsistencyWatch", "small"),
    ("PeerEdges", "small"),
]


def bench_of(block):
    """tb_control_composer of ControlComposer."""
    return "cocotb_tests.arq.tb_" + re.sub("(?<!^)([A-Z])", r"_\1", block.removeprefix("Arq")).lower()


@pytest.mark.parametrize("block, config", slow_in_full(CASES, slow={("OlderReports", "deep"), ("ArqReceiver", "montecarlo"), ("UnitMover", "long")}))
def test_block(block, config):
    run(block, config, bench_of(block))
