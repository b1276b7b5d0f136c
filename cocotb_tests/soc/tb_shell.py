# SPDX-License-Identifier: Apache-2.0
"""The firmware on the CPU, downloaded as a user would, and spoken to over the UART."""

import random

import cocotb

from cocotb_tests.lib.regs import regs
from cocotb_tests.soc.bench import Terminal
from cocotb_tests.soc.tb_boot import SW, download

PROMPT = b"> "
BUILD_SMALL = {"unit_bytes": 8, "window_frames": 64, "max_k": 16, "max_parity": 8, "max_packet_bytes": 512, "clock_hz": 100000000}


async def in_shell(dut):
    terminal = Terminal(dut)
    await terminal.reset()
    await terminal.expect(b"arqlink boot\r\n")
    await download(terminal, (SW / "firmware.img").read_bytes(), b"OK")
    assert await terminal.expect(PROMPT) == b"arqlink firmware\r\n"
    return terminal


async def command(terminal, line, clocks=200000):
    """Lines of the answer to a command; the echo is checked and left out."""
    await terminal.send(line + b"\r")
    echo, *lines = (await terminal.expect(PROMPT, clocks)).decode().splitlines()
    assert echo == line.decode()
    return lines


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
    assert await command(terminal, b"read 4092") == ["ERROR no register can be read there"]
    assert await command(terminal, b"write 0 1") == ["ERROR no register can be written there"]
    assert await command(terminal, b"read 2") == ["ERROR OFFSET is not a multiple of 4"]
    assert await command(terminal, b"read 65536") == ["ERROR OFFSET is '65536'; it must be 0 to 65535"]
    assert await command(terminal, b"fly") == ["ERROR no such command, help shows them: 'fly'"]


@cocotb.test()
async def link_settings(dut):
    """Code, persistency and order through the driver: what is set is shown, by the hardware too, and what cannot be is named."""
    terminal = await in_shell(dut)

    async def link():
        *items, okay = await command(terminal, b"link")
        assert okay == "OK"
        return dict(map(str.split, items))

    async def register(name):
        value, okay = await command(terminal, b"read %d" % regs.ARQLINK[name].offset)
        assert okay == "OK"
        return int(value)

    assert (await link())["state"] == "hello"  # there is no peer
    assert await command(terminal, b"code 4 7 6") == ["OK"]
    assert await command(terminal, b"delta 3") == ["OK"]
    assert await command(terminal, b"order 0") == ["OK"]
    shown = await link()
    assert [shown[name] for name in ("k", "n", "nr", "delta", "order")] == ["4", "7", "6", "3", "0"]
    assert await register("ACTIVE_CODE") == 6 << 16 | 7 << 8 | 4
    assert await register("ACTIVE_ARQ") & 0x10F == 3
    assert await command(terminal, b"code 5 9") == ["OK"]
    assert await command(terminal, b"delta inf") == ["OK"]
    assert await register("ACTIVE_CODE") == 9 << 16 | 9 << 8 | 5
    assert await register("ACTIVE_ARQ") & 0x10F == 15
    for line, answer in (
        (b"code 17 17", "K is '17'; it must be 1 to 16"),
        (b"code 4 3", "N is '3'; it must be 4 to 12"),
        (b"code 4 7 13", "NR is '13'; it must be 4 to 12"),
        (b"code 4", "usage: code K N [NR]"),
        (b"delta 15", "D is '15'; it must be 0 to 14"),
        (b"delta infinite", "D is 'infinite'; it must be 0 to 14"),
        (b"order 2", "order is '2'; it must be 0 to 1"),
        (b"stats all", "only 'reset' may follow, not 'all'"),
    ):
        assert await command(terminal, line) == [f"ERROR {answer}"], line
    assert await register("ACTIVE_CODE") == 9 << 16 | 9 << 8 | 5, "a refused command changed something"


@cocotb.test()
async def link_counters(dut):
    """`stats` shows all counters under their names; `stats reset` shows them once more and clears them."""
    terminal = await in_shell(dut)

    async def stats(line):
        await terminal.send(line + b"\r")
        _, *items, okay = (await terminal.expect(PROMPT, 400000)).decode().splitlines()
        assert okay == "OK"
        return {name: int(value) for name, value in map(str.split, items)}

    first = await stats(b"stats")
    assert list(first) == list(regs.COUNTERS)
    assert first["link_restarts"] == 1 and first["tx_control_units"] > 0 and first["tx_phy_idle"] > 1000
    second = await stats(b"stats reset")
    assert second["link_restarts"] == 1 and second["tx_phy_idle"] > first["tx_phy_idle"]
    third = await stats(b"stats")
    assert third["link_restarts"] == 0 and third["tx_phy_idle"] < second["tx_phy_idle"]


@cocotb.test()
async def shell_survives(dut):
    """Garbage and a line much too long; then commands at the full rate of the line while the first one answers."""
    terminal = await in_shell(dut)
    await terminal.type(bytes(random.choices(range(256), k=300)) + b"\x03")
    await terminal.expect(b"^C\r\n" + PROMPT, 400000)
    await terminal.type(b"x" * 400 + b"\r")
    await terminal.expect(b"ERROR the line is longer than 95 characters\r\n" + PROMPT, 400000)
    await terminal.send(b"help\rread 0\rread 4092\rread 0\r")
    await terminal.expect(b"OK\r\n" + PROMPT, 200000)
    for answer in (b"%d\r\nOK" % regs.ARQLINK["ID"].fields["id"].reset, b"ERROR no register can be read there", b"OK"):
        assert (await terminal.expect(b"\r\n" + PROMPT)).endswith(answer), answer
