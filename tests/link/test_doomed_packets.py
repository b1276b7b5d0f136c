# SPDX-License-Identifier: Apache-2.0
"""What a sender would save that gave up, with one frame of a packet, the others too: the share of transmissions that begin when their packet is lost."""

import pytest

from arqlink.link import runs
from arqlink.link.runs import Build, EndSettings, Losses, Packet, Run

BUILD = Build(4, 64, 1024, 9216, 16, 8)
CODE = (16, 18, 18)
FRAMES = 20_000
LOSS = 0.1
"""Of units: 27 % of the transmissions fail."""


def of_lost_packets(size, flight, delta):
    """Share of the transmissions whose packet had lost another frame before they began, at most: in a lost packet a frame counts as lost once the
    outcome of its last attempt is known. `flight`: frames that a round trip lasts."""
    end = EndSettings(*CODE, delta, poll_timeout=160_000)
    frame = BUILD.unit_clocks * CODE[1]
    per_packet = -(-size // (CODE[0] * BUILD.unit_bytes))
    packets = [Packet("A", 1000 + i * frame * per_packet, size) for i in range(FRAMES // per_packet)]
    delay = flight * frame // 2
    carried = runs.carry(Run(BUILD, (end, end), (delay, delay), packets, 3 * FRAMES * frame + 20 * delay, losses=Losses(data=LOSS)), "event")
    sent = {(fsn, attempt): clock for (_, fsn, attempt), clock in carried.transmitted.items()}
    assert max(attempt for _, attempt in sent) == delta and len(packets) - len(carried.delivered["B"]) == carried.counters["A"]["tx_packets_lost"] > 20
    late = 0
    for number in range(len(packets)):
        if number not in carried.delivered["B"]:
            frames = range(number * per_packet, (number + 1) * per_packet)
            lost = min(carried.settled["A"][fsn] for fsn in frames if (fsn, delta) in sent)
            late += sum(sent.get((fsn, attempt), 0) > lost for fsn in frames for attempt in range(delta + 1))
    return late / len(sent)


@pytest.mark.parametrize("delta", [1, 3])
@pytest.mark.parametrize("size, flight", [(1500, 4), (1500, 40), (9000, 40), (9000, 400)])
def test_nothing_where_a_round_trip_lasts_longer_than_a_packet(size, flight, delta):
    """All frames of a packet fail, and are given up, within one round trip."""
    assert of_lost_packets(size, flight, delta) == 0


def test_little_where_a_packet_lasts_longer():
    """Nine frames, of which four are a round trip."""
    share = of_lost_packets(9000, 4, 1)
    print(f"{share:.1%} of the transmissions")
    assert 0.01 < share < 0.05
