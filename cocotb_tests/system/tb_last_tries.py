# SPDX-License-Identifier: Apache-2.0
"""Last tries: which transmissions a link end marks as such, what it makes of those of its peer, and when a notice is due. The peer says only what the
test makes it say."""

from itertools import combinations, product

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.system.scripted import BUILD, Scripted

LATE = 150 + 2 * BUILD.control_unit_beats
"""Clocks in which all that follows from a unit has left, but for packets."""
WINDOW = BUILD.window_frames
TYPES = {0: dict(last_try=False), 2: dict(last_try=True), 3: dict(last_try=True, all_below=True)}


async def begin(dut, delta=INFINITE, k=1):
    end = Scripted(dut, Setting(k, k, k, 0, delta))
    await end.start()
    await end.up()
    return end


async def again(end):
    """A new life, for another round of the test."""
    await end.restart()
    end.packets.clear()
    await end.up()


async def delivered(end):
    """How many packets have come out, once all that was said has had its effect."""
    await end.clocks(LATE + 4 * WINDOW)
    return len(end.packets)


# -- what the peer's last tries skip


@cocotb.test()
async def two_units_of_a_failed_last_try_skip_its_frame(dut):
    """Frame 0 has failed, frame 1 waits behind it. Of the retransmission, with K = 3 and N = 4, any units come that are too few: two skip the frame when it
    is closed, and one, or none, skips nothing until two notices have come."""
    end = await begin(dut)
    for count in range(3):
        for units in combinations(range(4), count):
            for last_try in (True, False):
                await again(end)
                await end.say(*end.frame(1, 1), *end.frame(0, 2, k=3, n=4, units=units, last_try=last_try))
                assert await delivered(end) == (last_try and units[1:] == (3,)), (units, last_try)
                await end.say(end.control(tx_edge=3))
                skipped = last_try and count == 2
                assert await delivered(end) == skipped, (units, last_try)
                await end.say(*[end.control(tx_edge=3, tx_base=1, abandons=True)] * 2)
                assert await delivered(end) == 1


@cocotb.test()
@cocotb.parametrize(k=[1, 2])
async def two_units_behind_a_lost_transmission_skip_its_frame(dut, k):
    """Nothing of frames 1 and 2 comes. The next units say by their type that nothing of them will: the second one does, whether or not it is of the same
    frame, if both are of type 3."""
    end = await begin(dut)
    for first, second in product(TYPES, repeat=2):
        await again(end)
        await end.say(*end.frame(0, 0))
        if k == 1:
            await end.say(*end.frame(3, 3, **TYPES[first]))
            assert await delivered(end) == 1
            await end.say(*end.frame(4, 4, **TYPES[second]))
        else:
            await end.say(*end.frame(3, 3, k=2, n=2, units=[0], **TYPES[first]))
            assert await delivered(end) == 1
            await end.say(*end.frame(3, 3, k=2, n=2, units=[1], **TYPES[second]))
        assert await delivered(end) == (4 - k if first == second == 3 else 1), (first, second)


@cocotb.test()
@cocotb.parametrize(before=[0, 3], after=[0, 3])
async def one_forged_unit_of_type_3_gives_up_no_frame_that_comes(dut, before, after):
    """It names a frame ahead, and more than one unit of it is needed. The frames around it, of type 3 or not, come and are delivered, but for the one that it
    named: that one is skipped if the units before the end of its transmission were of type 3."""
    end = await begin(dut)
    for ahead in range(3, min(WINDOW, 32)):
        await again(end)
        await end.say(*end.frame(0, 0, **TYPES[before]), *end.frame(ahead, 1, k=2, n=2, units=[0], **TYPES[3]))
        for fsn in range(1, ahead + 2):
            await end.say(*end.frame(fsn, fsn + 1, **TYPES[after]))
        assert ahead + 2 - (before == 3) <= await delivered(end) <= ahead + 2, (ahead, before, after)


# -- which transmissions are last tries


def types(end, since=0):
    """(FSN, whether the attempt is odd, type) of each transmission."""
    return [(u.unit.fsn, u.unit.odd, u.unit.kind) for u in end.data(since) if u.unit.index == 0]


async def reported(end, tsn, received, rx_base=0):
    """The peer reports transmissions below `tsn`; `received`: those that came."""
    said = await end.say(end.control(rx_base=rx_base, rx_next=tsn, bitmap=sum(1 << i for i in received)))
    await end.clocks(LATE)
    return said


def packets(count):
    return [bytes([i]) * BUILD.unit_bytes for i in range(count)]


@cocotb.test()
@cocotb.parametrize(delta=[0, 1, 2, 3, INFINITE])
async def the_last_transmission_of_a_frame_says_so(dut, delta):
    """Each one fails: up to delta retransmissions follow, and the last one says that it is: by type 3 if it is the first one as well."""
    end = await begin(dut, delta)
    await end.source.start(packets(1))
    for tsn in range(1, 6):
        await end.clocks(300)
        await reported(end, tsn, [])
    assert types(end) == [(0, i % 2, (i == delta) * (2 if i else 3)) for i in range(min(delta, 5) + 1)]


@cocotb.test()
async def first_transmissions_are_of_type_3_once_those_before_are_resolved(dut):
    """Frames 0 to 2 leave at delta 2, and then it is 0. Frame 1 has no outcome until the last moment; then it fails and is given up."""
    end = await begin(dut, 2)
    await end.source.start(packets(3))
    await end.clocks(300)
    await end.registers.apply(Setting(1, 1, 1, 0, 0))
    await end.source.start(packets(2))
    await end.clocks(300)
    await reported(end, 1, [0], 1)
    await end.source.start(packets(1))
    await end.clocks(300)
    await reported(end, 5, [0, 2, 3, 4], 1)
    since = end.now
    await end.source.start(packets(2))
    await end.clocks(300)
    assert types(end) == [(i, 0, 3 * (i >= 6)) for i in range(8)]
    assert types(end, since) == [(6, 0, 3), (7, 0, 3)]


@cocotb.test()
@cocotb.parametrize(how=["raised", "outage", "both"], delta=[0, 1])
async def a_last_try_stays_one(dut, how, delta):
    """Before its failure is reported delta is raised, or an outage begins and ends: its frame is not sent again."""
    end = await begin(dut, delta)
    await end.source.start(packets(1))
    await end.clocks(300)
    if delta:
        await reported(end, 1, [])
    if how != "outage":
        await end.registers.apply(Setting(1, 1, 1, 0, 5))
    if how != "raised":
        dut.phy_up.value = 0
        await rising_edges(dut.aclk, LATE)
        dut.phy_up.value = 1
        await rising_edges(dut.aclk, LATE)
    said = await reported(end, delta + 1, [])
    await end.clocks(LATE)
    assert types(end) == [(0, i % 2, (i == delta) * (2 if i else 3)) for i in range(delta + 1)]
    assert [u.unit.tx_base for u in end.controls(said)] == [1, 1, 1], "it is given up, with notice"
    counters = await end.registers.counters(["tx_frames_abandoned", "tx_outcomes_outage"])
    assert counters == {"tx_frames_abandoned": 1, "tx_outcomes_outage": 0}


@cocotb.test()
async def a_forgiven_first_transmission_that_has_become_the_last_is_of_type_2(dut):
    """Frame 0 fails before an outage ends, at delta 5, which is 0 when it is sent again with attempt 0. That says nothing of the frames below; then it is
    given up."""
    end = await begin(dut, 5)
    await end.source.start(packets(1))
    await end.clocks(300)
    dut.phy_up.value = 0
    await rising_edges(dut.aclk, LATE)
    dut.phy_up.value = 1
    await rising_edges(dut.aclk, LATE)
    await end.registers.apply(Setting(1, 1, 1, 0, 0))
    await reported(end, 1, [])
    await reported(end, 2, [])
    assert types(end) == [(0, 0, 0), (0, 0, 2)]


# -- notices


@cocotb.test()
@cocotb.parametrize(received=[False, True])
async def a_notice_waits_for_frames_that_say_the_same(dut, received):
    """At delta 0, frame 0 fails and frame 1 is under way. Nothing has to be said until that one has its outcome; three control units follow then, as the peer
    still waits for frame 0."""
    end = await begin(dut, 0)
    await end.source.start(packets(2))
    await end.clocks(300)
    said = await reported(end, 1, [])
    await end.clocks(500)
    assert not end.controls(said)
    said = await reported(end, 2, [1] if received else [])
    await end.clocks(500)
    assert [(u.unit.abandons, u.unit.tx_base) for u in end.controls(said)] == [(True, 2)] * 3


@cocotb.test()
async def a_notice_that_waited_is_not_sent_when_the_peer_has_passed_the_frame(dut):
    end = await begin(dut, 0)
    await end.source.start(packets(2))
    await end.clocks(300)
    await reported(end, 1, [])
    said = await reported(end, 2, [1], 2)
    await end.clocks(500)
    assert not end.controls(said)


@cocotb.test()
async def a_notice_that_waited_is_sent_when_a_frame_is_of_type_0(dut):
    """Delta is raised, and the next frame may be sent again: it says nothing of those below."""
    end = await begin(dut, 0)
    await end.source.start(packets(2))
    await end.clocks(300)
    said = await reported(end, 1, [])
    await end.registers.apply(Setting(1, 1, 1, 0, 5))
    await end.source.start(packets(1))
    await end.clocks(500)
    assert types(end)[-1] == (2, 0, 0)
    notices = [u.unit for u in end.controls(said) if u.unit.abandons]
    assert len(notices) >= 3 and all(u.tx_base == 1 for u in notices)
