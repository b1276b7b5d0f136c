# SPDX-License-Identifier: Apache-2.0
"""A number that stands for the sources of what a sweep runs."""

import ast
import hashlib
import re
from functools import cache

from arqlink import tree

COMMENT = re.compile(r"//[^\n]*")


@cache
def digest(*folders, without=None):
    """Of all sources below `folders` of the tree, those `without` one of them, comments and spaces left out."""
    sha = hashlib.sha256()
    for folder in folders:
        for path in sorted((tree.ROOT / folder).rglob("*")):
            name = str(path.relative_to(tree.ROOT))
            if path.suffix in (".cpp", ".h", ".scala", ".py") and not (without and name.startswith(f"{without}/")):
                sha.update(name.encode())
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
