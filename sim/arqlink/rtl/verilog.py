# SPDX-License-Identifier: Apache-2.0
"""Turns the Scala sources into Verilog. The benches and the command line share this."""

import argparse
import json
import subprocess
import sys

from arqlink import tree
from arqlink.errors import UserError

MAVEN = ["mvn", "-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=target/classpath"]


def compile_rtl():
    """Compiles the Scala sources with Maven if any is newer than the class files; returns the Java class path."""
    rtl = tree.ROOT / "rtl"
    stamp = rtl / "target" / ".compiled"
    with tree.locked("maven"):
        if tree.is_stale(stamp, tree.newest(rtl / "src", "*.scala"), (rtl / "pom.xml").stat().st_mtime):
            try:  # standard output is left to what the caller prints, which may be JSON
                done = subprocess.run(MAVEN, cwd=rtl, check=False, capture_output=True, text=True)
            except FileNotFoundError:
                raise UserError("Maven (mvn) is not installed; run 'make setup'.") from None
            if done.returncode:
                sys.stderr.write(done.stdout + done.stderr)
                raise UserError("The Scala sources do not compile; Maven's messages are above.")
            stamp.touch()
    return f"{rtl / 'target' / 'classes'}:{(rtl / 'target' / 'classpath').read_text()}"


def java(main_class, *arguments, check=True, **kwargs):
    """Runs a main class of the RTL's Scala sources; keyword arguments go to subprocess.run. Standard error is shown only
    where it fails: the libraries use it for notes about their logging. Without `check` a failure is left to the caller."""
    words = list(map(str, arguments))
    command = ["java", "-cp", compile_rtl(), main_class, *words]
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True, **kwargs)
    if check and done.returncode:
        sys.stderr.write(done.stderr)
        raise UserError(f"'{main_class} {' '.join(words)}' failed; what it said is above.")
    return done


def contents(verilog):
    """Files beside a generated Verilog file with the contents of its memories, which tools look for where they run."""
    return verilog.parent.glob(f"{verilog.name}_*")


def generate(block, config, settings=()):
    """Writes the Verilog of `block` in configuration `config` under build/rtl; returns the file's path. `settings`
    ("name=value") change values of the configuration, and are part of the folder's name."""
    compile_rtl()
    name = "-".join([config, *settings])
    folder = tree.BUILD / "rtl" / tree.file_name(name)
    output = folder / f"{block}.v"
    with tree.locked(f"{block}-{name}"):
        if tree.is_stale(output, (tree.ROOT / "rtl" / "target" / ".compiled").stat().st_mtime):
            java("arqlink.Generate", block, config, folder, *settings, stdout=subprocess.DEVNULL)
    return output


def main():
    parser = argparse.ArgumentParser(description="Writes the Verilog of blocks to build/rtl, and prints where.")
    parser.add_argument("blocks", metavar="BLOCK", nargs="+")
    parser.add_argument("--config", help="one configuration; without it, all that have a name")
    parser.add_argument("--set", metavar="NAME=VALUE", nargs="*", default=[], help="changes values of that configuration")
    options = parser.parse_args()
    if options.set and not options.config:
        parser.error("settings need a configuration that they change")
    names = [options.config] if options.config else json.loads(tree.CONFIGS.read_text())
    try:
        for name in names:
            for block in options.blocks:
                print(generate(block, name, options.set).relative_to(tree.ROOT))
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
