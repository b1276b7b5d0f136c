# SPDX-License-Identifier: Apache-2.0
"""The program that lives the link, and what is said to it: sim/live/README.md."""

import json
import math
import subprocess
import tempfile
import threading
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from arqlink import job
from arqlink.errors import UserError
from arqlink.link import description as links
from arqlink.link import erasures
from arqlink.live import builds
from arqlink.model.link_setup import INFINITE_DELTA
from arqlink.rtl import verilated_end

ENDED = "The link has ended."
ANSWER = 20.0
"""Seconds after which no answer comes any more."""


def description(setup, taps, library, buffer, captures=None, gateway=None, control=None, consoles=()):
    """What the program reads before it begins. `taps`: open files; `buffer`: packets that wait in it for the line; `captures`: files by "phy", "A" and
    "B"; `gateway`: one before end A; `control`: library of a soft system for each end, `consoles` their open terminals."""
    end = links.end(setup, setup.timers)
    delay = 2 * [max(1, setup.delay_clocks)]
    processes = [erasures.describe(process, setup.unit_clocks) for process in (setup.loss, setup.feedback_loss)]
    described: dict[str, Any] = {"link": links.link("rtl", library, links.build(setup.limits), [end, end], delay, processes)}
    described |= {"clock_hz": setup.clock_hz, "buffer": buffer, "seed": setup.seed, "taps": taps, "gateway": gateway}
    if captures:
        files = {what: job.file_name(file) for what, file in captures.items()}
        described["captures"] = {"phy": files.get("phy"), "taps": [files.get(end) for end in "AB"]}
    return described | ({"control": job.file_name(control), "consoles": consoles} if control else {})


class Engine:
    """The running program. Commands may come from any thread."""

    def __init__(self, setup, taps, buffer, captures=None, gateway=None, consoles=()):
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
        self._write(description(setup, taps, library, buffer, captures, gateway, control, consoles))

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

    def command(self, name, **values):
        """Sends a command, and waits for its answer. Raises UserError where it is refused."""
        answer = Future()
        with self._lock:
            self._last += 1
            self._answers[self._last] = answer
            self._write({"id": self._last, "command": name} | values)
        return self._wait(answer)

    def report(self):
        """What the link says of itself: the keys are in sim/live/README.md."""
        return self.command("report")["report"]

    def set(self, end, **values):
        """Settings of end "A" or "B", by the driver: k, n, nr, delta (math.inf: infinite), ord."""
        numbers = {name: INFINITE_DELTA if value == math.inf else int(value) for name, value in values.items()}
        self.command("set", end=end, values=numbers)

    def set_timers(self, timers):
        """Timers of both ends, by name, in clocks: LinkSetup.timers."""
        for end in "AB":
            self.command("timers", end=end, timers={name.lower(): timers[name] for name in links.TIMERS})

    def set_loss(self, end, process):
        """How units that leave an end are lost: an arqlink.model.loss process."""
        self.command("erasures", end=end, process=erasures.describe(process, self.setup.unit_clocks))

    def set_delay(self, milliseconds):
        """One way, both ways."""
        self.command("delay", delay=2 * [max(1, round(milliseconds * 1e-3 * self.setup.clock_hz))])

    def _write(self, asked):
        assert self.process.stdin
        try:
            self.process.stdin.write(job.text(asked) + "\n")
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
