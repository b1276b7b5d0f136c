# SPDX-License-Identifier: Apache-2.0
"""Recorded erasures in, recorded delays out."""

import csv
import io
import json

import pytest

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup
from arqlink.run import harness, pair
from arqlink_research.tcp import point
from tests import seeds


def trace(tmp_path, units):
    path = tmp_path / "trace"
    path.write_text("".join(map(str, units)))
    return loss.read_trace(str(path))


def test_a_trace_is_text(tmp_path):
    (tmp_path / "a:b").write_bytes(b"# from the field\r\n0 1\t1\n\n  # 7\n0\n")
    process = loss.parse(f"trace:{tmp_path / 'a:b'}")
    assert isinstance(process, loss.Trace)
    assert process.units == bytes([0, 1, 1, 0]) and process.mean() == 0.5
    assert str(process) == f"trace:{tmp_path / 'a:b'}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("01\n012", "has '2' in line 2; it must have 0 and 1 alone"),
        ("0é", r"has '\\xc3' in line 1"),
        ("0\x1b[m", r"has '\\x1b' in line 1"),
        ("# none\n", "has no units"),
        ("", "has no units"),
    ],
    ids=["digit", "symbol", "control", "comment", "empty"],
)
def test_what_is_no_trace(tmp_path, content, words):
    (tmp_path / "t").write_text(content)
    with pytest.raises(UserError, match=words):
        loss.parse(f"trace:{tmp_path / 't'}")
    with pytest.raises(UserError, match="cannot be read: No such file"):
        loss.parse(f"trace:{tmp_path / 'none'}")


@pytest.mark.parametrize("length, n, k", [(100, 11, 10), (7, 11, 10), (1, 4, 2), (30, 5, 5)])
def test_failures_are_those_of_all_windows(tmp_path, length, n, k):
    units = seeds.rng(length).choices((0, 1), (4, 1), k=length)
    windows = [sum(units[(i + j) % length] for j in range(n)) > n - k for i in range(length)]
    assert trace(tmp_path, units).failure(n, k) == pytest.approx(sum(windows) / length)


def test_the_line_loses_just_these_units(tmp_path):
    """By the emulators' own counts, both ways; a trace that is shorter than the run begins again. It begins with units that may leave before
    the emulator is enabled."""
    units, back = ([0, 0, 0, *seeds.rng(seed).choices((0, 1), (19, 1), k=size)] for seed, size in ((1, 997), (2, 101)))
    setup = LinkSetup(config="montecarlo", k=10, n=12, delay_ms=1)
    setup.loss = trace(tmp_path, units)
    (tmp_path / "back").mkdir()
    setup.feedback_loss = trace(tmp_path / "back", back)
    result = pair.run(setup, pair.stats_job(setup, 500))
    for way, expected in (("ab", units), ("ba", back)):
        sent, erased = (sum(result[f"{way}.{kind}{name}"] for kind in ("", "CONTROL_")) for name in ("UNITS", "ERASED"))
        assert sent > 2 * len(expected)
        assert erased == sum(expected[i % len(expected)] for i in range(sent)) > 0
    assert result["traffic_b.RECEIVED"] == result["traffic_a.SENT"]


def test_the_same_trace_by_another_name(tmp_path):
    first = trace(tmp_path, [0, 1, 0])
    (tmp_path / "trace").write_text("0 0 1")
    assert repr(loss.parse(f"trace:{tmp_path / 'trace'}")) != repr(first), "a sweep would take the results of another trace"


def test_tcp_needs_times(tmp_path):
    process = trace(tmp_path, [0, 1])
    with pytest.raises(UserError, match="TCP needs losses in time"):
        point.from_settings({"loss": str(process)})


def test_send_with_both(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(bytes(range(256)) * 40)
    trace(tmp_path, [0] * 50 + [1] * 4)
    code, out, err = arqlink("send", "in", "out", "--delay-ms", 5, "--n", 12, "--delta", 0, "--packet-bytes", 500, "--loss", "trace:trace",
                             "--delay-trace", "delays.csv", "--json")  # fmt: skip
    assert code == 0, err
    report = json.loads(out)
    rows = list(csv.DictReader((tmp_path / "delays.csv").open()))
    assert [row["packet"] for row in rows] == [str(i) for i in range(report["packets"])]
    assert sum(int(row["bytes"]) for row in rows) == 10240
    assert [int(row["packet"]) for row in rows if not row["delay_ms"]] == report["lost_packets"] != []
    delays = [float(row["delay_ms"]) for row in rows if row["delay_ms"]]
    assert sum(delays) / len(delays) == pytest.approx(report["delay_ms"]["mean"]["measured"], abs=1e-5)
    assert all(float(row["delivered_ms"]) - float(row["sent_ms"]) == pytest.approx(float(row["delay_ms"]), abs=2e-6) for row in rows if row["delay_ms"])


def test_outputs_stay_apart(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(b"x")
    for words, said in ((("--delay-trace", "out"), "would overwrite"), (("--delay-trace", "-", "--json"), "With - as --delay-trace, standard output is taken")):
        code, _, err = arqlink("send", "in", "out", *words)
        assert code == 2 and said in err
    assert not (tmp_path / "out").exists()


def test_a_trace_is_an_input(arqlink, tmp_path, monkeypatch):
    """Outputs do not overwrite it, and it is not read from what another input is read from."""
    (tmp_path / "in").write_bytes(b"x")
    trace(tmp_path, [0, 0, 1])
    (tmp_path / "trace.svg").symlink_to("trace")
    for words in (
        ("send", "in", "trace", "--loss", "trace:trace"),
        ("send", "in", "out", "--feedback-loss", "trace:trace", "--delay-trace", "./trace"),
        ("stats", "--loss", "trace:trace", "--plot", "trace.svg"),
    ):
        code, _, err = arqlink(*words)
        assert code == 2 and "would overwrite 'trace'" in err
    assert (tmp_path / "trace").read_text() == "001"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"0 0 1\n")))
    code, _, err = arqlink("send", "-", "out", "--loss", "trace:-")
    assert code == 2 and "standard input can be read once" in err


def test_an_empty_name_is_no_file(arqlink, tmp_path):
    (tmp_path / "in").write_bytes(b"x")
    code, _, err = arqlink("send", "in", "out", "--delay-trace", "")
    assert code == 2 and "'' cannot be written" in err


def test_a_job_has_its_traces():
    job = harness.Job("stats", {}, {}, traces={"ba": b"\0\1"})
    assert job.described("p", "d", {"ba": "/t"})["traces"] == [None, "/t"]
