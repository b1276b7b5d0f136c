# SPDX-License-Identifier: Apache-2.0
"""ACK reservation at a gateway that splits TCP before a satellite link with outages: J. Zhu, S. Roy, J. Kim, "Enhancing TCP Splitting in
Satellite-Terrestrial Networks via ACK Reservation". The gateway acknowledges what it stores. While more than a share K of its buffer is in
use it reserves the ACKs; when the link is back, it sends them all at once, and the window of the source grows by them.

Lengths are in TCP segments and times in seconds. All functions take arrays too. Valid for one connection of a source that always sends and
acknowledges each segment, a link that delivers everything in order, outages that are long enough for the buffer to fill and for timeouts to
bring the source's window and threshold down to about one segment, and 0 < K < 1: without a reservation the source's timer decides when it
wakes. A source by RFC 5681 keeps a threshold of half of what was under way and is back sooner. One that finds a closed window has no timeouts,
and needs no reservation: eq. 2 is all that its gateway has to satisfy.
"""

from dataclasses import dataclass, replace

import numpy as np

from arqlink.errors import UserError

ROUNDING = 1e-9
"""Segments by which a condition may fail, for fractions are not exact."""


@dataclass(frozen=True)
class AckReservation:
    """terrestrial   T1: round trip from the source to the gateway, in seconds
    satellite     T2: round trip over the satellite, in seconds; a segment is stored for so long
    rate          mu: segments a second on the satellite path
    buffer        B: segments that the gateway stores, copies of those under way included
    threshold     K: share of the buffer above which ACKs are reserved, between 0 and 1
    """

    terrestrial: float | np.ndarray
    satellite: float | np.ndarray
    rate: float | np.ndarray
    buffer: float | np.ndarray
    threshold: float | np.ndarray

    @property
    def terrestrial_pipe(self):
        """B1 = mu T1: most segments that leave for the satellite in a terrestrial round trip."""
        return np.asarray(self.rate, float) * self.terrestrial

    @property
    def satellite_pipe(self):
        """B2 = mu T2: segments under way on the satellite path when it is full; it stays full while so many are stored, eq. 1."""
        return np.asarray(self.rate, float) * self.satellite

    @property
    def reserve(self):
        """B_K = B (1 - K): segments that find room after the reservation has begun, and so the ACKs that are reserved."""
        return self.buffer * (1 - np.asarray(self.threshold, float))

    # Without outage -----------------------------------------------------------------------------------------------

    @property
    def is_full_without_outage(self):
        """Whether the satellite path is always full as long as it has no outage, eq. 4."""
        return self.buffer + ROUNDING >= self._least_buffer_without_outage

    @property
    def _least_buffer_without_outage(self):
        """Right side of eq. 4: what eqs. 2 and 3 ask for."""
        return self.satellite_pipe + self.terrestrial_pipe + np.maximum(self.terrestrial_pipe, self.reserve)

    def without_outage(self):
        """Throughput without outages, in shares of mu: 1 where eq. 4 holds. Where it does not, an estimate that is not in the paper: the
        share of the buffer of eq. 4 that there is. With B_K <= B1 that is eq. 50 of `satellite_path` without losses. From K = 0.8 on a
        simulation of segments is within 0.04."""
        return np.minimum(1, self.buffer / self._least_buffer_without_outage)

    # After an outage ----------------------------------------------------------------------------------------------

    @property
    def first_window(self):
        """w0: window of the source when it has all the reserved ACKs, eq. 5 solved."""
        return (np.sqrt(1 + 8 * self.reserve) - 1) / 2

    @property
    def least_stored(self):
        """Fewest segments that the gateway stores after an outage if the satellite path takes mu throughout: left side of eq. 7, with n of
        eq. 6. A window of w0 >= B1 has nothing to grow, and eq. 3 is left."""
        missing = np.maximum(self.terrestrial_pipe - self.first_window, 0)
        return self.buffer - self.reserve - self.terrestrial_pipe - missing * (missing + 1) / 2

    @property
    def is_full_after_outage(self):
        """Whether the source is back before less than B2 is stored, eq. 8."""
        return self.least_stored + ROUNDING >= self.satellite_pipe

    @property
    def is_full(self):
        """Whether the satellite path carries mu whenever it has no outage: eqs. 4 and 8."""
        return self.is_full_without_outage & self.is_full_after_outage

    @property
    def least_buffer(self):
        """B_min: least buffer for which some K satisfies eqs. 4 and 8; eq. 13, with eq. 12 for B1 < 2."""
        b1 = self.terrestrial_pipe
        return self.satellite_pipe + b1 + np.maximum((2 * b1 + b1**2) / 4, b1)

    @property
    def least_buffer_closing(self):
        """Least buffer that is always full without a reservation, where the window closes when the buffer is full, eq. 2."""
        return self.satellite_pipe + 2 * self.terrestrial_pipe

    @property
    def best_reserve(self):
        """B_K that eq. 8 needs the least buffer for, eq. 11: w0 = B1/2. Where the buffer is too short for it, as many as eq. 4 allows, as in
        Table I."""
        b1 = self.terrestrial_pipe
        allowed = np.maximum(self.buffer - self.satellite_pipe - b1, b1)
        return np.minimum(b1 * (b1 + 2) / 8, allowed)

    @property
    def best_threshold(self):
        """K of `best_reserve`."""
        return 1 - self.best_reserve / self.buffer

    @property
    def _last_window(self):
        """w(te): window of the source when the satellite path is full again, eq. 18."""
        return self.terrestrial_pipe + np.asarray(self.satellite, float) / self.terrestrial

    @property
    def recovery_time(self):
        """T_r where B < B_min: seconds until the satellite path is full again, eq. 19."""
        return np.maximum(self._last_window - np.sqrt(2 * self.reserve), 0) * self.terrestrial

    @property
    def recovery_time_of_table(self):
        """T_r as Table I has it: one T1 more, which is the 1 of eq. 6 (errata)."""
        return self.recovery_time + self.terrestrial

    def throughput_of_eq_20(self, dark, cycle):
        """Throughput in shares of mu where the link is dark for `dark` seconds (T_o) of each `cycle` (T_c), eq. 20 with eq. 19, if the buffer
        is too short (B < B_min). It is above 1 - T_o/T_c where T2/T1 > B1 - sqrt(2 B_K): there it means nothing."""
        sent = np.where(self.recovery_time > 0, (self._last_window**2 - 2 * self.reserve) / 2, 0)
        return ((np.asarray(cycle, float) - dark - self.recovery_time) + sent / self.rate) / cycle

    @property
    def missed(self):
        """Segments that the satellite path could have carried after an outage while it had none: those by which eq. 7 fails. 0 where eq. 8
        holds. Not in the paper: what a queue with a steady server misses is the most by which the arrivals have ever been behind."""
        return np.maximum(self.satellite_pipe - self.least_stored, 0)

    def throughput(self, dark, cycle):
        """Throughput in shares of mu with an outage of `dark` seconds in each `cycle`: what is carried without outages, less `missed`. It is
        1 - T_o/T_c where eqs. 4 and 8 hold, and within 0.003 of the simulations of Table I, which eq. 20 is within 0.006 of. Low where
        eq. 4 fails, as what is missed then counts in part twice."""
        bright = 1 - dark / np.asarray(cycle, float)
        return np.maximum(bright * self.without_outage() - self.missed / (self.rate * np.asarray(cycle, float)), 0)


def planned(terrestrial, satellite, rate, buffer=None):
    """The path with K by eq. 11, in whole segments, and with the shortest buffer that is always full with it, or this one. Of one path, not of
    arrays."""
    path = AckReservation(terrestrial, satellite, rate, np.inf if buffer is None else buffer, 0.5)
    if path.buffer <= path.satellite_pipe + path.terrestrial_pipe:
        raise UserError(
            f"The buffer is {buffer} packets; the round trips hold {path.satellite_pipe + path.terrestrial_pipe:.4g}, and a reservation of ACKs needs more."
        )
    reserve = max(1, int(path.best_reserve))
    if buffer is not None:
        return replace(path, threshold=1 - reserve / buffer)
    buffer = int(np.ceil(max(path.least_buffer, reserve + 1)))
    while not (path := replace(path, buffer=buffer, threshold=1 - reserve / buffer)).is_full:
        buffer += 1
    return path
