# SPDX-License-Identifier: Apache-2.0
"""The boot loader, traps and the bus, seen from the UART; the image that is built in is `hello`, another one is `other`."""

import os
import random
import struct
import zlib
from pathlib import Path

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.lib.regs import regs
from cocotb_tests.soc.bench import BOOT_WAIT, Terminal

SW = Path(__file__).resolve().parents[2] / "build" / "sw"
HELLO_IMAGE, OTHER = ((SW / f"{program}.img").read_bytes() for program in ("hello", "other"))
HELLO = b"hello 5eed0001\r\n"
HEADER = 16
LOADED = {"image": os.environ["PROGRAM"]}
"""What is in RAM, which a reset leaves there."""


async def started(dut):
    terminal = Terminal(dut)
    await terminal.reset()
    assert await terminal.expect(b"arqlink boot\r\n") == b""
    return terminal


async def in_hello(dut):
    """A terminal that the program hello has greeted, which is downloaded where another one is in RAM."""
    terminal = await started(dut)
    if LOADED["image"] != "hello":
        await download(terminal, HELLO_IMAGE, b"OK")
    await terminal.expect(HELLO, 400000)
    return terminal


async def download(terminal, image, answer):
    """Offers an image; `answer` is what has to come last."""
    await terminal.send(b"ARQD")
    await terminal.expect(b"READY\r\n")
    await terminal.send(image[:HEADER])
    reply = await terminal.expect(b"\r\n", 200000)
    if reply == b"GO":
        LOADED["image"] = "hello" if image == HELLO_IMAGE else "another"
        await terminal.send(image[HEADER:])
        reply = await terminal.expect(b"\r\n", 100000 + 300 * len(image))  # 80 to come, and the CRC
    assert reply == answer, reply


def damaged(position):
    image = bytearray(OTHER)
    image[position] ^= 1 << random.randrange(8)
    return bytes(image)


@cocotb.test()
async def boots_built_in_image(dut):
    """The image in RAM starts, echoes, and after a reset starts the same: its variables have their first values again."""
    terminal = await in_hello(dut)
    await terminal.send(b"xyz")
    await terminal.expect(b"xyz")
    await terminal.reset()
    await terminal.expect(b"arqlink boot\r\n")
    await terminal.expect(HELLO, 400000)


@cocotb.test()
async def timer_interrupts(dut):
    """The timer interrupt comes once for each request, and not before its time."""
    terminal = await in_hello(dut)
    for count in (1, 2, 3):
        assert await terminal.ask(b"t") == f"tick {count:08x}"


@cocotb.test()
async def a_trap_is_told_and_the_system_starts_anew(dut):
    """Instructions that do not exist, where nothing is and in RAM; afterwards interrupts come as before."""
    terminal = await in_hello(dut)
    for address in (0x40000000, 0x10000000):
        await terminal.send(b"j%08x" % address)
        await terminal.expect(b"\r\nERROR trap 00000002 at %08x, restarting\r\narqlink boot\r\n" % address)
        await terminal.expect(HELLO, 400000)
        assert await terminal.ask(b"t") == "tick 00000001"
        await terminal.send(b"xyz")
        await terminal.expect(b"xyz")


@cocotb.test()
async def reads_registers_and_nothing(dut):
    """Link ID, RAM and ROM read well; where nothing is, and where the link refuses, the read fails and the CPU goes on."""
    terminal = await in_hello(dut)
    assert await terminal.ask(b"r80000000") == "value 4152514c"
    assert await terminal.ask(b"r90000000") == "value 41525155"
    assert await terminal.ask(b"r90001000") == "value 4152514d"
    assert await terminal.ask(b"r90002000") == "value 41525153"
    assert await terminal.ask(b"r9000200c") == f"value {BOOT_WAIT:08x}"
    assert await terminal.ask(b"r10000000") == "value 49515241"
    for address in (0x00001000, 0x10010000, 0x40000000, 0x80000FFC, 0x8000F000, 0x80010000, 0x90000FFC, 0x90003000, 0xFFFFFFFC):
        assert await terminal.ask(b"r%08x" % address) == "fault 00000000", hex(address)
        assert await terminal.ask(b"r80000000") == "value 4152514c"
    assert await terminal.ask(b"r80000002") == "fault 00000000"


@cocotb.test()
async def registers_of_devices(dut):
    """Each register of the devices reads well, and what is beside one; no byte has come, and RX shows none."""
    terminal = await in_hello(dut)
    for base, names in ((0x90000000, regs.ARQUART), (0x90001000, regs.ARQTIMER), (0x90002000, regs.ARQSYS)):
        offsets = {register.offset for register in names.values()}
        for offset in range(0, max(offsets) // 8 * 8 + 12, 4):
            answer = await terminal.ask(b"r%08x" % (base + offset))
            assert answer.startswith("value" if {offset, offset ^ 4} & offsets else "fault"), (hex(base + offset), answer)
            if offset not in offsets:
                assert answer.endswith(" 00000000"), (hex(base + offset), answer)
    assert await terminal.ask(b"r90000008") == "value 00000000"


@cocotb.test()
async def bytes_that_are_lost_are_shown(dut):
    """While the program reads nothing, more bytes come than the FIFO of the UART holds: the first 32 are kept, and ERROR says that some were lost."""
    terminal = await in_hello(dut)
    error = 0x90000000 + regs.ARQUART["ERROR"].offset
    assert await terminal.ask(b"r%08x" % error) == "value 00000000"
    text = (b"ABCDEFGHKLMNOPQS0123456789" * 2)[:40]
    await terminal.send(b"i00000000" + text)
    await terminal.expect(b"lines 00000000\r\n" + text[:32])
    assert await terminal.ask(b"r%08x" % error) == "value 00000001"
    assert await terminal.ask(b"w%08x00000001" % error) == "value 00000001"
    assert await terminal.ask(b"r%08x" % error) == "value 00000000"


@cocotb.test()
async def external_interrupts(dut):
    """UART and link each raise their own line, when they are enabled and have a reason, and not otherwise."""
    terminal = await in_hello(dut)
    await lines_are_quiet(terminal)
    assert await terminal.ask(b"w9000001c00000001") == "value 00000001"
    await terminal.send(b"i00000001")
    await rising_edges(dut.aclk, 3000)
    await terminal.send(b"z")
    assert await terminal.expect(b"\r\n") == b"lines 00000001"
    await terminal.expect(b"z")
    await link_raises(terminal, 0x80000000, 2)


async def lines_are_quiet(terminal):
    assert await terminal.ask(b"i00000006") == "lines 00000000"


async def link_raises(terminal, base, line):
    """An access that the link refuses raises its line until it is acknowledged."""
    assert await terminal.ask(b"w%08x00000001" % (base + regs.ARQLINK["IRQ_ENABLE"].offset)) == "value 00000001"
    assert await terminal.ask(b"w%08x00000001" % base) == "fault 00000001"  # ID is read-only
    assert await terminal.ask(b"i00000006") == f"lines {line:08x}"
    assert await terminal.ask(b"w%08x00000001" % (base + regs.ARQLINK["ERROR"].offset)) == "value 00000001"
    await lines_are_quiet(terminal)


@cocotb.test()
async def downloads_another_image(dut):
    """A download that is asked for among garbage replaces the built-in image; a reset starts the downloaded one again."""
    terminal = await started(dut)
    await terminal.send(b"\x00garbage AARQAR\xff")
    await download(terminal, OTHER, b"OK")
    await terminal.expect(b"other 5eed0001\r\n")
    await terminal.reset()
    await terminal.expect(b"arqlink boot\r\n")
    await terminal.expect(b"other 5eed0001\r\n", 400000)


@cocotb.test()
async def refuses_damaged_images(dut):
    """Each kind of damage is named, and the loader takes the next offer; in the end a good image starts."""
    terminal = await started(dut)
    await download(terminal, damaged(random.randrange(4)), b"ERROR no image")
    await download(terminal, damaged(random.randrange(4, HEADER)), b"ERROR header CRC")
    await download(terminal, damaged(random.randrange(HEADER, len(OTHER))), b"ERROR body CRC")
    for length in (0, 64 * 1024 - 1040 + 4, 0xFFFFFFFF):
        head = b"ARQI" + struct.pack("<II", length, 0)
        await download(terminal, head + struct.pack("<I", zlib.crc32(head)), b"ERROR length")
    await download(terminal, OTHER[:200], b"ERROR timeout")
    await download(terminal, OTHER[:5], b"ERROR timeout")
    await download(terminal, OTHER, b"OK")
    await terminal.expect(b"other 5eed0001\r\n")


@cocotb.test()
async def half_a_download_does_not_start(dut):
    """After a reset in the middle of a download there is no image, which is said, and a download is waited for."""
    terminal = await started(dut)
    await download(terminal, OTHER[:-1], b"ERROR timeout")
    await terminal.reset()
    await terminal.expect(b"arqlink boot\r\n")
    await terminal.expect(b"ERROR no image\r\n", 400000)
    await download(terminal, OTHER, b"OK")
    await terminal.expect(b"other 5eed0001\r\n")
