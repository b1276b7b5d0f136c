# SPDX-License-Identifier: Apache-2.0
"""The soft system in simulation: clock, reset and a terminal on its UART."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.uart import UartSink, UartSource

from cocotb_tests.lib.edges import rising_edges

CLOCK_NS = 10
SETTINGS = ("uartDivider=0", "bootWait=20000")
"""The fastest UART, 8 clocks a bit, and the least wait that a terminal can meet."""
BAUD = 1_000_000_000 // CLOCK_NS // 8
BOOT_WAIT = 20000


class Terminal:
    """A board that has just been switched on, and a terminal on its UART; named are the ports of the design for both."""

    def __init__(self, dut, clock="aclk", resetn="aresetn", rx="uart_rx", tx="uart_tx"):
        self.clock, self.resetn = getattr(dut, clock), getattr(dut, resetn)
        self.resetn.value = 0
        for name in ("s_axis", "s_axis_phy", "a_s_axis", "b_s_axis"):
            if hasattr(dut, f"{name}_tvalid"):
                getattr(dut, f"{name}_tvalid").value = 0
        for name in ("m_axis", "m_axis_phy", "a_m_axis", "b_m_axis"):
            if hasattr(dut, f"{name}_tready"):
                getattr(dut, f"{name}_tready").value = 1
        for name in ("ab_erase", "ba_erase"):
            if hasattr(dut, name):
                getattr(dut, name).value = 0
        if hasattr(dut, "phy_up"):
            dut.phy_up.value = 1
        self.source = UartSource(getattr(dut, rx), baud=BAUD)
        self.sink = UartSink(getattr(dut, tx), baud=BAUD)
        self.text = b""
        cocotb.start_soon(Clock(self.clock, CLOCK_NS, unit="ns").start())

    async def reset(self):
        self.resetn.value = 0
        await rising_edges(self.clock, 5)
        self.text = b""
        self.sink.clear()
        self.resetn.value = 1
        await RisingEdge(self.clock)

    async def send(self, data):
        """Puts bytes on the line one after the other; returns at once."""
        await self.source.write(data)

    async def type(self, data, clocks=800):
        """Sends a byte each `clocks` clocks; 800 is 1.25 Mbit/s, which the firmware has to keep up with for ever."""
        for byte in data:
            await self.source.write(bytes([byte]))
            await rising_edges(self.clock, clocks)

    async def expect(self, text, clocks=60000):
        """Waits until `text` comes; returns all that came before it, and takes both away."""
        for _ in range(clocks // 50 + 1):
            self.text += bytes(self.sink.read_nowait())
            before, found, after = self.text.partition(text)
            if found:
                self.text = after
                return before
            await rising_edges(self.clock, 50)
        raise AssertionError(f"{text} did not come in {clocks} clocks; there came {self.text}")

    async def ask(self, command, clocks=60000):
        """The line that a command is answered with."""
        await self.send(command)
        return (await self.expect(b"\r\n", clocks)).decode()
