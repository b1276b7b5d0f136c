# SPDX-License-Identifier: Apache-2.0
"""A link end whose window is larger or smaller than its peer's, the model; feedback goes dark, so that the windows fill."""

import cocotb

from cocotb_tests.lib.edges import rising_edges
from cocotb_tests.model.darkness import Darkness
from cocotb_tests.model.sender import INFINITE, Setting
from cocotb_tests.system.peer import BUILD, PeerBench, peer_config
from tests import seeds

OWN = BUILD.window_frames.bit_length() - 1
LEAST = (-(-BUILD.max_packet_bytes // BUILD.unit_bytes) - 1).bit_length()
"""log2 of the smallest window that holds the longest packet."""
OTHERS = sorted({LEAST, OWN - 1, OWN + 1, OWN + 3} - {OWN, *range(LEAST)})
EACH = Setting(1, 1, 1, 0, INFINITE)


@cocotb.test()
@cocotb.parametrize(log2=OTHERS)
async def unequal_windows(dut, log2):
    """No more is sent than the smaller window holds, however long nothing is heard; all of it arrives, with losses both ways."""
    rng = seeds.rng(log2)
    config = peer_config(EACH, window_log2=log2, poll_timeout=5000)
    bench = PeerBench(dut, setting=EACH, config=config, loss=(0.0, 0.0), seed=rng.randrange(1 << 20))
    await bench.start(POLL_TIMEOUT=5000)
    await bench.until(lambda: bench.check.heard and bench.peer.heard, 30_000, "the start")
    smaller = min(BUILD.window_frames, 1 << log2)
    count = 3 * smaller
    there, back = ([rng.randbytes(rng.randint(1, BUILD.unit_bytes)) for _ in range(count)] for _ in range(2))

    bench.to_rtl.dark = bench.from_rtl.dark = True
    bench.offer(there, back)
    await rising_edges(dut.aclk, (smaller + 40) * BUILD.data_unit_beats + 2000)
    sent = bench.check.sender.next_fsn, bench.peer.tx.next_fsn
    assert sent == (smaller, smaller), f"{sent} frames were sent, the smaller window is {smaller}"
    bench.to_rtl.dark = bench.from_rtl.dark = False

    gap = 3 * smaller
    for way in (bench.to_rtl, bench.from_rtl):
        way.loss = Darkness(rng, 0.1, gap, 3 * gap, bench.now + 40 * smaller, bench.now)
    await bench.settle(400_000 + 400 * smaller)
    await bench.check_counters()
    assert [p for _, p in bench.peer.delivered] == there and bench.check.delivered_count == count
    assert bench.check.restarts == 0 and bench.peer.counters["link_restarts"] == 1
