# SPDX-License-Identifier: Apache-2.0
"""The analytic model against direct sums, Monte Carlo and the values of RR-4752."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from arqlink.model import loss
from arqlink.model.analytic import (
    Attempts,
    Code,
    LinkModel,
    any_of,
    mean_last_worst,
    mean_most_retransmissions,
    nack_share,
)
from arqlink.model.intervals import accepts
from tests import seeds

INF = math.inf


def paper(n, delta, p=0.01, n_retx=None, **kwargs):
    """RR-4752's link: K = 10, six frames of ten 25-byte units."""
    return LinkModel(Code(10, n, n_retx or n, delta), loss.Bernoulli(p), 1500, 25, **kwargs)


def test_frame_failure_of_the_paper():
    # By hand: 1 - 0.99^10, and 1 - 0.99^11 - 11 * 0.01 * 0.99^10.
    assert loss.Bernoulli(0.01).failure(10, 10) == pytest.approx(0.0956179249912)
    assert loss.Bernoulli(0.01).failure(11, 10) == pytest.approx(1 - 0.99**11 - 11 * 0.01 * 0.99**10, rel=1e-10)


@pytest.mark.parametrize("n, k", [(10, 10), (12, 10), (18, 10), (3, 1), (24, 16)])
@pytest.mark.parametrize("p", [0.0, 0.001, 0.3, 1.0])
def test_gilbert_elliott_with_equal_states_is_bernoulli(n, k, p):
    chain = loss.GilbertElliott(0.2, 0.4, p, p)
    assert chain.failure(n, k) == pytest.approx(loss.Bernoulli(p).failure(n, k), rel=1e-9, abs=1e-15)


def test_gilbert_elliott_against_all_paths():
    chain, n, k = loss.GilbertElliott(0.1, 0.3, 0.05, 0.6), 5, 3
    step = [[0.9, 0.1], [0.3, 0.7]]
    start, erase = chain.stationary(), [0.05, 0.6]
    total = 0.0
    for states in itertools.product((0, 1), repeat=n):
        path = start[states[0]] * math.prod(step[a][b] for a, b in itertools.pairwise(states))
        for erased in itertools.product((0, 1), repeat=n):
            if sum(erased) > n - k:
                total += path * math.prod(erase[s] if e else 1 - erase[s] for s, e in zip(states, erased))
    assert chain.failure(n, k) == pytest.approx(total, rel=1e-12)
    failed, received = chain.failure_matrices(n, k)
    assert (failed + received).sum(axis=1) == pytest.approx([1, 1])


def test_packet_loss_does_not_underflow():
    tiny = paper(14, 5)
    assert 0 < tiny.p_f < 1e-30
    assert tiny.packet_loss == pytest.approx(6 * tiny.p_f, rel=1e-9)
    assert any_of(1e-20, 6) == pytest.approx(6e-20)


@pytest.mark.parametrize("p_first, p_retx", [(3e-14, 0.013), (2e-13, 2e-13), (1e-40, 0.5), (0.4, 1e-18), (0.9, 0.9)])
@pytest.mark.parametrize("delta", [0, 1, 2, 5])
def test_no_mean_cancels_in_the_tail(p_first, p_retx, delta):
    """Against sums of rational numbers, which round nowhere."""
    first, again, frames = Fraction(p_first), Fraction(p_retx), 6
    fails = [first * again**i for i in range(delta + 1)]  # transmissions 0 to i
    p_f, retransmissions = fails[delta], sum(fails[:delta])
    beyond = [(fail - p_f) / (1 - p_f) for fail in fails]
    attempts = Attempts(p_first, p_retx, delta)
    assert attempts.mean_retransmissions == pytest.approx(float(retransmissions), rel=1e-12)
    assert attempts.mean_failures == pytest.approx(float(sum(fails)), rel=1e-12)
    assert [attempts.beyond(i) for i in range(delta + 1)] == pytest.approx([float(b) for b in beyond], rel=1e-12, abs=0)
    most = float(sum(1 - (1 - b) ** frames for b in beyond))
    assert mean_most_retransmissions(attempts, frames) == pytest.approx(most, rel=1e-12, abs=0)


@pytest.mark.parametrize("p", [1e-15, 1e-30])
def test_share_of_failures_far_below_the_rounding_of_one(p):
    assert paper(10, 2, p).p_t == pytest.approx(10 * p, rel=1e-9)
    assert paper(11, INF, p).p_t == pytest.approx(55 * p**2, rel=1e-9, abs=0)


def test_no_loss_needs_no_retransmission_and_no_sign():
    most = mean_most_retransmissions(Attempts(0.0, 0.0, 3), 6)
    assert most == 0 and math.copysign(1, most) == 1


def test_packet_loss_in_bursts_far_below_the_rounding_of_one():
    chain = loss.GilbertElliott(1e-9, 0.5, 0, 1e-9)
    model = LinkModel(Code(4, 4, 4, 0), chain, 2 * 4 * 8, 8)
    assert model.packet_loss == pytest.approx(8 * chain.mean(), rel=1e-6, abs=0)


@pytest.mark.parametrize("n", range(10, 15))
@pytest.mark.parametrize("delta", range(4))
def test_equations_3_5_and_6_as_printed(n, delta):
    model = paper(n, delta)
    p_t = loss.Bernoulli(0.01).failure(n, 10)
    p_f = p_t ** (delta + 1)
    assert model.p_t == pytest.approx(p_t)
    assert model.p_f == pytest.approx(p_f)
    assert model.packet_loss == pytest.approx(1 - (1 - p_f) ** 6, rel=1e-6)
    assert model.alpha == pytest.approx((1 - p_f) ** 5 * (1 - p_t) * 10 / n)
    assert model.alpha_with_header == pytest.approx(model.alpha * 25 / 41)


def test_infinite_persistency_is_the_limit_of_large():
    finite, infinite = paper(10, 60, p=0.05), paper(10, INF, p=0.05)
    assert infinite.p_f == infinite.packet_loss == 0
    for name in ("p_t", "alpha", "mean_transmissions"):
        assert getattr(infinite, name) == pytest.approx(getattr(finite, name), rel=1e-9)
    a, b = infinite.attempts(), finite.attempts()
    assert mean_most_retransmissions(a, 6) == pytest.approx(mean_most_retransmissions(b, 6))
    assert mean_last_worst(a, 6) == pytest.approx(mean_last_worst(b, 6))


@pytest.mark.parametrize("attempts", [Attempts(0.3, 0.3, 3), Attempts(0.4, 0.1, 2), Attempts(0.5, 0.6, INF)])
def test_attempts_against_monte_carlo(attempts):
    rng = seeds.generator("frames")
    frames, packets = 6, 40_000
    sent = np.ones((packets, frames))
    failed = rng.random((packets, frames)) < attempts.p_first
    retx = 0
    while failed.any() and retx < attempts.delta:
        retx += 1
        sent += failed
        failed &= rng.random((packets, frames)) < attempts.p_retx
    assert sent.mean() == pytest.approx(attempts.mean_transmissions, rel=0.01)
    assert accepts(int(failed.sum()), failed.size, attempts.p_f, 0.99999)
    assert (sent.sum() - (~failed).sum()) / failed.size == pytest.approx(attempts.mean_failures, rel=0.02)
    counts = (sent - 1)[~failed]
    for i in range(4):
        assert (counts == i).mean() == pytest.approx(attempts.pmf(i), abs=0.004)
    whole = (sent - 1)[~failed.any(axis=1)]
    assert whole.max(axis=1).mean() == pytest.approx(mean_most_retransmissions(attempts, frames), rel=0.02)
    last_worst = frames - np.argmax(whole[:, ::-1] == whole.max(axis=1, keepdims=True), axis=1)
    assert last_worst.mean() == pytest.approx(mean_last_worst(attempts, frames), rel=0.01)
    share = (sent - 1).sum() / sent.sum()
    assert share == pytest.approx(nack_share(attempts), rel=0.02)


@pytest.mark.parametrize("p_t, delta", [(0.1, 1), (0.3, 4), (0.01, 2)])
def test_closed_forms_of_the_paper(p_t, delta):
    a, frames = Attempts(p_t, p_t, delta), 6
    cdf = [a.cdf(i) for i in range(-1, delta + 1)]
    m = [cdf[i + 1] ** frames - cdf[i] ** frames for i in range(delta + 1)]
    mean_m = sum(i * q for i, q in enumerate(m))
    assert mean_most_retransmissions(a, frames) == pytest.approx(mean_m)
    appendix_a = frames * (delta + 1 - mean_m) - sum(cdf[i] / a.pmf(i) * m[i] for i in range(delta + 1))
    assert mean_last_worst(a, frames) == pytest.approx(appendix_a)
    assert sum(a.pmf(i) for i in range(delta + 1)) == pytest.approx(1)
    exact = p_t * (1 - p_t**delta) / (1 - p_t ** (delta + 1))  # errata 4
    assert nack_share(a) == pytest.approx(exact)
    assert nack_share(a, "paper") == pytest.approx(p_t * (1 - p_t**delta / (delta + 1)))


def test_separate_parity_of_retransmissions():
    model = paper(10, 1, p=0.05, n_retx=14)
    p1, p2 = (loss.Bernoulli(0.05).failure(n, 10) for n in (10, 14))
    assert model.p_f == pytest.approx(p1 * p2)
    assert model.mean_transmissions == pytest.approx(1 + p1)
    assert model.p_t == pytest.approx((p1 + p1 * p2) / (1 + p1))
    assert model.alpha == pytest.approx((1 - p1 * p2) ** 6 * 10 / (10 + 14 * p1))


def test_shortened_frames():
    code = Code(10, 12, 12, 0)
    assert code.frames(1500, 25) == (10,) * 6
    assert code.frames(1501, 25) == (10,) * 6 + (1,)
    assert code.frames(1, 25) == (1,)
    model = LinkModel(code, loss.Bernoulli(0.1), [250, 60], 25)
    long, short = loss.Bernoulli(0.1).failure(12, 10), loss.Bernoulli(0.1).failure(5, 3)
    assert model.p_f == pytest.approx((long + short) / 2)
    assert model.alpha == pytest.approx((250 * (1 - long) + 60 * (1 - short)) / 25 / 17)


def test_gilbert_elliott_packet_loss_without_retransmission():
    chain = loss.GilbertElliott(0.02, 0.2, 0.001, 0.5)
    model = LinkModel(Code(4, 5, 5, 0), chain, 2 * 4 * 8, 8)
    failed, received = chain.failure_matrices(5, 4)
    assert model.packet_loss == pytest.approx(1 - (chain.stationary() @ received @ received).sum())
    assert model.packet_loss < any_of(model.p_f, 2)  # bursts hit the same packet


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("delta", [0, 3, INF])
def test_extremes(value, delta):
    model = paper(12, delta, p=value, unit_time=1e-4, delay=0.25)
    assert model.p_t == model.packet_loss == value
    if value == 0:
        assert model.alpha == pytest.approx(10 / 12)
        assert model.mean_transmissions == 1
    else:
        assert model.alpha == 0
        assert model.mean_transmissions == delta + 1


def test_delay_without_loss():
    model = paper(10, 3, p=0, unit_time=1e-4, delay=0.2)
    assert model.mean_delay_medium(6) == pytest.approx(0.2 + 60e-4)
    assert model.unordered().mean() == pytest.approx(0.2 + 60e-4)
    assert model.resequenced().mean() == pytest.approx(0.2 + 60e-4)


@pytest.mark.parametrize("delta", [0, 1, 3, INF])
def test_crossing_time_agrees_with_section_4_5(delta):
    model = paper(10, delta, unit_time=1e-4, delay=0.25)
    assert model.unordered().mean() == pytest.approx(model.mean_delay_medium(6), rel=1e-3)
    assert model.mean_delay_large(6) < model.mean_delay_medium(6)
    assert model.resequenced().mean() >= model.unordered().mean() - 1e-3


def test_delays_are_those_of_delivered_packets():
    """One frame or ten, as many of each: of long packets more are lost, so they have less than half of the delays."""
    model = LinkModel(Code(10, 11, 11, 0), loss.Bernoulli(0.1), [250, 2500], 25, unit_time=1e-4, delay=0.05)
    received = 1 - model.attempts().p_first
    frames = (received * 1 + received**10 * 10) / (received + received**10)
    assert model.unordered().mean() == pytest.approx(0.05 + frames * 11e-4)


@pytest.mark.parametrize(
    "k, n, p, delta, drain",
    [*((10, 11, 0.03, delta, drain) for delta in (0, 2, INF) for drain in (0, 0.004)), *((k, k, 0.1, 2, 0) for k in (1, 2, 3)), (1, 3, 0.3, 1, 0)],
)
def test_resequenced_delay_against_monte_carlo(k, n, p, delta, drain):
    """`drain`: seconds of a packet at the user port, of 0.0066 s between packets of ten units a frame without losses."""
    model = LinkModel(Code(k, n, n, delta), loss.Bernoulli(p), 6 * k * 25, 25, unit_time=1e-4, delay=0.05)
    model.drain = drain
    rng = seeds.generator("frames")
    p_t, packets = model.attempts().p_first, 1_000_000  # with a port that is slow, many wait together
    slot, gap = model.slot_time(), model.units_per_frame * 6 * model.unit_time
    count, failed = np.zeros((packets, 6)), rng.random((packets, 6)) < p_t
    attempt, silent = 0, np.zeros_like(failed)
    while failed.any() and attempt < delta:
        count += failed
        came = rng.binomial(n, 1 - p, (packets, 6))
        silent = came < 2
        failed &= came < k
        attempt += 1
    if delta:  # the sender's word that it has given the frame up comes as late as one more retransmission would
        count += failed & silent
    lost = failed.any(axis=1)
    ready = 0.05 + (count * model.tau + np.arange(1, 7) * slot).max(axis=1)
    leaving = drain * (np.cumsum(~lost) - ~lost)  # of the packets before it, at the user port
    begin = np.maximum.accumulate(ready + np.arange(packets) * gap - leaving) + leaving
    out = begin - np.arange(packets) * gap
    assert model.resequenced().mean() == pytest.approx(out[~lost].mean(), rel=0.02)
    assert model.resequenced().quantile(0.99) == pytest.approx(np.quantile(out[~lost], 0.99), rel=0.05)


@pytest.mark.parametrize("text", ["bernoulli", "bernoulli:x", "bernoulli:2", "ge:1,2", "none:1", "", "ge:0,0,0,-1"])
def test_loss_syntax_errors(text):
    from arqlink.errors import UserError

    with pytest.raises(UserError, match="loss model"):
        loss.parse(text)


def test_loss_syntax():
    assert loss.parse("bernoulli:0.01") == loss.Bernoulli(0.01)
    assert loss.parse("none") == loss.Bernoulli(0)
    assert loss.parse("0.01") == loss.parse(" 1e-2 ") == loss.Bernoulli(0.01)
    chain = loss.parse("ge:0.01,0.1,0,0.5")
    assert chain == loss.GilbertElliott(0.01, 0.1, 0, 0.5)
    assert loss.parse(str(chain)) == chain
    assert loss.Bernoulli(1).registers()["P_GOOD"] == 0xFFFFFFFF
    assert loss.Bernoulli(0.5).registers()["P_GOOD"] == 1 << 31
