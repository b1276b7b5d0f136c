# SPDX-License-Identifier: Apache-2.0
"""RR-4752 eqs. 3 to 6 and the exact distributions of what the counters count; shares nothing with arqlink."""

import math
from dataclasses import dataclass

import numpy as np

WIDTH = 10
"""Standard deviations that a tabulated distribution spans; what lies beyond is less than 1e-6."""


def transmission_failure(k, n, p):
    """P_T, eq. 4: more than n - k of n units are erased."""
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n - k + 1, n + 1))


@dataclass(frozen=True)
class Expected:
    """What the paper says about frames of k units, n in a first transmission and nr in a retransmission.

    delta may be math.inf; `x` frames in a packet.
    """

    k: int
    n: int
    nr: int
    delta: float
    p: float
    x: int

    @property
    def p_first(self):
        return transmission_failure(self.k, self.n, self.p)

    @property
    def p_retx(self):
        return transmission_failure(self.k, self.nr, self.p)

    @property
    def p_f(self):
        """P_F, eq. 5: with n = nr it is P_T^(delta + 1)."""
        return 0.0 if math.isinf(self.delta) else self.p_first * self.p_retx**self.delta

    @property
    def packet_loss(self):
        """P, eq. 3."""
        return -math.expm1(self.x * math.log1p(-self.p_f))

    @property
    def mean_transmissions(self):
        """First transmission, and retransmission i with the probability that all before it failed."""
        if math.isinf(self.delta):
            return 1 + self.p_first / (1 - self.p_retx)
        return 1 + sum(self.p_first * self.p_retx**i for i in range(int(self.delta)))

    @property
    def alpha(self):
        """Data units in delivered packets over all units sent: E of one over E of the other.

        With n = nr this is eq. 6, (1 - P_F)^(X-1) (1 - P_T) K/N.
        """
        units = self.n + self.nr * (self.mean_transmissions - 1)
        return self.k * (1 - self.p_f) ** self.x / units


def good_size(least):
    """Length of an FFT that has small factors."""
    return -(-least // 64) * 64


class Totals:
    """Exact joint distribution of (packets lost, retransmissions) over independent packets.

    The generating function of a frame's retransmissions z and of its packet's loss w is evaluated on a grid of roots
    of unity and inverted by FFT. The grid spans WIDTH standard deviations.
    """

    def __init__(self, expected, packets):
        self.expected, self.packets = expected, packets
        e, x = expected, expected.x
        a, b, d = e.p_first, e.p_retx, e.delta
        mean, variance = self._retransmission_moments(a, b, d)
        self.retx0, retx_size = self._span(packets * x * mean, packets * x * variance)
        loss = e.packet_loss
        self.lost0, lost_size = self._span(packets * loss, packets * loss * (1 - loss))
        z = np.exp(-2j * np.pi * np.arange(retx_size) / retx_size)
        w = np.exp(-2j * np.pi * np.arange(lost_size) / lost_size)
        if math.isinf(d):
            through, failed = (1 - a) + a * (1 - b) * z / (1 - b * z), 0 * z
        else:
            through = (1 - a) + a * (1 - b) * sum((b**i * z ** (i + 1) for i in range(d)), 0 * z)
            failed = a * (b * z) ** d
        delivered = through**x
        undelivered = (through + failed) ** x - delivered
        rows = np.empty((lost_size, retx_size), complex)
        for i in range(lost_size):
            rows[i] = np.fft.ifft((delivered + w[i] * undelivered) ** packets)
        table = np.maximum(np.fft.ifft(rows, axis=0).real, 0)
        # Index i of the torus is for the value that is i modulo the size and lies in the span.
        self.table = np.roll(table, (-self.lost0 % lost_size, -self.retx0 % retx_size), axis=(0, 1))
        self.lost = self.lost0 + np.arange(lost_size)
        self.retx = self.retx0 + np.arange(retx_size)

    @staticmethod
    def _retransmission_moments(a, b, d):
        """Mean and variance of a frame's retransmissions: P(at least i) = a b^(i-1) for i = 1 to d."""
        last = int(d) if not math.isinf(d) else max(1, math.ceil(-40 / math.log(b))) if b else 1
        tail = np.array([a * b ** (i - 1) for i in range(1, last + 1)])
        mean = tail.sum()
        square = (tail * (2 * np.arange(1, last + 1) - 1)).sum()
        return mean, square - mean**2

    @staticmethod
    def _span(mean, variance):
        size = good_size(int(WIDTH * math.sqrt(max(variance, 0))) + 64)
        return max(0, int(mean) - size // 2), size

    def alpha(self, lost, retx):
        e = self.expected
        return e.k * e.x * (self.packets - lost) / (self.packets * e.x * e.n + e.nr * retx)

    def retransmission_tails(self, retx):
        """P(total number of retransmissions <= retx), P(>= retx)."""
        marginal = self.table.sum(axis=0)
        return marginal[self.retx <= retx].sum(), marginal[self.retx >= retx].sum()

    def alpha_tails(self, lost, retx):
        """P(alpha is at most what was seen), P(at least)."""
        possible = self.alpha(self.lost[:, None], self.retx[None, :])
        seen = self.alpha(lost, retx)
        return self.table[possible <= seen * (1 + 1e-12)].sum(), self.table[possible >= seen * (1 - 1e-12)].sum()


@dataclass(frozen=True)
class Burst:
    """Gilbert-Elliott channel: one step a unit, the state decides about the unit and then moves."""

    p_gb: float
    p_bg: float
    p_good: float
    p_bad: float

    @property
    def stationary(self):
        return np.array([self.p_bg, self.p_gb]) / (self.p_gb + self.p_bg)

    @property
    def mean(self):
        return float(self.stationary @ [self.p_good, self.p_bad])

    def transmission(self, k, n):
        """(received, failed): 2x2 matrices from the state before the transmission to the state after it.

        A unit is the matrix polynomial (diag(1 - q) + y diag(q)) S; the coefficient of y^e in its n-th power counts e
        erasures. The power is computed at the roots of unity and inverted, so no recursion over erasures is needed.
        """
        step = np.array([[1 - self.p_gb, self.p_gb], [self.p_bg, 1 - self.p_bg]])
        q = np.array([self.p_good, self.p_bad])
        y = np.exp(-2j * np.pi * np.arange(n + 1) / (n + 1))[:, None]
        unit = ((1 - q) + y * q)[:, :, None] * step
        erasures = np.fft.ifft(np.linalg.matrix_power(unit, n), axis=0).real
        return erasures[: n - k + 1].sum(axis=0), erasures[n - k + 1 :].sum(axis=0)

    def transmission_failure(self, k, n):
        """P_T over a long time."""
        return float(self.stationary @ self.transmission(k, n)[1].sum(axis=1))

    def repeated_failure(self, k, n, lag):
        """P(a transmission fails, and one that begins `lag` units after its end fails as well)."""
        step = np.array([[1 - self.p_gb, self.p_gb], [self.p_bg, 1 - self.p_bg]])
        failed = self.transmission(k, n)[1]
        return float((self.stationary @ failed @ np.linalg.matrix_power(step, lag) @ failed).sum())

    def failures(self, k, n, transmissions):
        """Distribution of the number of failures in so many successive transmissions, the first one beginning in the
        good state: an array over 0 to `transmissions`."""
        received, failed = self.transmission(k, n)
        size = good_size(transmissions + 1)
        y = np.exp(-2j * np.pi * np.arange(size) / size)[:, None, None]
        power = np.linalg.matrix_power(received + y * failed, transmissions)
        return np.maximum(np.fft.ifft(power[:, 0, :].sum(axis=1)).real, 0)[: transmissions + 1]

    def transmission_tails(self, k, n, frames, transmissions):
        """P(at most), P(at least) for the number of transmissions until `frames` were received, delta infinite, n = nr.

        At most t are needed if t transmissions have at most t - frames failures.
        """

        def at_most(t):
            return float(self.failures(k, n, t)[: t - frames + 1].sum()) if t >= frames else 0.0

        return at_most(transmissions), 1 - at_most(transmissions - 1)
