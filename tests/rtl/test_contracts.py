# SPDX-License-Identifier: Apache-2.0
"""The committed register contracts match the register description, and hold what they promise."""

import subprocess

import pytest

from arqlink.errors import UserError
from arqlink.rtl import contracts
from cocotb_tests.lib import rtl
from cocotb_tests.lib.regs import regs

FOLDER = rtl.ROOT / "rtl" / "regs"
FILES = ("arqlink_regs.h", "registers.md", "arqlink_regs.py", "arqlink_regs.rdl", "configs.json", "ports.txt")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("regs")
    contracts.write(folder)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_committed_contract_is_current(fresh, name):
    assert (fresh / name).read_text() == (FOLDER / name).read_text(), f"rtl/regs/{name} is stale; run 'make regs' and commit the result"


def test_header_compiles_and_agrees_with_python(tmp_path):
    """Every offset, shift, mask and counter of the Python names is the same in C."""
    checks = []
    for prefix in ("ARQLINK", "ARQCHAN", "ARQTRAF", "ARQUART", "ARQTIMER", "ARQSYS"):
        for name, register in getattr(regs, prefix).items():
            checks.append((f"{prefix}_{name}_OFFSET", register.offset))
            for field, f in register.fields.items():
                if f.width < 32:
                    stem = f"{prefix}_{name}_{field.upper()}"
                    checks += [(f"{stem}_SHIFT", f.shift), (f"{stem}_MASK", ((1 << f.width) - 1) << f.shift)]
    for name, counter in regs.COUNTERS.items():
        checks.append((f"ARQLINK_COUNTER_{name.upper()}_OFFSET", counter.offset))
    checks.append(("ARQLINK_COUNTER_COUNT", len(regs.COUNTERS)))
    assert len(checks) > 250
    source = tmp_path / "check.c"
    source.write_text(
        "#include <stdint.h>\n"
        '#include "arqlink_regs.h"\n'
        + "".join(f'_Static_assert({name} == {value}u, "{name}");\n' for name, value in checks)
        + "#define NAME(name, offset) offset,\n"
        "const uint32_t offsets[] = { ARQLINK_COUNTER_LIST(NAME) };\n"
        '_Static_assert(sizeof offsets / sizeof offsets[0] == ARQLINK_COUNTER_COUNT, "list");\n'
    )
    subprocess.run(
        ["gcc", "-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
        + ["-I", str(FOLDER), "-c", str(source), "-o", str(tmp_path / "check.o")],
        check=True,
    )


def test_version_register_is_file_version():
    major, minor, patch = map(int, (rtl.ROOT / "VERSION").read_text().split("."))
    fields = regs.ARQLINK["VERSION"].fields
    assert (fields["major"].reset, fields["minor"].reset, fields["patch"].reset) == (major, minor, patch)


def test_a_refusal_leaves_the_files_as_they_are(tmp_path, monkeypatch):
    """Each of the three steps."""
    (tmp_path / "configs.json").write_text("before")

    def refuses(*_):
        raise UserError("No.")

    for what in ("configurations", "ports", "verilog.java"):
        with monkeypatch.context() as patched, pytest.raises(UserError):
            patched.setattr(f"arqlink.rtl.contracts.{what}", refuses)
            contracts.write(tmp_path)
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("configs.json", "before")]
