# SPDX-License-Identifier: Apache-2.0
"""`arqlink model`: the analytic values alone."""

from rich.table import Table

from arqlink.cli import options
from arqlink.model.analytic import mean_last_worst, mean_most_retransmissions
from arqlink.report.console import TextConsole
from arqlink.report.tables import number, print_json

ATTEMPTS_SHOWN = 16


def values(setup):
    """All analytic values of a link, as the JSON report names them; delays in ms."""
    model, frames = setup.model(), setup.frames(setup.packet_bytes)
    attempts = model.attempts()
    unordered, ordered = model.unordered(), model.resequenced()
    distribution = [attempts.pmf(i) for i in range(min(attempts.last_attempt() + 1, ATTEMPTS_SHOWN))]
    return {
        "p_t": model.p_t,
        "p_t_first": attempts.p_first,
        "p_t_retx": attempts.p_retx,
        "p_f": model.p_f,
        "packet_loss": model.packet_loss,
        "mean_transmissions": model.mean_transmissions,
        "alpha": model.alpha,
        "utilization": model.alpha,
        "utilization_with_header": model.alpha_with_header,
        "retransmissions": distribution,
        "mean_most_retransmissions": mean_most_retransmissions(attempts, frames),
        "mean_last_worst": mean_last_worst(attempts, frames),
        "delay_ms": {
            "large_bandwidth_delay": 1e3 * model.mean_delay_large(frames),
            "medium_bandwidth_delay": 1e3 * model.mean_delay_medium(frames),
            "unordered": _delays(unordered),
            "resequenced": _delays(ordered),
        },
    }


def _delays(steps):
    return {"mean": 1e3 * steps.mean(), "p50": 1e3 * steps.quantile(0.5), "p99": 1e3 * steps.quantile(0.99)}


ROWS = {
    "p_t": "failed transmissions P_T (eq. 4)",
    "p_t_first": "… of first transmissions",
    "p_t_retx": "… of retransmissions",
    "p_f": "abandoned frames P_F (eq. 5)",
    "packet_loss": "lost packets P (eq. 3)",
    "mean_transmissions": "transmissions per frame",
    "alpha": "useful share α (eq. 6)",
    "utilization_with_header": "α with unit headers",
    "mean_most_retransmissions": "most retransmissions of a packet's frames E[M]",
    "mean_last_worst": "index of the last of those frames E[Y]",
}

DELAY_ROWS = {
    "large_bandwidth_delay": "delay, transmission times neglected (eq. 10)",
    "medium_bandwidth_delay": "delay, D + τ E[M] + E[Y] E[σ] (section 4.5)",
}


@options.spread
def model(link: options.ModelOptions, json: options.Json = False):
    """Print the analytic values (RR-4752, eqs. 3 to 6, 8 and 10).

    Example: arqlink model --n 11 --delta 3 --loss bernoulli:0.01 --delay-ms 200
    """
    setup = link.setup()
    result = values(setup)
    if json:
        print_json({"settings": setup.describe(), **result})
        return
    table = Table(title="Analytic values", title_justify="left")
    table.add_column("")
    table.add_column("model", justify="right")
    for key, label in ROWS.items():
        table.add_row(label, number(result[key]))
    for i, share in enumerate(result["retransmissions"][:4]):
        table.add_row(f"delivered with {i} retransmissions (eq. 8)", number(share))
    for key, label in DELAY_ROWS.items():
        table.add_row(f"{label} (ms)", number(result["delay_ms"][key]))
    for kind, label in (("unordered", "ord = 0"), ("resequenced", "ord = 1, full load")):
        for name, value in result["delay_ms"][kind].items():
            table.add_row(f"delay, {label}, {name} (ms)", number(value))
    TextConsole().print(table)
