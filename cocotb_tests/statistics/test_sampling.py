# SPDX-License-Identifier: Apache-2.0
"""What becomes of a point that a first seed rejects."""

from types import SimpleNamespace

import pytest

from tests import seeds

from . import report, sampling
from .grid import GRID
from .judge import Verdict

POINT = GRID[0]


def verdicts(*p_values):
    return [Verdict("P_T", 0.2, 0.1, p_value) for p_value in p_values]


@pytest.mark.parametrize(
    "first, second, wrong, noted, run",
    [
        ([0.5, 0.002], [1e-9], 0, 0, "first"),
        ([0.5, 0.0002], [0.3, 0.01], 0, 1, "second, least p-value 0.01"),
        ([0.0002], [0.3, 0.0001], 1, 0, "none, least p-value 0.0001"),
    ],
)
def test_a_second_run_is_noted(monkeypatch, first, second, wrong, noted, run):
    for module in (sampling, report):
        monkeypatch.setattr(module, "judge", lambda point, counted: first if counted == POINT.name else second)
    monkeypatch.setattr(sampling, "sample", lambda point: point.name)
    monkeypatch.setattr(report, "counted", lambda point: point.name)
    first, second = verdicts(*first), verdicts(*second)
    notes = []
    assert len(sampling.confirmed(POINT, lambda *note: notes.append(note))) == wrong
    assert len(notes) == noted
    assert report.run_of(POINT, first) == run
    lines = []
    passed = [SimpleNamespace(user_properties=notes), SimpleNamespace(user_properties=[("other", "text")])]
    seeds.summarize(SimpleNamespace(getreports=lambda kind: passed, section=lines.append, write_line=lines.append))
    assert len(lines) == 2 * noted and all(POINT.name in line for line in lines[1:])
