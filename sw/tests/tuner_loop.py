# SPDX-License-Identifier: Apache-2.0
"""A tuner in closed loop: on a register model whose transmissions fail as a channel has it."""

import functools
import math

from sw.tests import driver
from sw.tests.driver import call, new, probed
from sw.tests.model import Pair
from tests import seeds


@functools.cache
def independent_p_t(p, k, n):
    """RR-4752, eq. 4."""
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n - k + 1, n + 1))


class Independent:
    """Units are erased independently."""

    def __init__(self, p):
        self.p = p

    def p_t(self, k, n):
        return independent_p_t(self.p, k, n)

    def fails(self, rng, k, n):
        return rng.random() < self.p_t(k, n)


class Bursts:
    """Gilbert-Elliott channel that erases units of the bad state alone, unit by unit: a share `p` of them, in bursts of `length`
    on average. Every transmission finds the channel as the one before has left it."""

    def __init__(self, p, length):
        self.p, self.leave, self.enter = p, 1 / length, p / (1 - p) / length
        self.bad, self.stays = True, 0  # units that it stays in its state

    def p_t(self, k, n):
        return bursts_p_t(self.enter, self.leave, k, n)

    def fails(self, rng, k, n):
        erased, left = 0, n
        while left:
            if self.stays == 0:
                self.bad = not self.bad
                turn = self.leave if self.bad else self.enter
                self.stays = 1 + int(math.log(1 - rng.random()) / math.log1p(-turn))
            now = min(left, self.stays)
            erased += now * self.bad
            self.stays -= now
            left -= now
        return erased > n - k


@functools.cache
def bursts_p_t(enter, leave, k, n):
    """By enumeration of erasures and state after each unit, from the stationary state on."""
    bad = enter / (enter + leave)
    chance = {(0, False): 1 - bad, (0, True): bad}
    for _ in range(n):
        after = {}
        for (erased, state), q in chance.items():
            turn = leave if state else enter
            for then, share in ((state, 1 - turn), (not state, turn)):
                key = erased + state, then
                after[key] = after.get(key, 0) + q * share
        chance = after
    return math.fsum(q for (erased, _), q in chance.items() if erased > n - k)


class Loop:
    """Outcomes come `flight` transmissions late, and what failed goes again. `library`: another one than the driver's."""

    def __init__(self, channel, objective=0, loss_exponent=-6, k=8, n=None, flight=40, seed=3, delta=15, library=None, **goal):
        self.pair, self.rng, self.channel = Pair(), seeds.rng(seed), channel
        self.flight = []  # whether it fails, and the how many-th transmission of its frame it is
        self.again = []  # frames that wait for their next transmission
        self.late = flight
        self.device = probed(self.pair)
        self.library = library or driver.library()
        assert call("set_code", self.device, k, n or k, n or k) == 0 and call("set_persistency", self.device, delta) == 0
        goal = dict(k=k, max_parity=8, frames=6, unit_clocks=5, one_way_clocks=2000, delay_bound=0) | goal
        self.goal = new("goal", objective, driver.library().arqlink_log2_decimal(1, loss_exponent), *goal.values())
        self.state = new("tuner")
        self.begin()

    def begin(self):
        """The tuner knows nothing of what was before."""
        assert call("tuner_init", self.state, self.goal, 0) == 0

    @property
    def tuner(self):
        """What it has found."""
        view = new("tuner_view")
        call("tuner_get", self.state, view)
        return view

    @property
    def setting(self):
        return self.pair.a.get("ACTIVE_CODE", "n_first"), self.pair.a.get("ACTIVE_ARQ", "delta")

    def restart(self):
        """The link's: what is in flight gets no outcome."""
        live = self.pair.a.live
        live["tx_frames_flushed"] += len(self.flight) + len(self.again)
        live["link_restarts"] += 1
        self.pair.a.put("EPOCH", own=(self.pair.a.get("EPOCH", "own") + 1) % 256)
        self.flight, self.again = [], []

    def clear(self, tells):
        """All counters; `tells`: the tuner hears of it."""
        last = new("counters")
        assert call("read_counters", self.device, True, last) == 0
        if tells:
            call("tuner_cleared", self.state, last)

    def outage(self, frozen=False):
        """All that is in flight fails. `frozen`: that is counted apart."""
        live = self.pair.a.live
        live["link_outages"] += 1
        live["tx_outcomes_outage"] += len(self.flight) if frozen else 0
        self.flight = [(True, attempt) for _, attempt in self.flight]

    def transmit(self, fails):
        live = self.pair.a.live
        attempt = self.again.pop(0) if self.again else 0
        live["tx_retx" if attempt else "tx_frames"] += 1
        self.flight.append((fails, attempt))
        while len(self.flight) > self.late:
            self.arrive(*self.flight.pop(0))

    def arrive(self, failed, attempt):
        live, delta = self.pair.a.live, self.setting[1]
        live["tx_outcomes_failed" if failed else "tx_outcomes_ok"] += 1
        if not failed:
            live["tx_frames_acked"] += 1
        elif attempt < delta or delta == 15:
            self.again.append(attempt + 1)
        else:
            live["tx_frames_abandoned"] += 1

    def step(self, error=0):
        """Whether the setting changed."""
        changed = driver.ffi().new("bool *")
        assert self.library.arqlink_tuner_step(self.state, self.device, changed) == error
        return changed[0]

    def run(self, transmissions, error=0):
        """Transmissions after which the setting changed, counted from now."""
        changes, k, n = [], self.goal.k, self.setting[0]
        for i in range(transmissions):
            self.transmit(self.channel.fails(self.rng, k, n))
            if i % 32 == 31:
                if self.step(error):
                    changes.append(i + 1)
                n = self.setting[0]
        return changes
