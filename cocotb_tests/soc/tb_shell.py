# SPDX-License-Identifier: Apache-2.0
"""The firmware on the CPU, spoken to over the UART.

The tests share one start, for it takes longer than they do. Each begins at a prompt and sets what it depends on.
"""

import os
import random

import cocotb

from cocotb_tests.lib.regs import regs
from cocotb_tests.soc.bench import Terminal
from cocotb_tests.soc.tb_boot import SW, download

PROMPT = b"> "
BUILD_SMALL = {"unit_bytes": 8, "window_frames": 64, "max_k": 16, "max_parity": 8, "max_packet_bytes": 512, "packet_crc": 0, "clock_hz": 100000000}
UP_AND_DOWN = ("link_down", "link_up", "outage", "threshold")
running = []
"""Simulations in which the firmware runs: none or this one."""


async def in_shell(dut):
    """A terminal at the firmware's prompt. Where nothing answers, a reset starts it, with a download if another program is built in."""
    terminal = Terminal(dut)
    if running:
        dut.aresetn.value = 1  # before the first clock, so that the reset is none
        await terminal.send(b"\x03")
        try:
            await terminal.expect(b"^C\r\n" + PROMPT)
            return terminal
        except AssertionError:
            running.clear()
    await terminal.reset()
    await terminal.expect(b"arqlink boot\r\n")
    if os.environ["PROGRAM"] != "firmware":
        await download(terminal, (SW / "firmware.img").read_bytes(), b"OK")
    assert await terminal.expect(PROMPT, 2_000_000) == b"arqlink firmware\r\n"
    running.append(True)
    return terminal


async def command(terminal, line, clocks=400000):
    """Lines of the answer to a command; the echo is checked and left out."""
    await terminal.send(line + b"\r")
    echo, *lines = (await terminal.expect(PROMPT, clocks)).decode().splitlines()
    assert echo == line.decode()
    return lines


async def values(terminal, line, clocks=400000):
    """What a command answers in lines of a name and a value."""
    *items, okay = await command(terminal, line, clocks)
    assert okay == "OK", okay
    return dict(item.split(" ", 1) for item in items)


async def register(terminal, name, base=0):
    value, okay = await command(terminal, b"read %d" % (base + regs.ARQLINK[name].offset))
    assert okay == "OK"
    return int(value)


async def refused(terminal, answers):
    for line, answer in answers.items():
        assert await command(terminal, line) == [f"ERROR {answer}"], line


@cocotb.test()
async def shell_commands(dut):
    """What was built, registers by their offsets, and errors that name what was wrong."""
    terminal = await in_shell(dut)
    version, *items, okay = await command(terminal, b"info")
    fields = regs.ARQLINK["VERSION"].fields
    assert version == "version " + ".".join(str(fields[name].reset) for name in ("major", "minor", "patch"))
    assert {name: int(value) for name, value in map(str.split, items)} == BUILD_SMALL and okay == "OK"

    staged = regs.ARQLINK["POLL_TIMEOUT"].offset
    assert await command(terminal, b"write %d 123456" % staged) == ["OK"]
    assert await command(terminal, b"read 0x%x" % staged) == ["123456", "OK"]
    await refused(
        terminal,
        {
            b"read 4092": "no register can be read there",
            b"write 0 1": "no register can be written there",
            b"read 2": "OFFSET is not a multiple of 4",
            b"read 65536": "OFFSET is '65536'; it must be 0 to 65535",
            b"fly": "no such command, help shows them: 'fly'",
        },
    )


@cocotb.test()
async def link_settings(dut):
    """Code, persistency, order, preset and freeze through the driver: what is set is shown, by the hardware too, and what cannot
    be is named."""
    terminal = await in_shell(dut)
    assert (await values(terminal, b"link"))["state"] == "hello"  # there is no peer
    for line in (b"code 4 7 6", b"delta 3", b"order 0", b"preset 2", b"freeze 0"):
        assert await command(terminal, line) == ["OK"]
    shown = await values(terminal, b"link")
    assert [shown[name] for name in ("k", "n", "nr", "delta", "order", "preset", "freeze")] == ["4", "7", "6", "3", "0", "2", "0"]
    assert await register(terminal, "ACTIVE_CODE") == 2 << 24 | 6 << 16 | 7 << 8 | 4
    assert await register(terminal, "ACTIVE_ARQ") == 3
    for line in (b"code 5 9", b"delta inf", b"order 1", b"preset 0", b"freeze 1"):
        assert await command(terminal, line) == ["OK"]
    assert await register(terminal, "ACTIVE_CODE") == 9 << 16 | 9 << 8 | 5
    assert await register(terminal, "ACTIVE_ARQ") == 0x30F
    await refused(
        terminal,
        {
            b"code 17 17": "K is '17'; it must be 1 to 16",
            b"code 4 3": "N is '3'; it must be 4 to 12",
            b"code 4 7 13": "NR is '13'; it must be 4 to 12",
            b"code 4": "usage: code K N [NR]",
            b"delta 15": "D is '15'; it must be 0 to 14",
            b"delta infinite": "D is 'infinite'; it must be 0 to 14",
            b"order 2": "order is '2'; it must be 0 to 1",
            b"preset 3": "preset is '3'; it must be 0 to 2",
            b"freeze yes": "freeze is 'yes'; it must be 0 to 1",
            b"stats all": "only 'reset' may follow, not 'all'",
        },
    )
    assert await register(terminal, "ACTIVE_CODE") == 9 << 16 | 9 << 8 | 5, "a refused command changed something"
    assert await register(terminal, "ACTIVE_ARQ") == 0x30F


@cocotb.test()
async def link_timers(dut):
    """All timers are set at once, or none; what does not fit together is named."""
    terminal = await in_shell(dut)
    assert await command(terminal, b"timers 30000 1000 500 4000 7") == ["OK"]
    wanted = {"poll": "30000", "hello": "1000", "keepalive": "500", "outage": "4000", "status": "7"}
    assert await values(terminal, b"timers") == wanted
    assert await register(terminal, "POLL_TIMEOUT") == 30000 and await register(terminal, "STATUS_INTERVAL") == 7
    await refused(
        terminal,
        {
            b"timers 1 2": "all five timers have to be given: POLL HELLO KEEPALIVE OUTAGE STATUS",
            b"timers 0 1000 500 4000 7": "POLL is '0'; it must be 1 to 4294967295",
            b"timers 1 0 500 4000 7": "HELLO is '0'; it must be 1 to 4294967295",
            b"timers 1 1 1001 4000 7": "KEEPALIVE is '1001'; it must be 1 to 1000",
            b"timers 1 1 1 3 7": "OUTAGE must be 0, or at least four times KEEPALIVE, not '3'",
            b"timers 1 1 1 4 x": "STATUS is 'x'; it must be 0 to 4294967295",
        },
    )
    assert await values(terminal, b"timers") == wanted


@cocotb.test()
async def link_state(dut):
    """The link is stopped, started and restarted; a restart needs a link that is started."""
    terminal = await in_shell(dut)
    assert await command(terminal, b"link down") == ["OK"]
    assert (await values(terminal, b"link"))["state"] == "down"
    await refused(
        terminal,
        {
            b"link restart": "the link is down; 'link up' starts it",
            b"link sideways": "only 'up', 'down' or 'restart' may follow, not 'sideways'",
        },
    )
    assert await command(terminal, b"link up") == ["OK"]
    before = await values(terminal, b"link")
    assert before["state"] == "hello"
    assert await command(terminal, b"link restart") == ["OK"]
    after = await values(terminal, b"link")
    assert after["state"] == "hello" and int(after["epoch"]) == (int(before["epoch"]) + 1) % 256


@cocotb.test()
async def link_counters(dut):
    """`stats` shows all counters under their names; `stats reset` shows them once more and clears them."""
    terminal = await in_shell(dut)

    async def stats(line):
        return {name: int(value) for name, value in (await values(terminal, line)).items()}

    await stats(b"stats reset")
    assert await command(terminal, b"link restart") == ["OK"]
    first = await stats(b"stats")
    assert list(first) == list(regs.COUNTERS)
    assert first["link_restarts"] == 1 and first["tx_control_units"] > 0 and first["tx_phy_idle"] > 1000
    second = await stats(b"stats reset")
    assert second["link_restarts"] == 1 and second["tx_phy_idle"] > first["tx_phy_idle"]
    third = await stats(b"stats")
    assert third["link_restarts"] == 0 and third["tx_phy_idle"] < second["tx_phy_idle"]


@cocotb.test()
async def events_by_interrupt(dut):
    """A threshold raises the link's interrupt, which is counted, and printed between commands only while that is asked for."""
    terminal = await in_shell(dut)
    before = await values(terminal, b"events")
    assert list(before) == [*UP_AND_DOWN, "bus_error", "printed"] and before["printed"] == "off"
    assert await command(terminal, b"threshold tx_phy_idle 1") == ["OK"]  # it is there already
    assert int((await values(terminal, b"events"))["threshold"]) == int(before["threshold"]) + 1

    assert await command(terminal, b"events on") == ["OK"]
    await terminal.send(b"threshold tx_phy_idle 2\r")
    await terminal.expect(b"OK\r\n> \r\nEVENT threshold\r\n> ")
    assert await command(terminal, b"events off") == ["OK"]
    assert await command(terminal, b"threshold tx_phy_idle 0") == ["OK"]
    after = await values(terminal, b"events")
    assert int(after["threshold"]) == int(before["threshold"]) + 2 and after["printed"] == "off"
    await refused(
        terminal,
        {
            b"threshold tx_nothing 1": "no such counter, stats shows them: 'tx_nothing'",
            b"threshold tx_frames x": "VALUE is 'x'; it must be 0 to 4294967295",
            b"events maybe": "only 'on' or 'off' may follow, not 'maybe'",
        },
    )


@cocotb.test()
async def a_line_that_nobody_quiets(dut):
    """An event that the firmware does not watch, enabled with `write`, does not keep the CPU in its handler."""
    terminal = await in_shell(dut)
    assert await command(terminal, b"write 0 1") == ["ERROR no register can be written there"]  # sets ERROR.access
    enabled = await register(terminal, "IRQ_ENABLE")
    assert await command(terminal, b"write %d 0x1ffff" % regs.ARQLINK["IRQ_ENABLE"].offset) == ["OK"]
    assert await register(terminal, "IRQ_ENABLE") == enabled
    assert await register(terminal, "ERROR") & 1


@cocotb.test()
async def tuner_commands(dut):
    """The tuner is started, goes on between commands, keeps an error that it meets, and stops; what it cannot do is named."""
    terminal = await in_shell(dut)
    assert await command(terminal, b"code 5 9") == ["OK"]
    assert await values(terminal, b"tune") == {"running": "0"}
    assert await command(terminal, b"tune loss 1e-6 packet 100 delay 2000 bound 100000") == ["OK"]
    shown = await values(terminal, b"tune")
    assert {name: shown[name] for name in ("running", "goal", "target", "k", "frames", "unit_clocks", "delay", "bound")} == {
        "running": "1", "goal": "loss", "target": "1e-6", "k": "5", "frames": "3", "unit_clocks": "6", "delay": "2000", "bound": "100000",
    }  # fmt: skip
    assert shown["windows"] == "0" and shown["failures"] == "0" and shown["last_failure"] == "none"
    assert await command(terminal, b"code 6 9") == ["OK"]
    while (shown := await values(terminal, b"tune"))["failures"] == "0":
        pass
    assert shown["running"] == "1" and shown["last_failure"] == "K is not the goal's, or the link refuses the setting"
    assert await command(terminal, b"tune goodput") == ["OK"]
    shown = await values(terminal, b"tune")
    assert shown["goal"] == "goodput" and shown["k"] == "6" and shown["failures"] == "0"
    assert await command(terminal, b"tune off") == ["OK"]
    assert await values(terminal, b"tune") == {"running": "0"}
    must_be = "it must be a probability, such as 0.05, 5e-2 or 5%"
    await refused(
        terminal,
        {
            b"tune fast": "a goal is 'loss P' or 'goodput', not 'fast'",
            b"tune loss": "a probability has to follow 'loss'",
            b"tune loss 1": "P must be above 0 and below 1, not '1'",
            b"tune loss 2": f"P is '2'; {must_be}",
            b"tune off now": "nothing may follow 'off', not 'now'",
            b"tune goodput packet": "a number has to follow 'packet'",
            b"tune goodput packet 513": "packet is '513'; it must be 1 to 512",
            b"tune goodput speed 1": "only 'packet', 'delay' and 'bound' may follow, not 'speed'",
            b"tune goodput bound 1000": "with 'bound' also 'delay' is needed: the delay of the line is not known",
            b"tune goodput delay 1000 bound 1000": "the delay bound is too short for any N and delta",
        },
    )
    assert await values(terminal, b"tune") == {"running": "0"}


@cocotb.test()
async def without_a_pair(dut):
    """What only a pair has is refused with one error that says so."""
    terminal = await in_shell(dut)
    assert await command(terminal, b"end a") == ["OK"] and await values(terminal, b"end") == {"end": "a"}
    none = "this system has no channel emulators"
    await refused(terminal, {b"channel": none, b"channel ab loss 1": none, b"selftest": none, b"end b": "this system has no link end 'b'"})


@cocotb.test()
async def shell_survives(dut):
    """Garbage and a line much too long; then commands at the full rate of the line while the first one answers."""
    terminal = await in_shell(dut)
    garbage = random.choices([byte for byte in range(256) if byte != 3], k=300)  # one Ctrl-C, the last byte, is waited for
    await terminal.type(bytes(garbage) + b"\x03")
    await terminal.expect(b"^C\r\n" + PROMPT, 400000)
    await terminal.type(b"x" * 400 + b"\r")
    await terminal.expect(b"ERROR the line is longer than 95 characters\r\n" + PROMPT, 400000)
    await terminal.send(b"help\rread 0\rread 4092\rread 0\r")
    await terminal.expect(b"OK\r\n" + PROMPT, 400000)
    for answer in (b"%d\r\nOK" % regs.ARQLINK["ID"].fields["id"].reset, b"ERROR no register can be read there", b"OK"):
        assert (await terminal.expect(b"\r\n" + PROMPT)).endswith(answer), answer
