# SPDX-License-Identifier: Apache-2.0
"""Faults of one particular clock are found by trying each."""


async def sweep(clocks, case):
    """Awaits `case(clock)` for each of `clocks`; what fails says at which clock."""
    for clock in clocks:
        try:
            await case(clock)
        except AssertionError as wrong:
            raise AssertionError(f"at clock {clock}: {wrong}") from wrong
