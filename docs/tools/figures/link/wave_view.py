# SPDX-License-Identifier: Apache-2.0
"""A view of waves for GTKWave, with markers at the first retransmission: `python -m docs.tools.figures.link.wave_view WAVES TEMPLATE VIEW`.

When something happens depends on each latency of the RTL, so the places are read from the waves. The template has the signals.
"""

import re
import sys
from pathlib import Path

from arqlink import files
from arqlink.errors import UserError
from docs.tools.figures.link import waves
from docs.tools.figures.link.retransmission import spans

SENT, FEEDBACK = "a_phy", "ba_tap"
PORTS = [f"{port}_{part}" for port in (SENT, FEEDBACK) for part in ("tvalid", "tlast", "tdata")]
NUMBERS = 1 << 20
BEFORE = 150
"""Clocks that are seen before the first marker."""


def units(signals, port):
    """(first clock, last clock, bytes) of each unit that passes a port of one byte."""
    valid, data = signals[f"{port}_tvalid"], signals[f"{port}_tdata"]
    for begin, end in spans(valid, signals[f"{port}_tlast"]):
        yield begin, end - 1, bytes(data[clock] for clock in range(begin, end) if valid[clock])


def transmission(unit):
    """(FSN, TSN, last bit of the attempt) of a data unit, and None of a control unit; docs/architecture.md, Wire format."""
    if unit[0] >> 4 & 3 == 1:
        return None
    fsn, tsn = divmod(int.from_bytes(unit[7:12], "big"), NUMBERS)
    return fsn, tsn, unit[0] >> 2 & 1


def reports_failure(unit, tsn):
    """Whether a control unit says that a transmission has failed."""
    if transmission(unit) or unit[2] & 3 != 2:  # a hello, or its peer is not known
        return False
    base, next_one = int.from_bytes(unit[17:20], "big") >> 4, int.from_bytes(unit[14:17], "big") % NUMBERS
    place = (tsn - base) % NUMBERS
    return place < min((next_one - base) % NUMBERS, 64) and not int.from_bytes(unit[20:28], "big") >> place & 1


def markers(signals):
    """The FSN, and the clocks in which its first transmission begins, a report of its failure is complete at A, and it is sent again."""
    first = {}
    for begin, _, unit in units(signals, SENT):
        sent = transmission(unit)
        if sent and sent[2] == 0:
            first.setdefault(sent[0], (begin, sent[1]))
        elif sent:
            began, tsn = first[sent[0]]
            told = next(end for _, end, report in units(signals, FEEDBACK) if reports_failure(report, tsn))
            return sent[0], began, told, begin
    raise UserError("The waves have no retransmission.")


def shown(template):
    """Names of the signals that a view shows."""
    return set(re.findall(r"^TOP\.ArqPair\.([\w.]+)", template, re.MULTILINE))


def view(path, template):
    """The template with the numbers of these waves. A signal that the waves lack is refused; GTKWave leaves it out in silence."""
    try:
        signals = waves.samples(path, shown(template).union(PORTS))
    except KeyError as missing:
        raise UserError(f"{missing.args[0]}.") from None
    fsn, *clocks = markers(signals)
    a, b, c = (clock * waves.CLOCK for clock in clocks)
    return template.format(waves=path, fsn=fsn, a=a, b=b, c=c, start=a - BEFORE * waves.CLOCK)


def main(path, template, output):
    try:
        files.write(output, view(path, Path(template).read_text()).encode())
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
