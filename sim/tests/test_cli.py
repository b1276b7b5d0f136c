# SPDX-License-Identifier: Apache-2.0
"""The command line: errors are one sentence with exit code 2, help has an example, JSON has its keys."""

import json

import pytest

BAD = [
    (["model", "--k", "11"], "K is 11"),
    (["model", "--n", "9"], "N is 9"),
    (["model", "--n", "19"], "N is 19"),
    (["model", "--nr", "9"], "N of retransmissions is 9"),
    (["model", "--delta", "15"], "persistency"),
    (["model", "--delta", "x"], "persistency"),
    (["model", "--loss", "rain"], "loss model"),
    (["model", "--config", "none"], "no configuration"),
    (["model", "--rate-mbps", "0"], "rate"),
    (["model", "--delay-ms=-1"], "delay"),
    (["model", "--packet-bytes", "9217"], "packet length"),
    (["model", "--n", "many"], "--n"),
    (["model", "--unknown"], "--unknown"),
    (["stats", "--frames", "0"], "number of frames"),
    (["stats", "--ord", "2"], "ord is 2"),
    (["stats", "--preset", "reed"], "preset"),
    (["stats", "--seed", "-1"], "seed"),
    (["plan", "--p", "1"], "p is 1"),
    (["plan", "--goal", "speed"], "goal"),
    (["plan", "--goal", "delay=1"], "reaches delay=1"),
    (["plan", "--connections", "-1"], "number of connections"),
    (["plan", "--rest-ms=-1"], "round trip outside"),
    (["plan", "--k", "11"], "K is 11"),
    (["send", "missing", "out"], "missing"),
    (["send"], "IN"),
    (["fly"], "fly"),
    (["console"], "serial port"),
    (["console", "--simulate", "--config", "none"], "no configuration"),
    (["board", "--config", "none"], "no configuration"),
    (["stats", "--waves", "missing/x.fst"], "missing/x.fst"),
]


@pytest.mark.parametrize("arguments, words", BAD, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_errors(arqlink, arguments, words):
    code, out, err = arqlink(*arguments)
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1 and err.strip()[-1] in ".?!"
    assert not out


@pytest.mark.parametrize("command", ["send", "stats", "model", "plan", "console", "board"])
def test_help_has_an_example(arqlink, command):
    code, out, _ = arqlink(command, "--help")
    assert code == 0
    assert f"Example: arqlink {command} " in out


def test_model_json(arqlink):
    code, out, _ = arqlink("model", "--n", "10", "--delta", "1", "--json")
    assert code == 0
    values = json.loads(out)
    assert values["p_t"] == pytest.approx(0.0956179249912)
    assert values["p_f"] == pytest.approx(0.0956179249912**2)
    assert values["settings"]["delta"] == 1
    for key in ("packet_loss", "alpha", "utilization", "mean_transmissions", "delay_ms"):
        assert key in values


def test_model_of_hopeless_link(arqlink):
    code, out, _ = arqlink("model", "--loss", "bernoulli:1", "--json")
    assert code == 0
    values = json.loads(out)
    assert values["p_t"] == 1 and values["alpha"] == 0
    assert values["mean_transmissions"] is None  # JSON has no infinity


def test_model_table(arqlink):
    code, out, _ = arqlink("model", "--delta", "inf")
    assert code == 0
    assert "eq. 6" in out and "0.904382" in out


def test_version(arqlink):
    from arqlink import __version__

    assert arqlink("--version")[1].strip() == __version__
