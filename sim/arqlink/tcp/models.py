# SPDX-License-Identifier: Apache-2.0
"""What the analytic models say of a point."""

import math

from arqlink.model.loss import Bernoulli
from arqlink.model.satellite_path import SatellitePath
from arqlink.model.tcp import TcpOverLink

ACK_BYTES = 40


def hybrid_link(point):
    """RR-4752's model (arqlink.model.tcp) of a direct path: U, goodput, and round trip without the queue."""
    setup, path = point.setup, point.path
    packets = 8 * (setup.packet_bytes + ACK_BYTES) * (1 / path.sender_mbps + 1 / path.receiver_mbps) * 1e-6
    return TcpOverLink(setup.model(), point.connections, path.terrestrial + packets).operation()


def satellite_path(point):
    """Zhu et al.'s model of it (arqlink.model.satellite_path), for independent losses; the satellite path is the link with its frames as link
    packets. For two-state losses, p is the share of the bad state (their section V.C)."""
    setup = point.setup
    frame = setup.n * setup.unit_clocks / setup.clock_hz
    frames = setup.frames(setup.packet_bytes)
    independent = isinstance(setup.loss, Bernoulli)
    failure = setup.loss.failure(setup.n, setup.k) if independent else float(setup.loss.stationary()[1])
    lost = -math.expm1(frames * math.log1p(-failure)) if independent else failure
    rate = 1 / (frames * frame)
    return SatellitePath(point.path.terrestrial, 2 * setup.delay_clocks / setup.clock_hz + frame, rate, point.path.buffer, lost, frames)


def expected(point):
    """Values of `measurement.values` by the model of the point's path, as far as it has them; U counts unit payload."""
    if point.outage or not point.setup.ord:
        return {}
    if not point.path.copies:
        operation = hybrid_link(point)
        return {
            "utilization": operation.utilization,
            "goodput": 8 * operation.goodput,
            "rtt": operation.round_trip,
            "retransmissions": point.setup.model().packet_loss,
        }
    path = satellite_path(point)
    whole = path.rate * 8 * point.setup.packet_bytes  # bits a second, if the link lost nothing
    if not isinstance(point.setup.loss, Bernoulli):
        direct, split = path.fading_bounds()
    else:
        direct, split = path.end_to_end(), path.split() * (1 - path.loss)
    share = float(split if point.path.topology == "split" else direct)
    return {"utilization": share * whole / (point.setup.rate_mbps * 1e6), "goodput": share * whole}
