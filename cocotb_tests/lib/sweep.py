# SPDX-License-Identifier: Apache-2.0
"""Repeats a case at each clock of a span, in one simulation."""


async def sweep(clocks, case):
    """Awaits `case(clock)` for each of `clocks`; what fails says at which clock."""
    for clock in clocks:
        try:
            await case(clock)
        except AssertionError as wrong:
            raise AssertionError(f"at clock {clock}: {wrong}") from wrong
