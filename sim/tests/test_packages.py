# SPDX-License-Identifier: Apache-2.0
"""The packages of arqlink import each other without cycles, what they need has pinned versions, and they work without the source tree."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arqlink.tree import ROOT

PYPROJECT = ROOT / "pyproject.toml"


def imports(folder):
    """import-linter's verdict on the package in `folder`: exit code, and what it says."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--config", str(PYPROJECT)]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_packages_import_downwards():
    code, said = imports(ROOT / "sim")
    assert code == 0, said


@pytest.mark.parametrize(("module", "line"), [("model/loss.py", "import arqlink.run.pair\n"), ("new/__init__.py", "")], ids=["upwards", "unknown package"])
def test_another_import_is_found(tmp_path, module, line):
    shutil.copytree(ROOT / "sim" / "arqlink", tmp_path / "arqlink")
    path = tmp_path / "arqlink" / module
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(line)
    code, said = imports(tmp_path)
    assert code == 1 and module.split("/")[0] in said, said


def names(requirements):
    """The packages that requirements name, but for arqlink's own extras."""
    return {re.split(r"[^\w-]", text)[0] for text in requirements} - {"arqlink"}


def test_each_package_is_pinned_and_needed():
    project = tomllib.loads(PYPROJECT.read_text())
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    needed += [text for extra in project["project"]["optional-dependencies"].values() for text in extra]
    needed += re.findall(r"--no-deps ([\w-]+)$", (ROOT / "scripts" / "setup").read_text(), re.MULTILINE)
    pins = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", pin) for pin in pins)
    assert names(pins) == names(needed)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Runs a module of the package as it is installed, in an empty folder."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    shutil.unpack_archive(wheel, folder / "site", "zip")
    (folder / "empty").mkdir()

    def run(*words):
        command = [sys.executable, "-m", *map(str, words)]
        env = os.environ | {"PYTHONPATH": str(folder / "site")}
        return subprocess.run(command, cwd=folder / "empty", env=env, capture_output=True, text=True, check=False)

    yield run
    assert not list((folder / "empty").iterdir())


def test_an_installed_package_knows_version_and_configurations(installed):
    assert installed("arqlink", "--version").stdout.strip() == (ROOT / "VERSION").read_text().strip()
    done = installed("arqlink", "model", "--config", "line10g", "--n", "33", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["settings"]["k"] == 32
    assert "there are" in installed("arqlink", "model", "--config", "none").stderr


NEED_SOURCES = {
    "send": ["arqlink", "send", ROOT / "LICENSE", "out"],
    "stats": ["arqlink", "stats"],
    "codec": ["arqlink", "codec", "encode", "--k", 4, "--n", 6, ROOT / "LICENSE", "share"],
    "console": ["arqlink", "console", "--simulate"],
    **{name: [f"arqlink.{name}"] for name in ("rtl.contracts", "fpga", "campaign", "campaign.feedback_loss", "bench", "figures", "demo.link", "demo.soc")},
    "integration": ["arqlink.integration", "ArqLink"],
}


@pytest.mark.parametrize("words", NEED_SOURCES.values(), ids=NEED_SOURCES)
def test_what_needs_the_sources_says_so(installed, words):
    done = installed(*words)
    assert done.returncode and not done.stdout
    (said,) = done.stderr.splitlines()
    assert said.startswith("This needs arqlink's source tree")
