# SPDX-License-Identifier: Apache-2.0
from arqlink.errors import UserError


def parse_seeds(text):
    """A list of seeds as the user writes it: a number of them, a range, or a list."""
    try:
        if "-" in text:
            first, last = map(int, text.split("-"))
            seeds = list(range(first, last + 1))
        elif "," in text:
            seeds = list(map(int, text.split(",")))
        else:
            seeds = list(range(1, int(text) + 1))
    except ValueError:
        seeds = []
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise UserError(f"The seeds are '{text}'; write a number of them, a range such as 1-5, or a list such as 1,4,7.")
    return seeds
