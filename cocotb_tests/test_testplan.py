# SPDX-License-Identifier: Apache-2.0
"""Every test that testplan.md names exists, and every testpoint names one."""

import ast
import re
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLAN = (HERE / "testplan.md").read_text()


@lru_cache(maxsize=None)
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


def test_every_testpoint_has_a_test():
    rows = [line for line in PLAN.splitlines() if line.startswith("| ") and not line.startswith("| testpoint")]
    assert rows and all("::" in row for row in rows), [row for row in rows if "::" not in row]
