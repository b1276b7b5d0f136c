# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves to `make test-full`."""

import pytest

SLOW_TO_BUILD = {"paper", "wide8", "line10g"}
"""Configurations whose pair takes a minute and more to compile."""


def slow_in_full(items, slow=SLOW_TO_BUILD, name_of=lambda item: item):
    """Parameters of a test; those whose name (mostly a configuration's), `name_of` the item, is among `slow` are marked `full`."""

    def parameter(item):
        values = item if isinstance(item, tuple) else (item,)
        return pytest.param(*values, marks=pytest.mark.full if name_of(item) in slow else ())

    return [parameter(item) for item in items]
