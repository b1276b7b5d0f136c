# SPDX-License-Identifier: Apache-2.0
"""What a link end sends at a boundary between units or frames, clock by clock: its peer says only what the test makes it say."""

import cocotb

from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import DataUnit
from cocotb_tests.system.scripted import BUILD, NEVER, Scripted

NACK = 40
"""Clocks from a control unit's last beat to the first beat of the retransmission that it asks for, on an idle line (docs/arq_sender.md)."""

CHOSEN = 64
"""Clocks after a NACK's last beat until which a frame may begin that was chosen before: the choice is made while the units before it leave
(docs/arq_sender.md). With 63 the test fails: some of its phases need all of them."""


async def begin(dut, setting, **times):
    end = Scripted(dut, setting)
    await end.start(**times)
    await end.up()
    return end


def one_unit_packets(count):
    return [bytes([i % 256]) * BUILD.unit_bytes for i in range(count)]


@cocotb.test()
async def no_notice_for_frames_that_the_peer_has_passed(dut):
    """FEC alone: the peer has skipped what failed before the sender learns of it, so there is nothing to announce."""
    end = await begin(dut, Setting(1, 1, 1, 0, 0))
    await end.source.start(one_unit_packets(20))
    await end.clocks(500)
    assert len(end.data()) == 20
    said = await end.say(end.control(rx_base=20, rx_next=20, bitmap=0))
    await end.clocks(1000)
    assert not end.controls(said + NACK), [(u.begin - said, u.unit.tx_base, u.unit.abandons) for u in end.controls(said)]


async def walk_of_the_base(end, first, then, pause):
    """40 frames have failed for good. The peer says so with rxBase `first`, and three times with `then` while txBase moves past them.
    Returns (clocks, txBase, abandons) of the control units from then on."""
    await end.restart()
    await end.up()
    await end.source.start(one_unit_packets(40))
    await end.clocks(500)
    said = await end.say(end.control(rx_base=first, rx_next=37, bitmap=0))
    await end.clocks(pause)
    await end.say(*[end.control(rx_base=then, rx_next=39, bitmap=0)] * 3)
    await end.clocks(600)
    await end.say(end.control(rx_base=then, rx_next=39, bitmap=0, poll=True))
    await end.clocks(100)
    units = end.controls(said)
    assert units[-1].unit.reply and units[-1].unit.tx_base == 39
    return [(u.begin - said, u.unit.tx_base, u.unit.abandons) for u in units]


PAUSES = range(60, 70)
"""Clocks; txBase moves past a frame in five, so each way for the two to meet is among them."""


@cocotb.test()
async def no_abandons_for_frames_that_the_peer_has_passed(dut):
    end = await begin(dut, Setting(1, 1, 1, 0, 0))
    for pause in PAUSES:
        units = await walk_of_the_base(end, 37, 39, pause)
        assert not any(abandons for _, _, abandons in units), (pause, units)


@cocotb.test()
async def abandons_while_the_peer_awaits_a_frame(dut):
    end = await begin(dut, Setting(1, 1, 1, 0, 0))
    for pause in PAUSES:
        units = await walk_of_the_base(end, 1, 2, pause)
        assert all(abandons == (base > 2) or base == 2 for _, base, abandons in units), (pause, units)


@cocotb.test()
async def three_notices_for_frames_that_the_peer_awaits(dut):
    """txBase passes abandoned frames: three control units with `abandons` at once, and no more of them when all is quiet; the flag
    goes when the peer's rxBase has passed the frames."""
    end = await begin(dut, Setting(1, 1, 1, 0, 0))
    await end.source.start(one_unit_packets(1))
    await end.clocks(300)
    said = await end.say(end.control(rx_base=0, rx_next=1, bitmap=0))
    await end.clocks(1000)
    units = end.controls(said)
    assert [(u.unit.abandons, u.unit.tx_base) for u in units] == [(True, 1)] * 3
    said = await end.say(end.control(rx_base=0, rx_next=1, poll=True))
    await end.clocks(200)
    assert [(u.unit.abandons, u.unit.reply) for u in end.controls(said)] == [(True, True)]
    said = await end.say(end.control(rx_base=1, rx_next=1, poll=True))
    await end.clocks(200)
    assert [u.unit.reply for u in end.controls(said)] == [True]
    said = await end.say(end.control(rx_base=1, rx_next=1, poll=True))
    await end.clocks(200)
    assert [(u.unit.abandons, u.unit.reply) for u in end.controls(said)] == [(False, True)]


@cocotb.test()
@cocotb.parametrize(k=[8, 16], phase=list(range(0, 48, 3)))
async def retransmission_goes_at_the_next_frame_boundary(dut, k, phase):
    """Frames follow each other without a pause. The retransmission is the next frame that is chosen once the NACK has been processed: a frame
    ahead of it has begun within CHOSEN clocks of the NACK's end."""
    end = await begin(dut, Setting(k, k, k, 0, INFINITE))
    end.source.start([bytes(k * BUILD.unit_bytes)] * 30)
    await end.until(lambda: any(u.unit.tsn == 3 for u in end.data()), 2000, "TSN 3")
    await end.clocks(2 * phase if k == 16 else phase)
    said = await end.say(end.control(rx_base=0, rx_next=2, bitmap=0b10))
    await end.clocks(6 * k * BUILD.data_unit_beats)
    begun = [(u.begin - said, u.unit.fsn) for u in end.data(said) if u.unit.index == 0]
    again = next(i for i, (_, fsn) in enumerate(begun) if fsn == 0)
    cocotb.log.warning("k %d, phase %d: %s", k, phase, begun)
    assert all(after <= CHOSEN for after, _ in begun[:again]), begun


@cocotb.test()
async def stalled_without_credit(dut):
    """STATUS.stalled while frames wait for the peer's rxBase, and not when nothing waits."""
    end = await begin(dut, Setting(1, 1, 1, 0, INFINITE))
    window = BUILD.window_frames
    task = end.source.start(one_unit_packets(window + 10))
    await end.clocks((window + 40) * BUILD.data_unit_beats)
    assert len(end.data()) == window
    for base in range(0, window, 64):
        await end.say(end.control(rx_base=5, rx_next=window, bitmap_base=base, bitmap=(1 << 64) - 1))
        await end.clocks(130)
    await end.clocks(5 * window)
    assert len(end.data()) == window + 5 and await end.status("stalled") == 1, "all is acknowledged, and credit is for five frames"
    await end.say(end.control(rx_base=window, rx_next=window + 5, bitmap_base=window, bitmap=31))
    await end.clocks(500)
    assert task.done() and end.data()[-1].unit.fsn == window + 9 and await end.status("stalled") == 0


@cocotb.test()
async def stalled_while_the_window_is_full(dut):
    """STATUS.stalled while a packet waits at s_axis because no frame of the window is acknowledged."""
    end = await begin(dut, Setting(1, 1, 1, 0, INFINITE))
    window = BUILD.window_frames
    end.source.start(one_unit_packets(window + 10))
    await end.clocks((window + 40) * BUILD.data_unit_beats)
    assert len(end.data()) == window and not dut.s_axis_tready.value
    assert await end.status("stalled") == 1


@cocotb.test()
@cocotb.parametrize(
    case=[
        # frames of three packets of three frames each: which come; how many packets are dropped, and how many leave
        ("111111111", 0, 3),
        ("101111111", 1, 2),
        ("110111111", 1, 2),
        ("011111111", 1, 2),
        ("100111111", 1, 2),
        ("000111111", 0, 2),
        ("111000111", 0, 2),
        ("101101111", 2, 1),
        ("101000101", 2, 0),
    ]
)
async def dropped_packets_are_counted_once_each(dut, case):
    """rx_packets_dropped: packets of which a frame had come and one was skipped. (Two skipped frames in a row between frames that
    neither begin nor end a packet are left out: whether those are of one packet nobody can tell.)"""
    came, dropped, whole = case
    end = await begin(dut, Setting(1, 1, 1, 0, INFINITE))
    for fsn, there in enumerate(came):
        if there == "1":
            await end.say(*end.frame(fsn, fsn, sop=fsn % 3 == 0, eop=fsn % 3 == 2))
    for _ in range(2):
        await end.say(end.control(tx_base=9, tx_edge=9, abandons=True))
    await end.clocks(500)
    c = await end.registers.counters()
    assert c["rx_packets_dropped"] == dropped and len(end.packets) == c["rx_packets"] == whole
    assert c["rx_frames_skipped"] == came.count("0")


@cocotb.test()
@cocotb.parametrize(gap=[1, 31, 32, 33, BUILD.window_frames - 1, BUILD.window_frames])
async def answer_to_a_poll_reports_what_its_edge_closed(dut, gap):
    """The gap may be a whole window: the answer waits until the outcomes are there, and no longer than it takes."""
    end = await begin(dut, Setting(1, 1, 1, 0, INFINITE), STATUS_INTERVAL=NEVER)
    for first in (0, gap):
        said = await end.say(end.control(poll=True, tx_edge=first + gap, param=first))
        await end.until(lambda said=said: any(u.unit.reply for u in end.controls(said)), 300 + gap, "reply")
        replies = [u for u in end.controls(said) if u.unit.reply]
        assert len(replies) == 1 and replies[0].unit.rx_next == first + gap
        base = replies[0].unit.bitmap_base
        assert base == ((first + gap) // 32 - 1) * 32 % (1 << 20) or base == 0 and first + gap < 32
        assert replies[0].unit.bitmap == 0
        await end.clocks(200 + 130 * (gap // 64 + 1))


@cocotb.test()
@cocotb.parametrize(by=["peer", "register"], at=[0, 3, 11, 17])
async def no_unit_of_the_old_epoch_after_a_restart(dut, by, at):
    """Data leaves without a pause when the link restarts: the unit that is leaving ends with a wrong CRC, and the next one is of the
    new epoch."""
    end = await begin(dut, Setting(2, 2, 2, 0, INFINITE))
    old = end.own_epoch
    end.source.start(one_unit_packets(60))
    await end.until(lambda: len(end.data()) > 20, 2000, "data")
    await end.clocks(at)
    if by == "peer":
        end.epoch += 1
        since = await end.say(end.hello(peer_known=False))
    else:
        await end.registers.write("CTRL", 3)
        since = end.now
    await end.clocks(2000)
    after = [u for u in end.left if u.begin > since + 24]
    assert after and all(u.unit and u.unit.epoch == (old + 1) % 256 for u in after)
    first = end.left.index(after[0])
    spoiled = [u for u in end.left if u.unit is None]
    assert len(spoiled) <= 1 and all(end.left.index(u) == first - 1 for u in spoiled)
    assert all(u.unit.epoch == old for u in end.left[:first] if u.unit)


@cocotb.test()
@cocotb.parametrize(by=["peer", "register"], busy=[False, True])
async def no_answer_composed_before_a_restart_leaves_after_it(dut, by, busy):
    """A poll comes some clocks before the restart. The PHY takes nothing until the end has restarted, so the answer waits, composed or
    half composed, on an idle line or behind data: it never leaves whole."""
    end = await begin(dut, Setting(2, 2, 2, 0, INFINITE))
    for clocks in range(13) if by == "peer" else range(26):  # a register takes some clocks to be written
        old = end.own_epoch
        if busy:
            since = end.now
            end.source.start(one_unit_packets(12))
            await end.until(lambda since=since: len(end.data(since)) > 4, 1000, "data")
        dut.m_axis_phy_tready.value = 0
        poll = cocotb.start_soon(end.say(end.control(poll=True)))
        if by == "peer":
            await poll
            await end.clocks(clocks)
            end.epoch += 1
            await end.say(end.hello(peer_known=False))
        else:
            await end.clocks(clocks)
            await end.set(CTRL=3)
            await poll
        await end.clocks(40)
        since = end.now
        dut.m_axis_phy_tready.value = 1
        await end.clocks(8 * BUILD.window_frames + 500)
        left = [u.unit for u in end.left if u.end > since]
        whole = [unit for unit in left if unit]
        assert len(left) - len(whole) <= 1, f"{clocks} clocks: {len(left) - len(whole)} units with a wrong CRC"
        # A data unit of a few beats may have been in the framer's last stages as a whole.
        stale = 1 if busy and whole and whole[0].epoch == old and isinstance(whole[0], DataUnit) else 0
        assert whole[stale:] and all(unit.epoch == (old + 1) % 256 for unit in whole[stale:]), f"{clocks} clocks after a poll: {whole[:2]}"
        await end.up()


@cocotb.test()
@cocotb.parametrize(pace=[1, 8, 24])
async def data_takes_turns_with_control_units(dut, pace):
    """The peer polls without a pause, and the PHY takes a beat each `pace` clocks: an answer is always due, and data leaves all the same."""
    end = await begin(dut, Setting(1, 1, 1, 0, INFINITE))

    async def slow():
        while True:
            dut.m_axis_phy_tready.value = 1
            await end.clocks(1)
            dut.m_axis_phy_tready.value = int(pace == 1)
            await end.clocks(pace - 1 or 1)

    cocotb.start_soon(slow())
    end.source.start(one_unit_packets(40))
    poll = end.control(poll=True).build()
    end.begin_to_say([poll] * (30 * 60 * pace // BUILD.control_unit_beats))
    limit = 30 * pace * (BUILD.control_unit_beats + BUILD.data_unit_beats + 8) + 1000
    await end.until(lambda: len(end.data()) >= 30, limit, "30 data units beside control units")
    end.queue.clear()
    first, *_, last = end.data()
    between = [u for u in end.controls(first.begin) if u.begin < last.begin]
    assert len(between) >= 10, "control units went too"
    assert len(between) <= len(end.data()), f"{len(between)} control units beside {len(end.data())} data units"
