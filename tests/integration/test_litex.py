# SPDX-License-Identifier: Apache-2.0
"""The LiteX module without a simulation of the link: beats at every width, what LiteX exports, and all ports connected. Packets pass in
cocotb_tests/litex."""

import importlib.util
import json
import re
import sys
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from litex.build.generic_platform import GenericPlatform, Pins
from litex.build.io import CRG
from litex.soc.integration import export
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import stream
from migen import ResetInserter, Signal, run_simulation

from arqlink import tree
from arqlink.errors import UserError
from arqlink.integration import litex, module
from arqlink.integration.litex import ArqLink, Beat, Marks, add_arqlink, layout
from arqlink.integration.module import generate
from arqlink.rtl.registers import contract

WIDTHS = [1, 2, 4, 8]


def full(width):
    return (1 << width) - 1


@pytest.mark.parametrize("width", WIDTHS)
def test_beats_to_axi_stream(width):
    """`tkeep` has all bytes up to the last one of the packet, and `tuser` is an error in one of these."""
    endpoint = stream.Endpoint(layout(width))
    beat = Beat(endpoint)

    def bench():
        def gives(last, last_be, error):
            yield endpoint.last.eq(last)
            yield endpoint.last_be.eq(last_be)
            yield endpoint.error.eq(error)
            yield
            return (yield beat.keep), (yield beat.error), (yield beat.erased)

        for count in range(1, width + 1):
            for error in (0, *(1 << byte for byte in range(width))):
                bad = int(0 < error < 1 << count)
                assert (yield from gives(1, 1 << count - 1, error)) == (full(count), bad, int(bad or count < width))
        assert (yield from gives(1, 0, 0)) == (full(width), 0, 0), "a last beat without last_be"
        assert (yield from gives(0, 1, 1 << width - 1)) == (full(width), 1, 1), "a beat that is not the last"

    run_simulation(beat, bench())


@pytest.mark.parametrize("width", WIDTHS)
def test_beats_from_axi_stream(width):
    """`first`, `last_be` and `error` of packets of all lengths up to three beats, with a pause before each second beat."""
    endpoint = stream.Endpoint(layout(width))
    marks = Marks(endpoint)

    def bench():
        yield endpoint.ready.eq(1)
        for length in range(1, 3 * width + 1):
            for sent in range(0, length, width):
                count = min(width, length - sent)
                last = sent + width >= length
                user = length % 2
                yield endpoint.valid.eq(0)
                yield
                yield endpoint.valid.eq(1)
                yield endpoint.last.eq(last)
                yield marks.keep.eq(full(count))
                yield marks.user.eq(user)
                yield
                last_be = 1 << count - 1 if last else 0
                assert (yield endpoint.first) == int(sent == 0)
                assert (yield endpoint.last_be) == last_be
                assert (yield endpoint.error) == (last_be if user else 0)

    run_simulation(marks, bench())


def test_a_reset_of_one_clock_is_made_long():
    reset = litex.LongReset()
    dut: Any = ResetInserter()(reset)

    def bench():
        yield dut.reset.eq(1)
        yield
        yield dut.reset.eq(0)
        yield
        low = 0
        while not (yield reset.done):
            low += 1
            yield
        assert 16 <= low <= 17
        for _ in range(40):
            yield
            assert (yield reset.done)

    run_simulation(dut, bench())


@pytest.fixture(scope="module")
def tiny():
    return generate("ArqLink", "tiny")


def platform():
    return GenericPlatform("device", [("sys_clk", 0, Pins(1))], name="top")


def system(cpu, standard="wishbone"):
    """A SoC with nothing of its own, on a device of no vendor."""

    class System(SoCCore):
        mem_map = dict(SoCCore.mem_map)  # LiteX changes it for the CPU

    soc = System(platform(), int(1e8), cpu_type=cpu, cpu_variant="lite" if cpu else None, bus_standard=standard, integrated_rom_size=4096, uart_name="stub")
    soc.crg = CRG(soc.platform.request("sys_clk"))
    return soc


@pytest.fixture(scope="module", params=[("vexriscv", "wishbone"), (None, "axi-lite")], ids=["with a CPU", "without, AXI-Lite"])
def soc(request, tiny):
    """With two ends of one build. Without a CPU LiteX's own registers are at 0, where it would find room for the first end."""
    cpu, standard = request.param
    soc = system(cpu, standard)
    for name, origin in (("near", None if cpu else 0x10000), ("far", None if cpu else 0x20000)):
        add_arqlink(soc, name, tiny, origin)
    soc.finalize()
    return soc


def expected(base):
    """Addresses by the names that LiteX has for them."""
    known = {f"regs_{name.lower()}": base + register.offset for name, register in contract().ARQLINK.items()}
    for name, counter in contract().COUNTERS.items():
        known |= {f"counters_{name}_low": base + counter.offset, f"counters_{name}_high": base + counter.offset + 4}
    return known


@pytest.mark.parametrize("name", ["near", "far"])
def test_json_has_the_registers(name, soc):
    region = soc.bus.regions[name]
    found = json.loads(export.get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
    assert found["memories"][name] == {"base": region.origin, "size": 4096, "type": "io"}
    registers = {key: entry for key, entry in found["csr_registers"].items() if key.startswith(f"{name}_regs_") and "reserved" not in key}
    counters = {key: entry for key, entry in found["csr_registers"].items() if key.startswith(f"{name}_counters_")}
    addresses = {key.removeprefix(f"{name}_"): entry["addr"] for key, entry in (registers | counters).items()}
    assert addresses == expected(region.origin)
    read_only = {key for key, entry in registers.items() if entry["type"] == "ro"}
    assert {f"{name}_regs_id", f"{name}_regs_status"} <= read_only and f"{name}_regs_code" not in read_only


def test_header_has_the_registers(soc):
    """At the same addresses, and all others of the SoC where they are without links."""
    base = soc.mem_regions["csr"].origin
    text = export.get_csr_header(soc.csr_regions, soc.constants, csr_base=base)
    addresses = {name.lower(): base + int(offset, 16) for name, offset in re.findall(r"#define CSR_(\w+)_ADDR \(CSR_BASE \+ (-?0x\w+)L\)", text)}
    for name in ("near", "far"):
        assert addresses.items() >= {f"{name}_{key}": address for key, address in expected(soc.bus.regions[name].origin).items()}.items()
    assert addresses["ctrl_scratch"] == soc.csr_regions["ctrl"].origin + 4
    assert f"#define CSR_NEAR_REGS_CODE_N_FIRST_OFFSET {contract().ARQLINK['CODE'].fields['n_first'].shift}" in text


def test_interrupts_of_a_cpu(soc):
    interrupts = {name for name in soc.constants if name.endswith("_INTERRUPT")}
    assert interrupts >= ({"NEAR_INTERRUPT", "FAR_INTERRUPT"} if soc.cpu_type else set())
    assert soc.cpu_type or "NEAR_INTERRUPT" not in interrupts


def test_every_port_is_connected_in_each_instance(soc, tiny):
    text = soc.platform.get_verilog(soc).main_source
    instances = re.findall(rf"^{tiny.name} (\w+)\((.*?)^\);", text, re.S | re.M)
    assert len({name for name, _ in instances}) == 2
    for _, pins in instances:
        assert Counter(re.findall(r"\.(\w+)\s*\(", pins)) == Counter(port.name for port in tiny.ports)
    assert [source for source, *_ in soc.platform.sources if tiny.name in source] == [str(tiny.sources[0])]


def ends(name):
    """The streams of a MAC, or a modem."""
    sink, source = (stream.Endpoint(layout(1), name=f"{name}_{way}") for way in ("sink", "source"))
    return SimpleNamespace(sink=sink, source=source, locked=Signal())


def test_example_of_the_guide(tiny, monkeypatch):
    """It compiles, with the smallest link end in place of its own, and joins all streams."""
    (code,) = re.findall(r"```python\n(.*?)```", (tree.ROOT / "docs" / "integration.md").read_text().split("### LiteX")[1], re.S)
    monkeypatch.setattr(module, "generate", lambda block, config: tiny)
    names = {}
    exec(code, names)
    soc = system("vexriscv")
    names["add_link"](soc, ends("mac"), ends("modem"))
    soc.finalize()
    text = soc.platform.get_verilog(soc).main_source
    for there, here in (("sink", "mac_source"), ("mac_sink", "source"), ("modem_sink", "phy_source"), ("phy_sink", "modem_source")):
        assert re.search(rf"assign \w*{there}_valid = \w*{here}_valid;", text), (there, here)


def test_another_block_is_refused(tiny):
    with pytest.raises(UserError, match="^arqlink_tiny is RsEncoder; LiteX takes an ArqLink.$"):
        ArqLink(platform(), replace(tiny, block="RsEncoder"))


def test_without_litex_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "litex.gen", None)
    spec = importlib.util.spec_from_file_location("without", str(litex.__file__))
    assert spec and spec.loader
    with pytest.raises(UserError, match="^This needs LiteX, which is not installed; run 'pip install arqlink.litex.'.$"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
