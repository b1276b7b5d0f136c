# SPDX-License-Identifier: Apache-2.0
"""The framer of PHYs that carry bytes, in every datapath width; and two link ends with it."""

import re

import pytest

from cocotb_tests.lib.rtl import BUILD, generate, locked, run
from tests.effort import slow_in_full

EVERY_LENGTH = "every_length"
COMMON = ("aclk", "aresetn")


@pytest.mark.parametrize("config", slow_in_full(["unit500", "default", "long", "codec"], slow=("long", "codec")))
def test_byte_stream(config):
    run("ByteStreamPhy", config, "cocotb_tests.phy.tb_byte_stream", parameters={"COCOTB_TEST_FILTER": rf"^(?!.*{EVERY_LENGTH}$)"}, quick=True)


@pytest.mark.full
def test_every_length():
    run("ByteStreamPhy", "unit500", "cocotb_tests.phy.tb_byte_stream", testcase=EVERY_LENGTH)


def two_ends(config):
    """Verilog of two link ends: a module TwoEnds with the ports of both, a_ and b_, and the end's own. It says what was built, as the end does."""
    end = generate("ArqLinkByteStream", config)
    found = re.search(r"^(.*?)^module (\w+) \(\n(.*?)^\);", end.read_text(), re.MULTILINE | re.DOTALL)
    assert found
    said, module, header = found.groups()
    ports = re.findall(r"^ *(input|output) +\w+ +(\[\S+\])? *(\w+),?$", header, re.MULTILINE)
    assert len(ports) == header.count("put ")
    declared = [f"input wire {name}" for name in COMMON]
    declared += [f"{way} wire {width} {side}_{name}" for side in "ab" for way, width, name in ports if name not in COMMON]
    joined = {side: ", ".join(f".{name}({name if name in COMMON else f'{side}_{name}'})" for _, _, name in ports) for side in "ab"}
    text = f"{said}module TwoEnds ({', '.join(declared)});\n" + "".join(f"{module} {side} ({joined[side]});\n" for side in "ab") + "endmodule\n"
    path = BUILD / "cocotb" / config / "TwoEnds.v"
    with locked(f"two-ends-{config}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return [path, end]


def test_two_ends():
    run("TwoEnds", "tiny", "cocotb_tests.phy.tb_two_ends", sources=two_ends("tiny"), quick=True)
