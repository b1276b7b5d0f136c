# SPDX-License-Identifier: Apache-2.0
"""What a sweep can run: the points of `arqlink tcp` and of `arqlink stats`. A run gives numbers that depend on settings and seed alone."""

import hashlib

from arqlink import job, tree
from arqlink.errors import UserError
from arqlink.model import link_setup, prospects
from arqlink.run import monte_carlo
from arqlink_research.sweep import versions
from arqlink_research.tcp import builds, measurement, models
from arqlink_research.tcp import point as points

TYPES = {
    "a text": (str, "config outage shadowing orbit background noisy_terminals variant link topology gateway preset"),
    "a whole number": (int, "k n nr packet_bytes ord connections buffer window ack_every initial_window window_frames clocks_per_beat"),
    "a number or a text": ((int, float, str), "delta loss feedback_loss"),
    "true or false": (bool, "copies sack timestamps pacing"),
}
"""Settings by what their values must be; all others are numbers."""
TYPE_OF = {name: (type, text) for text, (type, names) in TYPES.items() for name in names.split()}


class Kind:
    """`names`: settings that it has; `defaults`: those that it has though they are not given."""

    names: frozenset
    defaults: dict = {}

    def check(self, settings):
        """Refuses settings that cannot be run."""
        if unknown := sorted(settings.keys() - self.names):
            raise UserError(f"'{unknown[0]}' is not a setting of this sweep; there are {', '.join(sorted(self.names))}.")
        for name, value in settings.items():
            expected, text = TYPE_OF.get(name, ((int, float), "a number"))
            if not isinstance(value, expected) or isinstance(value, bool) != (expected is bool):
                raise UserError(f"'{name}' is {value!r}; it must be {text}.")
        self.prepare(self.defaults | settings)

    def prepare(self, settings):
        """Raises UserError where the settings have no meaning; returns what is run."""
        raise NotImplementedError

    def identity(self, settings):
        """All settings, those included that have their defaults: equal for points that are the same."""
        raise NotImplementedError

    def version(self, settings):
        """Changes when what is run does, and with it results."""
        raise NotImplementedError

    def build(self, settings):
        """Builds what `run` needs."""
        raise NotImplementedError

    def run(self, settings, seed):
        """Name -> number."""
        raise NotImplementedError

    def seconds(self, settings) -> float:
        """Of real time, about, that `run` takes."""
        raise NotImplementedError

    def model(self, name, row):
        """The model's value of a number of `run`, or None; `row`: a point's `settings`, and `mean` and `std` of each number."""
        raise NotImplementedError


class Tcp(Kind):
    names = points.NAMES

    SOURCES = (
        "sim/job",
        "sim/link",
        "sim/gateway",
        "research/tcp",
        "research/arqlink_research/tcp/measurement.py",
        "research/arqlink_research/paths",
        "arqlink/rtl/native.py",
    )
    OTHER_PROGRAMS = ("sim/link/link_run.cpp", "sim/gateway/fuzz", "sim/gateway/interface.cpp", "research/tcp/reno_script.cpp")
    """Of them, those of programs that runs do not use."""

    def prepare(self, settings):
        return points.from_settings(settings)

    def identity(self, settings):
        """What the simulator reads says all, but for how an end is built."""
        point = self.prepare(settings)
        read = job.text(point.job(0)).replace(job.text(job.file_name(tree.BUILD))[1:-1], "")  # the same in each tree
        return [point.setup.config, hashlib.sha256(read.encode()).hexdigest()]

    def version(self, settings):
        if settings.get("link") == "rtl":
            return versions.digest(*self.SOURCES, "sim/end", "rtl/src/main", without=self.OTHER_PROGRAMS)
        return versions.digest(*self.SOURCES, without=(*self.OTHER_PROGRAMS, "sim/link/rtl"))

    def build(self, settings):
        builds.program()
        self.prepare(settings).library()

    def run(self, settings, seed):
        point = self.prepare(settings)
        return measurement.values(point, measurement.simulate(point, seed))

    def seconds(self, settings):
        return measurement.seconds(self.prepare(settings))

    def model(self, name, row):
        return self.expected(row["settings"]).get(name)

    def expected(self, settings):
        """The model's values of `run`, as far as it has them."""
        return models.expected(self.prepare(settings))


class Stats(Kind):
    names = frozenset("config k n nr delta loss feedback_loss delay_ms rate_mbps clocks_per_beat packet_bytes ord preset frames".split())
    defaults = {"loss": 0.01, "delay_ms": 5.0, "frames": 1e5}
    NOT_NUMBERS = ("wall_s", "cpu_s", "cycles_per_s", "cycles_per_cpu_s")
    """These depend on the machine."""

    def prepare(self, settings):
        if not 1 <= settings["frames"] <= 1e12:
            raise UserError(f"The number of frames is {settings['frames']:g}; it must be 1 to 1e12.")
        setup = self._setup(settings, seed=1)
        prospects.check(setup, setup.model(), round(settings["frames"]))
        return setup

    def identity(self, settings):
        settings = self.defaults | settings
        setup = self._setup(settings, seed=1)
        losses = {name: repr(getattr(setup, name)) for name in ("loss", "feedback_loss")}  # with all digits
        return setup.describe() | losses | {"frames": settings["frames"]}

    def version(self, settings):
        return versions.digest("rtl/src/main", "sim/end", "sim/job", "sim/pair", "arqlink/run", "arqlink/model")

    def _setup(self, settings, seed):
        return link_setup.from_options(seed=seed, **{name: value for name, value in settings.items() if name != "frames"})

    def build(self, settings):
        monte_carlo.simulator(self.prepare(self.defaults | settings))

    def run(self, settings, seed):
        settings = self.defaults | settings
        report = monte_carlo.measure(self._setup(settings, seed), round(settings["frames"]))
        return {name: value for name, value in _flat(report) if name not in self.NOT_NUMBERS}

    def seconds(self, settings):
        settings = self.defaults | settings
        setup = self._setup(settings, seed=1)
        return prospects.seconds(setup, setup.model(), round(settings["frames"]))

    def model(self, name, row):
        """What a measured value is compared with is in each run's report."""
        whole, _, part = name.rpartition(".")
        return row.get(f"{whole}.model", {"mean": None})["mean"] if part == "measured" else None


def _flat(report, prefix=""):
    """Numbers of a nested report, by their names joined with dots."""
    for name, value in report.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield prefix + name, value


TCP = Tcp()
KINDS: dict[str, Kind] = {"tcp": TCP, "stats": Stats()}
