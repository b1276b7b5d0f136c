# SPDX-License-Identifier: Apache-2.0
"""One link as the user describes it, and what follows from that: clocks, delays, timers, register values."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

from arqlink.errors import UserError
from arqlink.model import loss, packets, sizing
from arqlink.model.analytic import HEADER_BYTES, Code, LinkModel
from arqlink.tree import CONFIGS

PRESETS = ("zfec", "rfc5510", "cauchy")
INFINITE_DELTA = 15
PACKET_FRAMES = 6
"""X of RR-4752: frames in a packet, where the user does not say how long packets are."""

MAX_CLOCKS_PER_BEAT = 1000

PIPELINE_CLOCKS = 50
"""Through the blocks of both ends, from a frame's last beat on the line to its packet's first beat at the user port."""

MAX_DELAY_CLOCKS = (1 << 20) - 1
"""What the delay lines of ArqPair hold (parameter maxDelay)."""

NO_LOSS = loss.Bernoulli(0.0)
Loss = loss.Bernoulli | loss.GilbertElliott | loss.Trace

OF_CONFIG: Any = None
"""In place of a value: that of the configuration."""


def build_limits(config):
    """What configuration `config` is built with, from the generated list of configurations."""
    configs = json.loads(CONFIGS.read_text())
    if config not in configs:
        raise UserError(f"There is no configuration '{config}'; there are {', '.join(configs)}.")
    return configs[config]


def parse_delta(text):
    """Persistency: 0 to 14, or math.inf."""
    if text.lower() in ("inf", "infinite"):
        return math.inf
    if text.isascii() and text.isdigit() and int(text) < INFINITE_DELTA:
        return int(text)
    raise UserError(f"The persistency is '{text}'; it must be 0 to {INFINITE_DELTA - 1}, or inf.")


def from_options(**options):
    """A LinkSetup of values as users write them: persistency and losses are text. Losses by fading become the Gilbert-Elliott chain that they
    are for this link's units."""
    options["delta"] = parse_delta(str(options.get("delta", "inf")))
    if isinstance(given := options.get("packet_bytes"), str):
        mix = packets.parse(given)
        options |= {"packet_bytes": max(mix), "mix": mix if len(mix) > 1 else None}
    losses = {name: loss.parse(str(options.pop(name))) for name in ("loss", "feedback_loss") if name in options}
    setup = LinkSetup(**options)
    for name, process in losses.items():
        setattr(setup, name, setup.of_units(process))
    return setup


@dataclass
class LinkSetup:
    """Everything that can be chosen about a run. Fields that are OF_CONFIG, or None, take the configuration's value."""

    config: str = "paper"
    k: int = OF_CONFIG
    n: int = OF_CONFIG
    nr: int = OF_CONFIG
    delta: float = math.inf
    ord: int = 1
    preset: str = "zfec"
    loss: Loss = NO_LOSS
    feedback_loss: Loss = NO_LOSS
    spare_control: bool = False
    delay_ms: float = 0.0
    rate_mbps: float = 2.0
    rate_includes_header: bool = False
    poll_ms: float | None = None
    """POLL_TIMEOUT in ms; None: by sizing.timers. A shorter one finds an outage's end sooner."""
    clocks_per_beat: int = 1
    """Clocks of the simulated core in which its line carries one beat: how much faster the core is than the line."""
    packet_bytes: int = OF_CONFIG
    mix: dict | None = None
    """Bytes -> number of packets, in place of packets of `packet_bytes`, for the analytic model."""
    seed: int = 1
    limits: dict = field(init=False)

    def __post_init__(self):
        self.limits = limits = build_limits(self.config)
        self.k = limits["k"] if self.k is None else self.k
        if self.n is None:
            self.n = self.k + limits["n_first"] - limits["k"]
        self.nr = self.n if self.nr is None else self.nr
        if not 1 <= self.k <= limits["max_k"]:
            raise UserError(f"K is {self.k}; configuration '{self.config}' allows 1 to {limits['max_k']}.")
        for name, n in (("N", self.n), ("N of retransmissions", self.nr)):
            if not self.k <= n <= self.k + limits["max_parity"]:
                raise UserError(f"{name} is {n}; with K = {self.k}, configuration '{self.config}' allows {self.k} to {self.k + limits['max_parity']}.")
        if self.preset not in PRESETS:
            raise UserError(f"The preset is '{self.preset}'; it must be one of {', '.join(PRESETS)}.")
        if self.ord not in (0, 1):
            raise UserError(f"ord is {self.ord}; it must be 0 or 1.")
        if not 0 < self.rate_mbps < math.inf:
            raise UserError(f"The rate is {self.rate_mbps:g} Mb/s; it must be above 0.")
        if not 0 <= self.delay_ms < math.inf:
            raise UserError(f"The delay is {self.delay_ms:g} ms; it must be 0 or more.")
        if not 1 <= self.clocks_per_beat <= MAX_CLOCKS_PER_BEAT:
            raise UserError(f"The number of clocks per beat is {self.clocks_per_beat}; it must be 1 to {MAX_CLOCKS_PER_BEAT}.")
        if self.poll_ms is not None and not 0 < self.poll_ms <= 1e6:
            raise UserError(f"The time between polls is {self.poll_ms:g} ms; it must be above 0, at most 1e6.")
        if self.delay_clocks > MAX_DELAY_CLOCKS:
            raise UserError(
                f"The delay is {self.delay_clocks} clocks of the simulated line; the channel has room for "
                f"{MAX_DELAY_CLOCKS}. A lower rate, fewer clocks per beat, or a configuration with more bytes a clock makes it fewer."
            )
        if not 0 <= self.seed < 1 << 32:
            raise UserError(f"The seed is {self.seed}; it must be 0 to {(1 << 32) - 1}.")
        if self.packet_bytes is None:
            self.packet_bytes = min(PACKET_FRAMES * self.k * self.unit_bytes, limits["max_packet_bytes"])
        if not 1 <= self.packet_bytes <= limits["max_packet_bytes"]:
            raise UserError(f"The packet length is {self.packet_bytes} bytes; configuration '{self.config}' allows 1 to {limits['max_packet_bytes']}.")

    @property
    def unit_bytes(self):
        return self.limits["unit_bytes"]

    @property
    def unit_clocks(self):
        """Clocks that a data unit takes on the PHY."""
        return (self.unit_bytes + HEADER_BYTES) // self.limits["data_bytes"] * self.clocks_per_beat

    def of_units(self, process):
        """Losses as those of this link's units: fading becomes the Gilbert-Elliott chain that it is for them."""
        return process.chain(self.unit_clocks / self.clock_hz) if isinstance(process, loss.Fading) else process

    @property
    def line_rate(self):
        """Bits a second on the PHY, headers included."""
        overhead = 1 if self.rate_includes_header else (self.unit_bytes + HEADER_BYTES) / self.unit_bytes
        return self.rate_mbps * 1e6 * overhead

    @property
    def clock_hz(self):
        """Clocks of the simulated core in one second."""
        return self.line_rate / (8 * self.limits["data_bytes"]) * self.clocks_per_beat

    @property
    def delay_clocks(self):
        return round(self.delay_ms * 1e-3 * self.clock_hz)

    @property
    def round_trip_clocks(self):
        """From the start of a transmission to its outcome: both delays, the frame, and some for the blocks."""
        return 2 * self.delay_clocks + max(self.n, self.nr) * self.unit_clocks + sizing.BLOCKS_CLOCKS

    @property
    def code(self):
        return Code(self.k, self.n, self.nr, self.delta)

    def frames(self, packet_bytes):
        """Number of frames of a packet."""
        return len(self.code.frames(packet_bytes, self.unit_bytes))

    def model(self, packets=None):
        """Analytic model; `packets` are lengths, by default one packet of the usual length, or `mix`."""
        return LinkModel(
            self.code,
            self.loss,
            packets or self.mix or self.packet_bytes,
            self.unit_bytes,
            unit_time=self.unit_clocks / self.clock_hz,
            delay=self.delay_clocks / self.clock_hz,
        )

    def model_of_simulation(self, packets):
        """The same with what the paper leaves out: the core's pipelines, a retransmission's wait for the line, the parity that a frame need not
        wait for, and the time that packets of these lengths take at the user port, a beat in each clock."""
        model = self.model(packets)
        beats = sum(-(-length // self.limits["data_bytes"]) for length in packets) / len(packets)
        model.delay += PIPELINE_CLOCKS / self.clock_hz
        model.wait, model.drain = model.frame_time, beats / self.clock_hz
        lost = self.loss.mean()
        last = self.k / (1 - lost) if lost < 1 else self.n  # units until K are received, on average
        model.early = max(0.0, self.n - last) * model.unit_time
        return model

    @property
    def egress_ratio(self):
        """How many times faster packets leave at the user port, once they are in sequence, than a line without losses brings them."""
        frame = self.k * self.unit_bytes / self.limits["data_bytes"]
        return self.n * self.unit_clocks / frame

    @property
    def traces(self):
        """Names of the files that the losses were read from."""
        return [process.path for process in (self.loss, self.feedback_loss) if isinstance(process, loss.Trace)]

    @property
    def timers(self):
        """Timer registers, in clocks."""
        return self.timers_beside(1)

    def timers_beside(self, slower):
        """The same where the line back is so many times slower: a report may wait there for a frame, and takes longer."""
        frame = max(self.n, self.nr) * self.unit_clocks
        values = sizing.timers(self.round_trip_clocks + (slower - 1) * frame, self.delay_clocks, frame * slower)
        if self.poll_ms is not None:
            values["POLL_TIMEOUT"] = max(1, round(self.poll_ms * 1e-3 * self.clock_hz))
        return values

    @property
    def arq_delta(self):
        return INFINITE_DELTA if math.isinf(self.delta) else int(self.delta)

    def describe(self):
        """The settings as the JSON report shows them."""
        return {
            "config": self.config,
            "k": self.k,
            "n": self.n,
            "nr": self.nr,
            "delta": "inf" if math.isinf(self.delta) else int(self.delta),
            "ord": self.ord,
            "preset": self.preset,
            "loss": str(self.loss),
            "feedback_loss": str(self.feedback_loss),
            "spare_control": self.spare_control,
            "delay_ms": self.delay_ms,
            "rate_mbps": self.rate_mbps,
            "rate_includes_header": self.rate_includes_header,
            **({} if self.poll_ms is None else {"poll_ms": self.poll_ms}),
            "clocks_per_beat": self.clocks_per_beat,
            "packet_bytes": self.packet_bytes,
            "unit_bytes": self.unit_bytes,
            "seed": self.seed,
            "clock_hz": self.clock_hz,
            "egress_ratio": self.egress_ratio,
        }
