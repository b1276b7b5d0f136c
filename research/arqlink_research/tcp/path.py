# SPDX-License-Identifier: Apache-2.0
"""The path that the link is a part of: wired lines on both sides, the buffer before it, and where TCP ends."""

from dataclasses import dataclass

from arqlink.errors import UserError
from arqlink.gateway import words as gateways
from arqlink_research.tcp.topologies import TOPOLOGIES

ACK_QUEUE = 500
"""Acknowledgements that may wait before the link on their way back."""


@dataclass(frozen=True)
class Path:
    """topology      a name of TOPOLOGIES. direct: TCP from sender to receiver. split: TCP ends at the gateway before the link, which acknowledges
                  what it stores, advertises the rest of its buffer, and trusts the link with it (Zhu et al., section IV)
    gateway       a gateway that looks into packets, before the link or at the satellite: MODE[,WORD,…], or none
    second_ms     with a satellite: delay from it to the receiver in ms; None: as to it
    sender_mbps   wired line from each sender to the link, in Mb/s; sender_ms: its delay one way
    receiver_mbps wired line from the link to the receiver; receiver_ms
    buffer        packets that can be stored before the link
    copies        True: each one until all its frames are acknowledged (B of Zhu et al.). False: until its first frame is sent
    window        packets that the receiver's window has room for; a gateway's is its buffer
    ack_every     packets of an acknowledgement: 1, or 2 with delayed ACKs
    min_rto       seconds: least and most of a timeout of `reno`; max_rto

    The defaults are RR-4752, Fig. 2.
    """

    topology: str = "direct"
    gateway: str = "none"
    second_ms: float | None = None
    sender_mbps: float = 10.0
    sender_ms: float = 20.0
    receiver_mbps: float = 10.0
    receiver_ms: float = 20.0
    buffer: int = 500
    copies: bool = False
    window: int = 2000
    ack_every: int = 2
    min_rto: float = 1.0
    max_rto: float = 60.0

    def __post_init__(self):
        if self.topology not in TOPOLOGIES:
            raise UserError(f"The topology is '{self.topology}'; it must be one of {', '.join(TOPOLOGIES)}.")
        for name in ("sender_mbps", "receiver_mbps"):
            if not 0.001 <= getattr(self, name) <= 1e6:
                raise UserError(f"{name} is {getattr(self, name):g}; it must be 0.001 to 1e6 Mb/s.")
        for name in ("sender_ms", "receiver_ms"):
            if not 0 <= getattr(self, name) <= 1e5:
                raise UserError(f"{name} is {getattr(self, name):g}; it must be 0 to 1e5 ms.")
        for name, most in (("buffer", 10**6), ("window", 10**5)):
            if not 1 <= getattr(self, name) <= most:
                raise UserError(f"The {name} is {getattr(self, name)} packets; it must be 1 to {most}.")
        if self.ack_every not in (1, 2):
            raise UserError(f"ack_every is {self.ack_every}; it must be 1 or 2.")
        if not 0.01 <= self.min_rto <= self.max_rto <= 1e4:
            raise UserError(f"Timeouts are {self.min_rto:g} to {self.max_rto:g} s; they must be 0.01 to 1e4 s, the least first.")
        if self.has_gateway and self.structure == "split":
            raise UserError("A split topology has its own gateway; give another topology with --gateway, such as direct.")
        if self.has_gateway and self.copies:
            raise UserError("Before a gateway no other buffer keeps copies; give --no-copies, and the size as cache=N of the gateway.")
        if self.second_ms is not None and not (self.structure == "onboard" and 0 <= self.second_ms <= 1e5):
            raise UserError("second_ms is the delay behind a satellite, 0 to 1e5 ms; the topology must have one.")
        if self.topology == "split" and not self.copies:
            raise UserError("The gateway of a split connection stores a packet until it is acknowledged; give --copies.")

    @property
    def structure(self):
        """As the simulator has it."""
        return TOPOLOGIES[self.topology].structure

    @property
    def has_gateway(self):
        """There are packets on the way: for a gateway, or as a satellite forwards them."""
        return self.gateway != "none" or self.structure == "onboard"

    @property
    def terrestrial(self):
        """T1: seconds of a round trip on the wired lines, without the time of the packets themselves."""
        return 2e-3 * (self.sender_ms + self.receiver_ms)

    def job(self, packet_bytes):
        """What `tcp_run` reads about it."""
        return {
            "topology": self.structure,
            "gateways": self._gateways(packet_bytes),
            "at_sender": {"bits_per_second": self.sender_mbps * 1e6, "delay": self.sender_ms * 1e-3},
            "at_receiver": {"bits_per_second": self.receiver_mbps * 1e6, "delay": self.receiver_ms * 1e-3},
            "packet_bytes": packet_bytes,
            "window_packets": self.window,
            "ack_every": self.ack_every,
            "buffer_packets": self.buffer,
            "keeps_copies": self.copies,
            "ack_queue": ACK_QUEUE,
            "min_rto": self.min_rto,
            "max_rto": self.max_rto,
        }

    def _gateways(self, packet_bytes):
        """By their numbers, up to the one that is described; those before it pass all."""
        if not self.has_gateway:
            return []
        described = {"queue": self.buffer} if self.gateway == "none" else gateways.description(self.gateway, packet_bytes)
        return [None] * TOPOLOGIES[self.topology].gateway + [described]
