# SPDX-License-Identifier: Apache-2.0
"""What a bench measures, on its way from the simulation to whoever ran it: rtl.run returns it."""

import json
from pathlib import Path

FILE = "measured.json"
"""In the folder of the run, which is the simulation's current one."""


def record(**values):
    """Called in the simulation, once."""
    Path(FILE).write_text(json.dumps(values))


def forget(folder):
    """What an earlier run has left."""
    (Path(folder) / FILE).unlink(missing_ok=True)


def of_run(folder):
    """The values of the run in this folder; none where it measures nothing."""
    path = Path(folder) / FILE
    return json.loads(path.read_text()) if path.exists() else {}
