# SPDX-License-Identifier: Apache-2.0
"""ByteStreamPhy: units to bytes and bytes to units, against the package `cobs`, which shares nothing with the RTL."""

import itertools
import random
import zlib
from typing import NamedTuple

import cocotb
from cobs import cobs

from cocotb_tests.lib.bench import Bench, Events, Sink, Source, beats
from cocotb_tests.lib.limits import CONTROL_BYTES, HEADER_AND_CRC, built

LIMITS = built()
WIDTH = LIMITS.data_bytes
LONGEST = max(LIMITS.unit_bytes + HEADER_AND_CRC, CONTROL_BYTES)
WHY = ["phy_cut", "phy_too_long", "phy_bad_byte"]


class Unit(NamedTuple):
    """A unit at m_axis_phy; a bad one has no data here, and `why` is the cause that was shown with its last beat."""

    data: bytes
    why: str = ""


class Units:
    """Collects units at m_axis_phy."""

    def __init__(self, bench):
        dut = bench.dut
        self.bench = bench
        self.valid, self.data, self.last, self.user = (getattr(dut, f"m_axis_phy_t{name}") for name in ("valid", "data", "last", "user"))
        self.why = [(name, getattr(dut, name)) for name in WHY]
        self.found = []
        self.clear()
        bench.actors.append(self)

    def clear(self):
        self.raw = bytearray()

    def step(self):
        if not self.valid.value:
            return
        self.raw += int(self.data.value).to_bytes(WIDTH, "little")
        assert len(self.raw) <= LONGEST
        why = [name for name, signal in self.why if signal.value]
        assert len(why) == int(self.user.value) <= int(self.last.value)
        if self.last.value:
            self.found.append(Unit(b"", *why) if why else Unit(bytes(self.raw)))
            self.at = self.bench.clock
            self.clear()


class NoPause:
    """Checks that m_axis_byte does not pause within a unit, and shows delimiters while it is idle."""

    def __init__(self, bench):
        self.valid, self.ready, self.data = (getattr(bench.dut, f"m_axis_byte_t{name}") for name in ("valid", "ready", "data"))
        self.clear()
        bench.actors.append(self)

    def clear(self):
        self.inside = False

    def step(self):
        value = int(self.data.value)
        if not self.valid.value:
            assert value == 0 and not self.inside
        elif self.ready.value:
            self.inside = value != 0


class Phy:
    """The block, with what feeds it and what takes from it; rates are shares of the clocks."""

    def __init__(self, dut, unit_rate=1.0, ready_rate=1.0, line_rate=1.0):
        self.bench = Bench(dut)
        NoPause(self.bench)
        self.source = Source(self.bench, "s_axis_phy_t", [f"s_axis_phy_t{name}" for name in ("data", "last", "user")], unit_rate)
        self.sink = Sink(self.bench, "m_axis_byte_t", ["m_axis_byte_tdata"], ready_rate)
        self.line = Source(self.bench, "s_axis_byte_t", ["s_axis_byte_tdata", "s_axis_byte_tuser"], line_rate)
        self.units = Units(self.bench)
        self.events = Events(self.bench, ["phy_dropped", *WHY])

    def send(self, unit, erased=()):
        """Queues a unit of whole beats for the line; beats `erased` have tuser."""
        words = beats(unit, WIDTH)
        self.source.queue.extend((word, int(i == len(words) - 1), int(i in erased)) for i, word in enumerate(words))

    def hear(self, line, wrong=()):
        """Queues bytes from the line; those at `wrong` have tuser."""
        self.line.queue.extend((byte, int(i in wrong)) for i, byte in enumerate(line))

    async def all_heard(self):
        """Waits until all bytes from the line have been taken, and have come out."""
        await self.bench.until(lambda: self.line.idle, 2 * len(self.line.queue) + 100, "all heard")
        await self.bench.clocks(10)

    async def settle(self):
        """Waits until all has been taken, and for a time in which the longest unit leaves a line that is ready in a third of the clocks."""
        due = 10 * (len(self.source.queue) * WIDTH + len(self.line.queue)) + 1000
        await self.bench.until(lambda: self.source.idle and self.line.idle, due, "all taken")
        await self.bench.clocks(4 * LONGEST + 100)

    def sent(self):
        """The bytes that were taken from m_axis_byte since the last call."""
        line = bytes(value for _, value in self.sink.items)
        self.sink.items.clear()
        return line

    def found(self):
        """The units that have come since the last call."""
        found, self.units.found = self.units.found, []
        return found


def framed(units):
    """Bytes of units that follow each other without a pause, behind one."""
    return b"\0" + b"".join(cobs.encode(unit) + b"\0" for unit in units)


def heard(line, wrong=()):
    """What becomes of the bytes of a line after reset: units, and for each bad one the causes that it can have."""
    marked = {line[:at].count(0) for at in wrong}
    for number, run in enumerate(line.split(b"\0")[1:-1], 1):
        if not run:
            continue
        try:
            unit = cobs.decode(run)
        except cobs.DecodeError:
            yield b"", WHY  # which bytes it has beside what is cut off, the package does not say
            continue
        if len(unit) > LONGEST:
            yield b"", ["phy_too_long"]
        elif number in marked:
            yield b"", ["phy_bad_byte"]
        else:
            yield (unit, [""]) if unit and len(unit) % WIDTH == 0 else (b"", ["phy_cut"])


def check_heard(found, wanted):
    for unit, (data, causes) in zip(found, wanted, strict=True):
        assert unit.data == data and unit.why in causes, (unit, data, causes)


def contents(length):
    """Units of one length that differ in where their zeros are; the first one has none."""
    full = bytes(random.randint(1, 255) for _ in range(length))
    return [full, bytes(length), b"\0" + full[1:], full[:-1] + b"\0", random.randbytes(length)]


def random_unit(longest=LONGEST):
    return random.choice(contents(WIDTH * random.randint(1, longest // WIDTH)))


async def carry(dut, units):
    """Sends and hears the units, with pauses at all ports."""
    phy = Phy(dut, 0.9, 0.9, 0.9)
    await phy.bench.start()
    for unit in units:
        phy.send(unit)
    phy.hear(framed(units))
    await phy.settle()
    assert [run for run in phy.sent().split(b"\0") if run] == [cobs.encode(unit) for unit in units]
    assert phy.found() == [Unit(unit) for unit in units]
    assert not +phy.events.count


@cocotb.test()
async def edges(dut):
    """Lengths at the edges of pieces, beats and units, with zeros and without."""
    short = [unit for length in range(WIDTH, 9, WIDTH) for unit in contents(length)]
    near = {length // WIDTH * WIDTH for length in (*range(253, 257), *range(507, 510), LONGEST - WIDTH, LONGEST) if length <= LONGEST}
    long = [unit for length in sorted(near) for full, *others in [contents(length)] for unit in (full, random.choice(others))]
    await carry(dut, [*short, *long, *around_full_pieces()])


def around_full_pieces():
    """Units whose first or second zero is around the end of a full piece of 254 bytes."""
    full = bytes(random.randint(1, 255) for _ in range(LONGEST))
    for run in (*range(252, 257), *range(506, 511)):
        if run < LONGEST:
            yield full[:run] + b"\0" + full[run + 1 :]
            yield full[:run] + bytes(LONGEST - run)


@cocotb.test()
async def every_length(dut):
    await carry(dut, [random.choice(contents(length)) for length in range(WIDTH, LONGEST + 1, WIDTH)])


@cocotb.test()
async def full_rate(dut):
    """A byte in each clock, behind a unit of the longest ones; bytes from the line in each clock, too."""
    phy = Phy(dut)
    await phy.bench.start()
    units = [bytes(LONGEST), *(random_unit(longest) for longest in [*[LONGEST] * 6, *[4 * WIDTH] * 20, LONGEST])]
    for unit in units:
        phy.send(unit)
    phy.hear(framed(units))
    await phy.settle()
    first, last = phy.sink.items[0][0], phy.sink.items[-1][0]
    assert phy.sent() == framed(units)
    assert last - first + 1 == len(framed(units))
    assert phy.found() == [Unit(unit) for unit in units]


@cocotb.test()
async def a_slow_line(dut):
    """It is ready in a fifth of the clocks, and units wait until there is room. No byte is sent between them."""
    phy = Phy(dut, ready_rate=0.2)
    await phy.bench.start()
    units = [*(random.choice(contents(LONGEST)) for _ in range(4)), *(random_unit(4 * WIDTH) for _ in range(10))]
    for unit in units:
        phy.send(unit)
    await phy.bench.until(lambda: len(phy.sink.items) >= len(framed(units)), 100_000, "all sent")
    await phy.bench.clocks(100)
    assert phy.sent() == framed(units)


@cocotb.test()
async def pauses(dut):
    """A delimiter more goes ahead of a unit that follows a pause, and of no other."""
    phy = Phy(dut)
    await phy.bench.start()
    for _ in range(6):
        units = [random_unit(min(LONGEST, 40)) for _ in range(2)]
        units.sort(key=len, reverse=True)  # the second one waits when the first has left
        for unit in units:
            phy.send(unit)
        await phy.settle()
        assert phy.sent() == framed(units)


@cocotb.test()
async def latency(dut):
    """Clocks from a unit's last beat to its first byte on an idle line, and from its delimiter to its last beat."""
    phy = Phy(dut)
    await phy.bench.start()
    for unit in (b"\1" * WIDTH, random_unit()):
        phy.send(unit)
        await phy.bench.until(lambda: phy.source.idle, 2 * LONGEST, "taken")
        taken = phy.bench.clock
        await phy.settle()
        code = cobs.encode(unit)[0]
        first = next(clock for clock, value in phy.sink.items if value == code)
        assert first - taken == 11
        phy.sink.items.clear()

        phy.hear(framed([unit]))
        await phy.bench.until(lambda: phy.line.idle, 2 * LONGEST, "heard")
        ended = phy.bench.clock
        await phy.settle()
        assert phy.units.at - ended == 2


class Noise:
    """Damages the bytes of a line; remembers which of them have stayed next to each other."""

    def __init__(self, line):
        self.bytes: list[tuple[int, int | None]] = [(byte, at) for at, byte in enumerate(line)]  # with its place, as long as it is what was sent
        self.wrong = set()

    def damage(self, count):
        for _ in range(count):
            at = random.randrange(len(self.bytes))
            random.choice([self._change, self._lose, self._add, self._add_many])(at)

    def mark(self, count):
        """Marks bytes, some of which have been damaged."""
        self.wrong = {random.randrange(len(self.bytes)) for _ in range(count)}
        for at in self.wrong:
            self.bytes[at] = (random.choice([self.bytes[at][0], random.randrange(256)]), None)

    def _change(self, at):
        self.bytes[at] = (random.choice([0, random.randrange(256)]), None)

    def _lose(self, at):
        del self.bytes[at : at + random.choice([1, 1, 3, LONGEST])]

    def _add(self, at):
        self.bytes.insert(at, (random.randrange(256), None))

    def _add_many(self, at):
        lowest = random.randrange(2)  # with and without delimiters
        self.bytes[at:at] = [(random.randint(lowest, 255), None) for _ in range(random.choice([5, LONGEST + 10, 3 * LONGEST]))]

    def line(self):
        return bytes(byte for byte, _ in self.bytes)

    def intact(self, begin, end):
        """Whether the bytes that were sent at these places still follow each other."""
        places, wanted = [place for _, place in self.bytes], list(range(begin, end))
        return any(places[at : at + len(wanted)] == wanted for at, place in enumerate(places) if place == begin)


def with_crc():
    """A unit that ends with its CRC, as the link's do."""
    length = WIDTH * random.randint(4 // WIDTH + 1, min(LONGEST, 64) // WIDTH)
    body = random.randbytes(length - 4)
    return body + zlib.crc32(body).to_bytes(4, "little")


def is_good(unit):
    return zlib.crc32(unit[:-4]).to_bytes(4, "little") == unit[-4:]


@cocotb.test()
async def noise(dut):
    """All units of which the bytes and both delimiters are intact arrive. Of the others, none arrives whole but one that was sent: what is not
    marked as bad has a wrong CRC."""
    phy = Phy(dut, line_rate=0.95)
    await phy.bench.start()
    arrived = lost = 0
    for errors, marks in [(0, 0), (20, 0), (6, 6), (30, 3), (2, 0)]:
        await phy.bench.reset()  # the receiver knows no more than at the start
        units = [with_crc() for _ in range(40)]
        noisy = Noise(framed(units))
        noisy.damage(errors)
        noisy.mark(marks)
        noisy.bytes += [(0, None), (0, None)]
        phy.hear(noisy.line(), noisy.wrong)
        await phy.all_heard()
        found = phy.found()
        check_heard(found, heard(noisy.line(), noisy.wrong))
        good = [unit.data for unit in found if not unit.why and is_good(unit.data)]
        ends = list(itertools.accumulate((len(cobs.encode(unit)) + 1 for unit in units), initial=1))
        due = [unit for unit, begin, end in zip(units, ends, ends[1:]) if noisy.intact(begin - 1, end)]
        rest = iter(good)
        assert all(unit in rest for unit in due), "an intact unit is lost, or out of order"
        assert not set(good) - set(units)
        arrived, lost = arrived + len(due), lost + len(units) - len(due)
    assert arrived > 80 and lost > 20, (arrived, lost)


@cocotb.test()
async def garbage(dut):
    """Of any length, in a pause: the next unit arrives, and no garbage leaves as more than one bad unit for each run of it."""
    phy = Phy(dut)
    await phy.bench.start()
    phy.hear(b"\0")
    for length in (1, 2, LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 2, 3 * LONGEST):
        for byte in (b"\x01", b"\x02", b"\x37", b"\xff"):
            unit = random_unit(min(LONGEST, 40))
            line = length * byte + framed([unit])
            phy.hear(line)
            await phy.all_heard()
            found = phy.found()
            assert found[-1] == Unit(unit)
            check_heard(found, heard(b"\0" + line))
            assert len(found) == 2


@cocotb.test()
async def parts_of_a_beat(dut):
    """Units that end within a beat are bad; so are those that are a byte too long, or end within a piece."""
    phy = Phy(dut)
    await phy.bench.start()
    units = [bytes(length) for length in range(1, 3 * WIDTH + 1)]
    phy.hear(framed(units))
    await phy.all_heard()
    assert phy.found() == [Unit(unit) if len(unit) % WIDTH == 0 else Unit(b"", "phy_cut") for unit in units]
    phy.hear(framed([bytes(LONGEST), bytes(LONGEST + 1), b"\1" * (LONGEST + 1), bytes(WIDTH)]))
    await phy.all_heard()
    assert phy.found() == [Unit(bytes(LONGEST)), Unit(b"", "phy_too_long"), Unit(b"", "phy_too_long"), Unit(bytes(WIDTH))]
    phy.hear(b"\x05\1\2\3\0" + b"\xff" + b"\1" * WIDTH + b"\0" + b"\x01\0" + b"\x09\0" + cobs.encode(bytes(WIDTH)) + b"\0")
    await phy.all_heard()
    assert phy.found() == [*[Unit(b"", "phy_cut")] * 4, Unit(bytes(WIDTH))]


@cocotb.test()
async def marked_bytes(dut):
    """A mark on any byte of a unit, or on its delimiter, makes that unit bad, and no other."""
    phy = Phy(dut)
    await phy.bench.start()
    units = [bytes(WIDTH), bytes(range(1, 2 * WIDTH + 1)), bytes(WIDTH)]
    ends = list(itertools.accumulate((len(cobs.encode(unit)) + 1 for unit in units), initial=1))
    line = framed(units)
    for at in range(len(line)):
        phy.hear(line, [at])
        await phy.all_heard()
        bad = [begin <= at < end for begin, end in zip(ends, ends[1:])]
        assert phy.found() == [Unit(b"", "phy_bad_byte") if is_bad else Unit(unit) for unit, is_bad in zip(units, bad)]


@cocotb.test()
async def units_that_are_not_sent(dut):
    """Units that are too long, or have tuser, are taken and counted, and do not touch those around them."""
    phy = Phy(dut, 0.9, 0.9)
    await phy.bench.start()
    wanted, dropped = [], 0
    for length in (1, 2, 10):
        for erased in ((), (0,), (length // 2,), (length - 1,)):
            unit, next_one = random.choice(contents(length * WIDTH)), random_unit(min(LONGEST, 40))
            phy.send(unit, erased)
            phy.send(next_one)
            wanted += [next_one] if erased else [unit, next_one]
            dropped += bool(erased)
    for length in (LONGEST + WIDTH, 2 * LONGEST, 6 * LONGEST):
        for unit in (bytes(length), b"\1" * length):
            phy.send(unit)
            dropped += 1
            wanted.append(random_unit())
            phy.send(wanted[-1])
    await phy.settle()
    assert [run for run in phy.sent().split(b"\0") if run] == [cobs.encode(unit) for unit in wanted]
    assert phy.events.count["phy_dropped"] == dropped


@cocotb.test()
async def reset_while_stalled(dut):
    """What was in it is forgotten. The next unit has a delimiter ahead; what comes of a unit from the line is dropped up to its delimiter."""
    phy = Phy(dut)
    await phy.bench.start()
    for clocks in (1, WIDTH, 2 * LONGEST, 4 * LONGEST):
        phy.sink.rate = 0
        for _ in range(4):
            phy.send(random_unit())
        unit = random_unit(min(LONGEST, 40))
        phy.hear(framed([unit])[:-2])
        await phy.bench.clocks(clocks)
        await phy.bench.reset()
        assert not dut.m_axis_byte_tvalid.value
        phy.sent()
        phy.found()
        phy.sink.rate = 1
        phy.send(unit)
        phy.hear(b"\7\7" + framed([unit]))
        await phy.settle()
        assert phy.sent() == framed([unit])
        assert phy.found() == [Unit(unit)]
