# SPDX-License-Identifier: Apache-2.0
"""RsDecoder on codewords of zfec and galois."""

import itertools
import os

import cocotb

from cocotb_tests.codec import golden
from cocotb_tests.codec.bench import Bench, rate
from cocotb_tests.lib.limits import built
from cocotb_tests.lib.measured import record

CONFIG = os.environ["ARQLINK_CONFIG"]
BUILD = built()


async def start(dut):
    bench = Bench(dut)
    await bench.reset()
    return bench


def frame(bench, preset, k, n, used):
    """A job, the units with indices `used`, and the data units that must come."""
    used = sorted(used)
    assert len(used) == k
    data = [bench.random_unit() for _ in range(k)]
    codeword = golden.encode(preset, data, n)
    return dict(preset=preset, k=k, received=sum(1 << i for i in used)), [codeword[i] for i in used], data


def random_frame(bench, k=None):
    k = k or bench.rng.randint(1, bench.max_k)
    n = k + bench.rng.randint(0, bench.max_parity)
    return frame(bench, bench.rng.randint(0, 2), k, n, bench.rng.sample(range(n), k))


def worst(k, e):
    """The units used when e data units of k are missing, the first and the last among them."""
    t = min(k, e)
    missing = set(range(t // 2)) | set(range(k - (t - t // 2), k))
    return [i for i in range(k + e) if i not in missing][-k:]


def join(frames):
    jobs = [f[0] for f in frames]
    return jobs, [u for f in frames for u in f[1]], [u for f in frames for u in f[2]]


@cocotb.test(skip=BUILD.max_k < 4 or BUILD.max_parity < 3)  # this code does not fit into smaller builds
async def every_pattern(dut):
    """K = 4, N = 7: all patterns of up to 3 erasures, each preset; the receiver uses the first K that come."""
    bench = await start(dut)
    for preset in golden.PRESETS.values():
        frames = []
        for e in range(4):
            for erased in itertools.combinations(range(7), e):
                frames.append(frame(bench, preset, 4, 7, [i for i in range(7) if i not in erased][:4]))
        assert len(frames) == 64
        jobs, units, expected = join(frames)
        result, _ = await bench.run(jobs, units, len(expected))
        assert result == expected


@cocotb.test(skip=BUILD.max_k > 4)  # larger builds have too many patterns
async def every_code_of_a_small_build(dut):
    """Where K is at most 4: all K, all N, each preset, and all K of N units, so all that the table of coefficients can be asked for."""
    bench = await start(dut)
    frames = [
        frame(bench, preset, k, n, used)
        for preset in golden.PRESETS.values()
        for k in range(1, bench.max_k + 1)
        for n in range(k, k + bench.max_parity + 1)
        for used in itertools.combinations(range(n), k)
    ]
    jobs, units, expected = join(frames)
    result, _ = await bench.run(jobs, units, len(expected))
    assert result == expected


@cocotb.test()
async def every_k(dut):
    """All K and presets with as many data units missing as can be."""
    bench = await start(dut)
    step = 1 if bench.max_k <= 16 else 5
    frames = [
        frame(bench, preset, k, k + bench.max_parity, worst(k, bench.max_parity)) for preset in golden.PRESETS.values() for k in range(bench.max_k, 0, -step)
    ]
    jobs, units, expected = join(frames)
    result, _ = await bench.run(jobs, units, len(expected))
    assert result == expected
    await bench.expect_idle()


@cocotb.test()
@cocotb.parametrize(pace=[(1.0, 1.0, 1.0), (1.0, 0.5, 1.0), (1.0, 1.0, 0.4), (0.02, 0.7, 0.7), (1.0, 0.3, 0.3)])
async def random_patterns(dut, pace):
    """Random preset, K, N and pattern under random back-pressure; every other frame at the largest K."""
    bench = await start(dut)
    frames = [random_frame(bench, bench.max_k if i % 2 else None) for i in range(14)]
    jobs, units, expected = join(frames)
    result, _ = await bench.run(jobs, units, len(expected), *pace)
    assert result == expected


@cocotb.test()
async def jobs_far_ahead_of_their_units(dut):
    """All jobs are offered at once and units come slowly, or leave slowly: of frames that lack nothing, that lack something, and of both."""
    bench = await start(dut)
    k = min(2, bench.max_k)
    whole, lacking = [*range(k)], [*range(1, k + 1)]
    for patterns in ([whole], [lacking], [whole, whole, lacking]):
        for pace in ((1.0, 0.1, 1.0), (1.0, 1.0, 0.1)):
            jobs, units, expected = join([frame(bench, i % 3, k, k + 1, patterns[i % len(patterns)]) for i in range(24)])
            result, _ = await bench.run(jobs, units, len(expected), *pace)
            assert result == expected


@cocotb.test()
async def extra_bits(dut):
    """Units after the K-th are not part of the job."""
    bench = await start(dut)
    job, units, expected = frame(bench, 0, 2, 3, [0, 2])
    job["received"] |= 1 << (bench.max_k + bench.max_parity - 1)
    clean = frame(bench, 0, 1, 1, [0])
    clean[0]["received"] |= 2
    result, _ = await bench.run([job, clean[0]], units + clean[1], 3)
    assert result == expected + clean[2]


@cocotb.test()
async def reset_in_frame(dut):
    """Reset at random places, while stalled as well; the next frames must be right."""
    bench = await start(dut)
    e = bench.max_parity
    for stop in [bench.rng.randint(1, 6 * bench.beats * bench.max_k) for _ in range(5)] + [7]:
        sink = bench.rng.choice([0.0, 0.5, 1.0])
        jobs, units, _ = join([frame(bench, 2, bench.max_k, bench.max_k + e, worst(bench.max_k, e)) for _ in range(8)])
        await bench.run(jobs, units, len(units), sink=sink, stop_after=stop, timeout=1 << 30)
        await bench.reset()
        jobs, units, expected = join([frame(bench, 1, 2, 3, [0, 2]), random_frame(bench)])
        result, _ = await bench.run(jobs, units, len(expected))
        assert result == expected


@cocotb.test()
async def full_rate(dut):
    """One beat a clock in and out with the worst pattern in every frame, and with changing ones, for any length of units."""
    bench = await start(dut)
    e, beats = bench.max_parity, bench.beats
    ks = sorted({bench.max_k, min(e, bench.max_k), 3, 2, 1})
    cases = {f"K={k}, worst": [(k, worst(k, e))] * max(8, 64 // (k * beats)) for k in ks}
    cases["K=max, last missing"] = [(bench.max_k, [*range(bench.max_k - 1), bench.max_k + e - 1])] * 6
    cases["K=max, first and random"] = [(bench.max_k, bench.rng.sample(range(bench.max_k + e), bench.max_k)) for _ in range(24)]
    cases["K=max, none missing"] = [(bench.max_k, [*range(bench.max_k)])] * 3
    cases |= {"K=1, many": [(1, [e])] * 40, "K=1, none missing": [(1, [0])] * 40}
    rates, added = [], []
    for label, patterns in cases.items():
        await bench.reset()
        jobs, units, expected = join([frame(bench, i % 3, k, k + e, u) for i, (k, u) in enumerate(patterns)])
        result, events = await bench.run(jobs, units, len(expected))
        assert result == expected
        k = patterns[0][0]
        accepted = events["in"]  # the input must not pause
        accepted_per_clock = (len(accepted) - 1) / (accepted[-1] - accepted[0])
        # The output may pause when data units ahead of a missing one left early. With the same pattern in each frame it does not once the
        # first frame is through; with changing ones no beat may fall further behind than in the worst single frame.
        given_per_clock = rate(events, k * beats)
        start_up = events["in"][0] - events["job"][0]
        fill = events["out"][0] - events["in"][0]
        drain = events["out"][-1] - accepted[-1]
        dut._log.warning(
            "RsDecoder %s %s: beats_per_clock = %.3f in, %.3f out; job to first beat in %d clocks,"
            " first beat in to first beat out %d, last beat in to last out %d",
            CONFIG, label, accepted_per_clock, given_per_clock, start_up, fill, drain,
        )  # fmt: skip
        rates.append(accepted_per_clock)
        added.append((drain, k * beats))
        assert accepted_per_clock == 1.0
        if "random" not in label:
            assert given_per_clock == 1.0
        # Missing units wait for the frame's last unit, and K units leave after it: (K - 1) units and the pipeline.
        assert max(out - at for at, out in zip(accepted, events["out"])) <= (k - 1) * beats + 16
    longest, frame_clocks = max(added, key=lambda case: case[0] - case[1])
    record(
        beats_per_clock=min(rates),
        last_needed_beat_to_last_beat_out_clocks=longest,
        of_which_a_frame_takes_clocks=frame_clocks,
    )
