# SPDX-License-Identifier: Apache-2.0
"""One point: long-lived TCP connections over a link with all its settings. The link's own feedback and TCP's acknowledgements are lost only
where the settings say so."""

from dataclasses import dataclass, fields

from arqlink.errors import UserError
from arqlink.link import description, erasures
from arqlink.model import link_setup, loss
from arqlink.model.link_setup import LinkSetup
from arqlink.model.outage import Outage
from arqlink.rtl import verilated_end
from arqlink_research.tcp.background import Background
from arqlink_research.tcp.low_orbit import LowOrbit
from arqlink_research.tcp.path import Path
from arqlink_research.tcp.shadowing import Shadowing
from arqlink_research.tcp.terminals import Terminals
from arqlink_research.tcp.topologies import TOPOLOGIES

OWN = ("reno", "classic")
"""Without SACK (research/tcp/reno.h): NewReno by RFC 5681 and 6582, and Reno by RFC 5681."""
OF_NS3 = ("NewReno", "Hybla", "Vegas", "WestwoodPlus", "Cubic", "Bbr")
"""TCPs of ns-3, with SACK."""
XCP = "Xcp"
IN_NS3 = ("Westwood2001", "DVegas", XCP)
"""TCPs that ns-3 lacks, in its sockets (research/tcp/variants), with SACK."""
VARIANTS = (*OWN, *OF_NS3, *IN_NS3)
LINKS = ("event", "rtl")
SLOWEST, FASTEST = 1e3, 1e9
"""Clocks of the link in a second."""
LEAST_OF_NS3 = 100
LEAST_OF_GATEWAY = 128
"""Bytes of a packet."""
USUAL_INITIAL, USUAL_INITIAL_OF_NS3, MOST_INITIAL = 2, 10, 1000
"""Segments of the first window: of OWN, of others (RFC 6928), and at most."""
WINDOWS = tuple(1 << i for i in range(5, 19))
MOST_SECONDS = 1e7
MOST_SLOWER = 1000


@dataclass(frozen=True)
class Point:
    """setup          the link
    path           what is around it
    connections    TCP connections that share it
    variant        their TCP, of VARIANTS
    sack           they have SACK; None: all but OWN, which cannot have it
    timestamps     they have timestamps, which take 12 bytes of each packet. OWN without them measure round trips by Karn's rule (RFC 6298)
    initial_window segments of the first window; None: USUAL_INITIAL, or that of ns-3
    pacing         of a TCP of ns-3: its segments are paced, by its window and round trip
    link           model of the link that carries the packets, of LINKS
    outage         when the link is dark
    shadowing      of the sender by houses: the first link is dark then, both ways
    orbit          a path over satellites that move: delays in place of the setup's, for which its timers are
    return_mbps    rate of the line back; None: that of the line
    background     traffic beside the connections
    noisy_terminals  those with bit errors behind the link
    window_frames  window of the link; None: that of the configuration
    seconds        are measured after `warm_up` seconds
    """

    setup: LinkSetup
    path: Path = Path()
    connections: int = 10
    variant: str = OWN[0]
    sack: bool | None = None
    timestamps: bool = True
    initial_window: int | None = None
    pacing: bool = False
    link: str = "event"
    outage: Outage | None = None
    shadowing: Shadowing | None = None
    orbit: LowOrbit | None = None
    return_mbps: float | None = None
    background: Background | None = None
    noisy_terminals: Terminals | None = None
    window_frames: int | None = None
    seconds: float = 200.0
    warm_up: float = 20.0

    def __post_init__(self):
        if not 1 <= self.connections <= 10_000:
            raise UserError(f"The number of connections is {self.connections}; it must be 1 to 10000.")
        if self.variant not in VARIANTS:
            raise UserError(f"The TCP variant is '{self.variant}'; it must be one of {', '.join(VARIANTS)}.")
        if self.variant in OWN and (self.sack or self.pacing):
            raise UserError(f"'{self.variant}' has neither SACK nor pacing; give a TCP of ns-3, such as --variant {OF_NS3[0]}.")
        if not 1 <= self.first_window <= MOST_INITIAL:
            raise UserError(f"The first window is {self.first_window} segments; it must be 1 to {MOST_INITIAL}.")
        if self.path.structure == "split" and self.variant not in OWN and self.connections > 1:
            raise UserError(f"Several split connections need --variant {' or '.join(OWN)}; with '{self.variant}' there can be one.")
        if self.path.has_gateway and self.setup.packet_bytes < LEAST_OF_GATEWAY:
            raise UserError(f"A packet has {self.setup.packet_bytes} bytes; through a gateway it has {LEAST_OF_GATEWAY} or more, as headers are in it.")
        if self.variant == XCP and (self.path.has_gateway or self.path.structure != "direct"):
            raise UserError(f"{XCP} needs a router before the link that TCP goes through; give a direct topology without a gateway.")
        if self.link not in LINKS:
            raise UserError(f"The link is '{self.link}'; it must be {' or '.join(LINKS)}.")
        if not (0 < self.seconds <= MOST_SECONDS and 0 <= self.warm_up <= MOST_SECONDS):
            raise UserError(f"The time is {self.seconds:g} s after {self.warm_up:g} s; the first must be above 0, the second 0 or more, both at most 1e7.")
        if not SLOWEST <= self.setup.clock_hz <= FASTEST:
            raise UserError(f"At this rate the link makes {self.setup.clock_hz:.3g} clocks a second; {SLOWEST:g} to {FASTEST:g} are simulated.")
        if self.variant not in OWN and self.setup.packet_bytes < LEAST_OF_NS3:
            raise UserError(f"A packet has {self.setup.packet_bytes} bytes; TCP of ns-3 needs {LEAST_OF_NS3} or more, for its headers.")
        if self.window not in WINDOWS:
            raise UserError(f"The window of the link is {self.window} frames; it must be a power of two from 32 to 262144.")
        frames = -(-self.setup.limits["max_packet_bytes"] // self.setup.unit_bytes)
        if self.window < frames:
            raise UserError(f"The window of the link is {self.window} frames; a packet of '{self.setup.config}' may need {frames} at K = 1.")
        if self.outage and not self.outage.dark_ms * 1e-3 * self.setup.clock_hz >= 1:
            raise UserError(f"The outage of {self.outage.dark_ms:g} ms is shorter than a clock.")
        for process in (self.setup.loss, self.setup.feedback_loss):
            if isinstance(process, loss.Trace):
                raise UserError("Of a trace's units it is not known when they were sent; TCP needs losses in time, such as ge: or fading:.")
            if isinstance(process, loss.GilbertElliott):
                process.bad_units()  # refuses what is no process in time
        if sum(dark is not None for dark in (self.outage, self.shadowing, self.orbit)) > 1:
            raise UserError("Give one of outages, shadowing and an orbit.")
        if self.may_be_dark and not all(isinstance(process, loss.Bernoulli) for process in (self.setup.loss, self.setup.feedback_loss)):
            raise UserError("Between outages and shadows units are lost independently; give --loss P, and not another loss model.")
        if self.orbit and self.path.structure == "onboard":
            raise UserError("An orbit is a path over satellites without a gateway; give another topology, such as leo.")
        if self.return_mbps is not None and not (0 < self.return_mbps <= self.setup.rate_mbps and abs(self.slower - round(self.slower)) < 1e-9 * self.slower):
            raise UserError(f"The line back has {self.return_mbps:g} Mb/s; the line's {self.setup.rate_mbps:g} Mb/s must be a whole multiple of it.")
        if self.slower > MOST_SLOWER:
            raise UserError(f"The line back is {self.slower:g} times slower; it may be {MOST_SLOWER} times.")
        if self.background and (self.variant in OWN or self.path.structure == "split"):
            raise UserError(f"Background traffic needs a TCP of ns-3 that ends at the receiver; give --variant {OF_NS3[0]} and no split topology.")
        if self.noisy_terminals and (self.noisy_terminals.noisy > self.connections or self.path.structure != "direct"):
            raise UserError(
                f"{self.noisy_terminals.noisy} of {self.connections} connections end at noisy terminals; there must be as many, and a direct topology."
            )
        if self.background and self.setup.packet_bytes < LEAST_OF_NS3:
            raise UserError(f"A packet has {self.setup.packet_bytes} bytes; background traffic needs {LEAST_OF_NS3} or more.")

    @property
    def may_be_dark(self):
        """There are times at which all is lost."""
        return bool(self.outage or self.shadowing or self.orbit)

    @property
    def slower(self):
        """How many times slower than the line the line back is."""
        return 1.0 if self.return_mbps is None else self.setup.rate_mbps / self.return_mbps

    @property
    def has_sack(self):
        return self.variant not in OWN if self.sack is None else self.sack

    @property
    def first_window(self):
        """Segments of the first window."""
        usual = USUAL_INITIAL if self.variant in OWN else USUAL_INITIAL_OF_NS3
        return usual if self.initial_window is None else self.initial_window

    @property
    def window(self):
        """Window of the link in frames."""
        return self.setup.limits["window_frames"] if self.window_frames is None else self.window_frames

    @property
    def build(self):
        """struct Build of sim/link/link_model.h."""
        limits = self.setup.limits | {"window_frames": self.window}
        return description.build(limits)

    @property
    def capacity(self):
        """Bits a second of packets that the link carries when it is busy, outages aside; lost packets count."""
        model = self.setup.model()
        return 8 * self.setup.packet_bytes / (model.units_per_frame * model.frames_per_packet * model.unit_time)

    def erasures(self, seed):
        """The erasure processes of the first link, from A and from B."""
        processes = self.setup.loss, self.setup.feedback_loss
        losses = [one.mean() for one in processes]
        if self.shadowing:
            return self.shadowing.processes(seed, self.setup.clock_hz, self._delay, losses)
        if self.orbit:
            return self.orbit.processes(seed, self.setup.clock_hz, losses)
        return [self.erasure(process) for process in processes]

    @property
    def _delay(self):
        return self.setup.delay_clocks / self.setup.clock_hz

    def write_channel(self, seed):
        """Writes the files that the job of this seed names."""
        if self.shadowing:
            self.shadowing.write(seed, self.setup.clock_hz, self._delay)
        if self.orbit:
            self.orbit.write(seed, self.setup.clock_hz)

    def erasure(self, process):
        """An erasure process as the simulator reads it."""
        if self.outage:
            dark, cycle = (round(ms * 1e-3 * self.setup.clock_hz) for ms in (self.outage.dark_ms, self.outage.cycle_ms))
            return erasures.outage(dark, cycle, cycle // 2, process.mean())
        return erasures.describe(process, self.setup.unit_clocks)

    def job(self, seed, library=None, trace=0.0):
        """What `tcp_run` reads. `trace`: seconds between samples of the congestion windows."""
        own = {"connections": self.connections, "variant": self.variant, "warm_up": self.warm_up, "seconds": self.seconds}
        own |= {"sack": self.has_sack, "timestamps": self.timestamps, "initial_window": self.first_window, "pacing": self.pacing}
        job = own | {"links": self._links(seed, library), "clock_hz": self.setup.clock_hz, "trace_every": trace, "seed": seed}
        if self.variant == XCP:
            job["capacity"] = self.capacity
        if self.background:
            job["background"] = self.background.job()
        if self.noisy_terminals:
            job["terminals"] = self.noisy_terminals.job()
        return job | self.path.job(self.setup.packet_bytes)

    def _links(self, seed, library):
        """The link and, behind a satellite, a second one, whose delay may be another, and which has no shadows."""
        s, slower = self.setup, round(self.slower)
        delays = self.orbit.files(seed, s.clock_hz)[0] if self.orbit else None

        def link(delay, processes):
            end = description.end(s, s.timers_beside(slower))
            return description.link(self.link, library, self.build, [end, end], 2 * [max(1, delay)], processes, delays, (1, slower))

        first = link(s.delay_clocks, self.erasures(seed))
        if self.path.structure != "onboard":
            return [first]
        delay = s.delay_clocks if self.path.second_ms is None else round(self.path.second_ms * 1e-3 * s.clock_hz)
        return [first, link(delay, [self.erasure(process) for process in (s.loss, s.feedback_loss)])]

    def library(self):
        """The shared library of a link end that it needs, or None; builds it where necessary."""
        if self.link != "rtl":
            return None
        window = [] if self.window_frames is None else [f"windowFrames={self.window_frames}"]
        return verilated_end.library(self.setup.config, window)

    def describe(self):
        """All settings, as JSON has them."""
        own = {name: getattr(self, name) for name in ("connections", "variant", "timestamps", "pacing", "link", "seconds", "warm_up")}
        own |= {"sack": self.has_sack, "initial_window": self.first_window}
        return (
            self.setup.describe()
            | vars(self.path)
            | own
            | {
                "outage": str(self.outage) if self.outage else None,
                "shadowing": str(self.shadowing) if self.shadowing else None,
                "orbit": str(self.orbit) if self.orbit else None,
                "return_mbps": self.return_mbps,
                "background": str(self.background) if self.background else None,
                "noisy_terminals": str(self.noisy_terminals) if self.noisy_terminals else None,
                "window_frames": self.window,
            }
        )


OF_LINK = frozenset("config k n nr delta ord loss feedback_loss delay_ms rate_mbps packet_bytes poll_ms".split())
OF_PATH = frozenset(field.name for field in fields(Path))
OF_POINT = frozenset("connections variant sack timestamps initial_window pacing link return_mbps window_frames seconds warm_up".split())
READ = {
    "outage": Outage.parse,
    "shadowing": Shadowing.parse,
    "orbit": LowOrbit.parse,
    "background": Background.parse,
    "noisy_terminals": Terminals.parse,
}
"""Settings of a point that are read from a text."""
NAMES = OF_LINK | OF_PATH | OF_POINT | READ.keys()
"""Settings of a point, as `arqlink tcp` and sweeps name them."""
USUAL_LOSS = 0.01
DEFAULTS = {"delta": 5, "loss": USUAL_LOSS, "delay_ms": 200.0, "packet_bytes": 1500}


def from_settings(settings):
    """A Point by its settings; those that are left out, or None, have their defaults."""
    settings = {name: value for name, value in settings.items() if value is not None}
    named = TOPOLOGIES.get(settings.get("topology", Path.topology))
    of_topology = named.settings if named else {}
    given = DEFAULTS | of_topology | settings
    assert given.keys() <= NAMES, given.keys() - NAMES
    setup = link_setup.from_options(**{name: given[name] for name in OF_LINK & given.keys()})
    loss.refuse_all(setup.loss)
    path = Path(**{name: given[name] for name in OF_PATH & given.keys()})
    read = {name: parse(given[name]) for name, parse in READ.items() if name in given}
    return Point(setup, path, **read, **{name: given[name] for name in OF_POINT & given.keys()})
