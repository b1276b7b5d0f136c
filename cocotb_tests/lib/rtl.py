# SPDX-License-Identifier: Apache-2.0
"""Builds a block's Verilog and runs its cocotb tests on Verilator; one place for both."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sim"))

from arqlink.rtl.verilator import (
    MODEL_FLAGS,
    fast_options,
    use_verilator,
)
from arqlink.rtl.verilog import contents, generate, java  # noqa: F401
from arqlink.tree import BUILD, CONFIGS, ROOT, locked  # noqa: F401


def run(block, config, module, testcase=None, parameters=None, waves=False, sources=None, quick=False):
    """Runs the cocotb tests of Python module `module` on `block`; raises when one of them fails.

    `parameters` reach the tests as environment variables, beside ARQLINK_CONFIG and ARQLINK_VERILOG, which name the configuration
    and its Verilog. ARQLINK_SEED (or pytest --seed) fixes the random seed.
    `sources` are Verilog files to build in place of what Generate writes for `block`. `quick`: compiled without optimization, which
    takes half the time and is enough where the build lasts longer than the run.
    """
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    use_verilator("-O0" if quick else fast_options())
    if str(ROOT) not in sys.path:  # the runner hands sys.path on to the simulation
        sys.path.insert(0, str(ROOT))
    sources = sources or [generate(block, config)]
    build_dir = BUILD / "cocotb" / config / block
    runner = get_runner("verilator")
    with locked(f"verilate-{block}-{config}"):
        runner.build(
            sources=sources,
            hdl_toplevel=block,
            build_dir=build_dir,
            # Only the top's own signals are visible to tests; with all of them Verilator could optimize very little.
            build_args=["--no-public-flat-rw", "--public-depth", "1"] + MODEL_FLAGS + (["--trace-fst", "--trace-structs"] if waves else []),
            always=not (build_dir / block).exists() or any((build_dir / block).stat().st_mtime < s.stat().st_mtime for s in sources),
        )
    name = "-".join([module.rsplit(".", 1)[-1]] + ([testcase] if testcase else []))
    if parameters:
        name += "-" + "-".join(f"{k}_{v}" for k, v in parameters.items())
    test_dir = build_dir / "runs" / "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:150]
    test_dir.mkdir(parents=True, exist_ok=True)
    for path in contents(sources[0]):
        shutil.copy(path, test_dir)
    env = {k: str(v) for k, v in (parameters or {}).items()}
    env |= {"ARQLINK_CONFIG": config, "ARQLINK_VERILOG": str(sources[0])}
    env["COCOTB_LOG_LEVEL"] = os.environ.get("COCOTB_LOG_LEVEL", "WARNING")
    seed = os.environ.get("ARQLINK_SEED")
    results = runner.test(
        hdl_toplevel=block,
        test_module=module,
        testcase=testcase,
        build_dir=build_dir,
        test_dir=test_dir,
        results_xml=str(test_dir / "results.xml"),
        extra_env=env,
        seed=int(seed) if seed else 1,
        log_file=str(test_dir / "run.log"),
        timescale=("1ns", "1ps"),
    )
    count, failed = get_results(Path(results))
    if failed or not count:
        raise AssertionError(f"{failed} of {count} cocotb tests failed; log: {test_dir / 'run.log'}")
