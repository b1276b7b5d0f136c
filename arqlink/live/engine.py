# SPDX-License-Identifier: Apache-2.0
"""The program that lives the link, and what is said to it: sim/live/README.md."""

import json
import math
import subprocess
import tempfile
import threading
from concurrent.futures import Future
from contextlib import suppress

from arqlink.errors import UserError
from arqlink.link import clock_table, description, erasures
from arqlink.live import builds
from arqlink.model.link_setup import INFINITE_DELTA
from arqlink.rtl import verilated_end

ENDED = "The link has ended."
ANSWER = 20.0
"""Seconds after which no answer comes any more."""


def job(setup, taps, library, buffer, captures=None, gateway=(), control=None, consoles=()):
    """What the program reads before it begins. `taps`: open files; `buffer`: packets that wait in it for the line; `captures`: files by "phy", "A" and
    "B"; `gateway`: lines that describe one before end A; `control`: library of a soft system for each end, `consoles` their open terminals."""
    build, end = (" ".join(map(str, values)) for values in (description.build(setup.limits), description.end(setup, setup.timers)))
    delay = max(1, setup.delay_clocks)
    return [
        "model rtl",
        f"library {library}",
        f"build {build}",
        f"delay {delay} {delay}",
        f"end A {end}",
        f"end B {end}",
        f"erasures A {erasures.describe(setup.loss, setup.unit_clocks)}",
        f"erasures B {erasures.describe(setup.feedback_loss, setup.unit_clocks)}",
        f"clock {setup.clock_hz!r}",
        f"buffer {buffer}",
        f"seed {setup.seed}",
        *(f"tap {end} {tap}" for end, tap in zip("AB", taps)),
        *([f"control {clock_table.quoted(control)}"] if control else []),
        *(f"console {end} {console}" for end, console in zip("AB", consoles)),
        *(f"gateway {line}" for line in gateway),
        *(f"pcap {what} {clock_table.quoted(file)}" for what, file in (captures or {}).items()),
        "run",
    ]


class Engine:
    """The running program. Commands may come from any thread."""

    def __init__(self, setup, taps, buffer, captures=None, gateway=(), consoles=()):
        self.setup = setup
        self._lock, self._answers, self._last = threading.Lock(), {}, 0
        library = verilated_end.library(setup.config)
        control = builds.control() if consoles else None
        program = builds.program()
        self._up = self._answers[0] = Future()
        # A pipe of errors, which nobody reads meanwhile, would hold up the program once it is full.
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, encoding="utf-8", errors="surrogateescape",
            pass_fds=(*taps, *consoles), start_new_session=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._write("\n".join(job(setup, taps, library, buffer, captures, gateway, control, consoles)))

    def __enter__(self):
        self._wait(self._up)
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the program."""
        if self.process.stdin and not self.process.stdin.closed:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        try:
            self.process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()

    def command(self, *words):
        """Sends a command, and waits for its answer. Raises UserError where it is refused."""
        answer = Future()
        with self._lock:
            self._last += 1
            self._answers[self._last] = answer
            self._write(f"{self._last} {' '.join(map(str, words))}")
        return self._wait(answer)

    def report(self):
        """What the link says of itself: the keys are in sim/live/README.md."""
        return self.command("report")["report"]

    def set(self, end, **values):
        """Settings of end "A" or "B", by the driver: k, n, nr, delta (math.inf: infinite), ord."""
        numbers = {name: INFINITE_DELTA if value == math.inf else int(value) for name, value in values.items()}
        self.command("set", end, *(f"{name}={value}" for name, value in numbers.items()))

    def set_timers(self, timers):
        """Timers of both ends, by name, in clocks: LinkSetup.timers."""
        values = [timers[name] for name in description.TIMERS]
        for end in "AB":
            self.command("timers", end, *values)

    def set_loss(self, end, process):
        """How units that leave an end are lost: an arqlink.model.loss process."""
        self.command("erasures", end, erasures.describe(process, self.setup.unit_clocks))

    def set_delay(self, milliseconds):
        """One way, both ways."""
        clocks = max(1, round(milliseconds * 1e-3 * self.setup.clock_hz))
        self.command("delay", clocks, clocks)

    def _write(self, text):
        assert self.process.stdin
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            self._reader.join()
            raise UserError(self._sentence) from None

    def _wait(self, answer):
        try:
            found = answer.result(ANSWER)
        except TimeoutError:
            raise UserError("The link does not answer.") from None
        if found["error"]:
            raise UserError(found["error"])
        return found

    def _read(self):
        assert self.process.stdout
        words = []
        for line in self.process.stdout:
            try:
                found = json.loads(line)
            except ValueError:  # what an assertion of the model says
                words.append(line.strip())
                continue
            if answer := self._answers.pop(found["id"], None):
                answer.set_result(found)
        self.process.wait()
        with self._errors:
            self._errors.seek(0)
            words += self._errors.read().split("\n")
        self._sentence = next(filter(None, reversed(words)), ENDED)
        for answer in list(self._answers.values()):
            answer.set_result({"error": self._sentence})
