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


async def command(terminal, line):
    """Lines of the answer to a command; the echo is checked and left out."""
    await terminal.send(line + b"\r")
    echo, *lines = (await terminal.expect(PROMPT, 200000)).decode().splitlines()
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
    assert await command(terminal, b"code") == ["ERROR no such command, help shows them: 'code'"]


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
