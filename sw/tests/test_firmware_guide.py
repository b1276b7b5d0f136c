# SPDX-License-Identifier: Apache-2.0
"""docs/firmware.md: its dialogues are typed into the firmware on the Verilated pair, and what comes back is compared."""

import re

import pytest

from arqlink.tree import ROOT
from sw.tests import firmware

GUIDE = (ROOT / "docs" / "firmware.md").read_text()
NUMBER = r"\d+(?:\.\d+)?(?:e-\d+)?"


def dialogues(text=GUIDE):
    """Typed lines with what has to come back, in the order of the guide. An empty prompt, before an event, is nothing."""
    steps = []
    for block in re.findall(r"```text\n(.*?)```", text, re.S):
        for line in block.splitlines():
            if line.startswith("> "):
                steps.append((line[2:], []))
            elif line != ">":
                steps[-1][1].append(line)
    return steps


def matches(wanted, found):
    """`…`: any lines; a number after `~`: any number."""

    def pattern(line):
        texts = re.split("~" + NUMBER, line)
        return r"(?:.*\n)*?" if line == "…" else NUMBER.join(map(re.escape, texts)) + r"\n"

    return re.fullmatch("".join(map(pattern, wanted)), "".join(f"{line}\n" for line in found)) is not None


@pytest.mark.parametrize(
    ("wanted", "found", "good"),
    [
        (["a 1", "OK"], ["a 1", "OK"], True),
        (["a 1", "OK"], ["a 2", "OK"], False),
        (["a ~1", "OK"], ["a 2.5e-3", "OK"], True),
        (["a ~1", "OK"], ["a x", "OK"], False),
        (["a 1", "…", "OK"], ["a 1", "b", "c", "OK"], True),
        (["a 1", "…", "OK"], ["a 1", "b", "ERROR x"], False),
        (["a 1"], ["a 1", "OK"], False),
    ],
)
def test_the_comparison(wanted, found, good):
    assert matches(wanted, found) is good


def test_dialogues():
    steps = dialogues()
    assert len(steps) > 50
    found = firmware.talk([typed for typed, _ in steps])[1:]
    for (typed, wanted), answer in zip(steps, found, strict=True):
        assert matches(wanted, answer), "\n".join([f"> {typed}", *answer])


def test_every_command_is_shown():
    answer = firmware.talk(["help"], 0)[1]
    names = {line.split(":")[0].split(" ")[0] for line in answer[:-1]} - {"help"}
    typed = {line.split(" ")[0] for line, _ in dialogues()}
    assert len(names) > 15 and names <= typed, names - typed
