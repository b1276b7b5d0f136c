# SPDX-License-Identifier: Apache-2.0
"""What comes to a link end, or goes, while something else happens in each of its clocks in turn."""

from dataclasses import replace

from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.model.units import DataUnit
from cocotb_tests.system.scripted import BUILD, Scripted

MORE = 32
"""Clocks beyond what comes or goes: in them it is verified and judged, or chosen and coded."""
K = 2
PACKET = bytes(range(1, K * BUILD.unit_bytes)) * 2
"""Two frames, the second one with filling."""
FRAMES = 2
LENGTHS = {
    "a data unit comes": BUILD.data_unit_beats,
    "a control unit comes": BUILD.control_unit_beats,
    "a packet comes": len(PACKET) // BUILD.data_bytes,
    "a frame goes": K * BUILD.data_unit_beats,
    "a packet goes": len(PACKET) // BUILD.data_bytes,
}
BY_LINE = ("a data unit comes", "a control unit comes", "a packet goes")
"""What begins with units of the peer, on whose line one comes behind the other."""


def packets_of(units):
    """The packets whose frames these data units are, sent once each, in sequence and with nothing missing but parity. Fails where a frame lacks
    something, or is of two codes; the last packet may still lack frames."""
    packets: list[bytes] = []
    now: bytes | None = None
    at, frame = 0, None
    for unit in units:
        if unit.index == 0:
            assert at == 0, f"a frame without its last unit: {frame}"
            frame = unit
        assert frame is not None and unit.index == at and unit.transmission == frame.transmission, f"{unit} in {frame}"
        if unit.index < unit.k:
            if unit.index == 0 and unit.sop:
                assert now is None, "a packet begins within another one"
                now = b""
            assert now is not None, "a packet without a beginning"
            now += unit.payload
        at = (at + 1) % unit.n
        if at == 0 and unit.eop:
            assert now is not None
            packets.append(now[: len(now) - unit.pad])
            now = None
    return packets


def numbers(units):
    """FSN and TSN of each transmission."""
    return [(unit.fsn, unit.tsn) for unit in units if unit.index == 0]


class Moment:
    """A link end, and `what` of LENGTHS; `fsn` is the peer's next FSN and TSN."""

    def __init__(self, dut, what):
        self.dut, self.what = dut, what
        self.end = Scripted(dut, Setting(K, K, K, 0, INFINITE))
        self.fsn = 0

    def frames(self):
        """The units of PACKET from the peer."""
        size = K * BUILD.unit_bytes
        for i in range(FRAMES):
            part = PACKET[i * size : (i + 1) * size]
            padded = part.ljust(size, b"\0")
            for unit in self.end.frame(self.fsn, self.fsn, k=K, n=K, sop=i == 0, eop=i == FRAMES - 1, pad=size - len(part)):
                at = unit.index * BUILD.unit_bytes
                yield replace(unit, payload=padded[at : at + BUILD.unit_bytes])
            self.fsn += 1

    async def happens(self):
        """Begins; ends when the peer has said its part, or the frame begins to go."""
        end = self.end
        if self.what == "a data unit comes":
            self.fsn += 1
            await end.say(*end.frame(self.fsn - 1, self.fsn - 1))
        elif self.what == "a control unit comes":
            await end.say(end.control(tx_edge=self.fsn, tx_base=self.fsn, poll=True))
        elif self.what == "a packet comes":
            end.source.start([PACKET])
        elif self.what == "a packet goes":
            await end.say(*self.frames())
        else:
            since = end.now
            end.source.start([PACKET] * 3)
            await end.until(lambda: end.leaving or end.data(since), 300, "data")

    def data(self, since):
        """Data units that the end sent."""
        return [u.unit for u in self.end.left if u.begin > since and isinstance(u.unit, DataUnit)]
