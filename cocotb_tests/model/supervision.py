# SPDX-License-Identifier: Apache-2.0
"""When a link end of the protocol model polls, and when it takes what its peer says for a contradiction."""


class Strikes:
    """Control units that each half has accepted and rejected since the last end of POLL_TIMEOUT, and what that adds up to."""

    HALVES: tuple[str, ...] = "sender", "receiver"

    def __init__(self, kept=True):
        self.kept = kept
        self.judged = {half: set() for half in self.HALVES}
        self.count = dict.fromkeys(self.HALVES, 0)

    def judge(self, **accepted):
        """What each half thinks of a control unit."""
        for half, verdict in accepted.items():
            self.judged[half].add(verdict)

    def end_of_period(self):
        """The most strikes of a half."""
        for half, verdicts in self.judged.items():
            if True in verdicts or not (verdicts or self.kept):
                self.count[half] = 0
            elif verdicts:
                self.count[half] += 1
            verdicts.clear()
        return max(self.count.values())


class PollTimer:
    """Decides when a poll is due as POLL_TIMEOUT ends, for the Transmitter `tx`; `missing_polls` as in Rules."""

    def __init__(self, tx, rules, now):
        self.tx, self.rules = tx, rules
        self.began = now
        self.seen = None  # ackTsn and rxBase at the last end

    def end(self, now, heard):
        """POLL_TIMEOUT has passed: True if a poll is due. `heard`: a unit without hello has come."""
        tx, self.began = self.tx, now
        seen, before = (tx.ack, tx.peer_base), self.seen
        self.seen = seen
        open_ = tx.peer_base < tx.next_fsn or (self.rules.missing_polls and tx.missing)
        return open_ and seen == before or tx.abandons or not heard
