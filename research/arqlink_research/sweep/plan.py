# SPDX-License-Identifier: Apache-2.0
"""A sweep as its TOML file describes it: fixed settings, and a grid of which every combination is a point."""

import itertools
import json
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arqlink.errors import UserError
from arqlink.seeds import parse_sample
from arqlink_research.sweep import kinds

KEYS = {
    "kind": (str, "a text"),
    "output": (str, "a text"),
    "seeds": ((int, str), "a number or a text"),
    "fixed": (dict, "a table"),
    "grid": (dict, "a table"),
}


OLD_NAMES = {"n_retx": "nr", "order": "ord", "p": "loss"}
"""Of settings, and what they are called now; they still work."""


@dataclass(frozen=True)
class Task:
    """One run: settings by the names that the kind's command has for them, and a seed."""

    kind: str
    settings: dict
    seed: int

    @cached_property
    def key(self):
        """What identifies it in a store: all settings, also those that it leaves out, the seed, and the version of what is run."""
        kind = kinds.KINDS[self.kind]
        return json.dumps([self.kind, kind.identity(self.settings), self.seed, kind.version(self.settings)], sort_keys=True)


@dataclass(frozen=True)
class Sweep:
    """`points` are settings without seeds, in the order of the grid; `varied` are the names in the grid."""

    kind: str
    points: list[dict]
    varied: list[str]
    seeds: list[int]
    output: Path

    def tasks(self):
        """All runs, seed by seed: so a sweep that is stopped has something of every point."""
        return [Task(self.kind, point, seed) for seed in self.seeds for point in self.points]


def _renamed(settings: dict) -> dict:
    """The same without old names."""
    if twice := [(old, new) for old, new in OLD_NAMES.items() if {old, new} <= settings.keys()]:
        old, new = twice[0]
        raise UserError(f"'{old}' is another name of '{new}'; give one of them.")
    return {OLD_NAMES.get(name, name): value for name, value in settings.items()}


def read(path):
    """The Sweep of a TOML file. What is wrong with it is a UserError, before anything is run."""
    path = Path(path)
    try:
        text = tomllib.loads(path.read_text())
    except OSError as error:
        raise UserError(f"'{path}' cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"'{path}' is not TOML: {error}.") from None
    if unknown := sorted(text.keys() - KEYS.keys()):
        raise UserError(f"'{path}' has {', '.join(unknown)}; a sweep has {', '.join(sorted(KEYS))}.")
    for key, value in text.items():
        expected, what = KEYS[key]
        if not isinstance(value, expected) or isinstance(value, bool):
            raise UserError(f"'{key}' in '{path}' is {value!r}; it must be {what}.")
    kind = text.get("kind", "tcp")
    if kind not in kinds.KINDS:
        raise UserError(f"The kind of the sweep is '{kind}'; it must be {' or '.join(kinds.KINDS)}.")
    fixed, grid = (_renamed(text.get(part, {})) for part in ("fixed", "grid"))
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise UserError(f"'{name}' in the grid must be a list with one value or more.")
        if name in fixed:
            raise UserError(f"'{name}' is fixed, and in the grid.")
    points = [fixed | dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    for point in points:
        kinds.KINDS[kind].check(point)
    if len({Task(kind, point, 0).key for point in points}) < len(points):
        raise UserError("The grid has a point twice.")
    return Sweep(kind, points, list(grid), parse_sample(str(text.get("seeds", 1))), path.parent / text.get("output", f"{path.stem}.sqlite"))
