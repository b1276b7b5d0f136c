# SPDX-License-Identifier: Apache-2.0
"""Results of place and route that are kept with the sources: a target whose fingerprint they have need not be placed again for them.
What a RAM contains is not part of it: another program gives another bitstream with the same figures."""

import json
from dataclasses import asdict

from arqlink import tree

RECORD = tree.ROOT / "docs" / "place_and_route.json"
"""By target a list of synth.Result, by seed."""


def read():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def find(name, seed, fingerprint):
    """The recorded result of a target, as a dictionary; None where there is none of this fingerprint."""
    return next((r for r in read().get(name, []) if (r["seed"], r["fingerprint"]) == (seed, fingerprint)), None)


def add(result):
    """Adds a result, in place of those of its target with other fingerprints."""
    new = asdict(result)
    with tree.locked("synth-record"):
        record = read()
        others = [r for r in record.get(new["target"], []) if r["fingerprint"] == new["fingerprint"] and r["seed"] != new["seed"]]
        record[new["target"]] = sorted([*others, new], key=lambda r: r["seed"])
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
