# SPDX-License-Identifier: Apache-2.0
"""What somebody beside the link may ask of it while it runs: checked in full, then done by the driver at both ends, or refused."""

import json
import math
import threading
from contextlib import suppress
from dataclasses import replace

from arqlink.dashboard.view import SETTINGS
from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import INFINITE_DELTA, MAX_DELAY_CLOCKS

LEAST_DELAY_MS, MOST_DELAY_MS = 1.0, 1000.0
LONGEST = 1000
"""Characters of a message."""
NO_TRACE = "A trace has an end; a live link needs losses such as bernoulli: or ge:."
SHOWN = 40
"""Characters of a wrong value that a refusal repeats."""


class Steering:
    """`setup`: the link as it is wanted now."""

    def __init__(self, setup, engine, reader):
        self.setup = replace(setup)
        self._engine, self._reader, self._lock = engine, reader, threading.Lock()
        self._commands = {
            "set": self._set,
            "loss": lambda text: self._set_loss("A", "loss", text),
            "feedback_loss": lambda text: self._set_loss("B", "feedback_loss", text),
            "delay_ms": self._set_delay,
            "restart": self._restart,
        }

    @property
    def most_delay_ms(self):
        """Which the channel has room for."""
        return min(MOST_DELAY_MS, math.floor(1e3 * MAX_DELAY_CLOCKS / self.setup.clock_hz))

    def take(self, text):
        """Does what a message says; the name of that. UserError: nothing has changed. Any thread may call it."""
        message = _parse(text)
        if len(message) != 1:
            raise UserError(f"A message has one command, not {len(message)}; there are {', '.join(self._commands)}.")
        ((name, value),) = message.items()
        if name not in self._commands:
            raise UserError(f"{_shown(name)} is not a command; there are {', '.join(self._commands)}.")
        with self._lock:
            self._commands[name](value)
        return name

    def _set(self, values):
        if not isinstance(values, dict) or not values:
            raise UserError(f"'set' has settings by their names, such as k: 10; not {_shown(values)}.")
        for name, value in values.items():
            if name not in SETTINGS:
                raise UserError(f"{_shown(name)} is not a setting; there are {', '.join(SETTINGS)}.")
            _check_setting(name, value)
        values = {name: math.inf if value == "inf" else value for name, value in values.items()}
        wanted = replace(self.setup, **values)
        before = self._reader.read()
        done = []
        try:
            for end in "AB":
                self._engine.set(end, **values)
                done.append(end)
        except UserError as refusal:
            for end in done:
                with suppress(UserError):  # the link has ended
                    self._engine.set(end, **{name: before[end.lower()][name] for name in SETTINGS})
            raise refusal
        self._become(wanted)

    def _set_loss(self, end, name, text):
        if not isinstance(text, str):
            raise UserError(f"A loss is text, such as 'bernoulli:0.01'; not {_shown(text)}.")
        if text.strip().startswith("trace"):
            raise UserError(NO_TRACE)
        process = self.setup.of_units(loss.parse(text))
        self._engine.set_loss(end, process)
        self.setup = replace(self.setup, **{name: process})

    def _set_delay(self, milliseconds):
        low, high = LEAST_DELAY_MS, self.most_delay_ms
        if not _is_number(milliseconds) or not low <= milliseconds <= high:
            raise UserError(f"The delay is {_shown(milliseconds)}; it must be a number of ms from {low:g} to {high:g}.")
        self._engine.set_delay(milliseconds)
        self._become(replace(self.setup, delay_ms=milliseconds))

    def _become(self, setup):
        """The link is that now; its timers follow."""
        if setup.timers != self.setup.timers:
            self._engine.set_timers(setup.timers)
        self.setup = setup

    def _restart(self, end):
        if end not in ("A", "B"):
            raise UserError(f"{_shown(end)} is not an end; there are A and B.")
        self._engine.command("restart", end=end)


def _parse(text):
    if len(text) > LONGEST:
        raise UserError(f"The message has {len(text)} characters; there may be {LONGEST}.")
    try:
        message = json.loads(text, object_pairs_hook=_without_twins, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise UserError("The message is not JSON.") from None
    if not isinstance(message, dict):
        raise UserError('A message is an object of JSON, such as {"delay_ms": 50}.')
    return message


def _without_twins(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UserError("A name comes twice in the message.")
    return members


def _no_constant(name):
    raise ValueError(name)


def _check_setting(name, value):
    whole = isinstance(value, int) and not isinstance(value, bool)
    if name == "delta":
        if value != "inf" and not (whole and 0 <= value < INFINITE_DELTA):
            raise UserError(f"The persistency is {_shown(value)}; it must be 0 to {INFINITE_DELTA - 1}, or inf.")
    elif not whole or not 0 <= value <= 255:
        raise UserError(f"{name} is {_shown(value)}; it must be a whole number from 0 to 255.")


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _shown(value):
    """Of a message, as JSON has it."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
