# SPDX-License-Identifier: Apache-2.0
"""Programs of others over the live link: files by SSH, both directions loaded at once, datagrams that nothing repairs."""

import json
import math
import subprocess
import sys
import time

import asyncssh
import pytest

from arqlink.live.session import Session
from tests import seeds

from .live_bench import IN_NAMESPACES, fetch, fresh, http, said, setup

pytestmark = IN_NAMESPACES
SSH_SERVER = """
import asyncio, asyncssh, sys
async def serve():
    server = await asyncssh.listen("", 22, server_host_keys=[sys.argv[1]], authorized_client_keys=sys.argv[2], sftp_factory=True, allow_scp=True)
    print("ready", flush=True)
    await server.wait_closed()
asyncio.run(serve())
"""
TRUST_ON_FIRST_USE = ["-F", "/dev/null", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]


@pytest.fixture(scope="module")
def session():
    with Session(setup(loss="bernoulli:0.05", feedback_loss="bernoulli:0.05"), fresh()) as session:
        yield session


@pytest.fixture
def keys(tmp_path):
    """A key of the server and one of its user."""
    for name in ("host", "user"):
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(str(tmp_path / name))
        (tmp_path / name).chmod(0o600)
        key.write_public_key(str(tmp_path / f"{name}.pub"))
    return tmp_path


def test_scp_both_ways(session, keys):
    """OpenSSH's client, over IPv6: what comes back is what went, byte for byte."""
    content = seeds.rng("file").randbytes(150_000)
    (keys / "file").write_bytes(content)
    server = session.start("b", [sys.executable, "-c", SSH_SERVER, str(keys / "host"), str(keys / "user.pub")], stdout=subprocess.PIPE, text=True)
    assert server.stdout and server.stdout.readline() == "ready\n"
    scp = ["scp", "-O", "-i", str(keys / "user"), *TRUST_ON_FIRST_USE]
    before = session.engine.report()
    said(session, "a", *scp, str(keys / "file"), f"root@[fd77::2]:{keys}/there", most=90)
    said(session, "a", *scp, f"root@[fd77::2]:{keys}/there", str(keys / "back"), most=90)
    server.terminate()
    server.wait(10)
    after = session.engine.report()
    assert (keys / "there").read_bytes() == (keys / "back").read_bytes() == content
    for end in "ab":
        assert after[end]["counters"]["tx_retx"] > before[end]["counters"]["tx_retx"], "units were lost"


def test_both_directions_loaded(session, tmp_path):
    """Two streams of TCP against each other for 8 s, with files beside them: no frame is given up, and both directions carry."""
    content = seeds.rng("file").randbytes(60_000)
    (tmp_path / "file").write_bytes(content)
    server = session.start("b", ["iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    session.sample()
    with http(session, tmp_path):
        client = fetch(session, "file", tmp_path / "copy")
        found = json.loads(said(session, "a", "iperf3", "-c", "10.77.0.2", "-t", "8", "--bidir", "-J"))
        assert client.wait(60) == 0
    server.wait(30)
    sample, report = session.sample(), session.engine.report()
    assert (tmp_path / "copy").read_bytes() == content
    assert found["end"]["sum_received"]["bits_per_second"] > 0.2e6 and found["end"]["sum_received_bidir_reverse"]["bits_per_second"] > 0.2e6
    for end, way in (("a", "ab"), ("b", "ba")):
        assert report[end]["counters"]["tx_packets_lost"] == report[end]["counters"]["tx_frames_abandoned"] == 0
        assert sample.directions[way].mbps > 0.3 and 0.03 < sample.directions[way].loss < 0.07


def test_datagrams_without_repair_are_lost_as_the_model_says():
    """UDP of iperf3 at persistency 0, K = N = 10: 1000 bytes are 1042 on the device, five frames of 44 units. At p = 0.003 12.4 % do not arrive;
    of 1500 the share has a standard deviation of 0.85 %."""
    p, units, datagrams = 0.003, 44, 1500
    with Session(setup(n=10, delta="0", loss=f"bernoulli:{p}", delay_ms=5.0), fresh()) as session:
        server = session.start("b", ["iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        words = f"iperf3 -c 10.77.0.2 -u -l 1000 -b 0.8M -k {datagrams} -J"
        found = json.loads(said(session, "a", *words.split(), most=90))["end"]["sum"]
        server.wait(30)
        report = session.engine.report()
    expected = 1 - (1 - p) ** units
    deviation = math.sqrt(expected * (1 - expected) / datagrams)
    counters = report["a"]["counters"]
    # Beside other work the device drops some more. A few packets of iperf3's own are short, and lost less often.
    assert abs(counters["tx_packets_lost"] / counters["tx_packets"] - expected) < 4.5 * deviation, (counters, found)
    assert found["lost_packets"] > 0.9 * counters["tx_packets_lost"], (counters, found)
    assert expected - p > 4.5 * deviation, "the loss of a unit is not taken for that of a packet"
    assert counters["tx_retx"] == 0
