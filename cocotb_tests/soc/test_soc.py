# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the soft system: CPU, boot loader and devices around one link end."""

from arqlink import soc
from cocotb_tests.lib import rtl
from cocotb_tests.soc.bench import SETTINGS


def test_boot():
    image = soc.software() / "hello.img"
    sources = soc.generate("ArqSoc", "small", image, SETTINGS)
    rtl.run("ArqSoc", "small", "cocotb_tests.soc.tb_boot", sources=sources)
