# SPDX-License-Identifier: Apache-2.0
"""What the analytic models say of a point."""

import math

from arqlink.gateway import words as gateways
from arqlink.model import limits
from arqlink.model.ack_reservation import AckReservation
from arqlink.model.loss import Bernoulli
from arqlink.model.tcp import TcpOverLink
from arqlink_research.model.satellite_path import SatellitePath

ACK_BYTES = 40
CONTROL_BYTES = 32
"""A control unit on the line."""


def hybrid_model(point, resequencing="proposition1"):
    """RR-4752's model (arqlink.model.tcp) of a direct path."""
    setup, path = point.setup, point.path
    packets = 8 * (setup.packet_bytes + ACK_BYTES) * (1 / path.sender_mbps + 1 / path.receiver_mbps) * 1e-6
    return TcpOverLink(setup.model(), point.connections, path.terrestrial + packets, resequencing, b=path.ack_every)


def hybrid_link(point):
    """U, goodput, and round trip without the queue by RR-4752's model."""
    return hybrid_model(point).operation()


def limit(point):
    """What limits U by RR-4752's model, where that is for such a point; else None."""
    if "rtt" not in expected(point):
        return None
    setup, operation, model = point.setup, hybrid_link(point), point.setup.model()
    windows = point.connections * point.path.window * 8 * setup.packet_bytes / operation.round_trip / (setup.rate_mbps * 1e6)
    return limits.lowest(model.alpha, model.through_window(point.window), operation.utilization, windows)


def satellite_path(point):
    """Zhu et al.'s model of it (arqlink_research.model.satellite_path): the satellite path is the link, and its link packets are frames, of which a
    short one is a part; r is such that as many units are repeated. Where all is lost in one of two states, a segment is one link packet,
    and p the share of that state (their section V.C)."""
    setup = point.setup
    unit = setup.unit_clocks / setup.clock_hz
    parity = setup.n - setup.k
    frames = setup.code.frames(setup.packet_bytes, setup.unit_bytes)
    if isinstance(setup.loss, Bernoulli):
        link_packets = sum(frames) / setup.k
        received = sum(frames) / sum(k / (1 - setup.loss.failure(k + parity, k)) for k in frames)
        loss = -math.expm1(link_packets * math.log(received))
    else:
        loss, link_packets = float(setup.loss.stationary()[1]), 1
    segment = sum(k + parity for k in frames) * unit
    round_trip = 2 * setup.delay_clocks / setup.clock_hz + (max(frames) + parity) * unit
    return SatellitePath(point.path.terrestrial, round_trip, 1 / segment, point.path.buffer, loss, link_packets)


def reservation(point):
    """Zhu et al.'s model of ACK reservation (arqlink.model.ack_reservation): goodput in bits a second, and None where it is for other points.
    mu is what the line has for segments, beside reports on frames with ACKs."""
    mode, words = gateways.words(point.path.gateway)
    setup, threshold = point.setup, float(words.get("reserve", 1))
    if mode != "split" or threshold == 1 or point.connections > 1 or point.path.structure != "direct" or setup.loss.mean() > 0:
        return None
    unit, frames = setup.unit_clocks / setup.clock_hz, setup.code.frames(setup.packet_bytes, setup.unit_bytes)
    report = CONTROL_BYTES / setup.limits["data_bytes"] / setup.clock_hz
    segment = sum(k + setup.n - setup.k for k in frames) * unit
    rate = 1 / (segment + report / point.path.ack_every)
    path = AckReservation(point.path.terrestrial, 2 * setup.delay_clocks / setup.clock_hz + segment, rate, int(words.get("cache", 256)), threshold)
    outage = point.outage
    share = path.throughput(outage.dark_ms * 1e-3, outage.cycle_ms * 1e-3) if outage else path.without_outage()
    return float(share) * rate * 8 * setup.packet_bytes


def expected(point):
    """Values of `measurement.values` by the model of the point's path, as far as it has them; U counts unit payload."""
    if point.background or point.noisy_terminals or point.return_mbps is not None:
        return {}
    if point.path.gateway != "none":
        goodput = None if point.shadowing or point.orbit else reservation(point)
        return {} if goodput is None else {"utilization": goodput / (point.setup.rate_mbps * 1e6), "goodput": goodput}
    if point.may_be_dark or not point.setup.ord or point.path.has_gateway:
        return {}
    if not point.path.copies:
        operation, most = hybrid_link(point), point.setup.model().through_window(point.window)
        utilization = min(operation.utilization, most)
        return {
            "utilization": utilization,
            "goodput": utilization * point.setup.rate_mbps * 1e6,
            "rtt": operation.round_trip,
            "retransmissions": point.setup.model().packet_loss,
        }
    process = point.setup.loss
    independent = isinstance(process, Bernoulli)
    if process.failure(point.setup.n, point.setup.k) == 1:
        return {}
    if not math.isinf(point.setup.delta) or not (independent or (process.p_good, process.p_bad) == (0, 1)):
        return {}
    path = satellite_path(point)
    direct, split = (path.end_to_end(), path.split() * (1 - path.link_loss)) if independent else path.fading_bounds()
    goodput = float(split if point.path.topology == "split" else direct) * path.rate * 8 * point.setup.packet_bytes
    return {"utilization": goodput / (point.setup.rate_mbps * 1e6), "goodput": goodput}
