# SPDX-License-Identifier: Apache-2.0
"""`make figures`: the pictures of docs, from their sources in docs/figures.

NAME.json is WaveJSON: signals in time, or the fields of a unit. NAME.py draws with `draw(axes)`, in matplotlib. Each gives NAME.svg.
"""

import re
import runpy
from xml.etree import ElementTree

from arqlink.errors import UserError
from arqlink.report.svg import svg
from arqlink.tree import ROOT

FOLDER = ROOT / "docs" / "figures"
SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def waves(path):
    """SVG of a WaveJSON file, without the symbols that it does not use, on white."""
    import wavedrom

    picture = wavedrom.render(path.read_text())
    if picture is None:
        raise UserError(f"{path} is not WaveJSON.")
    root = ElementTree.fromstring(picture.tostring())
    used = {node.get(f"{{{XLINK}}}href", "").lstrip("#") for node in root.iter(f"{{{SVG}}}use")}
    for group in root.iter(f"{{{SVG}}}defs"):
        for symbol in [node for node in group if node.tag == f"{{{SVG}}}g" and node.get("id") not in used]:
            group.remove(symbol)
    root.insert(0, ElementTree.Element(f"{{{SVG}}}rect", width="100%", height="100%", fill="white"))
    # Lines, so that a change can be read; none within a text, where they would show.
    return re.sub(r"(/>|</g>|</text>|</defs>|</style>)<", r"\1\n<", ElementTree.tostring(root, encoding="unicode")) + "\n"


def drawing(path):
    """SVG of a drawing."""
    source = runpy.run_path(str(path))

    def draw(axes):
        axes.set_axis_off()
        source["draw"](axes)

    return svg(path.stem, source["SIZE"], draw)


KINDS = {".json": waves, ".py": drawing}


def sources():
    """Path of each picture's source, by name."""
    return {path.stem: path for path in sorted(FOLDER.iterdir()) if path.suffix in KINDS}


def render(path):
    return KINDS[path.suffix](path)
