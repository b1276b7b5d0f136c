# SPDX-License-Identifier: Apache-2.0
"""The examples, run by FuseSoC as somebody else's cores, from a folder of their own and with nothing on PATH but the system's programs."""

import json
import os
import re
import shutil
import subprocess

import pytest

from arqlink import tree
from tests.effort import slow_in_full

EXAMPLES = tree.ROOT / "examples"
LIBRARIES = (tree.ROOT / "fusesoc", EXAMPLES)
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), "ARQLINK": str(tree.ROOT)}


def fusesoc(folder, core, target, *libraries):
    """Exit code and all that FuseSoC and the tools say."""
    roots = [word for library in libraries or LIBRARIES for word in ("--cores-root", library)]
    command = [tree.ROOT / ".venv" / "bin" / "fusesoc", *roots, "run", f"--target={target}", core]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


SIMULATED = ["two_links", "ethernet", "byte_stream", "driver"]


@pytest.mark.parametrize("name", slow_in_full(SIMULATED, slow=set(SIMULATED) - {"two_links"}))
def test_simulates_in_icarus(name, tmp_path):
    code, text = fusesoc(tmp_path, f"example:arqlink:{name}", "sim")
    assert code == 0 and "PASSED" in text, text[-2000:]
    assert "warning" not in text.lower()


@pytest.mark.parametrize("name", SIMULATED)
def test_lints_in_verilator(name, tmp_path):
    code, text = fusesoc(tmp_path, f"example:arqlink:{name}", "lint")
    assert code == 0 and "Warning-" not in text, text[-2000:]


@pytest.mark.full
@pytest.mark.parametrize("name", ["byte_stream", "driver"])
def test_verilator_sees_what_icarus_sees(name, tmp_path):
    said = {}
    for target in ("sim", "sim_verilator"):
        code, text = fusesoc(tmp_path, f"example:arqlink:{name}", target)
        assert code == 0, text[-2000:]
        said[target] = [line for line in text.splitlines() if re.match(r"\d+ of \d+ packets|near to far|far to near", line)]
    assert said["sim"] and said["sim"][-1].endswith("PASSED")
    assert said["sim_verilator"] == said["sim"]


@pytest.mark.full
def test_synthesizes_in_yosys(tmp_path):
    code, text = fusesoc(tmp_path, "example:arqlink:two_links", "synth")
    assert code == 0, text[-2000:]
    assert list(tmp_path.rglob("*.json"))


FAULTS = {
    "a value beyond the build": ("two_links", "two_links.v", "32'h00060604", "32'h00060609", "failed 01: FAILED"),
    "a packet without its end": ("two_links", "two_links.v", ".s_axis_tlast(s0_axis_tlast)", ".s_axis_tlast(1'b0)", "FAILED"),
    "a line that nobody waits for": ("byte_stream", "byte_stream_tb.v", ".m_axis_byte_tready(back_ready)", ".m_axis_byte_tready(1'b1)", "FAILED"),
    "marks that nobody reads": ("byte_stream", "byte_stream_link.v", "(s_axis_byte_tuser)", "(1'b0)", "0 with a bad byte: FAILED"),
    "packets ahead of the firmware": ("driver", "driver_soc.v", "ready = state != 32'd0 && !state[31]", "ready = 1'b1", "FAILED"),
    "firmware with a wrong address": ("driver", "firmware/main.c", "0x80000000u", "0x80001000u", "states -19 and 0: FAILED"),
    "firmware beyond the build": ("driver", "firmware/main.c", "link, 4, 5, 6)", "link, 9, 10, 10)", "states -22 and 0: FAILED"),
    "garbage without end": ("byte_stream", "noisy_line.v", "GARBAGE_BYTES  = 100", "GARBAGE_BYTES  = 99999", "FAILED"),
}


SOONER = {"a value beyond the build"}
"""The others are left to `make test-full`."""


@pytest.mark.parametrize("name, file, old, new, said", slow_in_full(FAULTS.values(), {FAULTS[what] for what in FAULTS.keys() - SOONER}), ids=FAULTS)
def test_the_bench_would_fail(name, file, old, new, said, tmp_path):
    example = shutil.copytree(EXAMPLES / name, tmp_path / name)
    bench = example / f"{name}_tb.v"
    bench.write_text(bench.read_text().replace("LIMIT = 200000", "LIMIT = 20000"))
    faulty = example / file
    assert old in faulty.read_text()
    faulty.write_text(faulty.read_text().replace(old, new))
    _, text = fusesoc(tmp_path, f"example:arqlink:{name}", "sim", tree.ROOT / "fusesoc", EXAMPLES / "bring_up", EXAMPLES / "axil", example)
    assert said in text and "PASSED" not in text


CORE = """CAPI=2:
name: acme::modem:1.0.0
filesets:
  rtl: {depend: ["::arqlink-generator"]}
generate:
  link:
    generator: arqlink
    parameters: PARAMETERS
targets:
  lint:
    filesets: [rtl]
    generate: [link]
    toplevel: arqlink_tiny
    flow: lint
    flow_options: {tool: verilator}
"""
REFUSED = {
    "unknown configuration": ("{config: small-one}", "This cannot be built: no configuration named 'small-one'; there are paper, "),
    "no configuration": ("{}", "The generator arqlink needs a 'config'"),
    "unknown parameter": ("{config: tiny, setting: 1}", "The generator arqlink has no parameter 'setting'; it has block, config, "),
    "unknown setting": ("{config: tiny, settings: {windowframes: 64}}", "This cannot be built: no parameter named 'windowframes'; there are "),
    "setting out of range": ("{config: tiny, settings: {windowFrames: 100}}", "power of two"),
    "settings as a list": ("{config: tiny, settings: [windowFrames=64]}", "'settings' of the generator arqlink are names with values"),
}


@pytest.mark.parametrize("parameters, sentence", REFUSED.values(), ids=REFUSED)
def test_a_generator_refuses_in_a_sentence(parameters, sentence, tmp_path):
    (tmp_path / "modem.core").write_text(CORE.replace("PARAMETERS", parameters))
    code, text = fusesoc(tmp_path, "acme::modem", "lint", tree.ROOT / "fusesoc", tmp_path)
    assert code and sentence in text and "Traceback" not in text


def test_each_configuration_has_a_core():
    names = {path.stem for path in (tree.ROOT / "fusesoc").glob("*.core")}
    assert names == {*json.loads(tree.CONFIGS.read_text()), "generator"}
