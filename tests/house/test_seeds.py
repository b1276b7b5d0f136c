# SPDX-License-Identifier: Apache-2.0
"""All random input of the tests follows ARQLINK_SEED, and no test is passed over in silence: by their sources."""

import ast
import re
import subprocess
import sys

import pytest

from arqlink.tree import ROOT
from tests import seeds

FIXED = "# fixed seed: "
"""Stands in the line of a random source that does not follow, with the reason."""
FOLDERS = ("cocotb_tests", "tests", "research/tests", "sw/tests")
OWN = {"tests/seeds.py", "tests/house/test_seeds.py"}
SOURCES = {
    "random": {"Random", "SystemRandom", "seed"},
    "numpy.random": {"default_rng", "RandomState", "Generator", "seed"},
    "os": {"urandom", "getrandom"},
    "secrets": {"token_bytes", "token_hex", "randbelow", "choice"},
    "uuid": {"uuid4"},
}
FOLLOWS = "random.seed(cocotb.RANDOM_SEED)"
"""cocotb gets ARQLINK_SEED, and seeds with it the functions of `random` in simulations."""


def wrong(text, simulated=False):
    """Lines of a source in which something random does not follow."""
    tree, lines = ast.parse(text), text.splitlines()
    modules = {}  # by the names that the source has for them
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {name.asname or name.name: name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}

    def full(called):
        """What is called, by its whole name."""
        parts = ast.unparse(called).split(".")
        return ".".join([modules.get(parts[0], ""), *parts[1:]])

    def draws(call):
        module, _, name = full(call.func).rpartition(".")
        if ast.unparse(call) == FOLLOWS:
            return False
        return name in SOURCES.get(module, ()) or module == "numpy.random" or (module == "random" and not simulated)

    def is_constant(call):
        """A run of the product with a seed of its own."""
        return any(
            keyword.arg == "seed" and isinstance(keyword.value, ast.Constant) and ast.unparse(call.func) in {"LinkSetup", "Street", "Losses"}
            for keyword in call.keywords
        )

    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = {call.lineno for call in calls if draws(call) or is_constant(call)}
    return [f"{number}: {lines[number - 1].strip()}" for number in sorted(found) if FIXED not in lines[number - 1]]


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if name not in OWN:
                yield name, path.read_text()


def is_simulated(name):
    return name.startswith("cocotb_tests/") and "/model/" not in name and "/test_" not in name


def test_random_input_follows_the_seed():
    found = [f"{name}:{line}" for name, text in sources() for line in wrong(text, is_simulated(name))]
    assert not found, "draw from tests/seeds.py, or say why not behind '" + FIXED + "'"


@pytest.mark.parametrize(
    "line",
    [
        "import random\nrandom.Random(3)", "from random import Random\nRandom(seed)", "import random\nrandom.shuffle(x)", "import os\nos.urandom(4)",
        "import numpy as np\nnp.random.default_rng(1)", "from numpy.random import default_rng\ndefault_rng()", "import random\nrandom.seed(4)",
        "LinkSetup(seed=3)", "import secrets\nsecrets.token_bytes(3)",
    ],
)  # fmt: skip
def test_a_source_that_does_not_follow_is_seen(line):
    assert len(wrong(line)) == 1 and not wrong(line + "  " + FIXED + "it was found with it")


@pytest.mark.parametrize("line", ["import random\nrandom.seed(cocotb.RANDOM_SEED)\nrandom.random()", "rng = seeds.rng(1)\nrng.random()"])
def test_what_follows_is_not_refused(line):
    assert not wrong(line, simulated=True)


def test_programs_in_c_take_their_seed():
    fixed = re.compile(r"\b(rand|srand|mt19937(_64)? \w+)\(\d*\)|random_device")
    assert not [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.c*") if fixed.search(path.read_text(errors="replace"))]


def test_another_seed_gives_other_numbers():
    """In the same order each time."""
    program = "from tests import seeds; print(seeds.rng('a').random(), seeds.seed_of('a'), seeds.generator('a').random(), seeds.rng('b').random())"
    printed = {}
    for seed in ("1", "1", "7"):
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env={"ARQLINK_SEED": seed}, capture_output=True, text=True, check=True)
        assert printed.setdefault(seed, done.stdout) == done.stdout
    numbers = (printed["1"] + printed["7"]).split()
    assert len(set(numbers)) == len(numbers) == 8


def test_a_failure_and_a_run_print_the_seed(tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(rng):\n    assert rng.random() > 1\n")
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pytest.ini", "--rootdir", ROOT, "-p", "conftest", "-p", "no:cacheprovider", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout.count(f"ARQLINK_SEED={seeds.SEED}\n") == 2, done.stdout
