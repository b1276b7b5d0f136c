# SPDX-License-Identifier: Apache-2.0
"""What a run shows: measured values with confidence intervals, each beside its analytic value.

p_t, p_f and packet_loss are counted events with exact intervals (Clopper-Pearson, 99.9 %). mean_transmissions, alpha and
utilization fall or rise monotonically with the failure probabilities of first transmissions and of retransmissions; their
intervals come from the exact intervals of those two, jointly at 99.9 %. All intervals take transmissions as
independent, so they are too narrow for burst loss.
"""

from dataclasses import asdict

from arqlink.model.analytic import HEADER_BYTES, Attempts, any_of
from arqlink.model.intervals import CONFIDENCE, Interval, clopper_pearson
from arqlink.rtl.registers import counter_names


def counters(result, end):
    """All counters of a link end by their register names."""
    return {name: result[f"{end}.{name}"] for name in counter_names()}


def transmissions(a):
    """(failed, all) of first transmissions and of retransmissions, from the counters of the sending end. Transmissions
    that an outage failed are left out."""
    retx_received = sum(a[f"tx_acked_{i}"] for i in range(1, 16))
    resolved = a["tx_frames_acked"] + a["tx_frames_abandoned"]
    outcomes = a["tx_outcomes_ok"] + a["tx_outcomes_failed"] - a["tx_outcomes_outage"]
    first = (max(resolved - a["tx_acked_0"], 0), resolved)
    retx = max(outcomes - resolved, 0)
    return first, (max(retx - retx_received, 0), retx)


class Evaluation:
    """Measured and analytic values of one run; `entries` is the part of the JSON report that they make."""

    def __init__(self, setup, result, model):
        self.setup, self.model = setup, model
        self.a, self.b = counters(result, "a"), counters(result, "b")
        self.first, self.retx = transmissions(self.a)
        # Two intervals that hold jointly at CONFIDENCE.
        joint = (1 + CONFIDENCE) / 2
        self.p_first, self.p_retx = (clopper_pearson(*counts, joint) for counts in (self.first, self.retx))
        self.frames_per_packet = model.frames_per_packet

    def counted(self, events, trials, model):
        return {**asdict(clopper_pearson(events, trials)), "model": model}

    def derived(self, measured, value, model):
        """Interval of a monotone function `value(Attempts)`, scaled so that it holds `measured`."""
        centre, *corners = [value(self._attempts(getattr(self.p_first, which), getattr(self.p_retx, which))) for which in ("measured", "low", "high")]
        if measured is None or not centre:
            return {**asdict(Interval(measured, None, None)), "model": model}
        low, high = sorted(measured * corner / centre for corner in corners)
        return {"measured": measured, "low": low, "high": high, "model": model}

    def _attempts(self, p_first, p_retx):
        if p_retx is None:  # no retransmission was made, so none can be told apart from a first transmission
            p_retx = p_first
        return Attempts(p_first or 0.0, p_retx or 0.0, self.setup.delta)

    def _alpha(self, attempts):
        """Eq. 6 for full frames, with a separate N of retransmissions."""
        code = self.setup.code
        units = code.n_first + code.n_retx * attempts.mean_retransmissions
        return code.k * (1 - any_of(attempts.p_f, self.model.frames_per_packet)) / units

    def entries(self, utilization):
        """The values of the report; `utilization` is the measured one or None."""
        a, b, model = self.a, self.b, self.model
        resolved = a["tx_frames_acked"] + a["tx_frames_abandoned"]
        failed = a["tx_outcomes_failed"] - a["tx_outcomes_outage"]
        units = a["tx_units"] + a["tx_retx_units"]
        sent = a["tx_frames"]
        alpha = b["rx_bytes"] / self.setup.unit_bytes / units if units else None
        header = self.setup.unit_bytes / (self.setup.unit_bytes + HEADER_BYTES)
        entry = {
            "p_t": self.counted(failed, a["tx_outcomes_ok"] + failed, model.p_t),
            "p_f": self.counted(a["tx_frames_abandoned"], resolved, model.p_f),
            "packet_loss": self.counted(a["tx_packets_lost"], a["tx_packets"], model.packet_loss),
            "mean_transmissions": self.derived(
                (sent + a["tx_retx"]) / sent if sent else None,
                lambda attempts: attempts.mean_transmissions,
                model.mean_transmissions,
            ),
            "alpha": self.derived(alpha, self._alpha, model.alpha),
            "utilization": self.derived(utilization, self._alpha, model.through_window(self.setup.limits["window_frames"])),
        }
        entry["utilization_with_header"] = {name: value and value * header for name, value in entry["utilization"].items()}
        return entry


def window_utilization(setup, result):
    """Share of the line's payload capacity that is delivered data, between the two edges of the measuring window."""
    window = result.report["window"]
    if len(window) < 2:
        return None
    clocks = window[1]["clock"] - window[0]["clock"]
    data = window[1]["bytes"] - window[0]["bytes"]
    return data / setup.unit_bytes * setup.unit_clocks / clocks


def window_line_use(result):
    """Share of the measuring window's clocks in which the PHY carried a beat."""
    window = result.report["window"]
    if len(window) < 2:
        return None
    return 1 - (window[1]["idle"] - window[0]["idle"]) / (window[1]["clock"] - window[0]["clock"])
