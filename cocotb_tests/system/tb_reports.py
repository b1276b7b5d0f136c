# SPDX-License-Identifier: Apache-2.0
"""Reports of a link end, clock by clock: base and bitmap belong together, older blocks take turns, and a round follows a reply."""

import cocotb

from cocotb_tests.model.reports import APART, BLOCK, EARLY, PAIR, STEP, is_known, outcomes_shown, places_of
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import unwrap
from cocotb_tests.system.scripted import BUILD, Scripted
from tests import seeds

WINDOW = BUILD.window_frames
OWN = WINDOW.bit_length() - 1
LEAST = (-(-BUILD.max_packet_bytes // BUILD.unit_bytes) - 1).bit_length()
PEERS = sorted({LEAST, max(LEAST, min(OWN, 8)), OWN})
"""log2 of the peer's window, which holds the longest packet: the ring is that of the smaller one."""
PACE = APART + 2 * BUILD.control_unit_beats + 24
"""Clocks in which a report leaves that waits for the one before it: in its turn, behind another control unit."""


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

    async def steps(self, count, clocks):
        """rxNext moves by a step, so many times and so many clocks apart: of a step's transmissions the last one arrives."""
        for _ in range(count):
            await self.end.say(*self.transmissions([False] * (STEP - 1) + [True]))
            await self.end.clocks(clocks)

    def control(self, **fields):
        return self.end.control(**{"param": self.ack, "tx_edge": len(self.truth), **fields})

    def first(self, unit):
        """bitmapBase of a control unit of the end."""
        return unwrap(unit.bitmap_base, unit.rx_next)

    def check(self, units):
        """All that these control units show is what came; returns the older pairs among it."""
        older = []
        for u in units:
            assert u.unit.rx_next <= len(self.truth)
            base, block = self.first(u.unit), u.unit.rx_next // BLOCK
            for tsn, received in outcomes_shown(u.unit, u.unit.rx_next, WINDOW):
                assert received == self.truth[tsn], f"TSN {tsn} is reported as {received} by bitmapBase {base}, rxNext {u.unit.rx_next}"
            assert base == max(0, block - 1) * BLOCK or base == (block - 1) * BLOCK or base < (block - 1) * BLOCK, base
            if 0 <= base < (block - 1) * BLOCK:
                assert base % PAIR == 0, base
                older.append(base // PAIR)
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
    begins a round. Every control unit shows what came, under the base that it names, and the round shows all from ackTsn on."""
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
        await end.clocks(((len(peer.truth) - peer.ack) // PAIR + 3) * PACE + 400)
        units = end.controls(since)
        older = peer.check(units)
        replies = [u for u in units if u.unit.reply]
        assert len(replies) == 1, f"release {clocks}: {len(replies)} replies"
        missing = peer.missing(units, replies[0].unit)
        assert not missing, f"release {clocks}: nothing was said of TSN {missing}"
        shown += len(older)
    assert shown > 4, "rounds were shown"


@cocotb.test()
async def a_reply_that_waited_has_its_round(dut):
    """The reply waits for the PHY, and a gap comes meanwhile, so that it no longer shows ackTsn, which was recent when the poll came. A
    round shows it."""
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


def turns(places, place, ends, ack=lambda rx_next: 0):
    """Pairs that are shown as rxNext comes to each of `ends`, if `place` has the first turn. `ack`: what the peer said last."""
    shown = []
    for rx_next in ends:
        newest = rx_next // PAIR - 1
        is_early = places > EARLY[-1] and rx_next % BLOCK == 0
        pair = newest - (EARLY[rx_next // BLOCK % 2] if is_early else (newest - place) % places)
        if pair >= 0 and not is_known(pair, ack(rx_next), rx_next):
            shown.append(pair)
        place += not is_early
    return shown


async def fill(peer, places):
    """All places have a pair, and no turn waits."""
    await peer.steps(PAIR // STEP * (places + 1), 4)
    await peer.end.clocks(4 * PACE)


@cocotb.test()
@cocotb.parametrize(log2=PEERS)
async def older_blocks_take_turns(dut, log2):
    """The peer says nothing, so it has heard nothing: each time rxNext moves by a step it is the next place's turn, or in a large ring
    an early one."""
    end = await begin(dut, log2)
    peer = Talker(end, cocotb.RANDOM_SEED + log2)
    places = places_of(WINDOW, 1 << log2)
    await fill(peer, places)
    since, before = end.now, len(peer.truth)
    await peer.steps(2 * min(places, 16) + 8, PACE)
    shown = peer.check(end.controls(since))
    ends = range(before + STEP, len(peer.truth) + 1, STEP)
    assert len(shown) == len(ends) and shown in [turns(places, place, ends) for place in range(places)], shown


@cocotb.test()
@cocotb.parametrize(behind=[BLOCK - 1, BLOCK, 2 * BLOCK, 3 * BLOCK - 1, 3 * BLOCK, 5 * BLOCK])
async def what_the_peer_knows_is_passed_over(dut, behind):
    """The peer's ackTsn follows rxNext: pairs whose older blocks it has passed have no report at their turn, and all others have."""
    end = await begin(dut, PEERS[len(PEERS) // 2])
    peer = Talker(end, cocotb.RANDOM_SEED)
    places = places_of(WINDOW, 1 << PEERS[len(PEERS) // 2])
    behind = min(behind, places * PAIR - STEP)
    await fill(peer, places)
    since, before = end.now, len(peer.truth)
    for _ in range(8 * places + 8):
        peer.ack = len(peer.truth) + STEP - behind
        await end.say(peer.control())
        await end.clocks(PACE // 2)
        await peer.steps(1, PACE)
    shown = peer.check(end.controls(since))
    ends = range(before + STEP, len(peer.truth) + 1, STEP)
    assert shown in [turns(places, place, ends, lambda rx_next: rx_next - behind) for place in range(places)], shown


@cocotb.test()
async def a_round_has_what_the_peer_lacks_from_its_ack_on(dut):
    """rxNext stands still. After each reply all pairs that have an outcome that the peer lacks follow, from that of ackTsn on, and no others."""
    end = await begin(dut)
    peer = Talker(end, cocotb.RANDOM_SEED)
    places = min(PEER_PAIRS, places_of(WINDOW, WINDOW))
    await peer.steps(PAIR // STEP * places + BLOCK // STEP, 4)
    await end.clocks(4 * PACE)
    rx_next = len(peer.truth)
    for ack in sorted({rx_next - behind for behind in (*range(BLOCK - 1, 4 * BLOCK, BLOCK // 2), PAIR * places) if behind <= min(rx_next, WINDOW)}):
        peer.ack = ack
        since = await end.say(peer.control(poll=True))
        await end.clocks((places + 1) * PACE)
        shown = peer.check(end.controls(since))
        assert shown == [pair for pair in range(ack // PAIR, rx_next // PAIR) if not is_known(pair, ack, rx_next)], f"ackTsn {ack}, rxNext {rx_next}: {shown}"


PEER_PAIRS = 8
"""That a round has, at most."""


@cocotb.test(skip=BUILD.data_unit_beats * 8 > APART)
@cocotb.parametrize(steps=[1, 2, 3, 4, 6, 8])
async def one_more_turn_waits(dut, steps):
    """Steps follow each other sooner than reports: those of some turns are shown, later, and the others are not made up for."""
    end = await begin(dut)
    peer = Talker(end, cocotb.RANDOM_SEED)
    places = places_of(WINDOW, WINDOW)
    await fill(peer, places)
    since = end.now
    await peer.steps(steps, 12)
    await end.clocks(8 * PACE)
    shown = peer.check(end.controls(since))
    assert min(steps, 3) <= len(shown) <= min(steps, 4), f"{steps} steps: {shown}"
