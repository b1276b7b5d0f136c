# SPDX-License-Identifier: Apache-2.0
"""Encoder or decoder: frames of all K with pauses on all sides."""

import cocotb

from cocotb_tests.codec import tb_decoder, tb_encoder
from cocotb_tests.codec.bench import Bench
from cocotb_tests.four_state.known import quiet, start_watching


@cocotb.test()
async def outputs_have_values(dut):
    """From reset on: `ready` and `valid` always, a payload while its `valid` is high; it may be X else."""
    quiet(dut)
    bench = Bench(dut)
    await bench.reset()
    start_watching(dut, dut.aclk)
    await bench.expect_idle(20)
    counts = range(1, bench.max_k + 1)
    if dut._name == "RsDecoder":
        frames = tb_decoder.join([tb_decoder.random_frame(bench, k) for k in counts])
    else:
        frames = tb_encoder.join([tb_encoder.frame(bench, k % 3, k, k + bench.max_parity) for k in counts])
    jobs, units, expected = frames
    assert (await bench.run(jobs, units, len(expected), 0.5, 0.8, 0.8))[0] == expected
