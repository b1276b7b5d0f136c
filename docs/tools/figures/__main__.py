# SPDX-License-Identifier: Apache-2.0
import argparse
import sys

from arqlink import tree
from arqlink.errors import UserError, sentence
from docs.tools.figures import render


def main():
    argparse.ArgumentParser(prog="docs.tools.figures", description="Renders the pictures of docs/figures.").parse_args()
    try:
        tree.require()
        for name, path in render.sources().items():
            (render.FOLDER / f"{name}.svg").write_text(render.render(path))
            print(f"docs/figures/{name}.svg")
    except (UserError, OSError) as error:
        sys.exit(sentence(error))


if __name__ == "__main__":
    main()
