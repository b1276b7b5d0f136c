# SPDX-License-Identifier: Apache-2.0
"""The documentation site: it is built without a warning, each link leads somewhere, nothing comes from a server, and each page reads as on a
repository page."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

from arqlink.pages import build as build_page
from arqlink.tree import ROOT
from tests.docs.test_documents import SITE

COUNTED = ("code", "em", "h1", "h2", "h3", "h4", "img", "li", "ol", "pre", "strong", "table", "td", "th", "ul")
LOADED = {("iframe", "src"), ("img", "src"), ("link", "href"), ("script", "src")}


class Document(HTMLParser):
    """What a page has: ids, links as (element, attribute, address), and how many elements of each kind its text has."""

    def __init__(self, html, of_site=True):
        super().__init__()
        self.ids, self.links, self.elements = [], [], Counter()
        self._in_text, self._in_code = not of_site, False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.links += [(tag, name, attributes[name]) for name in ("href", "src") if attributes.get(name)]
        self._in_text |= tag == "article"
        self._in_code |= tag == "pre"
        if self._in_text and tag in COUNTED and not (self._in_code and tag != "pre"):
            self.elements[tag] += 1

    def handle_endtag(self, tag):
        self._in_text &= tag != "article"
        self._in_code &= tag != "pre"


def build(folder, output):
    """MkDocs' exit code and warnings. (With --quiet it would not count them.)"""
    command = [str(Path(sys.executable).parent / "mkdocs"), "build", "--strict", "--site-dir", str(output)]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False)
    return done.returncode, [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("INFO ")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, and its documents by path; without the page for servers that names what they do not find, and pages that are none."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    assert build(ROOT, folder) == (0, [])
    paths = [path for path in folder.rglob("*.html") if path.name != "404.html" and path.parent.name != "pages"]
    assert len(paths) > 40
    return folder, {path: Document(path.read_text()) for path in paths}


def broken(path, documents):
    """Addresses of a page of the site that lead nowhere."""
    found = []
    for _, _, address in documents[path].links:
        parts = urlsplit(address)
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        anchors = documents[target].ids if target in documents else []
        anchor = unquote(parts.fragment)
        if not parts.scheme and (not target.is_file() or (anchor and anchor not in anchors)):
            found.append(address)
    return found


def test_each_link_leads_somewhere(site):
    _, documents = site
    assert sum(len(document.links) for document in documents.values()) > 3000
    assert {path.name: found for path in documents if (found := broken(path, documents))} == {}


def test_it_has_the_planner(site):
    folder, documents = site
    assert (folder / "pages" / "planner.html").read_text() == build_page.page("planner")
    links = [address for _, _, address in documents[folder / "docs" / "planner.html"].links]
    assert "../pages/planner.html" in links


def test_a_broken_link_is_seen(site):
    folder, documents = site
    page = folder / "index.html"
    html = '<a href="docs/framer.html">a</a> <a href="docs/no.html">b</a> <a href="#none">c</a> <a href="docs/framer.html#timing">d</a> <img src="no.svg">'
    assert broken(page, documents | {page: Document(html)}) == ["docs/no.html", "#none", "no.svg"]


def test_ids_are_unique(site):
    for path, document in site[1].items():
        assert max(Counter(document.ids).values()) == 1, path


def test_nothing_comes_from_a_server(site):
    folder, documents = site
    for path, document in documents.items():
        assert not [link for link in document.links if link[:2] in LOADED and urlsplit(link[2]).netloc], path
    for style in folder.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//|@import", style.read_text()), style


def test_search_works_without_a_server(site):
    """The index is a script, and a script of ours stands for the worker that a browser would refuse."""
    folder, documents = site
    script = (folder / "search" / "search_index.js").read_text()
    texts = {entry["location"]: entry["text"] for entry in json.loads(script.removeprefix("var __index = "))["docs"]}
    assert "δ = 0 is FEC alone" in texts["index.html#what-it-is"] and texts["docs/segmenter.html#timing"]
    assert all(any(address.endswith("assets/iframe-worker.js") for _, _, address in document.links) for document in documents.values())


def source(folder, path):
    """The Markdown file of a page of the site."""
    relative = path.relative_to(folder)
    return ROOT / (relative.with_name("README.md") if relative.name == "index.html" else relative.with_suffix(".md"))


def test_each_page_reads_as_on_a_repository_page(site):
    """The two kinds of Markdown differ in nested lists, which need four spaces here, and in text right after a list."""
    folder, documents = site
    reference = MarkdownIt("commonmark").enable("table")
    for path, document in documents.items():
        expected = Document(reference.render(source(folder, path).read_text()), of_site=False)
        assert document.elements == expected.elements, path


def test_each_document_is_a_page(site):
    folder, documents = site
    assert {source(folder, path) for path in documents} == SITE


def test_the_build_refuses_broken_links(tmp_path):
    config, _, _ = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")
    (tmp_path / "mkdocs.yml").write_text(f"{config}\nnav: [docs/driver.md]\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "driver.md").write_text("# Driver\n\n[a](driver.md#none) [b](nowhere.md) ![c](figures/nowhere.svg) [d](driver.md#driver)\n")
    (tmp_path / "docs" / "tools").symlink_to(ROOT / "docs" / "tools")
    code, messages = build(tmp_path, tmp_path / "site")
    warnings = [line for line in messages if line.startswith("WARNING")]
    assert code == 1 and len(warnings) == 3
    assert all(any(name in line for line in warnings) for name in ("#none", "nowhere.md", "nowhere.svg"))
