# SPDX-License-Identifier: Apache-2.0
"""Each timer's duration, in clocks at the ports of a link end."""

import cocotb
from cocotb.triggers import RisingEdge, Trigger, with_timeout

from cocotb_tests.model.reports import BLOCK
from cocotb_tests.model.units import SN
from cocotb_tests.system.scripted import BUILD, NEVER, PERIOD_NS, Scripted

LATE = 16 + BUILD.control_unit_beats
"""Clocks that a unit may begin after its timer has ended, or after what it answers: the cause's way to the message, and the framer's to the PHY."""
UP, OUTAGE = 3, 4
UNIT = BUILD.control_unit_beats


def distances(units):
    """Clocks from one unit's first beat to the next one's."""
    return [b.begin - a.begin for a, b in zip(units, units[1:])]


def assert_period(units, period, least):
    found = distances(units)
    cocotb.log.warning("period %d: %s", period, sorted(set(found)))
    assert len(found) >= least, f"{len(found)} periods"
    assert all(period <= d <= period + UNIT + LATE for d in found), f"{period} clocks were asked for: {found}"


async def begin(dut, **times):
    end = Scripted(dut)
    await end.start(**times)
    return end


@cocotb.test()
@cocotb.parametrize(interval=[400, 1777, 66_001])
async def hello_interval(dut, interval):
    """Nobody answers: a hello each HELLO_INTERVAL, and nothing else. A timer counts in halves of 16 bits; the longest interval needs both."""
    end = await begin(dut, HELLO_INTERVAL=interval)
    await end.clocks(6 * interval)
    assert all(u.unit.hello for u in end.left)
    assert_period(end.left, interval, 4)


@cocotb.test()
@cocotb.parametrize(timeout=[500, 2345])
async def poll_timeout_until_the_peer_is_heard(dut, timeout):
    """The peer is known, but has said nothing without hello: a poll each POLL_TIMEOUT."""
    end = await begin(dut, POLL_TIMEOUT=timeout)
    await end.say(end.hello())
    await end.clocks(6 * timeout)
    polls = [u for u in end.controls() if not u.unit.hello]
    assert all(u.unit.poll for u in polls)
    assert_period(polls[1:], timeout, 4)


@cocotb.test()
@cocotb.parametrize(timeout=[500, 2345])
async def poll_timeout_without_progress(dut, timeout):
    """A frame was sent, and the peer says nothing of it: a poll each POLL_TIMEOUT. Once all is delivered there are none."""
    end = await begin(dut, POLL_TIMEOUT=timeout)
    await end.up()
    await end.clocks(2 * timeout)
    assert not [u for u in end.controls(end.said) if u.unit.poll], "a poll with nothing to ask for"
    await end.source.start([bytes(8)])
    await end.clocks(7 * timeout)
    closing, *polls = end.controls(end.data()[-1].end)
    assert not closing.unit.poll and closing.unit.tx_edge == 1
    assert all(u.unit.poll for u in polls)
    assert_period(polls, timeout, 4)
    said = await end.say(end.control(rx_base=1, rx_next=1, bitmap=1))
    await end.clocks(4 * timeout)
    assert not end.controls(said + LATE), "a poll, and all is delivered"


@cocotb.test()
@cocotb.parametrize(silence=[600, 3000])
async def keepalive_one_at_a_time(dut, silence):
    """Nobody says anything: a control unit with poll after each KEEPALIVE, one and not two."""
    end = await begin(dut, KEEPALIVE=silence)
    await end.up()
    since = end.now
    await end.clocks(7 * silence)
    units = end.controls(since)
    assert all(u.unit.poll for u in units)
    assert_period(units, silence, 5)


@cocotb.test()
async def keepalive_counts_from_what_was_sent_last(dut):
    """A unit that is sent for another reason puts the keep-alive off."""
    silence = 1000
    end = await begin(dut, KEEPALIVE=silence)
    await end.up()
    for _ in range(4):
        await end.clocks(silence // 2)
        await end.say(end.control(poll=True))
    await end.clocks(silence // 2)
    assert not [u for u in end.controls(end.said - 2 * silence) if u.unit.poll]
    last = end.controls()[-1]
    await end.clocks(silence)
    (alive,) = end.controls(last.begin)
    assert alive.unit.poll
    assert silence <= alive.begin - last.begin <= silence + UNIT + LATE, alive.begin - last.begin


@cocotb.test()
@cocotb.parametrize(timeout=[700, 5000])
async def outage_timeout(dut, timeout):
    """From the last valid unit's last beat to the outage, as `irq` shows it; noise does not count as a unit."""
    end = await begin(dut, OUTAGE_TIMEOUT=timeout)
    await end.up()
    fields = end.registers.map["ERROR"].fields
    await end.set(ERROR=0xFFFFFFFF, IRQ_ENABLE=1 << fields["outage"].shift)
    said = await end.say(end.control())
    await end.clocks(timeout // 2)
    await end.say(*end.frame(0, 0, epoch=(end.epoch + 1) % 256))  # of another epoch
    assert not dut.irq.value
    await RisingEdge(dut.irq)
    after = end.now - said
    cocotb.log.warning("outage after %d clocks of silence, %d asked for", after, timeout)
    assert timeout <= after <= timeout + LATE
    assert await end.registers.state() == OUTAGE
    assert await end.registers.error("outage")
    await end.say(end.control())
    await end.clocks(LATE)
    assert await end.registers.state() == UP


async def transmissions(end, first, count, every=0):
    """The peer sends frames of one unit; each a packet."""
    for i in range(first, first + count):
        await end.say(*end.frame(i, i))
        if every:
            await end.clocks(every)


@cocotb.test()
@cocotb.parametrize(interval=[600, 1500])
async def status_interval(dut, interval):
    """Outcomes come all the time, in a STATUS_INTERVAL fewer than 16 and than a quarter of the window: that is how far apart they are reported."""
    end = await begin(dut, STATUS_INTERVAL=interval)
    await end.up()
    since = end.now
    await transmissions(end, 0, 60, interval // min(12, BUILD.window_frames // 8))
    assert_period(end.controls(since)[1:], interval, 3)


@cocotb.test()
async def status_interval_zero(dut):
    """Each outcome is reported as soon as it is there."""
    end = await begin(dut, STATUS_INTERVAL=0)
    await end.up()
    for i in range(10):
        said = await end.say(*end.frame(i, i))
        await end.clocks(3 * LATE)
        first = end.controls(said)[0]
        assert first.unit.rx_next == i + 1 and first.begin - said <= 2 * LATE, first.begin - said


def shows_recent(unit):
    """It has the block of its rxNext and the one before it."""
    return unit.bitmap_base == (unit.rx_next // BLOCK - 1) * BLOCK % SN


@cocotb.test()
async def sixteen_outcomes_are_reported_before_status_interval_ends(dut):
    """All transmissions are of one frame, so that rxBase does not move and only the count of outcomes can be the cause. Older blocks take their turns
    beside that, as the peer never says what it knows."""
    end = await begin(dut, STATUS_INTERVAL=NEVER)
    await end.up()
    await transmissions(end, 0, 1, 100)
    reported = end.controls()[-1].unit.rx_next
    for tsn in range(1, 70):
        said = await end.say(*end.frame(0, tsn))
        await end.clocks(2 * LATE + 2 * UNIT)
        new = tsn + 1 - reported
        reports = [report for report in end.controls(said) if shows_recent(report.unit)]
        assert len(reports) == (new == 16), f"{new} outcomes are new: {reports}"
        if reports:
            assert reports[0].unit.rx_next == tsn + 1 and reports[0].begin - said <= 2 * LATE, reports[0].begin - said
            reported = tsn + 1
    assert reported >= 64


@cocotb.test()
async def quarter_of_the_window_is_reported(dut):
    """rxBase moves because the user takes packets, and no outcome is new: a control unit at a quarter of the window, none before."""
    quarter = BUILD.window_frames // 4
    end = await begin(dut, STATUS_INTERVAL=NEVER)
    await end.up()
    dut.m_axis_tready.value = 0
    await transmissions(end, 0, 3 * quarter, 20)
    said = await end.say(end.control(poll=True))
    await end.clocks(200)
    assert end.controls(said)[-1].unit.rx_next == 3 * quarter
    reported = [end.controls(said)[-1].unit.rx_base]
    assert reported[0] < 2 * quarter
    while len(end.packets) < 3 * quarter:
        since, before = end.now, len(end.packets)
        dut.m_axis_tready.value = 1
        await end.until(lambda before=before: len(end.packets) > before, 500, "packet")
        dut.m_axis_tready.value = 0
        await end.clocks(200)
        reported += [u.unit.rx_base for u in end.controls(since)]
    assert reported == list(range(reported[0], 3 * quarter + 1, quarter)), reported


@cocotb.test()
async def restart_comes_up_without_waiting_for_status_interval(dut):
    """Nothing of a restart waits for STATUS_INTERVAL: neither hello nor poll nor the first outcome of the new life."""
    end = await begin(dut, STATUS_INTERVAL=NEVER)
    await end.up()
    await transmissions(end, 0, 20, 20)
    await end.clocks(200)
    end.epoch += 1
    restarted = await end.say(end.hello(peer_known=False))
    limit = 8 * BUILD.window_frames + 200
    await end.until(lambda: any(u.unit.hello for u in end.controls(restarted)), limit, "hello after the restart")
    hello = end.now
    await end.up()
    assert end.now - hello < 300
    assert await end.registers.state() == UP
    said = await end.say(end.control(poll=True))
    await end.clocks(3 * LATE)
    assert end.controls(said)[0].unit.reply
    await transmissions(end, 0, 16, 20)
    await end.clocks(3 * LATE)
    assert end.controls()[-1].unit.rx_next >= 16


async def after_written(end, register, interval, happens):
    """Clocks from a write of `interval` to `register`, which held NEVER, until `happens(since)`: a condition on what has left, or a trigger."""
    await end.set(**{register: interval})
    since = end.now
    if isinstance(happens, Trigger):
        await with_timeout(happens, (interval + 2 * LATE) * PERIOD_NS, "ns")
    else:
        await end.until(lambda: happens(since), interval + 2 * LATE, f"effect of {register}")
    return end.now - since


@cocotb.test()
async def a_timer_counts_from_when_it_is_written(dut):
    """All are far from their end when they are written: the new value counts, not the rest of the old one."""
    interval, least = 700, 650
    end = await begin(dut, HELLO_INTERVAL=NEVER)
    assert await after_written(end, "HELLO_INTERVAL", interval, lambda since: end.controls(since)) >= least
    await end.set(HELLO_INTERVAL=NEVER, OUTAGE_TIMEOUT=NEVER, STATUS_INTERVAL=NEVER)
    await end.up()
    assert await after_written(end, "KEEPALIVE", interval, lambda since: end.controls(since)) >= least
    await end.set(KEEPALIVE=NEVER)
    await transmissions(end, 0, 1)
    assert await after_written(end, "STATUS_INTERVAL", interval, lambda since: end.controls(since)) >= least
    await end.source.start([bytes(8)])
    await end.clocks(300)
    assert await after_written(end, "POLL_TIMEOUT", interval, lambda since: end.controls(since)) >= least
    await end.set(POLL_TIMEOUT=NEVER)
    fields = end.registers.map["ERROR"].fields
    await end.set(ERROR=0xFFFFFFFF, IRQ_ENABLE=1 << fields["outage"].shift)
    assert await after_written(end, "OUTAGE_TIMEOUT", interval, RisingEdge(dut.irq)) >= least
    await end.set(OUTAGE_TIMEOUT=NEVER)
    await end.clocks(LATE)
    assert await end.registers.state() == OUTAGE, "a write does not end an outage"
