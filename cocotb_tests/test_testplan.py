# SPDX-License-Identifier: Apache-2.0
"""Every test that testplan.md names exists, and every testpoint names one; so do the files and configurations of docs/verification.md."""

import ast
import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLAN = (HERE / "testplan.md").read_text()
WIDTHS, RULES = (HERE.parent / "docs" / "verification.md").read_text().split("\n## ")[:2]


@cache
def names_in(path):
    """Names of the pytest and cocotb tests in a file."""
    functions = [n for n in ast.parse(path.read_text()).body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {f.name for f in functions if f.name.startswith("test_") or any("cocotb.test" in ast.unparse(d) for d in f.decorator_list)}


def test_named_tests_exist():
    named = re.findall(r"`(/?)([\w/]+\.py)::(\w+)`", PLAN.split("\n## ", 1)[1])
    assert len(named) > 100
    missing = []
    for root, file, name in named:
        path = (HERE.parent if root else HERE) / file
        if not path.exists() or name not in names_in(path):
            missing.append(f"{file}::{name}")
    assert not missing, missing


def test_tests_of_the_protocol_s_rules_exist():
    named = re.findall(r"`(\w+\.py)::(\w+)`", RULES)
    assert len(named) > 50
    missing = [f"{file}::{name}" for file, name in named if name not in names_in(HERE / ("system" if file[:3] == "tb_" else "model") / file)]
    assert not missing, missing


def test_every_testpoint_has_a_test():
    rows = [line for line in PLAN.splitlines() if line.startswith("| ") and not line.startswith("| testpoint")]
    assert rows and all("::" in row for row in rows), [row for row in rows if "::" not in row]


def test_files_that_run_the_widths_name_the_configurations():
    """In a row of docs/verification.md the last cell has files, and the configurations ahead of it are in one of them."""
    rows = [re.findall(r"`([\w./]+)`", row) for row in WIDTHS.splitlines() if row.endswith("py` |")]
    assert len(rows) > 15
    for row in rows:
        files = [HERE.parent / name for name in row if name.endswith(".py")]
        text = "".join(file.read_text() for file in files)
        missing = [name for name in row if not name.endswith(".py") and f'"{name}"' not in text]
        assert not missing, (files, missing)
