# SPDX-License-Identifier: Apache-2.0
"""Addresses and fields of the pair's registers, from the generated contract rtl/regs/arqlink_regs.py."""

import importlib.util
from functools import cache

from arqlink.tree import REGS

CONTRACT = REGS / "arqlink_regs.py"

BASES = {"a": 0x0000, "b": 0x1000, "ab": 0x2000, "ba": 0x3000, "traffic_a": 0x4000, "traffic_b": 0x5000}
"""Blocks of ArqPair's address map; docs/architecture.md, "The pair"."""

KINDS = {"a": "ARQLINK", "b": "ARQLINK", "ab": "ARQCHAN", "ba": "ARQCHAN", "traffic_a": "ARQTRAF", "traffic_b": "ARQTRAF"}
"""Name of each block's registers in the contract."""


@cache
def contract():
    """The generated module."""
    spec = importlib.util.spec_from_file_location("arqlink_regs", CONTRACT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _register(block, name):
    return getattr(contract(), KINDS[block])[name]


def address(block, register):
    """Address of a register within the pair, e.g. ("ab", "DELAY")."""
    return BASES[block] + _register(block, register).offset


def counter_names():
    """Names of a link end's counters, in the order of their addresses."""
    return list(contract().COUNTERS)


def counter_address(end, name):
    """Address of the low word of a counter's snapshot; the high word follows."""
    return BASES[end] + contract().COUNTERS[name].offset


def value_of(register, **fields):
    """Value of a register of the contract, whose other fields are 0."""
    value = 0
    for name, content in fields.items():
        field = register.fields[name]
        if not 0 <= content < 1 << field.width:
            raise ValueError(f"{name} is {content}; it has {field.width} bits")
        value |= int(content) << field.shift
    return value


def pack(block, register, **fields):
    """Value of a register of a block, whose other fields are 0."""
    return value_of(_register(block, register), **fields)


def fields_of(block, register, value):
    """Fields of a register's value by their names."""
    return {name: value >> field.shift & (1 << field.width) - 1 for name, field in _register(block, register).fields.items()}
