# SPDX-License-Identifier: Apache-2.0
"""Reports of a link end, clock by clock: base and bitmap belong together, older blocks are repeated, lost outcomes are polled for."""

import cocotb

from cocotb_tests.model.reports import BLOCK, outcomes_shown, repeat_lags
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import unwrap
from cocotb_tests.system.scripted import BUILD, Scripted
from tests import seeds

WINDOW = BUILD.window_frames
OWN = WINDOW.bit_length() - 1
LAGS = repeat_lags(WINDOW)
PACE = 127
"""Least clocks between two control units with older blocks (docs/arq_receiver.md)."""
LATE = 24 + 2 * BUILD.control_unit_beats
"""Clocks that a control unit may begin after its cause: the cause's way to the message and to the PHY, behind another control unit."""


class Talker:
    """A peer that sends frames of one unit; some transmissions are erased. `truth` is what became of each."""

    def __init__(self, end, seed):
        self.end, self.rng = end, seeds.rng(seed)
        self.truth, self.fsn = [], 0
        self.ack = 0

    def transmissions(self, fates):
        """The units that arrive. A frame that failed is sent again, so that the window moves on."""
        units = []
        for received in fates:
            if received:
                units += self.end.frame(self.fsn, len(self.truth))
                self.fsn += 1
            self.truth.append(received)
        return units

    def some(self, count):
        """The last one arrives, the others do half the time."""
        return self.transmissions([self.rng.random() < 0.5 for _ in range(count - 1)] + [True])

    def control(self, **fields):
        return self.end.control(**{"param": self.ack, "tx_edge": len(self.truth), **fields})

    def first(self, unit):
        """bitmapBase of a control unit of the end."""
        return unwrap(unit.bitmap_base, unit.rx_next)

    def check(self, units):
        """All that these control units show is what came; returns the older blocks among it, by clock."""
        older = []
        for u in units:
            assert u.unit.rx_next <= len(self.truth)
            base, block = self.first(u.unit), u.unit.rx_next // BLOCK
            for tsn, received in outcomes_shown(u.unit, u.unit.rx_next, WINDOW):
                assert received == self.truth[tsn], f"TSN {tsn} is reported as {received} by bitmapBase {base}, rxNext {u.unit.rx_next}"
            assert base == max(0, block - 1) * BLOCK or base == (block - 1) * BLOCK or base < (block - 1) * BLOCK, base
            if 0 <= base < (block - 1) * BLOCK:
                older.append((u.begin, base // BLOCK, block))
        return older

    def missing(self, units, reply):
        """TSNs that the poll asked for, and that none of these control units shows."""
        shown = {tsn for u in units for tsn, _ in outcomes_shown(u.unit, u.unit.rx_next, WINDOW)}
        return sorted(set(range(max(self.ack, len(self.truth) - WINDOW), reply.rx_next)) - shown)


async def begin(dut, window_log2=None, **times):
    end = Scripted(dut, Setting(1, 1, 1, 0, INFINITE))
    await end.start(**times)
    await end.up(window_log2)
    return end


GAPS = (BLOCK + 1, 2 * BLOCK + 3) if WINDOW > 4 * BLOCK else (BLOCK + 1, BLOCK + 11)
RELEASES = range(2 * BUILD.data_unit_beats + BUILD.control_unit_beats + 24)
"""Clocks from the first unit on until the PHY takes units again: a control unit that waits for it is composed in each of the clocks in
which what the peer says takes effect."""


@cocotb.test()
@cocotb.parametrize(order=["status first", "poll first", "at once"], gap=GAPS)
async def base_and_bitmap_belong_together_when_a_poll_meets_a_report(dut, order, gap):
    """Reports wait for the PHY when a gap of a block or more comes, and up to 6 clocks before or after it a poll with an old ackTsn, which
    begins a series. Every control unit shows what came, under the base that it names, and the series shows all from ackTsn on."""
    end = await begin(dut)
    peer = Talker(end, cocotb.RANDOM_SEED)
    shown = 0

    async def release(clocks):
        await end.clocks(clocks)
        dut.m_axis_phy_tready.value = 1

    for clocks in RELEASES:
        since = end.now
        dut.m_axis_phy_tready.value = 0
        await end.say(*peer.some(BLOCK // 2))
        await end.clocks(40)
        peer.ack = max(0, len(peer.truth) - min(3 * BLOCK, WINDOW - gap - 2))  # still within the window behind the gap
        before = len(peer.truth)
        jump = peer.transmissions([False] * gap)
        cocotb.start_soon(release(clocks))
        poll_edge = before if order == "poll first" else len(peer.truth) + (order == "status first")
        if order == "at once":  # the poll's own txEdge closes the gap
            await end.say(peer.control(poll=True))
        else:
            status = [*jump, *peer.some(1)]
            poll = peer.control(poll=True, tx_edge=poll_edge)
            for units in ([poll], status) if order == "poll first" else (status, [poll]):
                await end.say(*units)
                await end.clocks(clocks % 7)
        await end.clocks((len(peer.truth) - peer.ack) // (2 * BLOCK) * 130 + 400)
        units = end.controls(since)
        older = peer.check(units)
        replies = [u for u in units if u.unit.reply]
        assert len(replies) == 1, f"release {clocks}: {len(replies)} replies"
        missing = peer.missing(units, replies[0].unit)
        assert not missing, f"release {clocks}: nothing was said of TSN {missing}"
        shown += len(older)
    assert shown > 4 or WINDOW <= 2 * BLOCK, "series were shown"


@cocotb.test()
async def a_reply_that_waited_has_its_series(dut):
    """The reply waits for the PHY, and a gap comes meanwhile, so that it no longer shows ackTsn, which was recent when the poll came. A
    series shows it."""
    end = await begin(dut)
    peer = Talker(end, cocotb.RANDOM_SEED)
    await end.say(*peer.some(BLOCK + BLOCK // 2))
    await end.clocks(2 * PACE)
    dut.m_axis_phy_tready.value = 0
    peer.ack = len(peer.truth)
    await end.say(*peer.transmissions([True] * 8))
    await end.clocks(40)
    since = await end.say(peer.control(poll=True))
    await end.say(*peer.transmissions([False] * (BLOCK + 8)), *peer.some(1))
    await end.clocks(40)
    dut.m_axis_phy_tready.value = 1
    await end.clocks(4 * PACE)
    units = end.controls(since)
    peer.check(units)
    (reply,) = [u.unit for u in units if u.unit.reply]
    missing = peer.missing(units, reply)
    assert not missing, f"a reply with rxNext {reply.rx_next}, ackTsn {peer.ack}: missing {missing}"


@cocotb.test(skip=not LAGS)
@cocotb.parametrize(log2=[OWN, 8])
async def older_blocks_are_repeated_after_their_lag(dut, log2):
    """The peer says nothing, so it has heard nothing: each pair of blocks is shown once more, unasked, when each of its lags is over, with what
    came. The lags follow from the smaller window."""
    lags = repeat_lags(min(WINDOW, 1 << log2))
    end = await begin(dut, log2)
    peer = Talker(end, cocotb.RANDOM_SEED + log2)
    blocks = lags[-1] + 11
    since = end.now
    for _ in range(blocks * BLOCK // 8):
        await end.say(*peer.some(8))
        await end.clocks(PACE // 2)  # a block lasts longer than a pair's turn, so no pair has to wait for another one
    await end.clocks(3 * PACE)
    older = peer.check(end.controls(since))
    shown = sorted((pair, block) for _, pair, block in older)
    due = sorted((pair, pair + 2 + lag) for lag in lags for pair in range(0, blocks - 2 - lag + 1, 2))
    assert [pair for pair, _ in shown] == [pair for pair, _ in due], f"{shown}, the lags are {lags}"
    # Of several that are due at once one comes after the other.
    assert all(at <= block <= at + (len(lags) > 1) for (_, block), (_, at) in zip(shown, due)), f"{shown}, the lags are {lags}"


@cocotb.test(skip=len(LAGS) != 1)
async def blocks_that_the_peer_knows_are_not_repeated(dut):
    """The peer's ackTsn has passed some pairs when their turn comes: they are left out, and the others are not."""
    (lag,) = LAGS
    end = await begin(dut)
    peer = Talker(end, cocotb.RANDOM_SEED)
    since = end.now
    for _ in range((lag + 11) * BLOCK // 8):
        await end.say(*peer.some(8))
        peer.ack = 4 * BLOCK - 1 if len(peer.truth) < (lag + 5) * BLOCK else 8 * BLOCK
        await end.say(peer.control())
        await end.clocks(PACE // 2)
    await end.clocks(3 * PACE)
    older = peer.check(end.controls(since))
    assert [pair for _, pair, _ in older] == [2, 8], f"{older}: pair 0 and then all up to pair 6 were known"


@cocotb.test(skip=bool(LAGS))
async def small_windows_have_no_repeats(dut):
    """Below a window of 256 frames nothing is shown again unasked."""
    end = await begin(dut)
    peer = Talker(end, cocotb.RANDOM_SEED)
    since = end.now
    for _ in range(WINDOW):
        await end.say(*peer.some(8))
        await end.clocks(PACE // 2)
    await end.clocks(3 * PACE)
    assert len(peer.truth) >= 8 * WINDOW and not peer.check(end.controls(since))


REACH = BLOCK * (max(LAGS) + 4) if LAGS else 0
"""Outcomes below a report that far above ackTsn will be shown again unasked."""


async def lost_outcomes(dut):
    """An end that has sent a window of frames; and a function that reports the two blocks from a TSN on, and counts the polls."""
    end = await begin(dut)
    sent = min(WINDOW, 2 * REACH + 8 * BLOCK)
    await end.source.start([bytes(8)] * sent)
    await end.clocks(sent * (BUILD.data_unit_beats + 4) + 500)
    assert len(end.data()) == sent
    received = dict(rx_base=0, bitmap=(1 << 64) - 1)

    async def polls_after(base, end_of_report=sent):
        """Polls after a report of the block at `base` and the one that follows it, or less."""
        said = await end.say(end.control(**received, bitmap_base=base, rx_next=min(end_of_report, base + 2 * BLOCK)))
        await end.clocks(LATE + 130)
        polls = [u for u in end.controls(said) if u.unit.poll]
        assert all(u.begin - said <= LATE for u in polls), [u.begin - said for u in polls]
        return len(polls)

    return end, polls_after


@cocotb.test()
async def lost_outcomes_are_polled_for_at_once(dut):
    """A report that begins further above ackTsn than the peer repeats unasked: a poll at once, and again when all was known meanwhile. One
    that begins no further has none."""
    _, polls_after = await lost_outcomes(dut)
    if not LAGS:
        assert await polls_after(BLOCK) == 1
        return
    counts = [await polls_after(above) for above in (REACH, REACH + BLOCK)]
    assert counts == [0, 1], f"polls after reports that begin {REACH} and {REACH + BLOCK} above ackTsn: {counts}"
    for base in range(0, REACH + 3 * BLOCK, 2 * BLOCK):
        assert await polls_after(base) == 0, "nothing more is missing"
    ack = REACH + 4 * BLOCK
    assert await polls_after(ack + REACH) == 0
    assert await polls_after(ack + REACH + BLOCK) == 1


@cocotb.test()
@cocotb.parametrize(ack=[BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1])
async def lost_outcomes_are_told_from_repeated_ones(dut, ack):
    """A report that begins one outcome further above ackTsn than the peer repeats unasked has a poll, and one that does not has none."""
    _, polls_after = await lost_outcomes(dut)
    assert await polls_after(0, ack) == 0
    assert await polls_after(REACH + BLOCK) == (ack < BLOCK)


@cocotb.test()
async def lost_outcomes_are_polled_for_once(dut):
    """A second report of the kind has no poll, as neither has POLL_TIMEOUT ended nor all become known."""
    _, polls_after = await lost_outcomes(dut)
    counts = [await polls_after(REACH + BLOCK) for _ in range(4)]
    assert counts == [1, 0, 0, 0], counts
