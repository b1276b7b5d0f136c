# SPDX-License-Identifier: Apache-2.0
"""Documents: each link leads somewhere, and the worked example changes lines that exist."""

import json
import re

import pytest
import typer

from arqlink.cli.main import app
from arqlink.fpga import record
from arqlink.fpga.targets import TARGETS
from arqlink.tree import CONFIGS, ROOT

SITE = {path for pattern in ("*.md", "[acderst]*/**/*.md") for path in ROOT.glob(pattern)}
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
    names = set(re.findall(r"\b(?:config|failed|code)\.\w+", after))
    assert len(names) > 4 and all(name in source for name in names - {"code.maxParity"})
    assert "val attempt" in source and "code.maxParity" in source


def rates(config, results):
    """Gb/s of a whole link of this configuration, by seed: its width by the clock that was placed."""
    return [r["mhz"] * t.data_bytes * 8e-3 for t in TARGETS if (t.block, t.config) == ("ArqLink", config) for r in results.get(t.name, []) if r["mhz"]]


def unproven(text, results):
    """Sentences, and rows of tables, that give a configuration a rate which no placed link has; or not each seed, and they do not say so."""
    found = []
    for sentence in re.split(r"\.\s|\n\n|\n(?=\||- )", text):
        for config in json.loads(CONFIGS.read_text()):
            if re.search(rf"(`|arqlink_){config}\b", sentence) and (said := re.search(r"\b(\d+) Gb/s", sentence)):
                reached = [rate >= float(said[1]) for rate in rates(config, results)]
                if not any(reached) or not (all(reached) or re.search(r"\b(seeds?|placements)\b", sentence)):
                    found.append(" ".join(sentence.split()))
    return found


@pytest.mark.parametrize("page", [*sorted(SITE), *sorted(ROOT.glob("fusesoc/*.core"))], ids=lambda page: str(page.relative_to(ROOT)))
def test_a_rate_is_that_of_a_placed_link(page):
    assert not unproven(page.read_text(), record.read())


def test_a_rate_that_no_link_has_is_seen():
    text = "`slow` has no rate. A link `paper`: 20 Gb/s. The link `line10g` has 10 Gb/s. Two seeds of `line10g` reach 10 Gb/s."
    assert unproven(text, {"line10g": [{"mhz": 160}, {"mhz": 140}]}) == ["A link `paper`: 20 Gb/s", "The link `line10g` has 10 Gb/s"]
    assert len(unproven(text, {})) == 3


def test_the_datasheet_has_each_configuration_as_it_is_built():
    rows = re.findall(r"^\| `(\w+)` \| (\d+) bytes? \| (\d+) bytes \| (\d+) \| (\d+) \| (\d+) frames \|", (ROOT / "docs" / "datasheet.md").read_text(), re.M)
    keys = ("data_bytes", "unit_bytes", "max_k", "max_parity", "window_frames")
    assert {name: values for name, *values in rows} == {name: [str(c[key]) for key in keys] for name, c in json.loads(CONFIGS.read_text()).items()}


MOST_WORDS = 25
"""In a cell of docs/limits.md; what needs more stands below the table."""


def long_cells(text):
    """Cells of a page's tables that are no table cells but paragraphs."""
    cells = [cell.strip() for line in text.splitlines() if line.startswith("|") for cell in line.strip("|").split("|")]
    return [cell for cell in cells if len(cell.split()) > MOST_WORDS]


def test_a_limit_is_read_at_a_glance():
    text = (ROOT / "docs" / "limits.md").read_text()
    assert text.count("\n| ") > 20 and not long_cells(text)


def test_a_long_cell_is_seen():
    assert long_cells(f"| short | {'word ' * MOST_WORDS}| {'word ' * (MOST_WORDS + 1)}|") == [("word " * (MOST_WORDS + 1)).strip()]


BEGINNINGS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("*/README.md"), *(ROOT / "docs" / f"{name}.md" for name in ("first_hour", "choosing"))]
"""Pages whose commands somebody types who has just arrived."""


(GROUPS,) = (words.split() for words in re.findall(r'^groups="(.*)"$', (ROOT / "scripts" / "setup").read_text(), re.MULTILINE))


def unknown_commands(text):
    """Targets of make, commands of arqlink and examples that a page's code names, and that do not exist. (`podman run --rm` names a container.)"""
    code = " ".join([*CODE.findall(text), *re.findall(r"`[^`\n]+`", CODE.sub("", text))])
    there = {
        "make": set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)) | {f"setup-{group}" for group in GROUPS},
        "arqlink": set(typer.main.get_command(app).commands),  # type: ignore[attr-defined]
        "example:arqlink": {path.stem for path in ROOT.glob("examples/*/*.core")},
    }
    named = [*re.findall(r"(?<!--rm )(?<!/dev/net/tun )\b(make|arqlink) ([a-z][a-z-]*)", code), *re.findall(r"\b(example:arqlink):(\w+)", code)]
    return [f"{program} {name}" for program, name in named if name not in there[program]]


@pytest.mark.parametrize("page", BEGINNINGS, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_first_commands_exist(page):
    assert not unknown_commands(page.read_text())


def test_a_command_that_is_gone_is_seen():
    text = "`make demo`, `make dmeo`, make what you like\n```\narqlink stats\narqlink stat\n```\n`example:arqlink:no`"
    assert unknown_commands(text) == ["arqlink stat", "make dmeo", "example:arqlink no"]


def test_the_recipes_name_files_that_exist():
    page = (ROOT / "docs" / "extending.md").read_text()
    named = set(re.findall(r"`([\w/]+\.(?:scala|py|cpp|h|lua|md|json))`", page))
    folders = [ROOT, ROOT / "rtl/src/main/scala/arqlink", *(ROOT / name for name in ("cocotb_tests/model", "cocotb_tests/framing", "sim/campaign"))]
    assert len(named) > 20 and not [name for name in named if not any((folder / name).exists() for folder in folders)]
