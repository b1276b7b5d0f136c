# SPDX-License-Identifier: Apache-2.0
"""A gateway that takes and gives packets as bytes (sim/gateway/interface.h)."""

import ctypes
import math
from functools import cache

from arqlink import job
from arqlink.errors import UserError
from arqlink.gateway import builds

LAN, LINK = 0, 1
"""Its ports."""
LONGEST = 65535
NEVER = 2**64 - 1


@cache
def _library():
    library = ctypes.CDLL(str(builds.library()))
    pointer, size, time, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_int
    signatures = {
        "new": ([ctypes.c_char_p, ctypes.c_char_p, size], pointer),
        "delete": ([pointer], None),
        "receive": ([pointer, number, ctypes.c_char_p, size, time], None),
        "take": ([pointer, number, ctypes.c_char_p, time], size),
        "waiting": ([pointer, number], size),
        "deadline": ([pointer], time),
        "advance": ([pointer, time], None),
        "counter": ([pointer, size, ctypes.POINTER(time)], ctypes.c_char_p),
        "flows": ([pointer], size),
        "cache_used": ([pointer], size),
    }
    functions = {}
    for name, (arguments, result) in signatures.items():
        function = getattr(library, f"arqlink_gateway_{name}")
        function.argtypes, function.restype = arguments, result
        functions[name] = function
    return functions


class Gateway:
    """Times are seconds from its beginning, and must not go back. `description`: its keys are in sim/gateway/README.md."""

    def __init__(self, description):
        self._call = _library()
        error = ctypes.create_string_buffer(500)
        self._gateway = self._call["new"](job.text(description).encode(), error, len(error))
        if not self._gateway:
            raise UserError(error.value.decode())
        self._packet = ctypes.create_string_buffer(LONGEST)

    def __del__(self):
        if getattr(self, "_gateway", None):
            self._call["delete"](self._gateway)

    @staticmethod
    def _clock(seconds):
        return round(seconds * 1e9)

    def receive(self, port, packet, now):
        """An IP packet comes in at a port."""
        self._call["receive"](self._gateway, port, bytes(packet), len(packet), self._clock(now))

    def take(self, port, now):
        """The next packet that goes out at a port, or None."""
        length = self._call["take"](self._gateway, port, self._packet, self._clock(now))
        return self._packet.raw[:length] if length else None

    def all(self, port, now):
        """All packets that wait at a port."""
        return list(iter(lambda: self.take(port, now), None))

    def waiting(self, port):
        return self._call["waiting"](self._gateway, port)

    def deadline(self):
        """When a timer runs out; infinite: none runs."""
        clock = self._call["deadline"](self._gateway)
        return math.inf if clock == NEVER else clock * 1e-9

    def advance(self, now):
        self._call["advance"](self._gateway, self._clock(now))

    def counters(self):
        """All counters by their names."""
        found, value = {}, ctypes.c_uint64()
        while name := self._call["counter"](self._gateway, len(found), ctypes.byref(value)):
            found[name.decode()] = value.value
        return found

    @property
    def flows(self):
        return self._call["flows"](self._gateway)

    @property
    def cache_used(self):
        return self._call["cache_used"](self._gateway)
