# SPDX-License-Identifier: Apache-2.0
"""Verilog of what does not exist is refused with the sentence of the Scala sources, whatever characters it is asked for with."""

import pytest

from arqlink import tree
from arqlink.rtl import verilog

LONG = "x" * 5000
BAD = {
    "configuration": (["ArqLink", "--config", "foo"], "no configuration named 'foo'"),
    "configuration with a slash": (["ArqLink", "--config", "foo/bar"], "no configuration named 'foo/bar'"),
    "value with a slash": (["ArqLink", "--config", "paper", "--set", "maxK=1/2"], "'maxK=1/2' is not NAME=VALUE"),
    "long setting": (["ArqLink", "--config", "paper", "--set", f"{LONG}=1"], f"no parameter named '{LONG}'"),
    "long block": ([LONG, "--config", "paper"], f"no block named '{LONG}'"),
}


@pytest.mark.parametrize("words, sentence", BAD.values(), ids=BAD)
def test_refused(words, sentence, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["rtl", *words])
    with pytest.raises(SystemExit) as end:
        verilog.main()
    assert str(end.value.code).startswith("'Generate ")
    assert sentence in capsys.readouterr().err


def test_names_of_files_are_theirs_alone():
    usual = "default-windowFrames=64-maxPacketBytes=4096"
    assert tree.file_name(usual) == usual
    odd = [tree.file_name(name) for name in ("a/b", "a/c", LONG, f"{LONG}y", "")]
    assert len(set(odd)) == len(odd) and all(len(name) < 100 and "/" not in name for name in odd)
