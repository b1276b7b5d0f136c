# SPDX-License-Identifier: Apache-2.0
"""`make verilog`: writes modules for designs of others to build/verilog, and prints where."""

import argparse
import json
import sys

from arqlink import tree
from arqlink.errors import UserError, sentence
from arqlink.integration.companions import write
from arqlink.integration.module import FOLDER, PREFIX, generate


def main():
    parser = argparse.ArgumentParser(prog="arqlink.integration", description="Writes blocks as modules for designs of others, and prints where.")
    parser.add_argument("blocks", metavar="BLOCK", nargs="+")
    parser.add_argument("--config", help="one configuration; without it, all that have a name")
    parser.add_argument("--set", metavar="NAME=VALUE", nargs="*", default=[], help="changes values of that configuration")
    parser.add_argument("--prefix", default=PREFIX, help=f"what the names of all modules begin with; {PREFIX} by default")
    options = parser.parse_args()
    try:
        tree.require()
        if options.set and not options.config:
            raise UserError("Settings need a configuration that they change; name it, too.")
        if not options.prefix:
            raise UserError("The prefix is empty; a configuration's name may be a word of Verilog.")
        for config in [options.config] if options.config else json.loads(tree.CONFIGS.read_text()):
            for block in options.blocks:
                module = generate(block, config, options.set, options.prefix)
                write(module)
                print(module.sources[0].relative_to(FOLDER.parents[1]))
    except (UserError, OSError) as error:
        print(sentence(error), file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
