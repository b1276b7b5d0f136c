# SPDX-License-Identifier: Apache-2.0
"""Turns the Scala sources into Verilog. The benches and the command line share this."""

import re
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import quote_plus, unquote_plus

from arqlink import cache, locks, tree
from arqlink.building import building
from arqlink.errors import UserError
from arqlink.rtl import tools

MAVEN = ["mvn", "-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=target/classpath"]
QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
"""For the JVM, which lives for seconds: its best compiler takes longer than it gains."""
JVM_LOG = tree.BUILD / "java.log"
REFUSED = 2
"""Exit code of a program that does not take its arguments."""
STAMP = tree.ROOT / "rtl" / "target" / ".compiled"
SOURCE_LINE = re.compile(r"(?<=[a-z])_l\d+\b")
"""What SpinalHDL adds to the names of a pipeline's requests, such as `act_haltRequest_ArqReceiver_l226`."""


def sources():
    """Hash of all that Verilog is generated from."""
    tree.require()
    return cache.digest(tree.ROOT / "rtl" / "src" / "main", tree.ROOT / "rtl" / "pom.xml")


def compile_rtl():
    """Compiles the Scala sources with Maven if they are others than those of the class files; returns the Java class path."""
    rtl, wanted = tree.ROOT / "rtl", sources()
    with locks.locked("maven"):
        if not STAMP.exists() or STAMP.read_text() != wanted:
            tools.need("mvn", "javac")
            with building("Compiling the Scala sources with Maven …"):  # standard output is left to what the caller prints, which may be JSON
                done = subprocess.run(MAVEN, cwd=rtl, check=False, capture_output=True, text=True)
            if done.returncode:
                sys.stderr.write(done.stdout + done.stderr)
                raise UserError("The Scala sources do not compile; Maven's messages are above.")
            STAMP.write_text(wanted)
    return f"{rtl / 'target' / 'classes'}:{(rtl / 'target' / 'classpath').read_text()}"


class _Service:
    """A JVM that runs the programs of arqlink.gen, one after the other, as long as this process lives."""

    def __init__(self, class_path):
        tools.need("java")
        command = ["java", *QUICK_START, "-cp", class_path, "arqlink.gen.Service"]
        with open(JVM_LOG, "ab") as log:  # where libraries say how they do their logging
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdin and process.stdout
        self._process, self._requests, self._answers = process, process.stdin, process.stdout

    def run(self, words):
        """Exit code, what was printed, and the reason of a failure."""
        try:
            self._requests.write(" ".join(map(quote_plus, words)) + "\n")
            self._requests.flush()
            code, printed, reason = self._answers.readline().split(" ")
        except (BrokenPipeError, ValueError):
            raise UserError(f"The JVM has ended; see {JVM_LOG}.") from None
        return int(code), unquote_plus(printed), unquote_plus(reason.strip())

    def close(self):
        self._requests.close()
        self._process.wait()
        self._answers.close()


_lock = threading.Lock()
_service, _compiled = None, ""


def java(program, *arguments, check=True):
    """Runs a program of the Scala package arqlink.gen; returns a subprocess.CompletedProcess with its text. Without `check` a failure is
    left to the caller. All programs that this process runs share a JVM, which starts anew when the sources have been compiled anew."""
    global _service, _compiled
    words = [program, *map(str, arguments)]
    class_path = compile_rtl()
    with _lock:
        compiled = STAMP.read_text()
        if _service is None or compiled != _compiled:
            if _service:
                _service.close()
            _service, _compiled = _Service(class_path), compiled
        code, printed, reason = _service.run(words)
    if check and code == REFUSED:
        raise UserError(f"This cannot be built: {reason}.")
    if check and code:
        sys.stderr.write(reason + "\n")
        raise UserError(f"'{' '.join(words)}' failed; what it said is above.")
    return subprocess.CompletedProcess(words, code, printed, reason)


def contents(verilog):
    """Files beside a generated Verilog file with the contents of its memories, as SpinalHDL and LiteX name them, which tools look for where they run."""
    return [*verilog.parent.glob(f"{verilog.name}_*"), *verilog.parent.glob(f"{verilog.stem}_*.init")]


def first_sn(path):
    """The first FSN and TSN of a link in a generated Verilog file: 0, but in builds for tests."""
    said = re.search(r"^// firstSn = (\d+)\b", Path(path).read_text(), re.MULTILINE)
    return int(said[1]) if said else 0


def synthesized(text):
    """The lines of a source without the comment at its head, and without what only simulation sees, such as assertions. Names that end in the
    line of the Scala source that made them end without it: a comment there must not make a new netlist."""
    lines, hidden = [], []
    for line in text.splitlines():
        words = line.split()
        directive = words[0] if words else ""
        if directive in ("`ifdef", "`ifndef"):
            hidden.append(words == ["`ifndef", "SYNTHESIS"])
        elif directive == "`else":
            hidden[-1] = False
        if not any(hidden) and not line.startswith("//"):
            lines.append(SOURCE_LINE.sub("", line))
        if directive == "`endif":
            hidden.pop()
    return lines


def generate(block, config, settings=(), module=None, folder=None):
    """Writes the Verilog of `block` in configuration `config`; returns the file's path. `settings` ("name=value") change values of the
    configuration. The modules have the names of their classes, and the file is in a folder of build/rtl that is named after the settings; or
    the file is for designs of others: `module` is its module's name, the others' begin with it, and it is in `folder` with a description."""
    return write("Generate", block, config, "-".join([config, *settings]), settings, module, folder)


def write(program, block, config, name, words, module=None, folder=None, inputs=()):
    """Writes the Verilog of `block` by a program of arqlink.gen, which gets `words`, where what it is made from has changed: the Scala sources, or
    one of the files `inputs`, which `words` name; returns its path. `name` is that of its folder in build/rtl; `module` and `folder` as for
    generate()."""
    folder = folder or tree.BUILD / "rtl" / tree.file_name(name)
    output = folder / f"{module or block}.v"
    named = [f"module={module}"] if module else []
    described = [output.with_suffix(".json")] if module else []  # a cache that was filled without it is not asked
    key = cache.digest(sources(), program, block, config, *named, *(path.name for path in described), *words, *inputs)
    with locks.locked(f"{block}-{module}-{name}"):
        return cache.obtain(output, key, lambda: java(program, block, config, folder, *named, *words), lambda verilog: [*contents(verilog), *described])
