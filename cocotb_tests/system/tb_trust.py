# SPDX-License-Identifier: Apache-2.0
"""What a link end believes of one unit and of two in succession, and contradictions that make it restart the link: its peer says only
what the test makes it say."""

import cocotb

from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import VERSION, seal, unwrap
from cocotb_tests.system.scripted import BUILD, SN, Scripted

TIMEOUT = 1000
LATE = 52 + BUILD.control_unit_beats
"""Clocks in which the answer to a control unit has left."""
HELLO, UP, OUTAGE = 2, 3, 4
WINDOW = BUILD.window_frames


async def begin(dut, **times):
    end = Scripted(dut, Setting(1, 1, 1, 0, INFINITE))
    await end.start(**times)
    await end.up()
    return end


async def begin_of_a_period(dut):
    """Half a POLL_TIMEOUT after the end of the period in which the link came up."""
    end = await begin(dut, POLL_TIMEOUT=TIMEOUT)
    await end.clocks(3 * TIMEOUT // 2)
    return end


async def restarted(end, epoch):
    """Whether the end is in a life after that of `epoch`; ERROR.resync has to say so."""
    await end.clocks(8 * WINDOW + 500)
    new = end.own_epoch != epoch
    assert await end.registers.error("resync") == new
    assert await end.registers.state() == (HELLO if new else UP)
    return new


async def up_again(end):
    """After a restart the link comes up with a peer that restarts too, and carries a packet."""
    end.epoch += 1
    end.fields = {}
    await end.say(end.hello(peer_known=False))
    await end.up()
    before = len(end.packets)
    await end.say(*end.frame(0, 0))
    await end.clocks(300)
    assert len(end.packets) == before + 1


def polls(end, since):
    return [u for u in end.controls(since) if u.unit.poll]


IMPOSSIBLE = [dict(rx_next=5), dict(rx_base=5), dict(tx_base=WINDOW + 1)]
"""The first two are refused by the sender's half, the last one by the receiver's."""
IMPOSSIBLE_EDGE = dict(tx_edge=WINDOW + 1)
"""Refused by the receiver's half."""


@cocotb.test()
@cocotb.parametrize(fields=IMPOSSIBLE)
async def two_periods_of_rejected_control_units(dut, fields):
    """A strike at the end of the first POLL_TIMEOUT, with a poll; a restart at the end of the second."""
    await two_strikes(dut, fields)


@cocotb.test()
async def two_periods_of_rejected_edges(dut):
    await two_strikes(dut, IMPOSSIBLE_EDGE)


async def two_strikes(dut, fields):
    end = await begin_of_a_period(dut)
    epoch = end.own_epoch
    said = await end.say(end.control(**fields))
    await end.until(lambda: polls(end, said), TIMEOUT + LATE, "poll for the first strike")
    first = polls(end, said)[0].begin
    await end.clocks(TIMEOUT // 2)
    await end.say(end.control(**fields))
    await end.until(lambda: any(u.unit and u.unit.epoch != epoch for u in end.left), TIMEOUT + 8 * WINDOW, "restart")
    hello = next(u for u in end.left if u.unit and u.unit.epoch != epoch)
    assert first + TIMEOUT - LATE < hello.begin
    assert await restarted(end, epoch)
    assert await end.registers.error("control_invalid")
    await up_again(end)


@cocotb.test()
@cocotb.parametrize(fields=IMPOSSIBLE)
async def an_accepted_control_unit_takes_the_strike_back(dut, fields):
    end = await begin_of_a_period(dut)
    epoch = end.own_epoch
    for said in (fields, {}, fields, {}):
        since = await end.say(end.control(**said))
        await end.clocks(TIMEOUT)
        assert bool(polls(end, since)) == bool(said), "a poll is for a strike"
    assert not await restarted(end, epoch)


@cocotb.test()
@cocotb.parametrize(fields=IMPOSSIBLE)
async def the_second_strike_takes_three_periods_at_most(dut, fields):
    """The period in which rejected control units begin is no strike if one was accepted in it before."""
    end = await begin_of_a_period(dut)
    epoch = end.own_epoch
    await end.say(end.control())
    for restarts in (False, False, True):
        await end.say(end.control(**fields))
        await end.clocks(TIMEOUT)
        assert await restarted(end, epoch) == restarts


@cocotb.test()
async def silence_leaves_the_strike(dut):
    """Periods without a control unit poll again, and the next one with rejected ones only restarts."""
    end = await begin_of_a_period(dut)
    epoch = end.own_epoch
    said = await end.say(end.control(rx_next=5))
    await end.clocks(4 * TIMEOUT)
    assert len(polls(end, said)) in (4, 3) and end.own_epoch == epoch
    await end.say(end.control(rx_next=5))
    await end.clocks(TIMEOUT)
    assert await restarted(end, epoch)


@cocotb.test()
@cocotb.parametrize(
    case=[
        ([dict(tx_base=2)], False, 0),
        ([dict(tx_base=2), dict(tx_base=2)], True, 0),
        ([dict(tx_base=2), dict(tx_base=0)], False, 0),
        ([dict(tx_base=2, abandons=True)], False, 0),
        ([dict(tx_base=2, abandons=True), dict(tx_base=1)], True, 0),
        ([dict(tx_base=2, abandons=True), dict(tx_base=0, abandons=True)], False, 0),
        ([dict(tx_base=2, abandons=True), dict(tx_base=1, abandons=True)], False, 2),
        ([dict(tx_base=2, abandons=True), dict(tx_base=WINDOW + 1), dict(tx_base=2, abandons=True)], False, 2),
    ]
)
async def frame_that_only_the_sender_takes_for_received(dut, case):
    """Frame 0 lacks a unit, frame 1 is there. Two control units in succession with txBase beyond frame 0 are a contradiction, unless both
    have `abandons`, which skips it; one alone is neither. One whose txBase is refused does not count."""
    claims, contradiction, base = case
    end = await begin(dut)
    epoch = end.own_epoch
    await end.say(*end.frame(0, 0, k=2, n=2, units=[0]), *end.frame(1, 1))
    for fields in claims:
        await end.say(end.control(tx_edge=2, **fields))
        await end.clocks(LATE)
    assert await restarted(end, epoch) == contradiction
    if contradiction:
        await up_again(end)
        return
    said = await end.say(end.control(tx_edge=2, poll=True))
    await end.clocks(LATE)
    assert end.controls(said)[-1].unit.rx_base == base
    assert len(end.packets) == (base == 2)


@cocotb.test()
@cocotb.parametrize(
    case=[
        ("se se", False), ("s. .e", False), ("s. se", True), ("s. .. s.", True), ("se .e", True), ("se .. ..", True), ("se s. .. .e se", False),
        (".e", True), ("s. -- se", False), ("se -- .e", False), ("s. -- .. .. .e se", False),
    ]
)  # fmt: skip
async def packet_that_begins_within_another(dut, case):
    """Frames with sop (s) and eop (e), or abandoned (--): what cannot follow each other is a contradiction, but for a gap in between."""
    await frames_in_succession(dut, *case)


@cocotb.test()
@cocotb.parametrize(frames=["s. -- .. se", "s. -- .e .e"])
async def packet_that_begins_within_what_is_discarded(dut, frames):
    """What is discarded behind a gap is not looked at, be it such as cannot follow each other."""
    await frames_in_succession(dut, frames, False)


async def frames_in_succession(dut, frames, contradiction):
    end = await begin(dut)
    epoch = end.own_epoch
    for fsn, frame in enumerate(frames.split()):
        if frame != "--":
            await end.say(*end.frame(fsn, fsn, sop=frame[0] == "s", eop=frame[1] == "e"))
    gap = [fsn for fsn, frame in enumerate(frames.split()) if frame == "--"]
    for _ in range(2 * bool(gap)):
        await end.say(end.control(tx_edge=1, tx_base=gap[0] + 1, abandons=True))
    assert await restarted(end, epoch) == contradiction
    if contradiction:
        await up_again(end)


@cocotb.test()
@cocotb.parametrize(frames=[WINDOW - 1, WINDOW])
async def packet_without_an_end(dut, frames):
    """A window full of frames, and none of them ends the packet that the first one begins."""
    end = await begin(dut)
    epoch = end.own_epoch
    for fsn in range(frames):
        await end.say(*end.frame(fsn, fsn, sop=fsn == 0, eop=False))
    assert await restarted(end, epoch) == (frames == WINDOW)


@cocotb.test()
@cocotb.parametrize(case=[((False, True), 0), ((True, True), 2), ((True, False), 0)])
async def one_unit_of_type_2_skips_nothing(dut, case):
    """Frame 0 comes; frame 1 lacks a unit and its transmission is closed: it is skipped only if its unit and the one before are of
    type 2."""
    (before, own), skipped = case
    end = await begin(dut)
    await end.say(*end.frame(0, 0, last_try=before), *end.frame(1, 1, k=2, n=3, units=[0], last_try=own))
    await end.say(end.control(tx_edge=2, tx_base=1))
    await end.clocks(300)
    said = await end.say(end.control(tx_edge=2, tx_base=1, poll=True))
    await end.clocks(300)
    last = end.controls(said)[-1].unit
    assert (last.rx_next, last.bitmap >> ((1 - last.bitmap_base) % SN) & 1) == (2, 0)
    assert last.rx_base == (2 if skipped else 1)


@cocotb.test()
async def another_version_is_named(dut):
    """A unit of another version with a good CRC is a bad header, and ERROR says that the peer is another one."""
    end = await begin(dut)
    for version, field in ((0, "peer_mismatch"), (1, "peer_mismatch"), (2, "peer_mismatch"), (3, None)):
        await end.say(end.control(version=version, poll=True))
        await end.clocks(LATE)
        assert await end.registers.error("peer_mismatch") == (field is not None)
        assert await end.registers.error("bad_header") == (field is not None)


@cocotb.test()
@cocotb.parametrize(number=[0, 1, 2, 3])
async def units_of_other_links_have_no_effect(dut, number):
    """Three links of other lengths speak in between: hellos, restarts, polls, data, and what is no unit at all. This one hears its peer alone, and each of its
    units has its number."""
    end = Scripted(dut, link=number)
    await end.start()
    await end.up()
    epoch, others = end.own_epoch, [link for link in range(4) if link != number]

    def strangers():
        units = [unit for link in others for unit in (end.hello(link=link, epoch=9), end.control(link=link, tx_edge=9, poll=True), *end.frame(1, 1, link=link))]
        raws = [unit.build() for unit in units]
        raws += [seal(bytes([VERSION << 6 | kind << 4 | link]) + bytes(max(3, 4 * BUILD.data_bytes - 5))) for kind in range(4) for link in others]
        return raws

    said = end.now
    count = 0
    for fsn in range(5):
        raws = strangers()
        count += len(raws)
        end.begin_to_say(raws)
        await end.say(*end.frame(fsn, fsn))
    await end.say(end.control(poll=True, tx_edge=5))
    await end.clocks(LATE)
    assert len(end.packets) == 5 and not await restarted(end, epoch)
    assert len([u for u in end.controls(said) if u.unit.reply]) == 1
    assert all(u.unit for u in end.left), "a unit with another number"
    counters = await end.registers.counters(["rx_units_other_link", "rx_bad_header", "rx_erased_length", "rx_units_invalid", "rx_units_epoch"])
    assert counters == {"rx_units_other_link": count, "rx_bad_header": 0, "rx_erased_length": 0, "rx_units_invalid": 0, "rx_units_epoch": 0}


@cocotb.test()
@cocotb.parametrize(case=[(False, 0, False), (False, 1, True), (True, 0, False), (True, 1, True)])
async def a_peer_with_two_windows(dut, case):
    """A second hello of the same epoch, before the end is up or after, whose window is another one: the link starts anew."""
    known, larger, contradiction = case
    end = Scripted(dut)
    await end.start()
    epoch = end.own_epoch
    log2 = WINDOW.bit_length() - 1
    await end.say(end.hello(log2 + larger, peer_known=known))
    await end.clocks(LATE)
    assert await end.registers.state() == (UP if known else HELLO)
    await end.say(end.hello(log2, peer_known=known))
    await end.clocks(8 * WINDOW + 500)
    assert (end.own_epoch != epoch) == await end.registers.error("peer_restart") == contradiction
    await end.up()
    await end.say(*end.frame(0, 0))
    await end.clocks(300)
    assert len(end.packets) == 1


@cocotb.test()
@cocotb.parametrize(option=[1, 2])
async def a_hello_with_an_unknown_option_is_a_mismatch(dut, option):
    """Bits 6:5 of byte 4: whatever they will mean, this build is without it."""
    end = Scripted(dut)
    await end.start()
    await end.say(end.hello(options=option))
    await end.clocks(LATE)
    assert await end.registers.error("peer_mismatch") and await end.registers.state() == HELLO
    await end.up()


@cocotb.test()
async def reserved_bits_beside_ack_tsn_are_passed_over(dut):
    """Bits 7:4 of byte 4, in a control unit without hello. (A window of one block has no round.)"""
    end = await begin(dut)
    await end.say(*[u for tsn in range(80) for u in end.frame(0, tsn)])
    await end.clocks(500)
    for ack, has_round in ((80, False), (0, True)):
        for bits in (0, 0xF00000):
            said = await end.say(end.control(poll=True, tx_edge=80, param=bits | ack))
            await end.clocks(500)
            units = end.controls(said)
            assert units[0].unit.reply and any(u.unit.bitmap_base == 0 for u in units) == (has_round and WINDOW > 32)
    counters = await end.registers.counters()
    assert counters["rx_control_invalid"] == counters["rx_bad_header"] == 0


@cocotb.test()
async def a_peer_that_says_it_is_deaf_is_asked(dut):
    """One unit that says so, which may be wrong, stops data: a poll each POLL_TIMEOUT asks whether it is still true. While this end is deaf nobody is asked."""
    end = await begin(dut, POLL_TIMEOUT=TIMEOUT)
    said = await end.say(end.control(deaf=True))
    await end.clocks(3 * TIMEOUT)
    asked = polls(end, said)
    assert await end.registers.state() == OUTAGE
    assert len(asked) in (2, 3) and all(TIMEOUT <= b.begin - a.begin <= TIMEOUT + LATE for a, b in zip(asked, asked[1:]))
    await end.say(end.control())
    await end.clocks(LATE)
    assert await end.registers.state() == UP
    dut.phy_up.value = 0
    await end.clocks(LATE)
    since = end.now
    await end.clocks(3 * TIMEOUT)
    assert await end.registers.state() == OUTAGE and not end.controls(since)
    dut.phy_up.value = 1
    await end.clocks(2 * LATE)
    assert await end.registers.state() == UP and polls(end, since)


@cocotb.test()
async def hellos_that_do_not_fit_are_counted(dut):
    end = Scripted(dut)
    await end.start()
    await end.say(*[end.hello(options=1)] * 5)
    await end.clocks(LATE)
    counters = await end.registers.counters()
    assert counters["rx_units_epoch"] == 5 and counters["rx_control_units"] == 0


@cocotb.test()
@cocotb.parametrize(ahead=[1, 5, WINDOW // 2], abandons=[False, True])
async def one_tx_base_ahead_on_an_idle_link_skips_nothing(dut, ahead, abandons):
    """A single control unit says that frames are done with which have not been sent; then they come, and all of them are delivered."""
    end = await begin(dut)
    epoch = end.own_epoch
    await end.say(end.control(tx_base=ahead, abandons=abandons))
    await end.clocks(LATE)
    for fsn in range(ahead + 4):
        await end.say(*end.frame(fsn, fsn))
    await end.say(end.control(tx_edge=ahead + 4))
    assert not await restarted(end, epoch)
    assert len(end.packets) == ahead + 4


@cocotb.test()
@cocotb.parametrize(ahead=[1, 5, WINDOW // 2])
async def one_tx_edge_ahead_on_an_idle_link_fails_what_it_closes(dut, ahead):
    """A single control unit closes transmissions that have not been sent: when they come they are late, and reported as failed. Sent again,
    all are delivered."""
    end = await begin(dut)
    epoch = end.own_epoch
    await end.say(end.control(tx_edge=ahead))
    await end.clocks(LATE + 2 * ahead)
    count = ahead + 4
    for tsn in range(count):
        await end.say(*end.frame(tsn, tsn))
    said = await end.say(end.control(tx_edge=count, poll=True))
    await end.clocks(LATE)
    report = next(u.unit for u in end.controls(said) if u.unit.reply)
    first = unwrap(report.bitmap_base, report.rx_next)
    failed = [tsn for tsn in range(count) if not report.bitmap >> (tsn - first) & 1]
    assert report.rx_next == count and first <= 0 and failed == list(range(ahead)), failed
    for tsn, fsn in enumerate(failed, count):
        await end.say(*end.frame(fsn, tsn, odd=True))
    assert not await restarted(end, epoch)
    assert len(end.packets) == count
