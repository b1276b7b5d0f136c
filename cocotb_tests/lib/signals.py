# SPDX-License-Identifier: Apache-2.0
"""Reads signals often. `handle.value` makes an object of four-valued logic each time, which takes several times as long as the read."""


def reader(handle):
    """A function that gives the value of a signal as an integer; it raises ValueError where a bit is X or Z."""
    read = handle._handle.get_signal_val_binstr  # cocotb offers nothing public below `value`
    return lambda: int(read(), 2)


def optional(dut, name, default):
    """The reader of a port; where the block has none of that name, a function that gives `default`."""
    return reader(getattr(dut, name)) if hasattr(dut, name) else lambda: default
