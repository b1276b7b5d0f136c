# SPDX-License-Identifier: Apache-2.0
"""RsEncoder against zfec and galois."""

import os

import cocotb

from cocotb_tests.codec import golden
from cocotb_tests.codec.bench import Bench, rate
from cocotb_tests.lib.measured import record

CONFIG = os.environ["ARQLINK_CONFIG"]


async def start(dut):
    bench = Bench(dut)
    await bench.reset()
    return bench


def frame(bench, preset, k, n):
    """A job, its data units and the codeword that must come."""
    data = [bench.random_unit() for _ in range(k)]
    return dict(preset=preset, k=k, n=n), data, golden.encode(preset, data, n)


def join(frames):
    jobs = [f[0] for f in frames]
    return jobs, [u for f in frames for u in f[1]], [u for f in frames for u in f[2]]


@cocotb.test()
async def golden_values(dut):
    bench = await start(dut)
    for (preset, k, n), parity in golden.PARITY.items():
        if k > bench.max_k or n - k > bench.max_parity:
            continue
        data = [bytes([j + 1]) * bench.unit_bytes for j in range(k)]
        expected = data + [bytes([p]) * bench.unit_bytes for p in bytes.fromhex(parity)]
        assert golden.encode(preset, data, n) == expected, "the reference disagrees with the published value"
        result, _ = await bench.run([dict(preset=preset, k=k, n=n)], data, n)
        assert result == expected


@cocotb.test()
async def every_k(dut):
    """All K and presets, the most parity, both sides always ready."""
    bench = await start(dut)
    step = 1 if bench.max_k <= 16 else 5
    frames = [frame(bench, preset, k, k + bench.max_parity) for preset in golden.PRESETS.values() for k in range(bench.max_k, 0, -step)]
    jobs, data, expected = join(frames)
    result, _ = await bench.run(jobs, data, len(expected))
    assert result == expected
    await bench.expect_idle()


@cocotb.test()
@cocotb.parametrize(pace=[(1.0, 0.5, 1.0), (1.0, 1.0, 0.4), (0.02, 0.7, 0.7), (1.0, 0.3, 0.3)])
async def random_frames(dut, pace):
    """Random preset, K and N (N = K among them) under random back-pressure."""
    bench = await start(dut)
    frames = []
    for _ in range(12):
        k = bench.rng.randint(1, bench.max_k)
        frames.append(frame(bench, bench.rng.randint(0, 2), k, k + bench.rng.randint(0, bench.max_parity)))
    jobs, data, expected = join(frames)
    result, _ = await bench.run(jobs, data, len(expected), *pace)
    assert result == expected


@cocotb.test()
async def no_parity(dut):
    bench = await start(dut)
    jobs, data, expected = join([frame(bench, 0, k, k) for k in (1, 1, bench.max_k, 2, 1)])
    result, _ = await bench.run(jobs, data, len(expected))
    assert result == expected


@cocotb.test()
async def reset_in_frame(dut):
    """Reset at random places, while stalled as well; the next frames must be right."""
    bench = await start(dut)
    for stop in [bench.rng.randint(1, 12 * bench.beats * bench.max_k) for _ in range(5)] + [7]:
        sink = bench.rng.choice([0.0, 0.5, 1.0])
        jobs, data, _ = join([frame(bench, 2, bench.max_k, bench.max_k + bench.max_parity) for _ in range(8)])
        await bench.run(jobs, data, len(jobs) * (bench.max_k + bench.max_parity), sink=sink, stop_after=stop, timeout=1 << 30)
        await bench.reset()
        jobs, data, expected = join([frame(bench, 1, 2, 3), frame(bench, 0, bench.max_k, bench.max_k + 1)])
        result, _ = await bench.run(jobs, data, len(expected))
        assert result == expected


@cocotb.test()
async def full_rate(dut):
    """One beat a clock for any length of units and frames, with the most parity and with frames that change."""
    bench = await start(dut)
    e, beats = bench.max_parity, bench.beats
    cases = {f"K={k} N={k + e}": [(k, k + e)] * 6 for k in sorted({bench.max_k, min(4, bench.max_k), 1})}
    cases |= {"K=1 N=2": [(1, 2)] * 24, "K=N=1": [(1, 1)] * 24}
    cases["random"] = [(1, 1 + e)] + [(k, k + bench.rng.randint(0, e)) for k in (bench.rng.randint(1, bench.max_k) for _ in range(12))]
    measured = []
    for label, shapes in cases.items():
        await bench.reset()
        frames = [frame(bench, i % 3, k, n) for i, (k, n) in enumerate(shapes)]
        jobs, data, expected = join(frames)
        result, events = await bench.run(jobs, data, len(expected))
        assert result == expected
        # Parity of the first frame leaves a pipeline's length behind the data; from then on data waits as long.
        k, n = shapes[0]
        beats_per_clock = rate(events, n * beats)
        first = events["out"][0] - events["job"][0]
        parity = events["out"][k * beats] - events["in"][k * beats - 1] if n > k else 0
        dut._log.warning(
            "RsEncoder %s %s: beats_per_clock = %.3f, job and data to first beat %d clocks, last data beat to first parity beat %d clocks",
            CONFIG, label, beats_per_clock, first, parity,
        )  # fmt: skip
        measured.append((beats_per_clock, first, parity))
        assert beats_per_clock == 1.0
        assert first <= 4
        assert parity <= 16
    rates, firsts, parities = zip(*measured)
    record(
        beats_per_clock=min(rates),
        job_and_data_to_first_beat_clocks=max(firsts),
        last_data_beat_to_first_parity_beat_clocks=max(parities),
    )
