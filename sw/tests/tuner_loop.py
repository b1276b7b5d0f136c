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
    """Outcomes come `flight` transmissions late. `library`: another one than the driver's."""

    def __init__(self, channel, objective=0, loss_exponent=-6, k=8, n=None, flight=40, seed=3, delta=15, library=None, **goal):
        self.pair, self.rng, self.channel, self.flight = Pair(), seeds.rng(seed), channel, []
        self.late = flight
        self.device = probed(self.pair)
        self.step = (library or driver.library()).arqlink_tuner_step
        assert call("set_code", self.device, k, n or k, n or k) == 0 and call("set_persistency", self.device, delta) == 0
        goal = dict(k=k, max_parity=8, frames=6, unit_clocks=5, one_way_clocks=2000, delay_bound=0) | goal
        self.goal = new("goal", objective, driver.library().arqlink_log2_decimal(1, loss_exponent), *goal.values())
        self.tuner = new("tuner")
        assert call("tuner_init", self.tuner, self.goal, 0) == 0

    @property
    def setting(self):
        return self.pair.a.get("ACTIVE_CODE", "n_first"), self.pair.a.get("ACTIVE_ARQ", "delta")

    def run(self, transmissions, error=0):
        """Transmissions after which the setting changed, counted from now."""
        changes, changed = [], driver.ffi().new("bool *")
        live, k, n = self.pair.a.live, self.goal.k, self.setting[0]
        for i in range(transmissions):
            live["tx_frames"] += 1
            self.flight.append(self.channel.fails(self.rng, k, n))
            while len(self.flight) > self.late:
                live["tx_outcomes_failed" if self.flight.pop(0) else "tx_outcomes_ok"] += 1
            if i % 32 == 31:
                assert self.step(self.tuner, self.device, changed) == error
                n = self.setting[0]
                if changed[0]:
                    changes.append(i + 1)
        return changes
