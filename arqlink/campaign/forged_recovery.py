# SPDX-License-Identifier: Apache-2.0
"""How long a link takes to get over forged units: each run of the campaign with them, and once more without.

`arqlink campaign forged-recovery` prints a row for each pair of builds. What a run takes longer with its forged units is what they cost.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from arqlink.campaign import runs
from arqlink.errors import UserError

HEADINGS = ("pair", "runs", "forged units", "restarted", "twice", "lost, reported", "delayed", "slowest, of the bound")


@dataclass(frozen=True)
class Cost:
    """What forged units cost in a run: each of their `shots` may cost a restart. `extra`: clocks more than without them until fresh packets
    cross; `bound`: four round trips and three POLL_TIMEOUTs, in clocks (docs/architecture.md, "Contradictions"). `look`: clocks from one look at the
    registers to the next, by which a run may see too late that the link is at rest."""

    units: int
    restarts: int
    again: bool
    extra: int
    bound: int
    shots: int = 1
    look: int = 0

    @property
    def waited(self):
        """Nothing but time: no restart, and no packet that is reported as lost."""
        return not self.restarts and not self.again

    @property
    def late(self):
        """It took longer than a link may that loses nothing."""
        return self.waited and self.extra > self.bound + self.look

    @property
    def share(self):
        """Of the bound."""
        return self.extra / self.bound


def cost(forged, blank):
    """The Cost of a run, from its RunResult and the one without forged units; None where none were forged, or either run failed."""
    with_units, without = forged.recovery, blank.recovery
    if forged.kind or blank.kind or not with_units or not without:
        return None
    bound = 4 * with_units.round_trip + 3 * with_units.poll_timeout
    look = max(with_units.look, without.look)
    return Cost(with_units.units, with_units.restarts, with_units.attempts > 1, with_units.clocks - without.clocks, bound, with_units.shots, look)


def measure(pair, first, count):
    """Costs of `count` seeds from `first` on; UserError where a run fails."""
    forged, blank = (runs.run_seeds(pair, first, count, forge=1, blank=blank) for blank in (False, True))
    for result in forged:
        if result.kind:
            raise UserError(f"A run failed ({result.kind}: {result.text}); {result.repeat()} repeats it.")
    return [found for runs in zip(forged, blank, strict=True) if (found := cost(*runs))]


def measure_all(pairs, first, count, workers):
    """The same of several pairs, by so many processes."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda pair: measure(pair, first, count), pairs))


def beyond(costs):
    """Those that cost more than a link may: more than one restart a shot, or more time than the bound where nothing was lost."""
    return [c for c in costs if c.restarts > c.shots or c.late]


def row(pair, costs):
    """The cells of HEADINGS."""
    waited = [c for c in costs if c.waited]
    return (
        pair, len(costs), sum(c.units for c in costs), sum(c.restarts == 1 for c in costs), sum(c.restarts > 1 for c in costs),
        sum(c.again and not c.restarts for c in costs), sum(c.extra > 0 for c in waited), f"{max((c.share for c in waited), default=0):.2f}",
    )  # fmt: skip
