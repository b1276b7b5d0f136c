# SPDX-License-Identifier: Apache-2.0
"""The demonstration of the soft system: few frames on the simulated board, and its verdicts."""

import math
from typing import Any

import pytest

from arqlink.cli.main import main
from arqlink.demo import soc
from arqlink.demo.soc import Outcome, Phase
from tests import seeds

FRAMES = 1200


@pytest.mark.full
def test_phases():
    """What no interval of so few frames can show is checked exactly: which frames and packets there were."""
    data = seeds.rng("data").randbytes(100_000)
    phases = [soc.PHASES[i] for i in (0, 1, 3, 4)]
    outcomes = list(soc.run_phases(data, FRAMES, phases))
    assert [o.phase for o in outcomes] == phases
    for outcome in outcomes:
        assert outcome.right
        c = outcome.counters
        assert c["tx_packets"] == len(outcome.sent) == FRAMES // 6
        assert c["tx_frames"] == c["tx_frames_acked"] + c["tx_frames_abandoned"]
        assert len(outcome.received) == len(outcome.sent) - c["tx_packets_lost"]
        assert c["link_restarts"] == 0
        if math.isfinite(outcome.phase.delta):
            assert c["tx_frames"] == FRAMES
            assert (c["tx_frames_abandoned"] > 0) and not outcome.whole
        else:
            assert outcome.whole and c["tx_retx"] > 0
    assert outcomes[0].counters["tx_retx"] == 0 < outcomes[1].counters["tx_retx"] < FRAMES
    assert outcomes[3].changes >= 4


def outcome(abandoned=91, lost=90, failed=1373, phase=soc.PHASES[1], **more):
    """Counters near what 18,000 frames of phase 2 make."""
    counters = {
        "tx_frames": 18000, "tx_frames_acked": 18000 - abandoned, "tx_frames_abandoned": abandoned, "tx_packets": 3000,
        "tx_packets_lost": lost, "tx_outcomes_ok": 18000 - abandoned, "tx_outcomes_failed": failed, "tx_outcomes_outage": 0,
    }  # fmt: skip
    return Outcome(phase, counters, **(dict[str, Any](sent=[b"a", b"b"], received=[b"a"]) | more))


@pytest.mark.parametrize("change, right", [
    ({}, True), ({"abandoned": 50}, False), ({"abandoned": 150}, False), ({"lost": 40}, False), ({"failed": 1700}, False),
])  # fmt: skip
def test_verdict_on_a_formula(change, right):
    assert outcome(**change).right is right


ARRIVALS = [([b"a", b"b"], True), ([b"a"], False), ([b"b", b"a"], False), ([b"a", b"b", b"b"], False)]


@pytest.mark.parametrize("received, right", ARRIVALS)
def test_verdict_on_packets_of_infinite_persistency(received, right):
    phase = Phase((), 10, math.inf, during=("code 8 9",))
    assert outcome(0, 0, 1000, phase, received=received).right is right
    assert not outcome(1, 0, 1000, phase, received=[b"a", b"b"]).right  # a frame has been given up


def test_exit_status(monkeypatch, capsys):
    for result, code in ((outcome(), 0), (outcome(abandoned=150), 1)):
        monkeypatch.setattr(soc, "run_phases", lambda data, result=result: [result])
        with pytest.raises(SystemExit) as end:
            main(["demo", "soc"])
        assert end.value.code == code
        text = capsys.readouterr().out
        assert "code 8 9" in text and ("outside" in text) is bool(code)
