# SPDX-License-Identifier: Apache-2.0
"""The recorded tour of the live link: it is that of the document, and its picture shows what was recorded."""

import json
import re
import xml.etree.ElementTree as xml

import pytest

from arqlink.tree import ROOT
from docs.tools import live_cast

pytestmark = pytest.mark.docs
SVG = "{http://www.w3.org/2000/svg}"


def cast(*events):
    header = {"version": 2, "width": 100, "height": 30, "idle_time_limit": 1}
    return "\n".join(json.dumps(line) for line in (header, *([seconds, "o", text] for seconds, text in events)))


def test_the_document_has_these_commands():
    document = (ROOT / "docs" / "live.md").read_text()
    for lines in live_cast.TOUR:
        assert "".join(f"    {line}\n" for line in lines) in document


def test_the_recording_is_of_these_commands():
    rows, _ = live_cast.shown(live_cast.CAST.read_text())
    typed = [row[2:] for row in rows if row.startswith((live_cast.PROMPT, live_cast.MORE))]
    assert typed == [*(line for lines in live_cast.TOUR for line in lines), ""]


def test_the_picture_is_of_the_recording():
    assert live_cast.PICTURE.read_text() == live_cast.drawn(live_cast.CAST.read_text())


def test_the_picture_has_each_row_where_it_stands():
    rows, _ = live_cast.shown(live_cast.CAST.read_text())
    texts = ["".join(text.itertext()) for text in xml.parse(live_cast.PICTURE).iter(f"{SVG}text")]
    assert texts == [row.strip() if row[0] == " " else row for row in rows if row.strip()]


def test_waits_are_cut_and_rows_counted():
    rows, places = live_cast.shown(cast((0, "$ "), (0.5, "a"), (9, "\r\n"), (9.25, "b\r\nc")))
    assert rows == ["$ a", "b", "c"]
    assert places == [(0, 0, 2), (0.5, 0, 3), (1.5, 1, 0), (1.75, 2, 1)]


def test_the_screen_moves_when_it_is_full():
    steps = re.search(r"@keyframes scroll\{(.*)\}", live_cast.drawn(cast((0, 29 * "a\r\n"), (1, "b\r\n"), (3, "c\r\n"))))
    assert steps and re.findall(r"([\d.]+)%\{transform:translate\(0px,(-?[\d.]+)px\)\}", steps[1]) == [("0", "0"), ("14.29", "-17"), ("28.57", "-34")]


def test_what_a_terminal_does_not_print_is_refused():
    with pytest.raises(AssertionError):
        live_cast.drawn(cast((0, "\x1b[1m")))
