# SPDX-License-Identifier: Apache-2.0
"""What is built is made again where what it was made from has changed, and only there."""

import os
import subprocess
import sys

import pytest

from arqlink import cache, tree
from arqlink.rtl import verilator, verilog

COUNTER = "module Counter(input clock, output reg [7:0] count); always @(posedge clock) count <= count + 1; endmodule\n"
MAIN = """#include <cstdio>
#include "VCounter.h"
int main() {
  VCounter counter;
  for (int i = 0; i < 6; ++i) { counter.clock = i % 2; counter.eval(); }
  std::printf("%d\\n", counter.count);
}
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    """An empty build folder but for the parts of Verilator that all models share, and no cache but what a test names."""
    folder, shared = tmp_path / "build", tree.BUILD / "verilator"
    shared.mkdir(parents=True, exist_ok=True)
    folder.mkdir()
    (folder / shared.name).symlink_to(shared)
    monkeypatch.setattr(tree, "BUILD", folder)
    monkeypatch.delenv("ARQLINK_CACHE", raising=False)
    return folder


class Made:
    """Makes an output, and counts."""

    def __init__(self, output):
        self.output, self.count = output, 0

    def obtain(self, *parts, beside=lambda output: []):
        cache.obtain(self.output, cache.digest(*parts), self.make, beside)
        return self.count

    def make(self):
        self.count += 1
        self.output.parent.mkdir(parents=True, exist_ok=True)
        self.output.write_text(f"made {self.count}")
        self.output.with_name("beside").write_text("too")


def test_contents_count_and_times_do_not(build, tmp_path):
    source, made = tmp_path / "source", Made(build / "output")
    source.write_text("a")
    assert made.obtain(source, "-O2") == 1
    os.utime(source, (2e9, 2e9))
    assert made.obtain(source, "-O2") == 1
    source.write_text("b")
    assert made.obtain(source, "-O2") == 2
    assert made.obtain(source, "-O3") == 3
    made.output.unlink()
    assert made.obtain(source, "-O3") == 4


def test_parts_are_told_apart(tmp_path):
    """Where a name ends and a content begins, which file has which content, and what a folder holds."""
    (tmp_path / "a").write_text("b")
    (tmp_path / "ab").write_text("")
    found = [cache.digest(*parts) for parts in ((tmp_path / "a",), (tmp_path / "ab",), ("a", "b"), ("ab",), ("b", "a"), (tmp_path,))]
    (tmp_path / "new").write_text("")
    found.append(cache.digest(tmp_path))
    assert len(set(found)) == len(found)
    assert cache.digest(f"-I{tree.ROOT}/sim") == cache.digest("-I/sim"), "another clone has it elsewhere"


def test_a_cache_gives_what_was_once_made(build, tmp_path, monkeypatch):
    monkeypatch.setenv("ARQLINK_CACHE", str(tmp_path / "cache"))
    beside = lambda output: [output.with_name("beside")]  # noqa: E731
    made = Made(build / "output")
    assert [made.obtain(key, beside=beside) for key in "aba"] == [1, 2, 2] and made.output.read_text() == "made 1"
    other = Made(tmp_path / "other" / "output")
    assert other.obtain("b", beside=beside) == 0 and other.output.read_text() == "made 2"
    assert {path.name for path in other.output.parent.iterdir()} == {"output", "beside"}


def test_a_damaged_cache_is_none(build, tmp_path, monkeypatch):
    monkeypatch.setenv("ARQLINK_CACHE", str(tmp_path / "cache"))
    assert Made(build / "output").obtain("a") == 1
    (stored,) = tmp_path.glob("cache/outputs/*/*")
    stored.write_bytes(stored.read_bytes()[:60])
    again = Made(tmp_path / "other" / "output")
    assert again.obtain("a") == 1 and again.output.exists()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARQLINK_CACHE", str(tmp_path / "file"))
    assert Made(tmp_path / "third" / "output").obtain("a") == 1


def test_what_is_old_is_forgotten(build, tmp_path, monkeypatch):
    monkeypatch.setenv("ARQLINK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "digest", lambda part: f"ff{part}")
    Made(build / "output").obtain("old")
    (stored,) = tmp_path.glob("cache/outputs/ff/*")
    os.utime(stored, (0, 0))
    Made(build / "second").obtain("new")
    assert not stored.exists() and len(list(stored.parent.iterdir())) == 1


def test_a_program_that_fails_to_build_is_not_there(build):
    made = Made(build / "output")
    made.obtain("a")

    def fails():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.obtain(made.output, cache.digest("b"), fails)
    assert made.obtain("a") == 2, "nobody knows what is in it now"


def test_a_model_is_built_once(build, tmp_path, monkeypatch, capsys):
    """Also where its Verilog is written again, as after a change of a comment in Scala; another clone takes it from the cache."""
    monkeypatch.setenv("ARQLINK_CACHE", str(tmp_path / "cache"))
    source, main = tmp_path / "Counter.v", tmp_path / "main.cpp"
    source.write_text(COUNTER)
    main.write_text(MAIN)

    def counted(folder):
        program = verilator.Model([source], folder, optimize="-O0").link([main], folder / "program")
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout, "Building" in capsys.readouterr().err

    assert counted(build / "model") == ("3\n", True)
    source.write_text(COUNTER)
    assert counted(build / "model") == ("3\n", False)
    assert counted(tmp_path / "clone") == ("3\n", False)
    source.write_text(COUNTER.replace("+ 1", "+ 2"))
    assert counted(build / "model") == ("6\n", True)
    main.write_text(MAIN.replace("< 6", "< 4"))
    assert counted(build / "model") == ("4\n", False), "the program alone is new"


def test_a_program_is_built_around_a_model_that_is_there(build, tmp_path, monkeypatch):
    """By another process, which has not verilated anything."""
    source, main, common = (tmp_path / name for name in ("Counter.v", "main.cpp", "common.cpp"))
    source.write_text(COUNTER)
    main.write_text(MAIN)
    common.write_text("int common() { return 1; }\n")
    model = verilator.Model([source], build / "model", optimize="-O0")
    model.build()
    monkeypatch.delenv("VERILATOR_ROOT")
    assert model.link([main], build / "model" / "program", common=[common]).exists()


def test_verilog_from_a_cache_needs_no_java(build, tmp_path, monkeypatch):
    monkeypatch.setenv("ARQLINK_CACHE", str(tmp_path / "cache"))
    first = verilog.generate("RsEncoder", "tiny")

    def none(*words, **_):
        raise AssertionError(f"Java has to run for {words}")

    monkeypatch.setattr(verilog, "java", none)
    assert verilog.generate("RsEncoder", "tiny", folder=tmp_path / "clone").read_text() == first.read_text()
    with pytest.raises(AssertionError, match="tinier"):
        verilog.generate("RsEncoder", "tinier")


def test_a_module_from_a_cache_has_its_description(build, tmp_path, monkeypatch):
    monkeypatch.setenv("ARQLINK_CACHE", str(tmp_path / "cache"))
    first, again = (verilog.generate("RsEncoder", "tiny", module="acme", folder=tmp_path / folder).with_suffix(".json") for folder in ("one", "two"))
    assert again.read_text() == first.read_text() and '"acme"' in first.read_text()


ANOTHER = """import sys, time
from pathlib import Path
from arqlink import tree
from arqlink.rtl import verilator
def compile_all(jobs):
    for _, output, _ in jobs:
        output.with_suffix(".busy").touch(exist_ok=False)
        time.sleep(0.2)
        output.with_suffix(".busy").rename(output)
verilator.compile_all = compile_all
tree.BUILD = Path(sys.argv[1])
verilator.versions()
print("ready", flush=True)
sys.stdin.readline()
verilator.library([Path("source.cpp")])
"""


def test_what_all_models_share_is_compiled_by_one_process_at_a_time(build, tmp_path):
    """Also where each has a build folder of its own and this alone is the same, by a link."""
    shared, running = tmp_path / "shared", []
    shared.mkdir()
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "verilator").symlink_to(shared)
        command = [sys.executable, "-c", ANOTHER, folder]
        running.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.close()
    assert [process.wait() for process in running] == [0, 0, 0]
