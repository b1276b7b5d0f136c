# SPDX-License-Identifier: Apache-2.0
"""The books of both ends of a run: what adds up passes, and each number that does not is named."""

import pytest

from arqlink.errors import UserError
from arqlink.model.link_setup import LinkSetup
from arqlink.rtl.registers import counter_names
from arqlink.run import books, monte_carlo, transfer
from arqlink.run.harness import Result
from arqlink.run.pair import WATCHED

ENDS = {
    "a": {
        "tx_packets": 10,
        "tx_packets_lost": 1,
        "tx_frames": 40,
        "tx_frames_acked": 38,
        "tx_frames_abandoned": 2,
        "tx_outcomes_ok": 38,
        "tx_outcomes_failed": 9,
        "tx_acked_0": 33,
        "tx_acked_2": 5,
    },
    "b": {"rx_packets": 9, "rx_frames_clean": 30, "rx_frames_repaired": 8, "rx_frames_skipped": 2, "rx_outcomes_ok": 38, "rx_outcomes_failed": 9},
}


def ends(**changed):
    """Counters of A and of B, of which some are others."""
    return [dict.fromkeys(counter_names(), 0) | counters | {n: v for n, v in changed.items() if n in counters} for counters in ENDS.values()]


def test_books_that_add_up():
    a, b = ends()
    books.check(a, b, 10, 9)


@pytest.mark.parametrize("name, words", [
    ("tx_frames", "99 frames sent, 40 resolved"),
    ("tx_acked_0", "38 frames acknowledged, 104 by their attempts"),
    ("tx_packets", "10 packets sent, 99 taken"),
    ("rx_packets", "99 packets delivered, 9 received"),
    ("tx_frames_acked", "99 frames acknowledged, 38 complete"),
    ("rx_frames_skipped", "2 frames abandoned, 99 skipped"),
    ("rx_outcomes_ok", "38 outcomes received, 99 reported"),
    ("tx_outcomes_failed", "99 outcomes failed, 9 reported"),
    ("tx_packets_lost", "99 packets counted as lost, 1 missing"),
])  # fmt: skip
def test_what_does_not_add_up_is_named(name, words):
    a, b = ends(**{name: 99})
    with pytest.raises(UserError, match=rf"^The books of both ends do not agree: .*\b{words}\b.*\. This is a bug of the link\.$"):
        books.check(a, b, 10, 9)


def test_after_a_restart_only_what_one_end_knows_is_compared():
    a, b = ends(tx_frames=45, tx_frames_abandoned=3, tx_outcomes_ok=5)
    a["tx_frames_flushed"] = 4
    books.check(a, b, 10, 9)
    with pytest.raises(UserError, match="45 frames sent, 46 resolved"):
        books.check(a | {"tx_frames_flushed": 5}, b, 10, 9)


def test_stats_and_send_look_at_the_books(monkeypatch):
    a, b = ends(rx_frames_skipped=1)
    registers = {f"a.{name}": value for name, value in a.items()} | {f"b.{name}": value for name, value in b.items()}
    registers |= {f"{block}.{name}": 0 for block, names in WATCHED.items() for name in names} | {"traffic_a.SENT": 10, "traffic_b.RECEIVED": 9}
    result = Result({"end": "done", "registers": registers, "window": []})
    monkeypatch.setattr(monte_carlo, "simulator", lambda *_: None)
    monkeypatch.setattr(monte_carlo.harness, "run", lambda *_: result)
    with pytest.raises(UserError, match="2 frames abandoned, 1 skipped"):
        monte_carlo.measure(LinkSetup(delta=1), 40)
    with pytest.raises(UserError, match="2 frames abandoned, 1 skipped"):
        transfer.judge({"end": "done", "counters": {"a": a, "b": b}, "packets": 10, "delivered_packets": 9})
    with pytest.raises(UserError, match="ended before every packet"):
        transfer.judge({"end": "idle"})
