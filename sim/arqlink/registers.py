# SPDX-License-Identifier: Apache-2.0
"""Addresses and fields of the pair's registers, from the generated contract rtl/regs/arqlink_regs.py."""

import importlib.util
from functools import cache

from arqlink.rtl import ROOT

CONTRACT = ROOT / "rtl" / "regs" / "arqlink_regs.py"

BASES = {"a": 0x0000, "b": 0x1000, "ab": 0x2000, "ba": 0x3000, "traffic_a": 0x4000, "traffic_b": 0x5000}
"""Blocks of ArqPair's address map; docs/architecture.md, "The pair"."""

KINDS = {"a": "LINK", "b": "LINK", "ab": "CHANNEL", "ba": "CHANNEL", "traffic_a": "TRAFFIC", "traffic_b": "TRAFFIC"}


@cache
def contract():
    """The generated module."""
    spec = importlib.util.spec_from_file_location("arqlink_regs", CONTRACT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def address(block, register):
    """Address of a register within the pair, e.g. ("ab", "DELAY")."""
    return BASES[block] + contract().OFFSETS[KINDS[block]][register]


def counter_names():
    """Names of a link end's counters, in the order of their addresses."""
    return [name for name in contract().COUNTERS]


def counter_address(end, name):
    """Address of the low word of a counter's snapshot; the high word follows."""
    return BASES[end] + contract().COUNTERS[name]


def pack(block, register, **fields):
    """Value of a register whose other fields are 0."""
    value = 0
    for name, content in fields.items():
        shift, width = contract().FIELDS[KINDS[block]][register][name]
        if not 0 <= content < 1 << width:
            raise ValueError(f"{register}.{name} is {content}; it has {width} bits")
        value |= content << shift
    return value
