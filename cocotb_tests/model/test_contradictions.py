# SPDX-License-Identifier: Apache-2.0
"""The monitor of contradicting units finds each contradiction, and nothing in what an honest end says."""

from dataclasses import replace

import pytest

from .contradictions import Contradictions
from .units import SN, ControlUnit, DataUnit

WINDOW = 64
PAYLOAD = bytes(4)
SAID = ControlUnit(epoch=1, peer_known=True, peer_epoch=7, param=3, tx_base=2, tx_edge=5, rx_base=1, rx_next=40, bitmap_base=0, bitmap=1 << 39 | 1)


def data(tsn, fsn=None, index=0, epoch=1, k=1, n=1):
    return DataUnit(0, True, True, epoch, k, n, index, 0, (tsn if fsn is None else fsn) % SN, tsn % SN, PAYLOAD)


def honest():
    """An end that has sent five transmissions, and got those of TSN 0 and 39."""
    monitor = Contradictions(WINDOW, len(PAYLOAD))
    for tsn in range(5):
        monitor.sent(data(tsn).build())
    for tsn in (0, 39):
        monitor.received(data(tsn, epoch=7).build())
    monitor.sent(SAID.build())
    return monitor


FAULTS = {
    "txBase back": (dict(tx_base=1), "tx_base went back from 2 to 1"),
    "txEdge back": (dict(tx_edge=4), "tx_edge went back"),
    "rxBase back": (dict(rx_base=0), "rx_base went back"),
    "rxNext back": (dict(rx_next=39), "rx_next went back"),
    "ackTsn back": (dict(param=2), "ack_tsn went back"),
    "txEdge ahead": (dict(tx_edge=6), "txEdge 6, and 5 transmissions"),
    "ackTsn ahead": (dict(param=6), "ackTsn 6, and 5 transmissions"),
    "txBase ahead": (dict(tx_base=6), "txBase 6, and the next FSN is 5"),
    "base ahead": (dict(bitmap_base=64), "bitmapBase 64, rxNext 40"),
    "base of the block before": (dict(bitmap_base=SN - 32), "TSN 0 is reported as failed, and was reported as received"),
    "base of the block behind": (dict(bitmap_base=32), "TSN 32 is reported as received, and was reported as failed"),
    "ACK that became a NACK": (dict(bitmap=1), "TSN 39 is reported as failed, and was reported as received"),
    "ACK of what never came": (dict(rx_next=41, bitmap=SAID.bitmap | 1 << 40), "TSN 40 is reported as received, and too few"),
    "unit of the epoch before": (dict(epoch=0), "a unit of epoch 0 left after one of epoch 1"),
    "epoch that was skipped": (dict(epoch=3), "a unit of epoch 3 left after one of epoch 1"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_contradiction_is_found(fault):
    changes, complaint = FAULTS[fault]
    with pytest.raises(AssertionError, match=complaint):
        honest().sent(replace(SAID, **changes).build())


def test_data_unit_below_tx_edge_is_found():
    with pytest.raises(AssertionError, match="TSN 4 leaves, and txEdge was said to be 5"):
        honest().sent(data(4).build())


def test_ack_of_half_a_frame_is_found():
    monitor = honest()
    monitor.received(data(40, 40, 0, 7, k=2, n=2).build())
    with pytest.raises(AssertionError, match="TSN 40 is reported as received, and too few"):
        monitor.sent(replace(SAID, rx_next=41, bitmap=SAID.bitmap | 1 << 40).build())


def test_honest_ends_say_what_they_like():
    monitor = honest()
    monitor.sent(SAID.build())
    monitor.received(data(40, 39, 0, 7, k=2, n=2).build())  # half of a frame that is there
    monitor.sent(replace(SAID, rx_next=41, bitmap=SAID.bitmap | 1 << 40, reply=True, param=0xF00003).build())
    monitor.sent(replace(SAID, rx_next=70, bitmap_base=32, bitmap=1 << 7 | 1 << 8, rx_base=40).build())
    monitor.sent(bytes(32))  # a unit with a wrong CRC
    monitor.sent(ControlUnit(epoch=2, hello=True, param=6 << 16 | 4).build())
    monitor.sent(ControlUnit(epoch=2, peer_known=True, peer_epoch=7).build())  # all begins again
    assert monitor.controls == 5


def test_sequence_numbers_wrap():
    monitor = Contradictions(WINDOW, len(PAYLOAD))
    for tsn in range(0, 2 * SN, SN // 4):  # far apart, and in order
        monitor.sent(data(tsn).build())
        monitor.received(data(tsn, epoch=7).build())
        edge, base = tsn + 1, tsn // 32 * 32
        unit = replace(SAID, param=tsn % SN, tx_base=tsn % SN, tx_edge=edge % SN, rx_base=edge % SN, rx_next=edge % SN)
        monitor.sent(replace(unit, bitmap_base=base % SN, bitmap=1 << tsn - base).build())
    assert monitor.controls == 8
