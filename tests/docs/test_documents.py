# SPDX-License-Identifier: Apache-2.0
"""Documents: each link leads somewhere, and the worked example changes lines that exist."""

import re

import pytest

from arqlink.tree import ROOT

SITE = {path for pattern in ("*.md", "[cders]*/**/*.md") for path in ROOT.glob(pattern)}
"""Pages of the documentation site."""
PAGES = sorted(SITE | {*ROOT.glob(".github/**/*.md")})
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```", re.DOTALL)


def anchors(page):
    """GitHub's names of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.MULTILINE)
    names = [re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower()).replace(" ", "-") for heading in headings]
    return {name if not names[:i].count(name) else f"{name}-{names[:i].count(name)}" for i, name in enumerate(names)}


def broken(page, text=None):
    """Links of a page, or of a text in its place, that lead nowhere."""
    found = []
    for link in LINK.findall(CODE.sub("", page.read_text() if text is None else text)):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    assert not broken(page)


def test_a_broken_link_is_seen():
    page = ROOT / "docs" / "architecture.md"
    text = "[a](framer.md) [b](no.md) [c](#words) [d](#no-heading) [e](framer.md#timing) [f](framer.md#none)"
    assert broken(page, text) == ["no.md", "#no-heading", "framer.md#none"]


@pytest.mark.docs
def test_worked_example():
    """The line that it replaces is in the block that it names, and so are the names that its new lines use."""
    example = (ROOT / "docs" / "extending.md").read_text().partition("## Worked example")[2]
    before, after = re.findall(r"```scala\n(.*?)```", example, re.DOTALL)
    source = (ROOT / "rtl/src/main/scala/arqlink/arq/FrameIssue.scala").read_text()
    assert before.strip() in source
    names = set(re.findall(r"\b(?:config|again|code)\.\w+", after))
    assert len(names) > 4 and all(name in source for name in names - {"again.attempt", "code.maxParity"})
    assert "val attempt" in source and "code.maxParity" in source
