# SPDX-License-Identifier: Apache-2.0
"""Data one way, with all timers on: what counts as heard, and when silence is an outage."""

import cocotb

from cocotb_tests.lib.sweep import sweep
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.system.scripted import BUILD, Scripted

UP, OUTAGE = 3, 4
TIMEOUT = 1200
TIMES = {"OUTAGE_TIMEOUT": TIMEOUT, "KEEPALIVE": TIMEOUT // 4, "POLL_TIMEOUT": 500, "HELLO_INTERVAL": 300, "STATUS_INTERVAL": 100}
HEARD = 30
"""Clocks from a unit's last beat until it has been verified and judged."""
LATE = HEARD + 24
"""Clocks that an outage, or a unit, may come behind its time."""


async def begin(dut, **times):
    end = Scripted(dut, Setting(1, 1, 1, 0, INFINITE))
    await end.start(**{**TIMES, **times})
    return end


async def outages(end):
    return (await end.registers.counters(["link_outages"]))["link_outages"]


@cocotb.test()
@cocotb.parametrize(what=["new", "of a known frame", "late"])
async def data_alone_is_heard(dut, what):
    """The peer sends data and nothing else for six times OUTAGE_TIMEOUT: no outage."""
    end = await begin(dut)
    await end.up()
    pause = TIMEOUT // 3
    for tsn in range(18):
        fsn, tsn = {"new": (tsn, tsn), "of a known frame": (0, tsn), "late": (0, 0)}[what]
        await end.say(*end.frame(fsn, tsn))
        await end.clocks(pause)
        assert await end.registers.state() == UP, f"an outage after unit {tsn}"
    assert await outages(end) == 0


@cocotb.test()
@cocotb.parametrize(what=["of another epoch", "damaged", "control of another peer"])
async def what_is_not_of_the_peer_is_not_heard(dut, what):
    """Units come all the time, and none of them is the peer's: an outage, in time."""
    end = await begin(dut)
    await end.up()
    said = await end.say(end.control())
    for at in range(6):
        silence, state = end.now - said, await end.registers.state()
        assert state == UP or silence > TIMEOUT, f"an outage after {silence} clocks"
        assert state == OUTAGE or silence <= TIMEOUT + LATE, f"{silence} clocks of silence, and no outage"
        if what == "of another epoch":
            await end.say(*end.frame(0, at, epoch=(end.epoch + 1) % 256))
        elif what == "damaged":
            (unit,) = end.frame(0, at)
            raw = bytearray(unit.build())
            raw[at] ^= 16
            end.begin_to_say([bytes(raw)])
        else:
            end.begin_to_say([end.control(version=2).build()])
        await end.clocks(TIMEOUT // 4)
    assert await outages(end) == 1


@cocotb.test()
async def data_shows_that_the_peer_is_up(dut):
    """The peer's control units behind its hello are lost. Its first data unit is a unit without hello: data may leave from then on."""
    end = await begin(dut, OUTAGE_TIMEOUT=0)
    end.source.start([bytes(8)])
    await end.say(end.hello())
    await end.clocks(700)
    assert not end.data(), "data leaves, and the peer has not shown that it is up"
    said = await end.say(*end.frame(0, 0))
    await end.until(lambda: end.data(said), LATE + BUILD.control_unit_beats + 30, "data")
    await end.until(lambda: len(end.packets) == 1, 300, "the peer's packet")


@cocotb.test()
async def data_of_another_epoch_does_not(dut):
    end = await begin(dut, OUTAGE_TIMEOUT=0)
    end.source.start([bytes(8)])
    await end.say(end.hello())
    await end.clocks(100)
    said = await end.say(*end.frame(0, 0, epoch=(end.epoch + 1) % 256))
    await end.clocks(300)
    assert not end.data(said) and not end.packets
    await end.say(end.hello())
    await end.clocks(100)
    assert end.own_epoch == end.left[0].unit.epoch, "a hello of a peer that is not up yet, and the link restarts"


@cocotb.test()
@cocotb.parametrize(kind=["data", "control"])
async def silence_that_ends_as_the_outage_begins(dut, kind):
    """A unit comes in each clock around the end of OUTAGE_TIMEOUT. It is in time, or there is one outage, which it ends, and a poll is sent."""
    timeout = TIMEOUT // 2  # longer than it takes to read the counters
    end = await begin(dut, OUTAGE_TIMEOUT=timeout, KEEPALIVE=1 << 24, POLL_TIMEOUT=1 << 24, STATUS_INTERVAL=0)
    await end.up()
    seen, tsn = set(), 0

    async def case(clock):
        nonlocal tsn
        await end.say(end.control())
        before = await outages(end)
        said = await end.say(end.control())
        await end.clocks(timeout + clock)
        now = end.now
        heard = await end.say(*(end.frame(tsn, tsn) if kind == "data" else [end.control()]))
        tsn += kind == "data"
        await end.clocks(LATE + 2 * BUILD.control_unit_beats)
        assert await end.registers.state() == UP
        count = await outages(end) - before
        assert count in (0, 1), f"{count} outages"
        polls = [u for u in end.controls(now) if u.unit.poll]
        assert len(polls) == count, f"{count} outages, and {len(polls)} polls behind"
        silence = heard - said
        assert count == 1 or silence <= timeout + LATE, f"{silence} clocks of silence, and no outage"
        assert count == 0 or silence >= timeout, f"an outage after {silence} clocks"
        seen.add(count)

    unit = BUILD.control_unit_beats if kind == "control" else BUILD.data_unit_beats
    await sweep(range(-unit - 20, LATE + 20), case)
    assert seen == {0, 1}


@cocotb.test()
@cocotb.parametrize(way=["this end", "the peer"])
async def traffic_one_way(dut, way):
    """One end sends, the other one only reports, with each timer on: no outage, no restart, and all arrives."""
    end = await begin(dut)
    await end.up()
    count = 40
    if way == "this end":
        task = end.source.start([bytes([i]) * 8 for i in range(count)], gap=TIMEOUT // 8)
        known = 0
        while known < count:
            await end.clocks(TIMEOUT // 5)
            known = len({u.unit.fsn for u in end.data()})
            await end.say(end.control(rx_base=known, rx_next=len(end.data()), bitmap_base=max(0, known // 32 * 32 - 32), bitmap=(1 << 64) - 1))
        assert task.done()
        assert [u.unit.fsn for u in end.data()] == list(range(count)), "a frame is sent twice, or not at all"
    else:
        for i in range(count):
            await end.say(*end.frame(i, i))
            await end.clocks(TIMEOUT // 5)
        assert len(end.packets) == count
        reports = [u.unit.rx_next for u in end.controls()]
        assert reports[-1] == count and len(set(reports)) >= count, "each outcome was reported in time"
    assert await outages(end) == 0 and await end.registers.state() == UP
    assert not await end.registers.error("peer_restart")
