# SPDX-License-Identifier: Apache-2.0
"""Inputs of a block, each change of which has its clock."""

from collections import defaultdict

from cocotb.triggers import Event


class Planned:
    """An actor of a Bench. `at` a clock something is done that `set`s inputs from that clock on; those in `pulses` are 0 again in the next one.
    `ports` names the block's inputs, by the names that they have here."""

    def __init__(self, bench, ports, pulses, **inputs):
        self.bench, self.dut, self.pulses = bench, bench.dut, pulses
        self.pins = {name: getattr(bench.dut, f"io_{port}") for name, port in ports.items()}
        self.inputs = dict.fromkeys(ports, 0) | inputs
        for name, pin in self.pins.items():
            pin.value = self.inputs[name]
        self.plan = defaultdict(list)
        self.clock = 1  # whose inputs are set now
        self.awaited, self.reached = 0, Event()
        self.wrong = None
        bench.actors.append(self)

    def clear(self):
        pass

    @property
    def next(self):
        """The first clock that can be planned."""
        return self.clock + 1

    def at(self, clock, action, *arguments):
        assert clock > self.clock, "it is too late for that"
        self.plan[clock].append((action, arguments))

    def set(self, **inputs):
        for name, value in inputs.items():
            if self.inputs[name] != value:
                self.inputs[name] = value
                self.pins[name].value = value

    async def clocks(self, count):
        """Raises what has been found wrong meanwhile."""
        self.awaited = self.clock + count
        self.reached.clear()
        await self.reached.wait()
        if self.wrong:
            raise self.wrong

    def step(self):
        now = self.bench.clock
        try:
            self.look(now, self.inputs)
        except AssertionError as wrong:
            self.wrong = self.wrong or AssertionError(f"clock {now}: {wrong}")
        self.clock = now + 1
        self.set(**{name: 0 for name in self.pulses if self.inputs[name]})
        self.react()
        for action, arguments in self.plan.pop(self.clock, ()):
            action(self, *arguments)
        if self.clock >= self.awaited or self.wrong:
            self.reached.set()

    def look(self, now, inputs):
        """Outputs in a clock, and the inputs that they follow from."""

    def react(self):
        """What the surroundings do in the next clock, unless a plan overrules it."""
