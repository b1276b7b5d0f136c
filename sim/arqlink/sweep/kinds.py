# SPDX-License-Identifier: Apache-2.0
"""What a sweep can run: the points of `arqlink tcp` and of `arqlink stats`. A run gives numbers that depend on settings and seed alone."""

from arqlink.errors import UserError
from arqlink.model import loss
from arqlink.model.link_setup import LinkSetup, parse_delta
from arqlink.run import monte_carlo
from arqlink.tcp import builds
from arqlink.tcp import point as points


def link_setup(settings, seed=1):
    """A LinkSetup of settings as the commands name them."""
    known = {name: settings[name] for name in ("config", "k", "n", "ord", "preset", "delay_ms", "rate_mbps", "packet_bytes") if name in settings}
    known["nr"] = settings.get("nr", settings.get("n_retx"))
    known["ord"] = settings.get("order", known.get("ord", 1))
    known["delta"] = parse_delta(str(settings.get("delta", "inf")))
    known["loss"] = loss.parse(settings["loss"]) if "loss" in settings else loss.parse(f"bernoulli:{settings.get('p', 0.01)!r}")
    known["feedback_loss"] = loss.parse(settings.get("feedback_loss", "none"))
    return LinkSetup(seed=seed, **known)


class Kind:
    """`names`: settings that it has; `defaults`: those that it has though they are not given."""

    names: frozenset
    defaults: dict = {}

    def check(self, settings):
        """Refuses settings that cannot be run."""
        if unknown := sorted(settings.keys() - self.names):
            raise UserError(f"'{unknown[0]}' is not a setting of this sweep; there are {', '.join(sorted(self.names))}.")
        for name, value in settings.items():
            if not isinstance(value, (int, float, str)) or isinstance(value, bool):
                raise UserError(f"'{name}' is {value!r}; a setting is a number or a text.")
        self.prepare(self.defaults | settings)

    def prepare(self, settings):
        """Raises UserError where the settings have no meaning; returns what is run."""
        raise NotImplementedError

    def build(self, settings):
        """Builds what `run` needs."""
        raise NotImplementedError

    def run(self, settings, seed):
        """Name -> number."""
        raise NotImplementedError


class Tcp(Kind):
    names = frozenset("config k n n_retx delta p loss delay_ms rate_mbps packet_bytes order connections variant link seconds warm_up".split())
    defaults = {"delta": 5, "delay_ms": 200.0, "packet_bytes": 1500}
    OWN = ("connections", "variant", "link", "seconds", "warm_up")

    def prepare(self, settings):
        return points.Point(link_setup(settings), **{name: settings[name] for name in self.OWN if name in settings})

    def build(self, settings):
        builds.program()
        points.library(self.prepare(self.defaults | settings))

    def run(self, settings, seed):
        point = self.prepare(self.defaults | settings)
        return points.values(point, points.simulate(point, seed))

    def expected(self, settings):
        """The model's values of `run`, as far as it has them."""
        return points.expected(self.prepare(self.defaults | settings))


class Stats(Kind):
    names = frozenset("config k n nr delta p loss feedback_loss delay_ms rate_mbps packet_bytes ord preset frames".split())
    defaults = {"delay_ms": 5.0, "frames": 1e5}
    NOT_NUMBERS = ("wall_s", "cpu_s", "cycles_per_s", "cycles_per_cpu_s")
    """These depend on the machine."""

    def prepare(self, settings):
        if not 1 <= settings["frames"] <= 1e12:
            raise UserError(f"The number of frames is {settings['frames']:g}; it must be 1 to 1e12.")
        return link_setup(settings)

    def build(self, settings):
        monte_carlo.simulator(self.prepare(self.defaults | settings))

    def run(self, settings, seed):
        settings = self.defaults | settings
        report = monte_carlo.measure(link_setup(settings, seed), round(settings["frames"]))
        return {name: value for name, value in _flat(report) if name not in self.NOT_NUMBERS}


def _flat(report, prefix=""):
    """Numbers of a nested report, by their names joined with dots."""
    for name, value in report.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield prefix + name, value


TCP = Tcp()
KINDS: dict[str, Kind] = {"tcp": TCP, "stats": Stats()}
