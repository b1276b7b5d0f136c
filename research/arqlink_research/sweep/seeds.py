# SPDX-License-Identifier: Apache-2.0
from arqlink.errors import UserError

MOST = 100_000
LARGEST = (1 << 32) - 1


def parse_seeds(text):
    """A list of seeds as the user writes it: a number of them, a range, or a list."""
    try:
        if "-" in text:
            first, last = map(int, text.split("-"))
            seeds = range(first, last + 1)
        elif "," in text:
            seeds = list(map(int, text.split(",")))
        else:
            seeds = range(1, int(text) + 1)
    except ValueError:
        seeds = []
    if not seeds or (isinstance(seeds, list) and len(set(seeds)) < len(seeds)):
        raise UserError(f"The seeds are '{text}'; write a number of them, a range such as 1-5, or a list such as 1,4,7.")
    largest = max(seeds) if isinstance(seeds, list) else seeds[-1]  # a range may be too long to be gone through
    if largest > LARGEST or len(seeds) > MOST:
        raise UserError(f"The seeds are '{text}'; there may be {MOST} of them, each up to {LARGEST}.")
    return list(seeds)
