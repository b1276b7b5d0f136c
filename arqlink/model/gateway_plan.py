# SPDX-License-Identifier: Apache-2.0
"""Chooses buffer and ACK reservation of a gateway that splits TCP before the link (arqlink.model.ack_reservation), with the code of the link that
the planner chooses. The link gives up nothing, as the gateway has acknowledged what it stores: persistency is infinite."""

import math
from dataclasses import dataclass

from arqlink.errors import UserError
from arqlink.model import ack_reservation, planner
from arqlink.model.ack_reservation import AckReservation


@dataclass(frozen=True)
class GatewayPlan:
    """`link`: planner.Plan of the link; `path`: AckReservation with it, in packets and seconds."""

    link: planner.Plan
    path: AckReservation

    def throughput(self, share):
        """A share of the packets that the link carries, also in Mb/s."""
        return {"share": float(share), "mbps": float(share * self.path.rate * self.link.setup.packet_bytes * 8e-6)}

    def outage(self, dark, cycle):
        """What is left where the link is dark for `dark` seconds of each `cycle`, as the JSON report names it."""
        path = self.path
        recovery = float(path.recovery_time_of_table)
        if cycle - dark < recovery:
            raise UserError(
                f"Between outages the link is back for {1e3 * (cycle - dark):g} ms; the source needs {1e3 * recovery:.4g} ms to recover, "
                f"so the model has no throughput."
            )
        return {
            "dark_ms": 1e3 * dark,
            "cycle_ms": 1e3 * cycle,
            "recovery_ms": 0.0 if path.is_full else 1e3 * recovery,
            "missed": float(path.missed),
            "most": 1 - dark / cycle,
            **self.throughput(path.throughput(dark, cycle)),
        }

    def values(self):
        """As the JSON report names them."""
        path = self.path
        return {
            "link": self.link.values(),
            "packets_per_second": float(path.rate),
            "terrestrial_ms": 1e3 * float(path.terrestrial),
            "satellite_ms": 1e3 * float(path.satellite),
            "terrestrial_pipe": float(path.terrestrial_pipe),
            "satellite_pipe": float(path.satellite_pipe),
            "least_buffer": float(path.least_buffer),
            "least_buffer_closing": float(path.least_buffer_closing),
            "best_reserve": float(path.best_threshold),
            "buffer": int(path.buffer),
            "reserve": float(path.threshold),
            "reserved_acks": round(float(path.reserve)),
            "without_outage": self.throughput(path.without_outage()),
        }

    def description(self):
        """The gateway as `arqlink tcp --gateway` takes it. K is in the middle between two numbers of packets, so that rounding it changes
        neither."""
        kept = self.path.buffer - round(float(self.path.reserve))
        return f"split,cache={self.path.buffer},reserve={(kept + 0.5) / self.path.buffer:.6g}"


def choose(setup, goal, rest_ms, buffer=None, k=None):
    """The plan for link `setup` (LinkSetup), `rest_ms` from the source to the gateway and back, and a buffer, None: the shortest that costs
    nothing; `k`: of the code."""
    if not 0 < rest_ms < math.inf:
        raise UserError(f"The round trip outside of the link is {rest_ms:g} ms; a gateway needs one above 0.")
    link = planner.best_of_delta(setup, [k] if k else planner.lengths_of_frame(setup), math.inf, goal, 0, 0.0)
    if link is None or not link.utilization > 0:
        raise UserError(f"No K and N of configuration '{setup.config}' reaches {goal} with an infinite persistency.")
    rate = link.utilization * setup.rate_mbps * 1e6 / (8 * setup.packet_bytes)
    satellite = 1e-3 * (link.delays_ms()[0] + setup.delay_ms)
    return GatewayPlan(link, ack_reservation.planned(1e-3 * rest_ms, satellite, rate, buffer))
