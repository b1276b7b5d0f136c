# SPDX-License-Identifier: Apache-2.0
"""Whether the counters of both ends, and of those who sent and received the packets, agree when a run is over."""

from arqlink.errors import UserError
from arqlink.rtl.registers import counter_names

ATTEMPTS = [name for name in counter_names() if name.startswith("tx_acked_")]


def check(a, b, sent, received):
    """UserError, with all that does not add up, for a run from A to B that is done. `a`, `b`: counters of the ends; `sent`, `received`: packets
    that went into A, and that came out of B."""
    complete = b["rx_frames_clean"] + b["rx_frames_repaired"]
    books = [
        ("frames sent", a["tx_frames"], "resolved", a["tx_frames_acked"] + a["tx_frames_abandoned"] + a["tx_frames_flushed"]),
        ("frames acknowledged", a["tx_frames_acked"], "by their attempts", sum(a[name] for name in ATTEMPTS)),
        ("packets sent", sent, "taken", a["tx_packets"]),
        ("packets delivered", b["rx_packets"], "received", received),
    ]
    if not a["tx_frames_flushed"]:  # a restart flushes frames; of these the ends know different things
        books += [
            ("frames acknowledged", a["tx_frames_acked"], "complete", complete),
            ("frames abandoned", a["tx_frames_abandoned"], "skipped", b["rx_frames_skipped"]),
            ("outcomes received", a["tx_outcomes_ok"], "reported", b["rx_outcomes_ok"]),
            ("outcomes failed", a["tx_outcomes_failed"], "reported", b["rx_outcomes_failed"]),
            ("packets counted as lost", a["tx_packets_lost"], "missing", sent - received),
        ]
    wrong = [f"{left} {what}, {right} {other}" for what, left, other, right in books if left != right]
    if wrong:
        raise UserError(f"The books of both ends do not agree: {'; '.join(wrong)}. This is a bug of the link.")
