# SPDX-License-Identifier: Apache-2.0
"""A live link with its namespaces, and the programs that run there."""

import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress

from arqlink.errors import UserError
from arqlink.gateway import words
from arqlink.live import namespaces, samples
from arqlink.live.consoles import Consoles
from arqlink.live.engine import Engine
from arqlink.live.reports import Reports

EVERY = 1.0
"""Seconds between two samples."""
SHORT = 0.1
"""The last one is not shown if it is of less."""
LEAST_CLOCK_HZ = 300
"""Clocks of the core in a second: a report, which reads all registers, takes 1500 of them."""


class Session:
    """Namespaces NAME-a and NAME-b, and the link between them, as long as it is entered."""

    def __init__(self, setup, name="arq", mtu=1500, queue=50, buffer=4, captures=None, gateway=None, soc=False):
        """`queue`: packets that may wait at a TAP device; `buffer`: beyond it, at the line; `captures`: names of files by "phy", "A" and "B";
        `gateway`: MODE[,WORD,…] of one before end A; `soc`: a soft CPU steers each end."""
        most = setup.limits["max_packet_bytes"] - namespaces.ETHERNET
        if most < namespaces.LEAST_MTU:
            raise UserError(f"'{setup.config}' takes packets of {most} bytes, and a live link needs {namespaces.LEAST_MTU}.")
        if setup.clock_hz < LEAST_CLOCK_HZ:
            least = setup.rate_mbps * LEAST_CLOCK_HZ / setup.clock_hz
            raise UserError(f"The rate is {setup.rate_mbps:g} Mb/s; with '{setup.config}' it must be {least:.4f}, or registers cannot be read in time.")
        if not namespaces.LEAST_MTU <= mtu <= min(most, namespaces.MOST_MTU):
            raise UserError(f"The MTU is {mtu}; with '{setup.config}' it must be {namespaces.LEAST_MTU} to {min(most, namespaces.MOST_MTU)}.")
        if not 1 <= queue <= 10_000:
            raise UserError(f"The queue is {queue} packets; it must be 1 to 10000.")
        self.setup, self.name = setup, name
        self._pair = namespaces.Pair(name, mtu, queue)
        self._buffer, self._captures = buffer, captures
        self._gateway = words.description(gateway, mtu) if gateway else None
        self._soc = soc
        self.consoles = {}
        """Names of the terminals of both firmwares, by end, where there are soft CPUs."""
        self._stack = ExitStack()
        self._children = []

    def __enter__(self):
        with ExitStack() as stack:
            stack.enter_context(namespaces.locked(self.name))
            stack.enter_context(self._pair)
            files = ()
            if self._soc:
                consoles = stack.enter_context(Consoles())
                self.consoles, files = consoles.ports, consoles.files
            self.engine = stack.enter_context(Engine(self.setup, self._pair.taps, self._buffer, self._captures, self._gateway, files))
            stack.callback(self._end_children)
            self.reports = Reports(self.engine)
            self._reader = self.reports.reader()
            self._report = self._reader.read()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def start(self, side, command, **options):
        """A program in namespace `a` or `b`; options are subprocess.Popen's."""
        with namespaces.inside(self._pair.names["ab".index(side)]):
            try:
                child = subprocess.Popen(command, preexec_fn=_before_child, **options)
            except OSError as error:
                raise UserError(f"'{command[0]}' cannot be run: {error.strerror}.") from None
        self._children.append(child)
        return child

    def sample(self):
        """What the link has done since the last sample."""
        before, self._report = self._report, self._reader.read()
        return samples.between(before, self._report, self.setup.limits["window_frames"])

    def follow(self, child, show):
        """Calls `show` with a sample each second, until the program ends; its exit code. Ctrl-C is for the program."""
        with _ignored(signal.SIGINT):
            due = time.monotonic() + EVERY
            while True:
                try:
                    code = child.wait(max(0.0, due - time.monotonic()))
                except subprocess.TimeoutExpired:
                    due = max(due + EVERY, time.monotonic())
                    show(self.sample())
                    continue
                if time.monotonic() > due - EVERY + SHORT:
                    show(self.sample())
                return 128 - code if code < 0 else code

    def _end_children(self):
        for child in self._children:
            with suppress(ProcessLookupError):
                child.terminate()
        for child in self._children:
            try:
                child.wait(1.0)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


@contextmanager
def _ignored(number):
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def _before_child():
    """It ends with its parent, and by Ctrl-C, though its parent does not mind that."""
    namespaces.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
