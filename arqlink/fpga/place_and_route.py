# SPDX-License-Identifier: Apache-2.0
"""Yosys and nextpnr on a target, with several seeds; what they gave is kept in build/synth."""

import functools
import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from arqlink import locks, tree
from arqlink.errors import UserError
from arqlink.fpga import carry_chains, output_registers, record
from arqlink.fpga.fingerprint import SOURCES, VERILOG, YOSYS, of_netlist, of_result, script
from arqlink.fpga.targets import TARGETS
from arqlink.rtl import soc, verilog

OUTPUT = tree.BUILD / "synth"
SEEDS = (1, 2, 3)
UNPLACED = re.compile(r"ERROR: (.*(?:no BELs remaining|unable to place|failed to place|legal placement).*)", re.IGNORECASE)
NETLIST = "netlist.json"
UNFINISHED = "unfinished.json"
"""The netlist until nothing is left to do: what an interrupted run leaves is not mistaken for one."""
MADE_OF = "netlist.fingerprint"
"""What the netlist was made of, as fingerprint.py has it."""
SOURCES_ARE = "sources.fingerprint"
"""What a netlist of the present sources would be made of."""


@dataclass(frozen=True)
class Result:
    """Place and route of a target with one seed. `mhz` is after routing, None for an estimate; `path` names the critical path's ends; `fingerprint` is
    that of what it was made of."""

    target: str
    seed: int
    mhz: float | None
    luts: int
    registers: int
    rams: int
    path: str
    fingerprint: str = ""


@functools.cache
def tool(name):
    """Path of a tool of the virtual environment. These are WebAssembly, which is compiled as it runs for the first time on a machine: a minute of processor
    time. Those that begin together wait for the one that does it."""
    program = Path(sys.executable).parent / name
    if not program.exists():
        raise UserError(f"{name} is not installed; run 'make setup-synth'.")
    with locks.locked(name):
        subprocess.run([program, "--help"], check=False, capture_output=True)
    return program


def run_tool(*command, cwd, log):
    """Runs a tool of the virtual environment; its words go to the file `log`. Returns whether it succeeded, and these words."""
    done = subprocess.run([tool(command[0]), *map(str, command[1:])], cwd=cwd, check=False, capture_output=True, text=True)
    (cwd / log).write_text(done.stdout + done.stderr)
    return done.returncode == 0, done.stdout + done.stderr


def sources(target, folder):
    """Writes the Verilog of a target to `folder`, as the tools of WebAssembly see no others everywhere, in place of an earlier one."""
    for path in folder.glob(SOURCES):
        path.unlink()
    for path in target.device.files:
        shutil.copy(tree.ROOT / path, folder)
    if not target.board:
        verilog.java("GenerateShell", target.block, target.config, folder, *target.settings)
        return
    top, cpu = soc.generate(target.block, target.config, target.board.program, target.settings)
    for path in (top, cpu, *verilog.contents(top), tree.ROOT / target.board.pins):
        shutil.copy(path, folder)


def made_of(folder):
    """The fingerprint of the netlist in `folder`; None where there is none."""
    path = folder / MADE_OF
    return path.read_text() if path.exists() and (folder / NETLIST).exists() else None


def synthesize(target, folder, fingerprint):
    """Writes the netlist of a target as JSON, from its sources in `folder`, and `fingerprint` beside it."""
    good, words = run_tool(YOSYS, "-q", "-p", f"{script(target, folder)}; write_json {UNFINISHED}", cwd=folder, log="yosys.log")
    if not good:
        raise UserError(f"Yosys failed on target {target.name}:\n{words[-2000:]}")
    if target.device.improved:
        improve(folder / UNFINISHED)
    (folder / MADE_OF).unlink(missing_ok=True)  # it is never that of another netlist
    (folder / UNFINISHED).replace(folder / NETLIST)
    (folder / MADE_OF).write_text(fingerprint)


def improve(path):
    """Does for an ECP5 what Yosys leaves undone, in the netlist that the file `path` holds."""
    netlist = json.loads(path.read_text())
    for module in netlist["modules"].values():
        output_registers.merge(module)
        carry_chains.shorten(module)
    path.write_text(json.dumps(netlist))


def place(target, folder, seed):
    """Places and routes with one seed; returns its Result, without a fingerprint."""
    log, report = folder / f"nextpnr-{seed}.log", folder / f"report-{seed}.json"
    report.unlink(missing_ok=True)
    board = ("--lpf", Path(target.board.pins).name, "--textcfg", f"routed-{seed}.config") if target.board else ()
    _, words = run_tool(
        *target.device.nextpnr, *board, "-q", "--json", NETLIST, "--freq", target.ask, "--seed", seed, "--report", report.name, "--detailed-timing-report",
        cwd=folder, log=log.name,
    )  # fmt: skip
    if not report.exists():  # a missed clock is no failure: the report has it
        if reason := UNPLACED.search(words):
            raise UserError(f"Target {target.name} does not fit {target.device.title}: {reason[1]}")
        raise UserError(f"nextpnr failed on target {target.name}; {log} ends with:\n{words.strip()[-1000:] or 'nothing'}")
    found = json.loads(report.read_text())
    used = {name: entry["used"] for name, entry in found["utilization"].items()}
    device = target.device
    if target.board:
        write_bitstream(target, folder, seed)
    return Result(
        target.name,
        seed,
        round(min(clock["achieved"] for clock in found["fmax"].values()), 2),
        sum(used[name] for name in ([device.luts] if isinstance(device.luts, str) else device.luts)),
        used[device.registers] if device.registers in used else count_cells(folder, device.registers),
        sum(used.get(name, 0) for name in device.rams),
        critical_path(found),
    )


def estimate(target, folder, seed):
    """What Yosys's netlist needs on a device for which there is no placer; a Result without a clock rate and without a fingerprint."""
    device = target.device
    luts, registers, rams = (count_cells(folder, names) for names in (device.luts, device.registers, device.rams))
    return Result(target.name, seed, None, luts, registers, rams, "")


def count_cells(folder, prefix):
    """Number of cells in the netlist whose type's name begins with `prefix`, or one of several."""
    modules = json.loads((folder / NETLIST).read_text())["modules"].values()
    return sum(cell["type"].startswith(prefix) for module in modules for cell in module["cells"].values())


def write_bitstream(target, folder, seed):
    """Packs a routed design into build/synth/NAME/NAME-SEED.bit."""
    good, words = run_tool("yowasp-ecppack", f"routed-{seed}.config", f"{target.name}-{seed}.bit", cwd=folder, log=f"ecppack-{seed}.log")
    if not good:
        raise UserError(f"The bitstream of target {target.name} cannot be written:\n{words[-1000:]}")


def critical_path(report):
    """The ends of the slowest path from register to register, and how much of it is routing."""
    paths = [p for p in report["critical_paths"] if "posedge" in p["from"] and "posedge" in p["to"]]
    if not paths:
        return ""
    steps = max((p["path"] for p in paths), key=lambda path: sum(step["delay"] for step in path))
    routing = sum(step["delay"] for step in steps if step["type"] == "routing")
    total = sum(step["delay"] for step in steps)
    begin, end = steps[0]["from"]["cell"], steps[-1]["to"]["cell"]
    return f"{begin} to {end}: {total:.1f} ns, {routing:.1f} of it routing"


def run(target, seeds=SEEDS, recorded=None):
    """Results of a target, one for each seed; kept in build/synth, and made anew when what decides them has changed. `recorded`, from
    record.read(): the results in it are used as they are, without a bitstream, and new ones are added to the file."""
    folder = OUTPUT / target.name
    folder.mkdir(parents=True, exist_ok=True)
    seeds = seeds if target.device.placed else seeds[:1]
    with locks.locked(f"synth-{target.name}"):
        sources(target, folder)
        netlist = of_netlist(target, folder)
        (folder / SOURCES_ARE).write_text(netlist)
        if recorded is None:
            return [result(target, folder, seed, netlist) for seed in seeds]
        figures = of_result(target, of_netlist(target, folder, VERILOG))
        known = record.find(recorded, target.name, figures)
        found = []
        for seed in seeds:
            found.append(result(target, folder, seed, netlist, known.get(seed)))
            if seed not in known:
                record.add(replace(found[-1], fingerprint=figures))
        return found


def result(target, folder, seed, netlist, known=None):
    """The result with one seed; the netlist is synthesized and placed where that is not known yet. `known`, a recorded result, will do."""
    path, wanted = folder / f"result-{seed}.json", of_result(target, netlist)
    found = load(path, wanted)
    if not found and known:
        found = Result(**known | {"fingerprint": wanted})
    if not found:
        if made_of(folder) != netlist:
            synthesize(target, folder, netlist)
        found = replace((place if target.device.placed else estimate)(target, folder, seed), fingerprint=wanted)
    path.write_text(json.dumps(asdict(found)))
    return found


def load(path, wanted):
    """The result in the file `path`; None where there is none with this fingerprint."""
    found = json.loads(path.read_text()) if path.exists() else {}
    return Result(**found) if found.get("fingerprint") == wanted else None


def kept():
    """What earlier runs have left, by target: the results of the sources of its last run, if it had one. Those of others are left out."""
    found = {}
    for target in TARGETS:
        folder = OUTPUT / target.name
        if not (folder / SOURCES_ARE).exists():
            continue
        wanted = of_result(target, (folder / SOURCES_ARE).read_text())
        loaded = [load(path, wanted) for path in sorted(folder.glob("result-*.json"))]
        found[target] = [r for r in loaded if r]
    return {target: results for target, results in found.items() if results}
