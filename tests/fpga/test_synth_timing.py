# SPDX-License-Identifier: Apache-2.0
"""The slowest ends of paths, as they are read from nextpnr's detailed timing report."""

import json

import pytest

from arqlink.errors import UserError
from arqlink.fpga import timing
from arqlink.fpga.targets import named

CLOCK = "posedge $glbnet$aclk"


def net(*ends, event=CLOCK):
    endpoints = [{"cell": cell, "port": port, "event": at, "delay": [low, high]} for cell, port, low, high, at in ends]
    return {"driver": "d", "event": event, "net": "n", "port": "Q", "endpoints": endpoints}


REPORT = {
    "detailed_net_timings": [
        net(("core.a_TRELLIS_FF_Q_3", "DI", 1.0, 4.0, CLOCK), ("core.a_TRELLIS_FF_Q_11", "DI", 1.0, 6.5, CLOCK)),
        net(("core.a_TRELLIS_FF_Q_3", "CE", 1.0, 5.0, CLOCK)),
        net(("core.ram.0.1", "DIA12", 1.0, 6.0, CLOCK), ("core.ram.0.0", "DIA1", 1.0, 5.9, CLOCK)),
        net(("pad", "I", 1.0, 9.0, "<async>")),
        net(("core.b_TRELLIS_FF_Q", "M", 1.0, 9.0, CLOCK), event="<async>"),
    ]
}


def test_bits_of_a_register_are_one_end_and_the_slowest_comes_first():
    assert timing.slowest(REPORT, 9) == [(6.5, "core.a", "DI"), (6.0, "core.ram", "DIA"), (5.0, "core.a", "CE")]


def test_no_more_than_asked_for():
    assert timing.slowest(REPORT, 1) == [(6.5, "core.a", "DI")]


def test_a_report_without_details_is_refused(tmp_path):
    path = tmp_path / "report-1.json"
    for content in (None, {"fmax": {}}):
        if content is not None:
            path.write_text(json.dumps(content))
        with pytest.raises(UserError, match="no detailed report of target line10g with seed 1"):
            timing.table(named("line10g"), 1, path, 5)
