# SPDX-License-Identifier: Apache-2.0
"""A restart in each clock of what comes or goes, and some more: nothing of the old life is in the new one, and the new one lacks nothing."""

import cocotb

from cocotb_tests.lib.sweep import sweep
from cocotb_tests.model.units import DataUnit
from cocotb_tests.system.moments import LENGTHS, MORE, PACKET, Moment, numbers, packets_of
from cocotb_tests.system.scripted import BUILD

UP = 3
CLEARED = 8 * BUILD.window_frames + 500
"""Clocks in which a restarted end has said hello."""
ANSWERED = MORE + 3 * BUILD.control_unit_beats
PROBE = bytes([0xA5]) * (len(PACKET) - 1)
COUNTED = ["link_restarts", "link_outages"]


class Life(Moment):
    """A link end that is up and then restarts `by` something while something happens; the next life begins with the end of the one before."""

    def __init__(self, dut, what, by):
        super().__init__(dut, what)
        self.by = by

    async def before(self):
        """What the peer says in advance, so that one more control unit makes the end restart: it believes that frame 0 was received."""
        end = self.end
        if self.by == "resync":
            await end.say(*end.frame(0, 0, k=2, n=2, units=[0]), *end.frame(1, 1))
            await end.say(end.control(tx_edge=2, tx_base=2))
            await end.clocks(MORE)
        self.fsn = 2 if self.by == "resync" else 0

    async def restart(self):
        end = self.end
        if self.by == "register":
            await end.set(CTRL=3)
        elif self.by == "disabling":
            await end.set(CTRL=0)
            await end.set(CTRL=1)
        elif self.by == "peer":
            end.epoch += 1
            await end.say(end.hello(peer_known=False))
        elif self.by == "resync":
            await end.say(end.control(tx_edge=2, tx_base=2))
        else:
            await end.reset()

    async def run(self, clock):
        """One life, whose end comes `clock` clocks after the beginning of what happens. Where the peer says both, its hello comes behind what happens,
        and what makes the link restart by itself, which takes its time, ahead of it."""
        end = self.end
        await end.up()
        await self.before()
        old, since, was, counted = end.own_epoch, end.now, len(end.packets), await end.registers.counters(COUNTED)
        if self.by == "resync" and self.what.endswith("unit comes"):
            await self.restart()
            await end.clocks(clock)
            await self.happens()
        else:
            happens = cocotb.start_soon(self.happens())
            if self.by in ("peer", "resync") or self.what == "a frame goes":
                await happens
            await end.clocks(clock)
            await self.restart()
            await happens
        await self.next_life(old, since, was, counted)

    async def next_life(self, old, since, was, counted):
        """Comes up once, by the rules, with nothing of the old life."""
        end = self.end
        new = (old + (2 if self.by == "a reset" else 1)) % 256  # after a reset the link begins, and begins again when its registers are written

        def units():
            return [u.unit for u in end.left if u.begin > since and u.unit and u.unit.epoch == new]

        await end.until(units, CLEARED, "a unit of the new life")
        await end.clocks(MORE)
        assert [getattr(unit, "hello", False) for unit in units()] == [True], f"before the peer speaks: {units()}"
        damaged = sum(u.unit is None for u in end.left if u.begin > since)
        assert damaged <= 1, f"{damaged} units with a wrong CRC"
        if self.by != "peer":
            end.epoch += 1
        end.source.start([PROBE])
        await end.say(end.hello())
        await end.clocks(ANSWERED)
        answers = len(units())
        assert answers > 1 and await end.registers.state() == UP
        await end.say(end.hello())
        await end.clocks(ANSWERED)
        assert len(units()) > answers, "a hello that nobody answers"
        assert end.own_epoch == new, "a second hello, and the link restarts"
        assert not self.data_of(units()), "data leaves, and the peer has not shown that it is up"
        before = len(end.packets)
        assert end.packets[was:] in ([], [PACKET if self.what == "a packet goes" else bytes(BUILD.unit_bytes)]), "half of a packet has left"
        assert len(end.cut) <= 1
        self.fsn = 0
        await end.say(end.control(), *self.frames())
        sent = 8 * len(PACKET) // BUILD.data_bytes + 20 * BUILD.data_unit_beats + 300
        await end.until(lambda: self.data_of(units())[-1:] and PROBE in packets_of(self.data_of(units())), sent, "the packet of the new life")
        packets = packets_of(self.data_of(units()))
        assert packets[-1] == PROBE and all(p == PACKET for p in packets[:-1]), f"{len(packets)} packets leave"
        sequence = numbers(self.data_of(units()))
        assert sequence == [(i, i) for i in range(len(sequence))], sequence
        await end.until(lambda: len(end.packets) > before, 300, "the peer's packet")
        assert end.packets[before:] == [PACKET]
        end.cut.clear()
        counters = await end.registers.counters(COUNTED)
        if self.by != "a reset":
            more = [counters[name] - counted[name] for name in COUNTED]
            assert more == [1, 0], f"{more[0]} restarts, {more[1]} outages"
        errors = [name for name in ("resync", "peer_restart") if await end.registers.error(name)]
        assert errors == {"resync": ["resync"], "peer": ["peer_restart"]}.get(self.by, []), errors
        # All is acknowledged; then the link is restarted, so that the next life begins as the first one did.
        edge = len(sequence)
        await end.say(end.control(rx_base=edge, rx_next=edge, bitmap=(1 << 64) - 1))
        await end.clocks(MORE)
        await end.restart()
        end.left = end.left[-1:]

    @staticmethod
    def data_of(units):
        return [unit for unit in units if isinstance(unit, DataUnit)]


@cocotb.test()
@cocotb.parametrize(by=["register", "disabling", "peer", "resync", "a reset"], what=list(LENGTHS))
async def a_restart_in_each_clock(dut, by, what):
    life = Life(dut, what, by)
    await life.end.start()
    await sweep(range(LENGTHS[what] + MORE), life.run)
