# SPDX-License-Identifier: Apache-2.0
"""The tool chain is set up from one list, by hand, in a container and in CI; files for the hosting site follow their schemas."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from dockerfile_parse import DockerfileParser

from arqlink.rtl import tools
from arqlink.tree import ROOT

SETUP = ROOT / "scripts" / "setup"
CONTAINERFILE = ROOT / "containers" / "Containerfile"
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
FORMS = sorted(path for path in ROOT.glob(".github/ISSUE_TEMPLATE/*.yml") if path.name != "config.yml")


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text()


def packages(*groups, setup=SETUP):
    """Debian packages that scripts/setup installs for groups, and for its group core."""
    return subprocess.run([setup, "--packages", *groups], check=True, capture_output=True, text=True).stdout.split()


def needs(target):
    """Groups that a target of the Makefile sets up, but for core."""
    (goals,) = re.findall(rf"^{target}: (setup\S*) ##", MAKEFILE, re.MULTILINE)
    named = goals.removeprefix("setup").lstrip("-").split("+")
    return set(EXTRAS) if "all" in named else set(named) - {""}


def test_the_list_of_packages_stands_alone(tmp_path):
    """The container asks for it before the other files are there."""
    alone = tmp_path / "scripts" / "setup"
    alone.parent.mkdir()
    shutil.copy(SETUP, alone)
    listed = packages("all", setup=alone)
    assert listed == packages("all") and len(listed) == len(set(listed)) > 8
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name) for name in listed)


@pytest.mark.docs
def test_the_readme_names_these_packages():
    """Those of core; scripts/setup --packages tells the others."""
    text = " ".join((ROOT / "README.md").read_text().split())
    named = re.search(r"named as in Debian 12: (.*?)\. As root", text)
    assert named and set(re.split(r" *, *| +and +", re.sub(r"\(.*?\)", "", named[1]))) == set(packages())


def test_sentences_name_these_packages():
    assert set(tools.DEBIAN.values()) - tools.FIRMWARE <= set(packages()) and set(packages("firmware")) > tools.FIRMWARE


def test_groups_are_one_list():
    """Those of the script are the extras of the package; each is told to contributors, and each adds to core."""
    refused = subprocess.run([SETUP, "none"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and f": {' '.join(EXTRAS)} all." in refused.stderr
    assert list(EXTRAS) == re.findall(r"^\| `(\w+)` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    of = {group: set(packages(group)) for group in EXTRAS}
    assert set.union(*of.values()) == set(packages("all")) and all(of["core"] <= named for named in of.values())
    assert not of["core"] & {"chromium", "gcc-riscv64-unknown-elf", "npm"}


def test_targets_set_up_what_they_run():
    targets = re.findall(r"^([a-z-]+): .*##.*\n((?:\t.*\n)*)", MAKEFILE, re.MULTILINE)
    assert len(targets) > 15
    for target, recipe in targets:
        if recipe and target not in ("help", "wave", "clean"):
            assert needs(target) <= set(EXTRAS)
            for name in re.findall(r"\$\(VENV\)/bin/(\S+)", recipe):
                assert any(name in EXTRAS[group] for group in needs(target)), f"{target} runs {name}"


@pytest.mark.parametrize("group", ["core", "firmware", "all"])
def test_a_machine_without_tools_is_told_their_packages(tmp_path, group):
    for name in ("bash", "cat", "dirname", "id", "sed", "sha256sum"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run([SETUP, group], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    (said,) = done.stderr.splitlines()
    missing = said.removeprefix("These Debian packages are missing: ").partition(". ")[0].split()
    assert done.returncode == 2 and set(missing) <= set(packages(group))
    assert {"make", "g++", "perl", "maven", "default-jdk-headless", "python3-venv"} <= set(missing)
    assert ("gcc-riscv64-unknown-elf" in missing) == (group != "core")


def test_the_container_installs_these_packages(tmp_path):
    shutil.copy(CONTAINERFILE, tmp_path / "Dockerfile")
    steps = [(step["instruction"], step["value"]) for step in DockerfileParser(str(tmp_path)).structure if step["instruction"] != "COMMENT"]
    assert steps[0] == ("FROM", "debian:12")
    commands = [value for instruction, value in steps if instruction == "RUN"]
    for command in commands:
        subprocess.run(["bash", "-n", "-c", command], check=True)
    installs = next(command for command in commands if "apt-get install" in command)
    assert "$(scripts/setup --packages all)" in installs and not set(installs.split()) & set(packages("all"))
    copied = [value.split()[0] for instruction, value in steps if instruction == "COPY"]
    assert all((ROOT / path).exists() for path in copied) and "." in copied
    assert steps.index(("COPY", "scripts/setup scripts/setup")) < steps.index(("RUN", installs)) < steps.index(("RUN", "make setup-all"))


def test_the_container_takes_nothing_that_was_built():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".venv", "build", "rtl/target"} <= set(ignored)


def checked(schema, *files):
    """What check-jsonschema, which has the hosting site's schemas, says of files."""
    command = [Path(sys.executable).parent / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"NO_COLOR": "1"})
    return done.returncode, done.stdout


def test_workflows_and_forms_follow_their_schemas():
    assert WORKFLOWS and len(FORMS) == 3
    assert checked("github-workflows", *WORKFLOWS)[0] == 0
    assert checked("github-issue-forms", *FORMS)[0] == 0
    assert checked("github-issue-config", ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml")[0] == 0


def test_a_wrong_workflow_is_seen(tmp_path):
    (tmp_path / "ci.yml").write_text(WORKFLOWS[0].read_text().replace("runs-on:", "runs-at:"))
    code, said = checked("github-workflows", tmp_path / "ci.yml")
    assert code == 1 and "runs-at" in said


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_what_the_makefile_has(path):
    """Targets and files that they name exist, and tests find the network namespaces that they need."""
    job = yaml.safe_load(path.read_text())["jobs"]["make"]
    text = "\n".join(step.get("run", "") for step in job["steps"])
    targets = set(re.findall(r"\bmake ([a-z-]+)", text)) | set(job.get("strategy", {}).get("matrix", {}).get("target", []))
    assert targets and targets <= set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    hashed = {name for step in job["steps"] for name in re.findall(r"'([^']+)'", step.get("with", {}).get("key", ""))}
    assert hashed and all((ROOT / name).exists() for name in hashed)
    assert "--privileged --device /dev/net/tun" in job["container"]["options"]


def test_each_test_is_run_by_a_workflow():
    """By their markers; and a seed of its own each night."""
    texts = {path.name: path.read_text() for path in WORKFLOWS}
    assert "[lint, test, test-pages, test-research, docs]" in texts["ci.yml"] and "make test-docs" in texts["ci.yml"]
    assert "ARQLINK_SEED=" in texts["nightly.yml"]
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r'^test-full:.*\n.* -m ""$', makefile, re.MULTILINE) and "make test-full" in texts["nightly.yml"]
