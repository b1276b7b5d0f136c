# SPDX-License-Identifier: Apache-2.0
"""Lines of very different rates, on the event model: what reports take of a slow line, and what a fast line is left for want of them."""

import pytest

from arqlink.link import runs
from arqlink.link.runs import Build, EndSettings, Packet, Run

PACKETS, DELAY = 6000, 100


def clocks_of(packets):
    """Clocks from packet to packet, in the middle of a run."""
    clocks = sorted(packets.values())
    half = len(clocks) // 2
    return (clocks[half * 3 // 2] - clocks[half // 2]) / half


@pytest.mark.parametrize(
    "window, k, slower, least",
    [(64, 1, 8, (0.95, 0.6)), (64, 1, 24, (0.6, 0.2)), (1024, 1, 24, (0.99, 0.4)), (1024, 10, 24, (0.99, 0.99))],
)
def test_the_fast_line_keeps(window, k, slower, least):
    """B's line is fast and full, A's so many times slower. The share of its line that B's packets, of a frame each, get: with an idle slow line, and with
    a full one."""
    unit_bytes = 240 if k > 1 else 16
    end, build = EndSettings(k, k + (k > 1), k + (k > 1)), Build(4, unit_bytes, window, min(9216, window * unit_bytes), k, 2)
    frame = build.unit_clocks * end.n_first
    fast = [Packet("B", 1000 + i * frame, k * unit_bytes) for i in range(PACKETS)]
    slow = [Packet("A", 1000 + i * frame * slower, k * unit_bytes) for i in range(2 * PACKETS // slower)]
    kept = []
    for packets in (fast, sorted(fast + slow, key=lambda packet: packet.clock)):
        run = Run(build, (end, end), (DELAY, DELAY), packets, 8 * PACKETS * frame, clocks_per_beat=(slower, 1))
        kept.append(frame / clocks_of(runs.carry(run, "event").delivered["A"]))
    print(f"window {window}, K = {k}, 1 : {slower}: {kept[0]:.2f} beside an idle line, {kept[1]:.2f} beside a full one")
    assert all(share >= limit for share, limit in zip(kept, least, strict=True))
