# SPDX-License-Identifier: Apache-2.0
"""Every module with registers has an assertion, or is named here with the reason why it has none."""

import re

import pytest

from cocotb_tests.lib.rtl import generate, java

LIBRARY = "SpinalHDL's own"
SETTINGS = "each of its registers may have any value; AxiLiteFront, which it has its accesses from, has assertions"
WITHOUT = {
    "ArqLink": "pipeline stages and events between blocks, which have assertions",
    "BufferCC": LIBRARY,
    "ByteStreamReceiver": f"a width adapter, {LIBRARY}",
    "ByteStreamTransmitter": f"a width adapter, {LIBRARY}",
    "ChannelRegisters": SETTINGS,
    "CoefficientGenerators": "whose turn it is: any order is a legal one; the generators have assertions",
    "EncodeCoefficients": "a table and the registers of its RAM; RsEncoder asserts that it has the address",
    "StreamFifo": LIBRARY,
    "StreamFork": LIBRARY,
    "SystemDevice": SETTINGS,
    "TimerDevice": SETTINGS,
    "TrafficRegisters": SETTINGS,
    "UartCtrl": LIBRARY,
    "UartCtrlRx": LIBRARY,
    "UartCtrlTx": LIBRARY,
    "UartDevice": SETTINGS,
    "WishboneArbiter": LIBRARY,
}
PAIRS = ("small", "tiny", "short8", "crc4")


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """Name of each module -> the texts of all that have it; a number at its end tells instances of different parameters apart."""
    folder = tmp_path_factory.mktemp("soc")
    (folder / "rom").write_bytes(b"\x6f\x00\x00\x00")
    java("GenerateSoc", "ArqSoc", "small", folder, f"rom={folder / 'rom'}")
    found = {}
    for path in (folder / "ArqSoc.v", generate("ByteStreamPhy", "small"), *(generate("ArqPair", config) for config in PAIRS)):
        for name, text in re.findall(r"^module (\w+)(.*?)^endmodule", path.read_text(), re.MULTILINE | re.DOTALL):
            found.setdefault(re.sub(r"_\d+$", "", name), []).append(text)
    return found


def without(modules):
    return {name for name, texts in modules.items() for text in texts if "always @(posedge" in text and "FAILURE" not in text}


def test_modules_with_registers_have_assertions(modules):
    assert len(modules) > 50
    assert not without(modules) - set(WITHOUT)


@pytest.mark.docs
def test_the_list_of_those_without_is_exact(modules):
    assert not set(WITHOUT) - without(modules)


def test_a_module_that_loses_its_assertions_is_named(modules):
    assert "Segmenter" in modules
    bare = {name: [re.sub(r"`ifndef SYNTHESIS.*?`endif\s*`endif", "", text, flags=re.DOTALL) for text in texts] for name, texts in modules.items()}
    assert "Segmenter" in without(bare)
