# SPDX-License-Identifier: Apache-2.0
"""Builds a page: its template with all styles and scripts inside. The same sources give the same bytes."""

import json
from pathlib import Path

from arqlink import tree
from arqlink.model import packets
from arqlink.pages import chart_library

HERE = Path(__file__).parent
STYLE, SCRIPT, VERSION = "/* styles */", "// scripts", "@VERSION@"
"""What a template has in place of them."""
PAGES = ("planner",)


def sources(page, suffix):
    """Texts of the shared files, then of the page's own, by name."""
    return [path.read_text(encoding="utf-8") for folder in ("shared", page) for path in sorted((HERE / folder).glob(f"*{suffix}"))]


def library(name):
    """A file of the chart library, with its licence before it."""
    licence = chart_library.text("LICENSE").strip()
    return f"/*! {chart_library.NAME} {chart_library.VERSION}\n{licence}\n*/\n{chart_library.text(name).strip()}\n"


def builds():
    """What the page knows of configurations: by name, their built limits."""
    names = ("unit_bytes", "data_bytes", "max_k", "max_parity", "window_frames", "max_packet_bytes")
    configs = json.loads(tree.CONFIGS.read_text())
    return {config: {name: limits[name] for name in names} for config, limits in configs.items()}


def page(name):
    """The text of a page."""
    values = {"VERSION": tree.version(), "CONFIGURATIONS": builds(), "IMIX": packets.IMIX}
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    scripts = [library("uPlot.iife.min.js"), constants, *sources(name, ".js")]
    styles = [library("uPlot.min.css"), *sources(name, ".css")]
    for text in scripts:
        assert "</script" not in text
    template = (HERE / name / "index.html").read_text(encoding="utf-8")
    for mark, text in ((STYLE, "\n".join(styles)), (SCRIPT, "\n".join(scripts)), (VERSION, tree.version())):
        assert template.count(mark) == 1, mark
        template = template.replace(mark, text)
    return template
