# SPDX-License-Identifier: Apache-2.0
"""`python -m arqlink.pages planner OUT.html`: writes a page to a file."""

import argparse
import sys
from pathlib import Path

from arqlink import files
from arqlink.errors import UserError, sentence
from arqlink.pages import build


def main():
    parser = argparse.ArgumentParser(prog="arqlink.pages", description="Writes a page that a browser opens from a file, with everything inside.")
    parser.add_argument("page", metavar="PAGE", choices=build.PAGES, help=", ".join(build.PAGES))
    parser.add_argument("output", metavar="OUT.html", type=Path, help="folders that are missing are made")
    options = parser.parse_args()
    try:
        text = build.page(options.page)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        files.check([options.output])
        files.write(options.output, text.encode())
    except (UserError, OSError) as error:
        sys.exit(sentence(error))


if __name__ == "__main__":
    main()
