# SPDX-License-Identifier: Apache-2.0
"""The picture of Wireshark: its capture has what the document says about it, and what it needs is named."""

import re
import subprocess

import pytest

from arqlink.tree import ROOT
from docs.tools import wireshark_picture

LIFE = """Erased: Frame 4, unit 0 of 5 (data), TSN 4
Erased: Frame 4, unit 1 of 5 (data), TSN 4
Frame 4, unit 2 of 5 (data), TSN 4
Erased: Frame 4, unit 3 of 5 (data), TSN 4
Frame 4, unit 4 of 5 (parity), TSN 4
Erased: Report: outcomes of TSN 0 to 4, failed: 4
Report: outcomes of TSN 0 to 5, failed: 4
Report: outcomes of TSN 0 to 6, failed: 4
Report: outcomes of TSN 0 to 7, failed: 4
Frame 4, unit 0 of 5 (data), TSN 11, retransmission 1, last try
Report: outcomes of TSN 0 to 8, failed: 4
Erased: Frame 4, unit 1 of 5 (data), TSN 11, retransmission 1, last try
Frame 4, unit 2 of 5 (data), TSN 11, retransmission 1, last try
Frame 4, unit 3 of 5 (data), TSN 11, retransmission 1, last try
Frame 4, unit 4 of 5 (parity), TSN 11, retransmission 1, last try
"""
"""What is seen in the picture that is committed."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Numbers of the packets that a filter shows in the picture's capture, or another field of theirs."""
    folder = tmp_path_factory.mktemp("picture")
    wireshark_picture.capture(folder)

    def show(rule, field="frame.number"):
        command = ["tshark", "-2", "-X", f"lua_script:{wireshark_picture.DISSECTOR}", "-r", "units.pcapng", "-Y", rule, "-T", "fields", "-e", field]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout

    return show


@pytest.mark.docs
def test_the_capture_is_what_the_picture_shows(shown):
    assert shown(wireshark_picture.FILTER, "_ws.col.Info") == LIFE
    numbers = shown(wireshark_picture.FILTER).split()
    assert numbers[5:7] == [str(wireshark_picture.PACKET), "54"]


@pytest.mark.docs
def test_each_rule_colours_something(shown):
    document = (ROOT / "docs" / "wireshark.md").read_text()
    for rule, _, _ in wireshark_picture.RULES.values():
        assert f"`{rule}`" in document and shown(f"({wireshark_picture.FILTER}) && {rule}")


def test_missing_packages_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as said:
        wireshark_picture.require()
    assert str(said.value).startswith("This needs Debian's wireshark, xdotool, xvfb, which are not installed; ")
    for program in ("Xvfb", "wireshark"):
        (tmp_path / program).touch(0o755)
    with pytest.raises(SystemExit, match=re.escape("This needs Debian's xdotool, which is not installed; run 'apt-get install xdotool' as root.")):
        wireshark_picture.require()
