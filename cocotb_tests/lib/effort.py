# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves to `make test-full`."""

import pytest

SLOW_TO_BUILD = {"paper", "wide8", "line10g", "fast16"}
"""Configurations whose pair takes a minute and more to compile."""


def quick_first(items, config_of=lambda item: item):
    """Parameters of a test, those of slow configurations marked `full`; `config_of` an item is its configuration."""
    return [pytest.param(*(item if isinstance(item, tuple) else (item,)), marks=[pytest.mark.full] * (config_of(item) in SLOW_TO_BUILD)) for item in items]
