# SPDX-License-Identifier: Apache-2.0
"""What tests of a live link share: a link, and programs that are run over it.

Configuration paper8 at 2 Mb/s has 52,000 clocks a second, which a busy machine can still do in time."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import count

import pytest

from arqlink.model import link_setup

needs_namespaces = pytest.mark.needs("namespaces")
IN_NAMESPACES = [needs_namespaces, pytest.mark.timeout(180, func_only=True)]  # and not the time in which models are built
numbers = count()
CONFIG = {"config": "paper8", "k": 10, "n": 11, "delay_ms": 50.0, "delta": "inf", "loss": "bernoulli:0.01"}


def setup(**more):
    return link_setup.from_options(**(CONFIG | more))


def fresh():
    """A name of namespaces that no other test has."""
    return f"t{os.getpid() % 100000}x{next(numbers)}"


TEXT = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
"""Of a program that is started: what it prints is read."""


def said(session, side, *command, most=60):
    """Runs a program, and gives what it prints; it must succeed."""
    child = session.start(side, list(command), **TEXT)
    out, _ = child.communicate(timeout=most)
    assert child.returncode == 0, out
    return out


@contextmanager
def http(session, folder):
    """A server of HTTP in b."""
    server = session.start("b", [sys.executable, "-m", "http.server", "-d", str(folder), "80"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    yield
    server.terminate()
    server.wait(10)


def fetch(session, name, into):
    """A client that gets a file from b."""
    return session.start("a", ["curl", "-s", "-f", "--max-time", "60", "-o", str(into), f"http://10.77.0.2/{name}"])
