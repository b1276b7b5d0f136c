# SPDX-License-Identifier: Apache-2.0
"""The build folder's names."""

from arqlink import tree

LONG = "x" * 5000


def test_names_of_files_are_theirs_alone():
    usual = "default-windowFrames=64-maxPacketBytes=4096"
    assert tree.file_name(usual) == usual
    odd = [tree.file_name(name) for name in ("a/b", "a/c", LONG, f"{LONG}y", "")]
    assert len(set(odd)) == len(odd) and all(len(name) < 100 and "/" not in name for name in odd)
