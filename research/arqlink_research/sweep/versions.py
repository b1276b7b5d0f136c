# SPDX-License-Identifier: Apache-2.0
"""A number that stands for the sources of what a sweep runs."""

import ast
import hashlib
import re
from functools import cache

from arqlink import tree
from arqlink.rtl import tools

COMMENT = re.compile(r"//[^\n]*")
SOURCES = (".cpp", ".h", ".scala", ".py")


@cache
def digest(*places, without=()):
    """Of all sources at or below `places` of the tree, but for those `without`; comments and spaces are left out. ns-3's version belongs to it."""
    left_out = [tree.ROOT / place for place in without]
    sha = hashlib.sha256(tools.version("ns3").encode())
    for place in places:
        root = tree.ROOT / place
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.suffix in SOURCES and not any(path == other or other in path.parents for other in left_out):
                sha.update(str(path.relative_to(tree.ROOT)).encode())
                sha.update(_code(path).encode())
    return sha.hexdigest()[:12]


def _code(path):
    text = path.read_text()
    if path.suffix != ".py":
        return " ".join(COMMENT.sub("", text).split())
    module = ast.parse(text)
    for node in ast.walk(module):  # docstrings are comments
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = None
    return ast.dump(module)
