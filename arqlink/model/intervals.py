# SPDX-License-Identifier: Apache-2.0
"""Exact statistics of counted events (Clopper and Pearson, Biometrika 26, 1934)."""

from dataclasses import dataclass

CONFIDENCE = 0.999


@dataclass(frozen=True)
class Interval:
    """A measured value and its confidence interval; all are None where nothing was counted."""

    measured: float | None
    low: float | None
    high: float | None

    def contains(self, value):
        return self.low is not None and self.high is not None and self.low <= value <= self.high


def clopper_pearson(events, trials, confidence=CONFIDENCE):
    """Exact interval for a probability of which `events` of `trials` were seen; coverage is at least `confidence`."""
    from scipy.stats import beta

    _check(events, trials)
    if not trials:
        return Interval(None, None, None)
    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, events, trials - events + 1)) if events else 0.0
    high = float(beta.ppf(1 - tail, events + 1, trials - events)) if events < trials else 1.0
    return Interval(events / trials, low, high)


def binomial_p_value(events, trials, probability):
    """Exact two-sided p-value: the chance of any outcome that is no likelier than the one seen."""
    from scipy.stats import binomtest

    _check(events, trials)
    return 1.0 if not trials else float(binomtest(events, trials, min(max(probability, 0.0), 1.0)).pvalue)


def accepts(events, trials, probability, confidence=CONFIDENCE):
    """Whether `events` of `trials` agree with `probability`: the exact two-sided test at level `confidence`."""
    return binomial_p_value(events, trials, probability) >= 1 - confidence


def _check(events, trials):
    if not 0 <= events <= trials:
        raise ValueError(f"{events} events of {trials} trials cannot be")
