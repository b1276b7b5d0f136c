# SPDX-License-Identifier: Apache-2.0
"""No conversation stands still while the path works: slow receivers with tiny buffers share a tiny cache, over a line with losses, in simulated time."""

import pytest

from arqlink.gateway.gateway import LAN, LINK, Gateway

from .small_hosts import Talk, run
from .tcp_through import MSS, Through, described

MODES = "pass clamp snoop split proxy".split()
BOUNDED = {"clamp", "split", "proxy"}
SIZE = 12 * MSS
CASES = 10
"""Of each mode."""
MOST = 900
"""Simulated seconds; most cases take less than ten."""


def conversation(rng, mode):
    """A case, as text and as it runs."""
    cache, loss = rng.randrange(4, 9), rng.choice([0, 0.02, 0.08])
    words = f"advertise={rng.choice(['room', 'open', 'third', 'receiver'])}" if mode in BOUNDED else ""
    both = "both" if mode not in ("pass", "proxy") else ""
    gateway = Gateway(described(f"cache {cache} 2048\nclass {mode} {both} {words}"))
    talks = []
    for port in range(40000, 40000 + rng.randrange(1, 4)):
        room = rng.choice([MSS // 2, MSS, 2 * MSS, 2 * MSS + 1, 3 * MSS])
        isn, sack = (rng.randrange(2**32), rng.randrange(2**32)), rng.random() < 0.7
        through = Through("", shared=gateway, ports=(port, 80), isn=isn, sack=sack, scale=(0, 0), window=(room, room)).open()
        talks.append(Talk(through, rng.choice([LAN, LINK]), SIZE, room, rng.choice([0.005, 0.02, 0.2])))
    return f"cache {cache}, {mode} {words}, loss {loss}", gateway, talks, loss


@pytest.mark.parametrize("mode", MODES)
def test_no_conversation_stands_still_while_the_path_works(mode, rng):
    for _ in range(CASES):
        case, gateway, talks, loss = conversation(rng, mode)
        assert run(gateway, talks, rng, loss, MOST), (case, [str(talk) for talk in talks])
