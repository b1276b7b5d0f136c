# SPDX-License-Identifier: Apache-2.0
"""The command line: errors are one sentence with exit code 2, help has an example, JSON has its keys."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from arqlink.errors import UserError
from arqlink.run import pcap

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
    (["plan", "--loss", "1"], "The loss bernoulli:1 erases all units"),
    (["plan", "--goal", "speed"], "goal"),
    (["plan", "--goal", "delay=1"], "reaches delay=1"),
    (["plan", "--connections", "-1"], "number of connections"),
    (["plan", "--rest-ms=-1"], "round trip outside"),
    (["plan", "--k", "11"], "K is 11"),
    (["plan", "--buffer", "200"], "--buffer and --outage need --gateway"),
    (["plan", "--outage", "1,2"], "--buffer and --outage need --gateway"),
    (["plan", "--gateway", "--connections", "1"], "leave out --connections"),
    (["plan", "--gateway", "--rest-ms", "0"], "round trip outside of the link is 0 ms"),
    (["plan", "--gateway", "--rest-ms", "inf"], "round trip outside of the link is inf ms"),
    (["plan", "--gateway", "--rest-ms", "nan"], "round trip outside of the link is nan ms"),
    (["plan", "--gateway", "--buffer", "0"], "The buffer is 0 packets"),
    (["plan", "--gateway", "--buffer", "170"], "The buffer is 170 packets; the round trips hold 171"),
    (["plan", "--gateway", "--outage", "10"], "write DARK_MS,CYCLE_MS"),
    (["plan", "--gateway", "--outage", "5000,5000"], "shorter than its cycle"),
    (["plan", "--gateway", "--outage", "5000,5100"], "the link is back for 100 ms"),
    (["plan", "--gateway", "--goal", "delay=100"], "reaches delay=100 with an infinite persistency"),
    (["plan", "--gateway", "--loss", "0.999999"], "reaches goodput with an infinite persistency"),
    (["send", "missing", "out"], "missing"),
    (["send"], "IN"),
    (["fly"], "fly"),
    (["console"], "serial port"),
    (["console", "--simulate", "--config", "none"], "no configuration"),
    (["board", "--config", "none"], "no configuration"),
    (["stats", "--waves", "missing/x.fst"], "'missing/x.fst' cannot be written: No such file or directory"),
    (["stats", "--waves", "x.vcd"], "'x.vcd' cannot be written: waves are FST"),
    (["stats", "--waves", "x"], "ends in .fst"),
    (["stats", "--pcap-phy", "missing/x.pcapng"], "'missing/x.pcapng' cannot be written: No such file or directory"),
    (["stats", "--pcap-phy", "x.pcap"], "'x.pcap' cannot be written: captures of the PHY are pcapng"),
    (["stats", "--pcap-phy", "-"], "'-' cannot be written: captures of the PHY are pcapng"),
    (["send", "x.fst", "y.pcapng", "--pcap-phy", "y.pcapng"], "The output to 'y.pcapng' would overwrite 'y.pcapng'"),
    (["stats", "--pcap-phy", "x.pcapng", "--frames", "1e8"], "writes up to 1 GiB: that is "),
    (["stats", "--uart", "none", "--pcap-phy", "x.pcapng"], "--pcap-phy is for the simulation"),
    (["send", "x.fst", "y", "--waves", "x.fst"], "The output to 'x.fst' would overwrite 'x.fst'"),
    (["send", "x.fst", "y.fst", "--waves", "y.fst"], "The output to 'y.fst' would overwrite 'y.fst'"),
    (["send", "x.fst", "x.fst"], "The output to 'x.fst' would overwrite 'x.fst'"),
    (["send", "x.fst", "missing/out"], "'missing/out' cannot be written: No such file or directory"),
    (["send", "x.fst", "."], "'.' cannot be written: Is a directory"),
    (["send", "missing", "out"], "'missing' cannot be read: No such file or directory"),
    (["send", ".", "out"], "'.' cannot be read: Is a directory"),
    (["send", "x.fst", "-", "--json"], "--json needs another OUT"),
    (["model", "--loss", "1.5"], "'1.5' has the probability 1.5"),
    (["model", "--loss", "nan"], "'nan' has the probability nan"),
    (["model", "--loss", "0.1,0.2"], "'0.1,0.2' is not understood"),
    (["stats", "--loss", "0.6", "--n", "10"], "a frame needs 9537 transmissions on average, and 100000 frames keep the line busy for 11 days"),
    (["send", "--web", "missing", "out"], "'missing' cannot be read"),
    (["stats", "--web", "70000"], "less than or equal to 65535"),
    (["stats", "--web", "--web-host", "nowhere.invalid"], "The dashboard cannot be at port 8480 of 'nowhere.invalid'"),
    (["stats", "--uart", "/dev/null", "--web"], "--web is for the simulation"),
    (["stats", "--loss", "bernoulli:1"], "bernoulli:1 erases all units, control units too, so the link would not come up"),
    (["stats", "--loss", "1", "--spare-control"], "no transmission succeeds and no frame is given up"),
    (["stats", "--feedback-loss", "0.9995", "--delta", "0"], "bernoulli:0.9995 erases 0.9995 of the units"),
    (["send", "x.fst", "out", "--loss", "ge:1,0,0,1", "--spare-control"], "no transmission succeeds"),
    (["send", "x.fst", "out", "--loss", "0.6", "--n", "10"], "a frame needs 9537 transmissions"),
]


@pytest.fixture
def folder(tmp_path):
    """With a file of 5000 bytes and an ending that --waves takes."""
    (tmp_path / "x.fst").write_bytes(bytes(5000))
    return tmp_path


@pytest.mark.parametrize("arguments, words", BAD, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_errors(arqlink, folder, arguments, words):
    code, out, err = arqlink(*arguments)
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1 and err.strip()[-1] in ".?!"
    assert not out
    assert [path.name for path in folder.iterdir()] == ["x.fst"] and (folder / "x.fst").read_bytes() == bytes(5000)


def run(arguments, **options: Any):
    """The command in a process of its own, with an environment and standard streams as given; bytes."""
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "120"} | options.pop("env", {})
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run([sys.executable, "-m", "arqlink", *arguments], env=environment, check=False, **options)


ASCII = [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]


@pytest.mark.parametrize("env", ASCII, ids=["PYTHONIOENCODING", "LC_ALL"])
def test_a_terminal_without_symbols(env):
    """Tables name them, and their columns stay straight."""
    done = run(["model", "--delta", "3"], env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode("ascii").splitlines()
    assert any(line.startswith("| useful share alpha (eq. 6) ") for line in lines)
    assert len({len(line) for line in lines if line.startswith(("|", "+"))}) == 1


def test_help_and_errors_without_symbols():
    done = run(["stats", "--help"], env=ASCII[0])
    assert done.returncode == 0 and b"Example: arqlink stats" in done.stdout
    done = run(["stats", "--loss", "1", "--spare-control"], env=ASCII[0])
    assert done.returncode == 2 and b"and delta infinite" in done.stderr
    done = run(["send", b"\xff[/x]", "out"], env=ASCII[1])
    assert done.returncode == 2 and b"\\udcff[/x]' cannot be read: No such file" in done.stderr


def test_a_full_disk():
    with open("/dev/full", "wb") as full:
        done = run(["model"], stdout=full)
        assert done.returncode == 2 and done.stderr.decode().count("\n") == 1 and b"No space left on device" in done.stderr
        assert run(["model", "--k", "99"], stderr=full).returncode == 2


def test_a_reader_that_has_seen_enough():
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as broken:
        done = run(["model"], stdout=broken)
    assert (done.returncode, done.stderr) == (1, b"")


def test_closed_streams():
    done = run(["send", "-", "out"], preexec_fn=lambda: os.close(0))
    assert done.returncode == 2 and b"Standard input cannot be read" in done.stderr
    assert run(["model"], preexec_fn=lambda: os.close(1)).stderr == b""


def test_every_loss_may_be_a_number(arqlink):
    for command in (["model"], ["plan", "--k", "10"]):
        outputs = {arqlink(*command, "--json", "--loss", text)[1] for text in ("0.05", "bernoulli:0.05")}
        assert len(outputs) == 1 and outputs != {""}


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


GAP = ("send", "in.pcap", "out.pcap", "--pace", "capture", "--delay-ms", "1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stats", "--frames", "1e8"), "Simulating 100000000 frames of this link takes about 42 hours."),
        (("stats", "--frames", "2e6", "--clocks-per-beat", "16"), "2000000 frames of this link takes about"),
        (("stats", "--frames", "1e6", "--config", "tiny", "--delay-ms", "1000"), "1000000 frames of this link takes about"),
        (("tcp", "--seconds", "1e6", "--link", "rtl"), " s of this path with 3 seeds takes about"),
        (("tcp", "--seconds", "1e7"), " s of this path with 3 seeds takes about"),
        (GAP, "4 packets over this link, whose times in the capture span 18.2 hours, takes about"),
    ],
)
def test_a_long_run_is_foretold(arqlink, tmp_path, monkeypatch, arguments, words):
    """In hours of the simulation, before it begins."""

    def begun(*_, **__):
        raise UserError("It has begun.")

    monkeypatch.setattr("arqlink.run.harness.run", begun)
    monkeypatch.setattr("arqlink_research.tcp.measurement.measure", begun)
    monkeypatch.setattr("arqlink.run.pair_simulator.simulator", lambda *_, **__: None)
    future(tmp_path / "in.pcap", 65536)
    code, _, error = arqlink(*arguments)
    assert (code, error.splitlines()[1:]) == (2, ["It has begun."]) and words in error.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stats", "--frames", "1e12"), "Hopeless: 1000000000000 frames of this link would take about"),
        (("stats", "--frames", "1e10", "--clocks-per-beat", "16"), "Hopeless: 10000000000 frames"),
        (("tcp", "--seconds", "1e7", "--link", "rtl"), "Hopeless: 1e+07 s of this path with 3 seeds would take about"),
        (GAP, "Hopeless: 4 packets over this link, whose times in the capture span 2 years, would take about"),
    ],
)
def test_a_run_that_nobody_can_wait_for_is_refused(arqlink, tmp_path, monkeypatch, arguments, words):
    monkeypatch.setattr("arqlink.run.pair_simulator.simulator", lambda *_, **__: None)
    future(tmp_path / "in.pcap", 2 * 365 * 86400)
    code, _, error = arqlink(*arguments)
    assert code == 2 and words in error and error.count("\n") == 1


def future(path, seconds):
    """A capture of four packets, the last of which is of so many seconds later."""
    capture = pcap.Capture()
    for time in (0, 0, 0, seconds):
        capture.add(bytes(60), time * 10**9)
    pcap.write(path, capture)


def test_a_short_run_says_nothing(arqlink, monkeypatch):
    def begun(*_, **__):
        raise UserError("It has begun.")

    monkeypatch.setattr("arqlink.run.harness.run", begun)
    monkeypatch.setattr("arqlink.run.pair_simulator.simulator", lambda *_, **__: None)
    assert arqlink("stats") == (2, "", "It has begun.\n")
