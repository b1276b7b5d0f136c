# SPDX-License-Identifier: Apache-2.0
"""What a test needs and does not find is a failure, or is left out by name."""

import os
import re
import subprocess
import sys

import pytest

from arqlink.tree import ROOT
from tests import needs

from .test_seeds import sources


def test_no_test_skips_itself():
    skips = re.compile(r"\bskip(if|test)?\(|importorskip|\bxfail\b|SkipTest", re.IGNORECASE)
    own = {"tests/needs.py", "tests/house/test_needs.py"}
    assert not [name for name, text in sources() if name not in own and skips.search(text)], "mark it needs(…) (tests/needs.py)"


def run(tmp_path, monkeypatch, **environment):
    (tmp_path / "test_it.py").write_text(
        "import pytest\nfrom tests import needs\n\n"
        "@pytest.fixture(scope='module')\ndef made():\n    raise OSError('no such thing')\n\n"
        "@pytest.mark.needs('namespaces')\ndef test_one(made):\n    pass\n\n"
        "def test_other():\n    pass\n"
    )
    (tmp_path / "gone.py").write_text("from tests import needs\nneeds.NEEDS['namespaces'] = (lambda: False, needs.NEEDS['namespaces'][1])\n")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")]))
    options = ["-c", ROOT / "pytest.ini", "--rootdir", ROOT, "-p", "conftest", "-p", "gone", "-p", "no:cacheprovider"]
    done = subprocess.run([sys.executable, "-m", "pytest", *options, tmp_path], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_what_is_missing_is_a_failure_with_a_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv("ARQLINK_WITHOUT", raising=False)
    code, said = run(tmp_path, monkeypatch)
    assert code == 1 and "1 passed, 1 error" in said and "no such thing" not in said
    assert f"This test needs {needs.NEEDS['namespaces'][1]}. ARQLINK_WITHOUT=namespaces leaves such tests out." in said


def test_what_is_left_out_is_told(tmp_path, monkeypatch):
    code, said = run(tmp_path, monkeypatch, ARQLINK_WITHOUT="namespaces")
    assert code == 0 and "1 tests left out by ARQLINK_WITHOUT=namespaces" in said


def test_a_need_that_nobody_has_is_refused(tmp_path, monkeypatch):
    code, said = run(tmp_path, monkeypatch, ARQLINK_WITHOUT="namespace")
    assert code != 0 and "ARQLINK_WITHOUT names namespace; it may name namespaces, user-namespaces, bbr." in said


@pytest.mark.parametrize("name", needs.NEEDS)
def test_each_need_is_asked_for(name):
    assert any(f'needs("{name}"' in text or f', "{name}")' in text for path, text in sources() if path != "tests/house/test_needs.py")
