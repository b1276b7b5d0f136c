# SPDX-License-Identifier: Apache-2.0
"""The library and the program of sim/gateway."""

from functools import cache

from arqlink import tree
from arqlink.rtl import native

SOURCES = tree.ROOT / "sim" / "gateway"
FOLDER = tree.BUILD / "gateway"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]


@cache
def library():
    """The shared library; builds it where necessary, once in a process."""
    native.make(SOURCES, FOLDER, [])
    return FOLDER / "libgateway.so"


@cache
def fuzzer():
    """The fuzz program, with the checks of AddressSanitizer and UBSan in it and in the gateway."""
    folder = tree.BUILD / "gateway-checked"
    native.make(SOURCES, folder, SANITIZERS)
    return folder / "fuzz"
