# SPDX-License-Identifier: Apache-2.0
"""The driver for Python: what its headers declare, in a shared library."""

import functools
from typing import Any

from sw.tests import build

DECLARATIONS = """
#include "arqlink.h"
#include "arqlink_channel.h"
#include "arqlink_tuner.h"
enum { INFINITE = ARQLINK_PERSISTENCY_INFINITE };
enum { LOG2_ZERO = ARQLINK_LOG2_ZERO };
"""


@functools.cache
def _loaded() -> tuple[Any, Any]:
    return build.load(build.library(), DECLARATIONS)


def ffi() -> Any:
    return _loaded()[0]


def library() -> Any:
    return _loaded()[1]


def new(name, *values, **fields) -> Any:
    """A structure of the driver, struct arqlink_`name`, with its first members, or some by name; the others are 0."""
    return ffi().new(f"struct arqlink_{name} *", fields or list(values))


def number(bits) -> Any:
    """A place where a call puts a number; [0] is its content."""
    return ffi().new(f"uint{bits}_t *")


def as_dict(structure):
    members = ffi().typeof(structure)
    return {name: getattr(structure, name) for name, _ in (members.item if members.kind == "pointer" else members).fields}


def function(structure, member, python):
    """A Python function as a member of a structure takes it. It has to live as long as the structure."""
    return ffi().callback(dict(ffi().typeof(f"struct arqlink_{structure}").fields)[member].type, python)


def call(name, *arguments):
    return getattr(library(), f"arqlink_{name}")(*arguments)


def bus_of(pair):
    """The function table over a register model. A refused access is answered with `pair.error`."""
    if not hasattr(pair, "bus"):

        def read(_, offset, value):
            found = pair.read(offset)
            if found is None:
                return pair.error
            value[0] = found
            return 0

        def write(_, offset, value):
            return 0 if pair.write(offset, value) else pair.error

        def now(_):
            return pair.microseconds % (1 << 32)

        def sleep(_, microseconds):
            pair.sleep(microseconds)

        members = dict(read=read, write=write, now=now, sleep=sleep)
        pair.functions = {name: function("bus", name, python) for name, python in members.items()}
        pair.bus = new("bus", **pair.functions)
    return pair.bus


def probed(pair):
    device = new("device")
    assert call("probe", device, bus_of(pair), 0) == 0
    return device
