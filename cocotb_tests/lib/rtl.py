# SPDX-License-Identifier: Apache-2.0
"""Builds a block's Verilog and runs its cocotb tests on Verilator, or on Icarus; one place for both."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from arqlink.locks import locked
from arqlink.rtl.verilator import QUICK, Model, known, use_verilator  # noqa: F401
from arqlink.rtl.verilog import compile_rtl, contents, first_sn, generate, java  # noqa: F401
from arqlink.tree import BUILD, CONFIGS, ROOT  # noqa: F401
from cocotb_tests.lib import measured
from tests.seeds import SEED

COVERAGE = bool(os.environ.get("ARQLINK_COVERAGE"))
"""Models count which lines and branches are run and which signals change, and write that where they run (coverage.dat); see docs/verification.md."""
NOISY_RAM = "ram=noisy"
"""Block RAM gives noise where a word is read in the clock in which it is written: devices differ in what they give then."""


def build(block, config, sources, waves=False, quick=False):
    """Builds the simulation program of a block where it is not made of these sources yet; returns its folder, where it has the block's name. How
    long a bench runs is decided by its Python, so the model is optimized little, and not at all where it has to be there `quick`."""
    import cocotb_tools.config

    folder = BUILD / ("coverage" if COVERAGE else "cocotb") / config / block
    # Only the top's own signals are visible to tests; with all of them Verilator could optimize very little.
    arguments = ["--vpi", "--public-depth", "1", "--x-initial", "unique", *(["--coverage-line", "--coverage-toggle"] if COVERAGE else [])]
    options = ["-DVM_COVERAGE=1"] if COVERAGE else []
    model = Model(sources, folder, "Vtop", arguments, "-O0" if quick else known(QUICK), options, waves)
    main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    model.link([main], folder / block, link_options=[f"-L{cocotb_tools.config.libs_dir}", "-lcocotbvpi_verilator"])
    return folder


def build_four_state(block, config, sources):
    """The same for Icarus, which knows X."""
    from cocotb_tools.runner import get_runner

    folder = BUILD / "icarus" / config / block
    folder.mkdir(parents=True, exist_ok=True)
    with locked(f"icarus-{block}-{config}"):
        get_runner("icarus").build(sources=sources, hdl_toplevel=block, build_dir=folder, log_file=folder / "build.log")
    return folder


def run(block, config, module, testcase=None, parameters=None, waves=False, sources=None, quick=False, four_state=False):
    """Runs the cocotb tests of Python module `module` on `block`; raises when one of them fails. Returns what
    they have measured (lib/measured.py), by name.

    `parameters` reach the tests as environment variables, beside ARQLINK_CONFIG and ARQLINK_VERILOG, which name the configuration
    and its Verilog, and ARQLINK_FIRST_SN. ARQLINK_SEED is cocotb's seed too, and rules in which order the tests run. What has no reset begins with random bits.
    `sources` are Verilog files to build in place of what Generate writes for `block`. `quick`: compiled without optimization,
    which is enough where the build lasts longer than the run. `four_state`: on Icarus, many times slower.
    """
    import cocotb_tools.config
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    if str(ROOT) not in sys.path:  # the runner passes sys.path on to the simulation
        sys.path.insert(0, str(ROOT))
    sources = sources or [generate(block, config, [NOISY_RAM])]
    build_dir = build_four_state(block, config, sources) if four_state else build(block, config, sources, waves, quick)
    name = "-".join([module.rsplit(".", 1)[-1]] + ([testcase] if testcase else []))
    if parameters:
        name += "-" + "-".join(f"{k}_{v}" for k, v in parameters.items())
    test_dir = build_dir / "runs" / "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:150]
    test_dir.mkdir(parents=True, exist_ok=True)
    for path in contents(sources[0]):
        shutil.copy(path, test_dir)
    measured.forget(test_dir)
    env = {k: str(v) for k, v in (parameters or {}).items()}
    env["LD_LIBRARY_PATH"] = str(cocotb_tools.config.libs_dir)  # and not in the program, which is the same in each clone
    env |= {"ARQLINK_CONFIG": config, "ARQLINK_VERILOG": str(sources[0]), "ARQLINK_FIRST_SN": str(first_sn(sources[0]))}
    env["COCOTB_RANDOM_TEST_ORDER"] = "1"
    env["COCOTB_LOG_LEVEL"] = os.environ.get("COCOTB_LOG_LEVEL", "WARNING")
    results = get_runner("icarus" if four_state else "verilator").test(
        hdl_toplevel=block,
        hdl_toplevel_lang="verilog",
        test_module=module,
        testcase=testcase,
        build_dir=build_dir,
        test_dir=test_dir,
        results_xml=str(test_dir / "results.xml"),
        extra_env=env,
        seed=SEED,
        plusargs=[] if four_state else ["+verilator+rand+reset+2", f"+verilator+seed+{SEED % (1 << 31) or 1}"],
        log_file=str(test_dir / "run.log"),
        timescale=("1ns", "1ps"),
    )
    count, failed = get_results(Path(results))
    if failed or not count:
        raise AssertionError(f"{failed} of {count} cocotb tests failed; log: {test_dir / 'run.log'}")
    return measured.of_run(test_dir)
