# SPDX-License-Identifier: Apache-2.0
"""The packages of arqlink import each other without cycles, what they need has pinned versions, and they work without the source tree."""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from arqlink.cli.main import RESEARCH as VERBS_OF_RESEARCH
from arqlink.pages import build
from arqlink.tree import ROOT
from tests.board import fake_board

PYPROJECT = ROOT / "pyproject.toml"
RESEARCH = ROOT / "research"


def imports(folder, contract=PYPROJECT):
    """import-linter's verdict on the package in `folder`: exit code, and what it says."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--config", str(contract)]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_packages_import_downwards():
    code, said = imports(ROOT)
    assert code == 0, said
    code, said = imports(RESEARCH, RESEARCH / "pyproject.toml")
    assert code == 0, said


WRONG = {
    "upwards": ("model/loss.py", "import arqlink.run.pair\n"),
    "unknown package": ("new/__init__.py", ""),
    "research": ("cli/plan.py", "import arqlink_research\n"),
}


@pytest.mark.parametrize(("module", "line"), WRONG.values(), ids=WRONG)
def test_another_import_is_found(tmp_path, module, line):
    shutil.copytree(ROOT / "arqlink", tmp_path / "arqlink")
    path = tmp_path / "arqlink" / module
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(line)
    code, said = imports(tmp_path)
    assert code == 1 and module.split("/")[0] in said, said


def names(requirements):
    """The packages that requirements name, but for arqlink's own."""
    return {re.split(r"[^\w-]", text)[0] for text in requirements} - {"arqlink", "arqlink-research"}


def test_each_package_is_pinned_and_needed():
    needed = []
    for path in (PYPROJECT, RESEARCH / "pyproject.toml"):
        file = tomllib.loads(path.read_text())
        needed += [*file["project"]["dependencies"], *file["build-system"]["requires"]]
        needed += [text for extra in file["project"].get("optional-dependencies", {}).values() for text in extra]
    needed += re.findall(r"--no-deps ([\w-]+)$", (ROOT / "scripts" / "setup").read_text(), re.MULTILINE)
    pins = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", pin) for pin in pins)
    assert names(pins) == names(needed)


def hatchling(source, kind, folder):
    """Builds a distribution ("wheel", "sdist") of the sources in `source`; returns its path, alone in `folder`."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)], cwd=source, check=True, capture_output=True)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return hatchling(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def declared(wheel):
    """Names of the packages that a wheel asks for, and of those that they ask for, and so on."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata_file,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        wanted = email.message_from_bytes(archive.read(metadata_file)).get_all("Requires-Dist", [])
    found = set()
    while wanted:
        requirement = wanted.pop()
        name = re.split(r"[^\w.-]", requirement)[0]
        if name in found or ";" in requirement:  # of an extra, or of other systems
            continue
        found.add(name)
        wanted += metadata.requires(name) or []
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a command in an empty folder of a machine that has the package, what it depends on, and nothing else: no Java, no compiler, no
    other program at all."""
    folder = tmp_path_factory.mktemp("machine")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    for name in declared(wheel):
        distribution = metadata.distribution(name)
        for top in {path.parts[0] for path in distribution.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(distribution.locate_file(top))
    (folder / "empty").mkdir()

    def run(program, *words):
        command = [str(python.parent / program), *map(str, words)]
        env = {"PATH": str(python.parent), "HOME": str(folder), "COLUMNS": "120"}
        return subprocess.run(command, cwd=folder / "empty", env=env, capture_output=True, text=True, check=False)

    yield run
    assert not list((folder / "empty").iterdir())


def test_an_installed_package_knows_version_and_configurations(installed):
    assert installed("arqlink", "--version").stdout.strip() == (ROOT / "VERSION").read_text().strip()
    done = installed("arqlink", "model", "--config", "line10g", "--n", "33", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["settings"]["k"] == 32
    assert "there are" in installed("arqlink", "model", "--config", "none").stderr


def test_an_installed_package_models_and_plans(installed):
    done = installed("arqlink", "model", "--n", "11")
    assert (done.returncode, done.stderr) == (0, "") and "P_T" in done.stdout
    done = installed("arqlink", "plan", "--loss", "0.01", "--delay-ms", "200", "--connections", "10", "--json")
    assert (done.returncode, done.stderr) == (0, "") and json.loads(done.stdout)["best"]["goodput_mbps"] > 1


def test_an_installed_package_has_the_dissector(installed):
    path = Path(installed("arqlink", "wireshark").stdout.strip())
    assert path.read_bytes() == (ROOT / "wireshark" / "arqlink.lua").read_bytes()


def test_an_installed_package_builds_the_planner_page(installed, tmp_path):
    done = installed("arqlink", "planner", tmp_path / "planner.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "planner.html").read_text() == build.page("planner")


def test_the_wheel_has_the_dashboard(wheel):
    """With all files that its page asks for."""
    with zipfile.ZipFile(wheel) as archive:
        page = archive.read("arqlink/dashboard/page/index.html").decode()
        folders = {"page": "arqlink/dashboard/page", "shared": "arqlink/pages/shared", "vendor": "arqlink/pages/vendor"}
        files = [path.partition("/") for path in re.findall(r'(?:src|href)="([a-z]+/[^"]+)"', page)]
        assert len(files) > 10 and {f"{folders[folder]}/{name}" for folder, _, name in files} <= set(archive.namelist())


def test_an_installed_package_speaks_to_a_board(installed):
    with fake_board.board(fake_board.Shell({"info": ["version 0.1.0"]})) as port:
        done = installed("arqlink", "console", port, "--command", "info")
    assert (done.returncode, done.stdout, done.stderr) == (0, "version 0.1.0\n", "")


NEED_SOURCES = {
    "send": ["send", ROOT / "LICENSE", "out"],
    "stats": ["stats"],
    "codec": ["codec", "encode", "--k", 4, "--n", 6, ROOT / "LICENSE", "share"],
    "console": ["console", "--simulate"],
    **{words: words.split() for words in ("board", "verilog", "synth", "regs", "release", "bench", "fuzz", "demo link", "demo soc")},
    **{words: words.split() for words in ("campaign run", "campaign feedback-loss", "campaign forged-recovery")},
}


@pytest.mark.parametrize("words", NEED_SOURCES.values(), ids=NEED_SOURCES)
def test_a_command_that_needs_the_sources_says_so(installed, words):
    done = installed("arqlink", *words)
    assert done.returncode == 2
    says_what_it_needs(done)


@pytest.mark.parametrize("name", VERBS_OF_RESEARCH)
def test_a_command_of_research_says_where_it_is(installed, name):
    done = installed("arqlink", name, "--loss", "0.01")
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(f"'arqlink {name}' belongs to arqlink-research: run 'make setup-all'")


def says_what_it_needs(done):
    assert not done.stdout
    (said,) = done.stderr.splitlines()
    assert said.startswith("This needs arqlink's source tree") and "g++, maven and default-jdk-headless" in said


def test_the_source_distribution_builds_the_same_wheel(wheel, tmp_path):
    shutil.unpack_archive(hatchling(ROOT, "sdist", tmp_path / "sdist"), tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again = hatchling(source, "wheel", tmp_path / "wheel")
    assert again.read_bytes() == wheel.read_bytes()
