# SPDX-License-Identifier: Apache-2.0
"""A soft system that cannot be built is refused with a sentence that names the value."""

import pytest

from cocotb_tests.lib.rtl import java

REFUSED = {
    "rom=": "it must be 1 to 4096",
    "rom=/nowhere": "cannot read /nowhere",
    "ramBytes=5000": "ramBytes is 5000; it must be a power of two",
    "uartDivider=1048576": "uartDivider is 1048576; it must be 0 to 1048575",
    "uartDivider=x": "uartDivider is 'x'; it must be a number",
    "clockHz=0": "clockHz is 0; it must be 1 to 4294967295",
    "bootWait=0": "bootWait is 0; it must be 1 to 2147483647",
    "colour=1": "no parameter named 'colour'",
}


@pytest.mark.parametrize("setting", REFUSED)
def test_refused(setting, tmp_path):
    rom, empty = tmp_path / "rom", tmp_path / "empty"
    rom.write_bytes(b"\x00\x00\x00\x6f")
    empty.touch()
    setting = f"rom={empty}" if setting == "rom=" else setting
    words = [setting] if setting.startswith("rom=") else [f"rom={rom}", setting]
    done = java("GenerateSoc", "ArqSoc", "small", tmp_path / "out", *words, check=False)
    assert done.returncode == 2
    assert REFUSED["rom=" if str(empty) in setting else setting] in done.stderr
    assert not (tmp_path / "out").exists()
