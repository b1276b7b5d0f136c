# SPDX-License-Identifier: Apache-2.0
"""One TCP connection over a terrestrial and a satellite path in series: J. Zhu, S. Roy, J. Kim, "Performance Modelling of TCP
Enhancements in Terrestrial-Satellite Hybrid Networks" (UW EE technical report). End to end over SR-ARQ on the satellite path
(eqs. 1 to 40, 59 to 78), and split at the gateway between them (eqs. 41 to 58).

Lengths are in TCP segments and times in seconds. All functions take arrays too. Valid for fully reliable SR-ARQ that delivers in order, losses
of link packets that are independent, a source that always sends and acknowledges each segment, losses of TCP in the gateway's
buffer only, no timeouts, and a satellite path that holds many segments (mu T2 well above 1).
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

SHARE_LEFT = 1e-16
"""Sums over transmissions end where so little of a packet's chance is left."""

FEWEST_SEGMENTS = 4
"""Segments of buffer that a split connection needs for its fast retransmissions, eq. 58."""


@dataclass(frozen=True)
class SatellitePath:
    """terrestrial   T1: round trip to the gateway
    satellite     T2: round trip over the satellite
    rate          mu: segments a second on the satellite path
    buffer        B: segments that the gateway stores, copies of those under way included
    loss          p: share of segments that are lost on the satellite path
    link_packets  S: link packets that a segment is cut into; a segment arrives if all of them do
    """

    terrestrial: float | np.ndarray
    satellite: float | np.ndarray
    rate: float | np.ndarray
    buffer: float | np.ndarray
    loss: float | np.ndarray
    link_packets: float | np.ndarray = 1

    @property
    def link_loss(self):
        """r: share of link packets that are lost; the share of transmissions that are repeated."""
        return -np.expm1(np.log1p(-np.asarray(self.loss, float)) / self.link_packets)

    @property
    def pipe(self):
        """mu T2: segments under way on the satellite path when it is full."""
        return np.asarray(self.rate, float) * self.satellite

    @property
    def beta(self):
        """Buffer in pipes."""
        return self.buffer / self.pipe

    @property
    def nu(self):
        """`delay_of_factor_e` of the link's losses."""
        return delay_of_factor_e(self.link_loss)

    # End to end ---------------------------------------------------------------------------------------------------

    def window_time(self, window):
        """E[tau(w)]: mean time to transfer a window of TCP, by its upper bound, eq. 20."""
        r, window = self.link_loss, np.asarray(window, float)
        stored = np.minimum(self.buffer, window)
        theta = np.minimum(stored, self.pipe)
        queued = np.maximum(stored - self.pipe, 0) / (self.rate * (1 - r)) + theta / (4 * self.rate)
        return self.terrestrial + queued + self.satellite / (1 - r) * (1 + self.nu * np.log(theta * self.link_packets / 2))

    @property
    def rho(self):
        """Share of the satellite path in the time of the largest window, eq. 37 with eqs. 28 and 29."""
        largest = self.window_time(np.inf)
        return (largest - self.terrestrial) / largest

    @property
    def largest_window(self):
        """w_max, at which the gateway's buffer overflows, eq. 36."""
        return (self.buffer + 1) * 2 / (1 + self.rho)

    def end_to_end(self):
        """lambda/mu: throughput in shares of the satellite rate, in closed form; eqs. 39 and 40, with their three cases. 0.2 to 4 % below
        `end_to_end_sum` (errata)."""
        r, rho, beta, nu, pipe, buffer = self.link_loss, self.rho, self.beta, self.nu, self.pipe, np.asarray(self.buffer, float)
        wide = (1 + rho - rho**2 / 2) / (1 + rho)

        def factorials(most):
            """nu (1 + rho)/B ln((most - 1)! / (B/(1 + rho) - 1)!)."""
            return (1 + rho) / buffer * nu * (special.gammaln(most) - special.gammaln(buffer / (1 + rho)))

        cases = [beta >= 1 + rho, beta > 1]
        a1 = np.select(cases, [1.0, 2 - (1 + rho) / beta], 1 - rho)
        a2 = np.select(cases, [1.0, 2 - (1 + rho) / (2 * beta) - beta / (2 * (1 + rho))], wide * beta)
        middle = 2 * beta - 1 + (1 + rho) / (2 * beta) - beta * (1 + rho) / 2 + factorials(pipe)
        a3 = np.select(cases, [wide * beta, middle], 1 + factorials(buffer))
        time = (
            self.terrestrial * (1 - r) / self.satellite
            + a1 * nu * np.log(np.minimum(1, beta) * pipe)
            + a2 * (1 - r) / 4
            + a3
            + nu * np.log(np.asarray(self.link_packets, float) / 2)
        )
        return 1.5 * beta * (1 - r) / (1 + rho) / time

    def end_to_end_sum(self):
        """lambda/mu by the sum of eq. 38: windows from w_max/2 to w_max, one more segment each. Of one path, not of arrays."""
        largest = float(self.largest_window)
        windows = largest / 2 + np.arange(int(largest / 2) + 1)
        return float(windows.sum() / self.window_time(windows).sum() / self.rate)

    # Split --------------------------------------------------------------------------------------------------------

    @property
    def persistence(self):
        """Mean time in which a segment is in the satellite path, in T2: eq. 44, and eq. 4 where it has several link packets."""
        return (1 + self.nu * np.log((np.asarray(self.link_packets, float) + 1) / 2)) / (1 - self.link_loss)

    def split(self):
        """lambda/(mu (1 - r)): throughput of a split connection, in shares of what the satellite path can carry; eq. 50. The gateway
        advertises the rest of its buffer, which limits the source."""
        round_trips = self.persistence + 2 * np.asarray(self.terrestrial, float) / self.satellite
        return np.minimum(1, self.beta / (1 - self.link_loss) / round_trips)

    def split_connections(self):
        """Most connections whose share of the buffer is still enough for fast retransmissions: B/N >= 4, eq. 58."""
        return np.floor_divide(self.buffer, FEWEST_SEGMENTS)

    # Fading -------------------------------------------------------------------------------------------------------

    def fading_bounds(self):
        """(end to end, split): upper bounds of lambda/mu where losses come together: two states, of which the bad one, with a share X =
        `loss` of the time, loses all (section V.C). Packets under way are then all received or all lost and wait for no other one
        (eq. 57): eq. 39 with nu = 0, and eq. 50, both with p = X. Of segments with one link packet."""
        return _Together(**vars(self)).end_to_end(), self.split() * (1 - self.link_loss)


class _Together(SatellitePath):
    """Losses that reorder nothing."""

    @property
    def nu(self):
        return np.zeros_like(self.link_loss)


def delay_of_factor_e(link_loss):
    """nu of eq. 4: how much later a packet arrives, in T2/(1 - r), if e times as many packets must arrive first. 0 without losses."""
    r = np.asarray(link_loss, float)
    with np.errstate(divide="ignore"):
        return np.where(r > 0, -(1 - r) / np.log(r), 0.0)


def mean_in_order(packets, link_loss, attempts=np.inf):
    """E_K/T2: mean transmissions until `packets` link packets that began together have all arrived, eq. 63; of at most `attempts`
    transmissions each (eq. 59), where the last one counts whether it arrives or not. Exact: all terms are positive."""
    packets, link_loss = np.asarray(packets, float), float(link_loss)
    if not link_loss:
        return np.ones_like(packets)
    most = np.log(SHARE_LEFT / packets.max()) / np.log(link_loss)
    j = np.arange(1, min(attempts, int(np.ceil(most)) + 1))
    late = -np.expm1(packets[..., None] * np.log1p(-(link_loss**j)))
    return 1 + late.sum(axis=-1)


def out_of_order(link_loss, link_packets=1, apart=1):
    """Chance that a segment of so many link packets arrives before another one, which was sent `apart` round trips earlier: eq. 15, and eq. 16 with one
    link packet. `link_loss` is above 0."""
    most = np.ceil(np.log(SHARE_LEFT / link_packets) / np.log(link_loss))
    arrived = (1 - link_loss ** np.arange(most + 1 + apart)) ** link_packets
    still_under_way = 1 - arrived[1 + apart :]
    return float(np.diff(arrived)[: len(still_under_way)] @ still_under_way)


def mean_in_order_estimate(packets, link_loss):
    """E_K/T2 by the logarithm of eq. 4."""
    return (1 + delay_of_factor_e(link_loss) * np.log((np.asarray(packets, float) + 1) / 2)) / (1 - link_loss)
