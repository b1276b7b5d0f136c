# SPDX-License-Identifier: Apache-2.0
"""Register model of ArqPair, generated from the contract rtl/regs/arqlink_regs.py, with fault injection."""

from typing import Any

from arqlink.rtl.registers import BASES, KINDS, contract

EIO = 5


class Block:
    """Registers of one block: reset values, access rights, pulses that call `written`."""

    def __init__(self, kind):
        self.registers = {r.offset: (name, r) for name, r in getattr(contract(), kind).items()}
        self.values = {name: sum((f.reset or 0) << f.shift for f in r.fields.values()) for name, r in self.registers.values()}

    def read(self, offset):
        if offset not in self.registers:
            return None
        name, register = self.registers[offset]
        value = self.values[name]
        for field in register.fields.values():
            if field.access == "W1P":
                value &= ~mask(field)
        return value

    def write(self, offset, value):
        """Whether the access was accepted."""
        if offset not in self.registers:
            return False
        name, register = self.registers[offset]
        if all(f.access == "RO" for f in register.fields.values()):
            return False
        for field in register.fields.values():
            if field.access == "RW":
                self.values[name] = self.values[name] & ~mask(field) | value & mask(field)
            elif field.access == "W1C":
                self.values[name] &= ~(value & mask(field))
        self.written(name, value)
        return True

    def written(self, name, value):
        pass

    def get(self, register, field):
        f = next(r for n, r in self.registers.values() if n == register).fields[field]
        return (self.values[register] & mask(f)) >> f.shift

    def put(self, register, **fields):
        found = next(r for n, r in self.registers.values() if n == register)
        for name, content in fields.items():
            f = found.fields[name]
            self.values[register] = self.values[register] & ~mask(f) | content << f.shift


def mask(field):
    return ((1 << field.width) - 1) << field.shift


class Link(Block):
    """A link end. `busy_reads`: reads of COUNTERS for which a snapshot lasts; None: for ever."""

    def __init__(self):
        super().__init__("ARQLINK")
        self.put("BUILD0", data_bytes=4, unit_bytes=8, window_log2=11)
        self.put("BUILD1", max_k=16, max_parity=8)
        self.put("BUILD2", max_packet_bytes=9216, packet_crc=1)
        for name in ("CODE", "ACTIVE_CODE"):
            self.put(name, k=10, n_first=12, n_retx=12)
        self.put("STATUS", state=3, peer_known=1)
        self.put("EPOCH", own=1, peer=1)
        self.live = dict.fromkeys(contract().COUNTERS, 0) | {"link_restarts": 1}
        self.window = dict.fromkeys(contract().COUNTERS, 0)
        self.busy_reads, self.busy = 2, 0
        self.reject = False
        self.ignore_apply = False
        self.applied = 0

    def read(self, offset):
        for name, counter in contract().COUNTERS.items():
            if offset - counter.offset in (0, 4):
                return self.window[name] >> 8 * (offset - counter.offset) & 0xFFFFFFFF
        if offset == contract().ARQLINK["COUNTERS"].offset:
            self.put("COUNTERS", busy=int(self.busy is None or self.busy > 0))
            if self.busy:
                self.busy -= 1
        return super().read(offset)

    def written(self, name, value):
        if name == "APPLY" and value & 1:
            k, first, retx = (self.get("CODE", f) for f in ("k", "n_first", "n_retx"))
            parity = self.get("BUILD1", "max_parity")
            good = 1 <= k <= self.get("BUILD1", "max_k") and all(k <= n <= k + parity for n in (first, retx))
            good = good and self.get("CODE", "preset") <= 2 and not self.reject
            self.put("STATUS", apply_rejected=int(not good))
            if not good:
                self.put("ERROR", apply_rejected=1)
            elif not self.ignore_apply:
                self.values["ACTIVE_CODE"], self.values["ACTIVE_ARQ"] = self.values["CODE"], self.values["ARQ"]
                self.applied += 1
        if name == "COUNTERS":
            if value & 1:
                self.window = dict(self.live)
            if value & 2:
                self.live = dict.fromkeys(self.live, 0)
            self.busy = self.busy_reads


class Channel(Block):
    """The emulator; its DELAY holds 20 bits."""

    def __init__(self):
        super().__init__("ARQCHAN")
        self.values["MAX_DELAY"] = 0xFFFFF
        self.delays_written = 0

    def written(self, name, value):
        if name == "DELAY":
            self.values["DELAY"] &= 0xFFFFF
            self.delays_written += 1


class Traffic(Block):
    """A generator whose packets appear at the checker of `peer`, all at once, with `fault` added to its counts."""

    def __init__(self):
        super().__init__("ARQTRAF")
        self.peer: Any = None
        self.channel: Any = None
        self.fault = {}

    def written(self, name, value):
        if name == "CTRL" and value & 1 and self.peer:
            count = self.values["COUNT"]
            self.values["SENT"] = count
            self.peer.values["RECEIVED"] = count
            self.channel.values["ERASED"] += count
            for fault, change in self.fault.items():
                block = self.channel if fault == "ERASED" else self.peer
                block.values[fault] += change


class Pair:
    """The window of ArqPair. `fail_at`: number of the access that is answered with a bus error, `error`; None: none. Each access takes
    `access_time` microseconds."""

    def __init__(self):
        kinds = {"ARQLINK": Link, "ARQCHAN": Channel, "ARQTRAF": Traffic}
        self.blocks = {name: kinds[KINDS[name]]() for name in BASES}
        self.a, self.ab = self.blocks["a"], self.blocks["ab"]
        self.traffic = self.blocks["traffic_a"]
        self.traffic.peer, self.traffic.channel = self.blocks["traffic_b"], self.ab
        self.accesses = 0
        self.fail_at: int | None = None
        self.error = -EIO
        self.microseconds = (1 << 32) - 5000  # it wraps soon
        self.access_time, self.sleeps = 1, []
        self.log = []

    def _find(self, offset):
        self.accesses += 1
        self.microseconds += self.access_time
        if self.accesses == self.fail_at:
            return None, 0
        name = next((n for n, base in BASES.items() if offset & ~0xFFF == base), None)
        return self.blocks[name] if name else None, offset & 0xFFF

    def sleep(self, microseconds):
        self.sleeps.append(microseconds)
        self.microseconds += microseconds

    def read(self, offset):
        block, rest = self._find(offset)
        return block.read(rest) if block else None

    def write(self, offset, value):
        block, rest = self._find(offset)
        accepted = block.write(rest, value) if block else False
        if accepted:
            self.log.append((offset, value))
        return accepted

    def settings(self):
        """Content of all registers that can be written."""
        return {
            (b, n): block.values[n] for b, block in self.blocks.items() for n, r in block.registers.values() if any(f.access == "RW" for f in r.fields.values())
        }


def comes_up(pair, after):
    """Link A is up after so many microseconds, and only then."""
    at, read = pair.microseconds + after, pair.a.read

    def late(offset):
        pair.a.put("STATUS", state=3 if pair.microseconds >= at else 2)
        return read(offset)

    pair.a.read = late
