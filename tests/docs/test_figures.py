# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documents are those of their sources, and each is shown somewhere."""

import re

import pytest

from docs.tools.figures import render
from tests.docs.test_documents import SITE

DOCUMENTS = {path: path.read_text() for path in sorted(SITE)}


@pytest.mark.parametrize("name", render.sources())
def test_picture_is_that_of_its_source(name):
    committed = (render.FOLDER / f"{name}.svg").read_text()
    assert committed == render.render(render.sources()[name]), "run 'make figures'"


def test_each_picture_has_a_source_and_is_shown():
    pictures = {path.stem for path in render.FOLDER.glob("*.svg")}
    shown = {name for text in DOCUMENTS.values() for name in re.findall(r"!\[[^\]]+\]\((?:\.\./)?(?:docs/)?figures/(\w+)\.svg\)", text)}
    assert pictures == set(render.sources()) == shown


def test_no_document_shows_raw_waves():
    assert not [str(path) for path, text in DOCUMENTS.items() if "```wavedrom" in text]
