# SPDX-License-Identifier: Apache-2.0
"""The account of processor seconds."""

import json
import subprocess
import sys
import time
from types import SimpleNamespace

from tests import cost


def spend(seconds):
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass


def test_a_child_counts_and_the_tests_before_do_not():
    meter, report = cost.Meter(), SimpleNamespace(nodeid="tests/x/test_x.py::test", user_properties=[("other", 7)])
    spend(0.2)
    meter.begin()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    meter.note(report)
    assert 0.3 <= cost.of([report])[report.nodeid] < 0.3 + 0.2


def test_phases_add_up_by_folder(tmp_path):
    def report(test, seconds):
        return SimpleNamespace(nodeid=test, user_properties=[(cost.NAME, seconds)])

    lines = []
    reports = {"": [report("tests/live/test_a.py::a", 30)], "passed": [report("tests/live/test_a.py::a", 40), report("cocotb_tests/arq/test_b.py::b[1/2]", 5)]}
    cost.summarize(
        SimpleNamespace(stats=reports | {"warnings": [SimpleNamespace(message="x")]}, section=lines.append, write_line=lines.append), tmp_path / "seconds.json"
    )
    assert list(json.loads((tmp_path / "seconds.json").read_text()).values()) == [70, 5]
    assert lines[:2] == ["processor seconds: 75", "tests/live 70, cocotb_tests/arq 5"] and lines[2].split() == ["70.0", "tests/live/test_a.py::a"]
