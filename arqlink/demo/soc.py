# SPDX-License-Identifier: Apache-2.0
"""`arqlink demo soc`: the firmware boots in simulation, and changes δ and N/K over the UART while a file crosses the link."""

import dataclasses
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.table import Table

from arqlink import tree
from arqlink.board.serial_port import SerialPort
from arqlink.board.simulation import CONFIG, PATIENCE_S, simulated_board
from arqlink.board.uart_shell import UartShell
from arqlink.demo.link import example_file
from arqlink.errors import UserError
from arqlink.link import description
from arqlink.model import loss
from arqlink.model.intervals import CONFIDENCE, clopper_pearson
from arqlink.model.link_setup import LinkSetup
from arqlink.report.console import TextConsole
from arqlink.report.progress import progress_bar
from arqlink.report.tables import number

P = 0.05
"""Erasure probability of a unit from A to B."""
LINK = LinkSetup(config=CONFIG, k=8, n=8, delta=0, loss=loss.Bernoulli(P), delay_ms=5.0)
"""What the link is before the first phase. Times count clocks of the simulated line; 5 ms are 938."""
FRAMES = 18_000
"""In each phase; a multiple of the six frames of a packet."""
SILENCE_S = 60
"""The demo ends if nothing has moved for so long."""


@dataclass(frozen=True)
class Phase:
    """Commands that are given before the traffic, the setting that they lead to, and those that are given again and again
    while it flows."""

    commands: tuple
    n: int
    delta: float
    k: int = LINK.k
    during: tuple = ()

    @property
    def setup(self):
        return dataclasses.replace(LINK, k=self.k, n=self.n, nr=self.n, delta=self.delta, packet_bytes=LINK.packet_bytes)


PHASES = (
    Phase(("code 8 8", "delta 0"), 8, 0),
    Phase(("code 8 9", "delta 1"), 9, 1),
    Phase(("code 8 9", "delta 2"), 9, 2),
    Phase(("code 8 10", "delta inf"), 10, math.inf),
    Phase((), 10, math.inf, during=("code 8 9", "code 4 6", "code 8 12", "code 8 10")),
)


JOINT = 1 - (1 - CONFIDENCE) / (3 * len(PHASES))
"""Confidence of each of the intervals of the demo, such that all of them hold together at CONFIDENCE."""


@dataclass
class Count:
    """Events of a phase, and the formula's probability of one; None where there is no formula."""

    events: int
    trials: int
    formula: float | None

    @property
    def interval(self):
        return clopper_pearson(self.events, self.trials, JOINT)

    @property
    def agrees(self):
        return self.formula is None or self.interval.contains(self.formula)

    def cell(self):
        """Measured value, interval and formula, one above the other."""
        formula = "-" if self.formula is None else number(self.formula, 4)
        interval = f"{number(self.interval.low, 2)} - {number(self.interval.high, 2)}"
        return "\n".join([number(self.interval.measured, 4), interval, formula if self.agrees else f"{formula}: outside"])


@dataclass
class Outcome:
    """What one phase showed."""

    phase: Phase
    counters: dict
    sent: list
    received: list = field(repr=False)
    changes: int = 0

    @property
    def counts(self):
        c, setup = self.counters, self.phase.setup
        model = None if self.phase.during else setup.model()  # of a mixture of codes only P_F = 0 is known
        resolved = c["tx_frames_acked"] + c["tx_frames_abandoned"]
        failed = c["tx_outcomes_failed"] - c["tx_outcomes_outage"]
        return {
            "P_T": Count(failed, failed + c["tx_outcomes_ok"], model and model.p_t),
            "P_F": Count(c["tx_frames_abandoned"], resolved, model.p_f if model else 0.0),
            "packet loss": Count(c["tx_packets_lost"], c["tx_packets"], model.packet_loss if model else 0.0),
        }

    @property
    def whole(self):
        """Whether all that was sent arrived, unchanged and in order."""
        return self.sent == self.received

    @property
    def right(self):
        return all(c.agrees for c in self.counts.values()) and (self.whole or not math.isinf(self.phase.delta))


def setup_commands(setup):
    """What makes the link that of `setup`, but for code and persistency; commands act on end A afterwards."""
    names = description.TIMERS
    timers = " ".join(["timers", *(str(setup.timers[name]) for name in names)])
    yield from ("end b", timers, "end a", timers)
    yield from (f"channel {way} delay {setup.delay_clocks}" for way in ("ab", "ba"))
    yield from (f"channel ab seed {setup.seed}", f"channel ab loss {setup.loss.p:g}", "channel ba loss 0")


class Demo:
    """A board whose link is set up over the UART, and the file that crosses it from A to B."""

    def __init__(self, board, shell, data, say: Callable[[int, int], object]):
        self.board, self.shell, self.say = board, shell, say
        size = LINK.packet_bytes
        self.packets = itertools.cycle([data[i : i + size] for i in range(0, len(data) - size + 1, size)])
        for command in setup_commands(LINK):
            shell.command(command)
        self._wait(lambda: shell.values("link")["state"] == "up", "The link did not come up.")

    def run(self, phase, frames):
        """Nothing is under way at the start of a phase nor at its end, so that its counters are those of one setting."""
        for command in phase.commands:
            self.shell.command(command)
        before = self.shell.values("stats")
        packets = list(itertools.islice(self.packets, frames // LINK.frames(LINK.packet_bytes)))
        self.board.send(packets)
        received, changes = [], 0

        def drained():
            nonlocal counters, changes
            for command in phase.during:
                self.shell.command(command)
            now = self.shell.values("stats")
            counters = {name: value - before[name] for name, value in now.items()}
            received.extend(d.data for d in self.board.delivered() if not d.aborted)
            resolved = counters["tx_frames_acked"] + counters["tx_frames_abandoned"]
            gone = len(received) + counters["tx_packets_lost"]
            self.say(gone, len(packets))
            if gone == len(packets) == counters["tx_packets"] and resolved == counters["tx_frames"]:
                return True
            changes += len(phase.during)  # they met frames that were under way
            return False

        counters = {}
        self._wait(drained, "The link does not deliver any more.", lambda: (len(received), counters.get("tx_packets_lost")))
        return Outcome(phase, counters, packets, received, changes)

    def _wait(self, done, otherwise, progress=lambda: None):
        """Asks `done` again and again; a UserError `otherwise` after SILENCE_S without `progress`."""
        last, since = progress(), time.monotonic()
        while not done():
            if progress() != last:
                last, since = progress(), time.monotonic()
            if time.monotonic() - since > SILENCE_S:
                raise UserError(otherwise)


def run_phases(data, frames=FRAMES, phases=PHASES):
    """Gives the Outcome of each phase, one after the other."""
    with simulated_board(LINK.config) as board, SerialPort(board.port, patience=PATIENCE_S) as port:
        shell = UartShell(port)
        demo = Demo(board, shell, data, lambda *_: None)
        for phase in phases:
            with progress_bar(f"δ = {phase.delta:g}, N/K = {phase.n}/{phase.k}") as demo.say:
                yield demo.run(phase, frames)


def table_of(outcomes):
    title = f"Measured, its exact interval (Clopper-Pearson; all hold together at {CONFIDENCE:.1%}), and the formula's value"
    table = Table(title=title, title_justify="left", show_lines=True)
    table.add_column("on the UART")
    for heading in ("frames", "P_T", "P_F", "packet loss"):
        table.add_column(heading, justify="right")
    for outcome in outcomes:
        typed = outcome.phase.commands or (f"{outcome.changes} changes:", *outcome.phase.during)
        table.add_row("\n".join(typed), str(outcome.counters["tx_frames"]), *(c.cell() for c in outcome.counts.values()))
    return table


def arrival(outcome):
    """One sentence on what came of the packets of a phase with infinite persistency."""
    phase, size = outcome.phase, sum(map(len, outcome.sent))
    setting = f"the code changed {outcome.changes} times meanwhile" if phase.during else f"N/K = {phase.n}/{phase.k}"
    verb = "arrived whole and in order" if outcome.whole else "did NOT arrive as sent"
    return f"δ = inf, {setting}: {len(outcome.sent)} packets ({size} bytes) {verb}."


def show():
    """Runs the demonstration; whether all was as it should be."""
    tree.require()
    console = TextConsole()
    console.print(
        f"The firmware on a simulated RISC-V core. Units from A to B are erased with p = {P:g}. Before each "
        "change the link runs empty, but in the last row, where the code changes under traffic. All counters come from "
        "the firmware's stats.",
    )
    begin = time.monotonic()
    outcomes = list(run_phases(example_file().read_bytes()))
    console.print(table_of(outcomes))
    console.print(f"It took {time.monotonic() - begin:.0f} s, building included where it was necessary.")
    for outcome in outcomes:
        if math.isinf(outcome.phase.delta):
            console.print(arrival(outcome), highlight=False)
    right = all(outcome.right for outcome in outcomes)
    if not right:
        console.print("A formula lies outside its interval, or packets are missing.")
    return right
