# SPDX-License-Identifier: Apache-2.0
"""Reads signals from an FST file."""

import pylibfst

TOP = "TOP.ArqPair."
CLOCK = 10
"""Units of the file's time in a clock, at whose beginning inputs and combinational outputs change."""


def samples(path, names, clocks=None):
    """name -> its value in each clock before the rising edge, as whole numbers; of all clocks without `clocks`."""
    fst = pylibfst.lib.fstReaderOpen(str(path).encode())
    if fst == pylibfst.ffi.NULL:
        raise FileNotFoundError(path)
    try:
        _, signals = pylibfst.get_scopes_signals2(fst)
        wanted = {}
        for full, signal in signals.by_name.items():
            name = full.removeprefix(TOP).partition(" ")[0].partition("[")[0]
            if name in names:
                wanted.setdefault(signal.handle, []).append(name)
        if missing := set(names) - {name for found in wanted.values() for name in found}:
            raise KeyError(f"{path} has no signals {', '.join(sorted(missing))}")
        if clocks is None:
            clocks = pylibfst.lib.fstReaderGetEndTime(fst) // CLOCK
        changes = {name: [] for name in names}

        def changed(_, time, handle, value):
            bits = pylibfst.helpers.string(value)
            for name in wanted.get(handle, ()):
                changes[name].append((time, int(bits, 2)))

        pylibfst.lib.fstReaderClrFacProcessMaskAll(fst)
        for handle in wanted:
            pylibfst.lib.fstReaderSetFacProcessMask(fst, handle)
        pylibfst.fstReaderIterBlocks(fst, changed)
    finally:
        pylibfst.lib.fstReaderClose(fst)
    return {name: _sampled(found, clocks) for name, found in changes.items()}


def _sampled(changes, clocks):
    values, at, value = [], 0, 0
    for clock in range(clocks):
        while at < len(changes) and changes[at][0] <= clock * CLOCK:
            value = changes[at][1]
            at += 1
        values.append(value)
    return values
