# SPDX-License-Identifier: Apache-2.0
"""A poll, a timer, a new setting or a snapshot in each clock of what comes or goes, and some more: each has its effect, once, and disturbs nothing."""

from dataclasses import replace

import cocotb

from cocotb_tests.lib.sweep import sweep
from cocotb_tests.model.units import SN
from cocotb_tests.system.moments import BY_LINE, FRAMES, LENGTHS, MORE, PACKET, K, Moment, numbers, packets_of
from cocotb_tests.system.scripted import BUILD, NEVER

LATE = 150 + MORE + 4 * BUILD.control_unit_beats + 6 * K * BUILD.data_unit_beats
"""Clocks in which all that is due has left, behind three packets."""
SILENCE = 2 * LATE
"""KEEPALIVE where it is written."""
COUNTED = [
    "tx_packets", "tx_bytes", "tx_frames", "tx_units", "tx_control_units", "tx_polls", "rx_packets", "rx_bytes", "rx_units", "rx_control_units",
    "rx_outcomes_ok", "tx_outcomes_ok", "tx_frames_acked",
]  # fmt: skip


class Case(Moment):
    """A link end on which something is `done` in each clock of what happens. `known`: the end's transmissions that the peer has reported."""

    def __init__(self, dut, what, done):
        super().__init__(dut, what)
        self.done, self.known, self.k = done, 0, K
        self.count = dict.fromkeys(COUNTED, 0)

    async def begin(self, **times):
        await self.end.start(**times)
        await self.end.up()

    def control(self, **fields):
        """A control unit of the peer that reports all that it has reported before."""
        known = {"rx_base": self.known, "rx_next": self.known, "bitmap_base": max(0, self.known // 32 * 32 - 32), "bitmap": (1 << 64) - 1}
        return self.end.control(**{"tx_edge": self.fsn, "tx_base": self.fsn, **known, **fields})

    async def snapshot(self):
        """Adds what was counted since the last one to `count`."""
        for name, value in (await self.end.registers.counters(COUNTED, clear=True)).items():
            self.count[name] += value

    async def act(self):
        """Does it; returns the clock of its beginning."""
        end = self.end
        since = end.now
        if self.done == "poll":
            await end.say(self.control(poll=True))
        elif self.done == "timer":
            await end.set(KEEPALIVE=SILENCE)
        elif self.done == "snapshot":
            await self.snapshot()
        elif self.done == "setting":
            self.k = 3 - self.k
            await end.registers.apply(replace(end.setting, k=self.k, n_first=self.k, n_retx=self.k))
        return since

    async def run(self, clock):
        end = self.end
        await self.snapshot()
        self.count = dict.fromkeys(COUNTED, 0)
        begun, packets = end.now, len(end.packets)
        happens = cocotb.start_soon(self.happens())
        if self.done == "poll" and self.what in BY_LINE or self.what == "a frame goes":
            await happens
        await end.clocks(clock)
        acted = await self.act()
        await happens
        await end.clocks(LATE)
        await self.happened(begun, packets)
        await self.had_its_effect(begun, acted)
        # What was sent is acknowledged, and the next case finds the end at rest.
        sent = len(numbers(self.data(0)))
        since = await end.say(self.acknowledged(sent))
        await end.clocks(2 * MORE)
        await end.say(self.control(poll=True))
        await end.clocks(LATE)
        known = end.controls(since)[-1].unit.ack_tsn
        assert known == sent % SN, f"{sent} outcomes have been reported, and {known} are known"
        await self.snapshot()
        self.counted(begun, packets)

    def acknowledged(self, sent):
        self.known = sent
        return self.control()

    async def happened(self, begun, packets):
        """What came is there, what goes is whole, and each once."""
        end = self.end
        wanted = {"a data unit comes": [bytes(BUILD.unit_bytes)], "a packet goes": [PACKET]}.get(self.what, [])
        assert end.packets[packets:] == wanted, f"{len(end.packets) - packets} packets have come, of {len(wanted)}"
        sent = packets_of(self.data(begun))
        assert sent == [PACKET] * {"a packet comes": 1, "a frame goes": 3}.get(self.what, 0), f"{len(sent)} packets were sent"

    async def had_its_effect(self, begun, acted):
        end = self.end
        replies = sum(u.unit.reply for u in end.controls(begun))
        polls = (self.done == "poll") + (self.what == "a control unit comes")
        # Two polls may come before the answer to the first one is composed: then it answers both.
        assert min(polls, 1) <= replies <= polls, f"{replies} replies to {polls} polls"
        if replies:
            assert end.controls(begun)[-1].unit.rx_next == self.fsn
        if self.done == "timer":
            await end.clocks(2 * SILENCE)
            alive = [u.begin for u in end.controls(begun) if u.unit.poll]
            last = max([acted, *(u.end for u in end.left if u.begin < alive[0])])
            assert alive[0] - last + BUILD.control_unit_beats >= SILENCE and alive[0] - last <= SILENCE + MORE, f"{alive[0] - last} clocks"
            assert len(alive) in (1, 2), f"{len(alive)} keep-alives"
            await end.set(KEEPALIVE=NEVER)
        else:
            assert not any(u.unit.poll for u in end.controls(begun)), "a poll without a cause"

    def counted(self, begun, packets):
        """Both snapshots, or one, have each event once."""
        end = self.end
        data, controls = self.data(begun), end.controls(begun)
        sent = packets_of(data)
        wanted = {
            "tx_packets": len(sent),
            "tx_bytes": sum(map(len, sent)),
            "tx_frames": len(numbers(data)),
            "tx_units": len(data),
            "tx_control_units": len(controls),
            "tx_polls": sum(u.unit.poll for u in controls),
            "rx_packets": len(end.packets) - packets,
            "rx_bytes": sum(map(len, end.packets[packets:])),
            "rx_units": {"a data unit comes": 1, "a packet goes": FRAMES * K}.get(self.what, 0),
            "rx_control_units": 2 + (self.done == "poll") + (self.what == "a control unit comes"),
            "rx_outcomes_ok": {"a data unit comes": 1, "a packet goes": FRAMES}.get(self.what, 0),
            "tx_outcomes_ok": len(numbers(data)),
            "tx_frames_acked": len(numbers(data)),
        }
        assert self.count == wanted, {name: (self.count[name], wanted[name]) for name in wanted if self.count[name] != wanted[name]}


@cocotb.test()
@cocotb.parametrize(done=["poll", "timer", "snapshot", "setting"], what=list(LENGTHS))
async def in_each_clock(dut, done, what):
    case = Case(dut, what, done)
    await case.begin()
    await sweep(range(LENGTHS[what] + MORE), case.run)
