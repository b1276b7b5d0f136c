# SPDX-License-Identifier: Apache-2.0
"""Packages of the Scala sources depend on each other in one direction only, as described in rtl/README.md. The JDK's jdeps reads it off the
compiled classes."""

import re
import subprocess
from graphlib import TopologicalSorter

import pytest

from cocotb_tests.lib.rtl import ROOT, compile_rtl

TOOLS = {"lib", "lib.queue"}


@pytest.fixture(scope="module")
def dependencies():
    """For each package, the other ones that its classes use."""
    compile_rtl()
    command = ["jdeps", "-verbose:package", "-filter:none", ROOT / "rtl" / "target" / "classes"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for user, used in re.findall(r"^ +(arqlink[\w.]*) +-> (arqlink[\w.]*) ", text, re.MULTILINE):
        found.setdefault(user, set()).add(used)
    return {user: used - {user} for user, used in found.items()}


def listed():
    """Packages and what they depend on, from the bottom up, as rtl/README.md lists them."""
    rows = re.findall(r"^\| `([\w.]+)` \|.*\|([^|]*)\|$", (ROOT / "rtl" / "README.md").read_text(), re.MULTILINE)
    return {f"arqlink.{package}": {f"arqlink.{name}" for name in re.findall(r"`([\w.]+)`", cell)} for package, cell in rows}


def test_no_cycle(dependencies):
    assert len(dependencies) > 10
    TopologicalSorter(dependencies).prepare()  # raises CycleError, which names the packages


def test_nothing_depends_on_generation(dependencies):
    assert dependencies["arqlink.gen"]
    assert not [user for user, used in dependencies.items() if "arqlink.gen" in used]


@pytest.mark.parametrize(
    ("package", "allowed"),
    [("lib", set()), ("lib.queue", {"lib"}), ("config", TOOLS), ("axi", TOOLS), ("wire", TOOLS | {"config"}), ("arq", TOOLS | {"config", "store", "wire"})],
)
def test_layers(dependencies, package, allowed):
    assert dependencies[f"arqlink.{package}"] <= {f"arqlink.{name}" for name in allowed}


def test_the_list_of_packages_is_true(dependencies):
    """A package is above all that use it."""
    packages = listed()
    assert packages == dependencies
    above = set()
    for package, used in packages.items():
        assert used <= above, (package, used - above)
        above.add(package)
