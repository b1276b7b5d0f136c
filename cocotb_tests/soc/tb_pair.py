# SPDX-License-Identifier: Apache-2.0
"""The firmware's commands that need a pair."""

import cocotb

from cocotb_tests.soc.tb_shell import PROMPT, command, in_shell, refused, values


async def link_up(terminal):
    while (await values(terminal, b"link"))["state"] != "up":
        pass


@cocotb.test()
async def channels_and_ends(dut):
    """Each link end and each channel is set and shown apart from the other."""
    terminal = await in_shell(dut)
    for line in (b"channel ab delay 200", b"channel ab burst 0 0.5 1e-3 25%", b"channel ba loss 1e-2", b"channel ba pace 1", b"channel ba control 0"):
        assert await command(terminal, line) == ["OK"], line
    ab, ba = [await values(terminal, line) for line in (b"channel ab", b"channel ba")]
    assert [ab[n] for n in ("model", "p_good", "p_bad", "p_gb", "p_bg", "delay", "pace", "control")] == "burst 0 5e-1 1e-3 2.5e-1 200 0 1".split()
    assert [ba[n] for n in ("model", "p_good", "delay", "pace", "control", "outage")] == "bernoulli 1e-2 0 1 0 0".split()
    for line in (b"channel ab loss 0", b"channel ab seed 5", b"channel ba loss 0", b"channel ba pace 0", b"channel ba control 1"):
        assert await command(terminal, line) == ["OK"], line
    for end, code in ((b"b", b"4 6"), (b"a", b"8 10")):
        assert await command(terminal, b"end " + end) == ["OK"]
        assert await command(terminal, b"code " + code) == ["OK"]
    assert (await values(terminal, b"link"))["k"] == "8"
    await command(terminal, b"end b")
    assert (await values(terminal, b"link"))["k"] == "4"
    assert await command(terminal, b"end a") == ["OK"]
    await refused(
        terminal,
        {
            b"end c": "this system has no link end 'c'",
            b"channel cd": "a channel is 'ab' or 'ba', not 'cd'",
            b"channel ab delay 16777215": "the built channel is too short for a delay of '16777215'",
            b"channel ab jitter 1": "no such setting of a channel: 'jitter'",
        },
    )


async def check_self_test(terminal, clocks):
    """40 packets across a channel that erases: all arrive as they were sent."""
    found = await values(terminal, b"selftest 40 100 0.05", clocks)
    assert found["sent"] == found["received"] == "40" and int(found["erased"]) > 5
    assert [found[n] for n in ("lost", "disordered", "corrupt", "aborted")] == ["0"] * 4


@cocotb.test()
async def self_test(dut):
    """The self-test runs across the lossy channel; what keeps it from running is named."""
    terminal = await in_shell(dut)
    await link_up(terminal)
    await check_self_test(terminal, 2000000)
    await command(terminal, b"link down")
    await refused(terminal, {b"selftest": "the link is not up", b"selftest 1 513": "BYTES is '513'; it must be 8 to 512"})
    await command(terminal, b"link up")


@cocotb.test()
async def events_of_both_ends(dut):
    """Both links' interrupts are latched: a restart takes both ends down and up, which is printed while `events` is on."""
    terminal = await in_shell(dut)
    await link_up(terminal)
    assert await command(terminal, b"events on") == ["OK"]
    await terminal.send(b"link restart\r")
    wanted = {b"link_down", b"link_down b", b"link_up", b"link_up b"}
    while wanted:
        await terminal.expect(b"EVENT ", 200000)
        wanted.remove(await terminal.expect(b"\r\n"))
    await terminal.expect(PROMPT)
    assert await command(terminal, b"events off") == ["OK"]
    for end in (b"b", b"a"):
        await command(terminal, b"end " + end)
        shown = await values(terminal, b"events")
        assert int(shown["link_down"]) >= 1 and int(shown["link_up"]) >= 2, (end, shown)
