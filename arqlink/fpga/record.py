# SPDX-License-Identifier: Apache-2.0
"""Results of place and route that are kept with the sources: a target whose fingerprint they have need not be placed again for them.
What a RAM contains is not part of it: another program gives another bitstream with the same figures."""

import json
from dataclasses import asdict

from arqlink import locks, tree

RECORD = tree.ROOT / "docs" / "place_and_route.json"
"""By target a list of synth.Result, by seed."""


def read():
    """All of it: by target a list of results, as dictionaries."""
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def find(record, name, fingerprint):
    """The results of a target in a record that was read, by seed; those of other fingerprints are left out."""
    return {r["seed"]: r for r in record.get(name, []) if r["fingerprint"] == fingerprint}


def add(result):
    """Adds a result, in place of those of its target with other fingerprints."""
    new = asdict(result)
    with locks.locked("synth-record"):
        record = read()
        others = [r for r in record.get(new["target"], []) if r["fingerprint"] == new["fingerprint"] and r["seed"] != new["seed"]]
        record[new["target"]] = sorted([*others, new], key=lambda r: r["seed"])
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
