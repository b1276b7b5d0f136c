# SPDX-License-Identifier: Apache-2.0
"""Runs the statistics, and prints their tables as Markdown: python -m cocotb_tests.statistics.report [--write]

With --write the tables in docs/statistics.md are replaced. The number of frames is that of ARQLINK_STATS_FRAMES, as in
the tests.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from arqlink import tree
from cocotb_tests.measurements import LINE_POINTS, line_use

from .grid import ALL, BURSTS, FAR, FEEDBACK, GRID, NEAR, PACKET_FRAMES, WRONG, frames
from .judge import judge, judge_burst, lag_of, rejected
from .sampling import sample

DOCUMENT = tree.ROOT / "docs" / "statistics.md"
COLUMNS = ("P_T", "P_F", "P", "transmissions", "alpha")


def number(value):
    return "0" if value == 0 else f"{value:.4f}" if value >= 0.01 else f"{value:.2e}"


def p_text(p_value):
    return f"{p_value:.1g}" if p_value >= 1e-12 else "< 1e-12"


_counts, _line_uses = {}, {}


def run_all():
    """Runs all points, as many at a time as there are processors."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        _line_uses.update(zip(LINE_POINTS, pool.map(line_use, LINE_POINTS)))
        _counts.update(zip(ALL, pool.map(sample, ALL)))


def counted(point):
    return _counts[point] if point in _counts else sample(point)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def cells(verdicts):
    """Measured, model and p-value of the five quantities, and the least p-value of the retransmissions' own P_T."""
    found = {v.quantity: v for v in verdicts}
    shown = [f"{number(found[c].measured)} / {number(found[c].model)} ({found[c].p_value:.2g})" for c in COLUMNS]
    retx = [v.p_value for v in verdicts if v.quantity.startswith("P_T of")]
    return shown + [f"{min(retx):.2g} of {len(retx)}" if retx else "-"]


def setting(point):
    n = f"{point.n}" if point.n == point.nr else f"{point.n}, {point.nr}"
    return [point.k, n, "∞" if point.delta > 14 else point.delta, f"{point.p:g}"]


def run_of(point, verdicts):
    """Which run was accepted; the first one is what the table shows."""
    if not rejected(verdicts):
        return "first"
    second = judge(point.again, counted(point.again))
    return f"{'none' if rejected(second) else 'second'}, least p-value {min(v.p_value for v in second):.2g}"


def grid_table():
    judged = [(point, judge(point, counted(point))) for point in GRID]
    tests = [v for _, verdicts in judged for v in verdicts]
    low = sum(v.p_value < 0.05 for v in tests)
    head = ["K", "N", "δ", "p", "P_T", "P_F", f"P (X = {PACKET_FRAMES})", "transmissions", "α", "least p-value, P_T of retransmissions", "accepted run"]
    return table(head, [setting(point) + cells(verdicts) + [run_of(point, verdicts)] for point, verdicts in judged]) + (
        f"\n\n{len(tests)} tests at {len(GRID)} points: {sum(not v.accepted for v in tests)} rejected at 99.9 %,"
        f" least p-value {min(v.p_value for v in tests):.2g}, {low} below 0.05."
    )


def wrong_table():
    rows = []
    for actual, claim in WRONG:
        verdicts = judge(actual, counted(actual), claim.expected)
        bad = rejected(verdicts)
        rows.append(["K {} N {} δ {} p {}".format(*setting(actual))] + [", ".join(dict.fromkeys(v.quantity for v in bad)), p_text(min(v.p_value for v in bad))])
    return table(["hardware's setting", "rejected", "least p-value"], rows)


def burst_table():
    rows = []
    for point in BURSTS:
        result = counted(point)
        exact = judge_burst(point, result)
        bernoulli = judge(point, result)[0]
        b = point.burst
        assert b
        rows.append(
            [f"{b.p_gb:.4g}, {b.p_bg:.4g}, {b.p_good:g}, {b.p_bad:g}", point.n, number(exact.measured), number(exact.model)]
            + [f"{exact.p_value:.2g}", number(bernoulli.model), p_text(bernoulli.p_value), result["control_units"]]
        )
    head = ["p_gb, p_bg, p_good, p_bad", "N", "P_T", "chain", "p-value", "Bernoulli", "p-value", "control units"]
    return table(head, rows)


def eq_5_table():
    rows = []
    for point in (NEAR, FAR):
        a, burst = counted(point)["a"], point.burst
        assert burst
        p_t, lag = burst.transmission_failure(point.k, point.n), lag_of(point)
        rows.append(
            [f"{1 / burst.p_bg:.0f}", lag, number(1 - counted(point)["a"]["tx_acked_0"] / a["tx_frames"]), number(p_t)]
            + [number(a["tx_frames_abandoned"] / a["tx_frames"]), number(p_t**2)]
            + [number(burst.repeated_failure(point.k, point.n, lag))]
        )
    head = ["mean burst, units", "round trip, units", "P_T", "chain", "P_F", "P_T²", "chain after the round trip"]
    return table(head, rows)


def feedback_table():
    rows = []
    for point in FEEDBACK:
        result = counted(point)
        verdicts = judge(point, result)
        least = min(verdicts, key=lambda v: v.p_value)
        alpha = next(v for v in verdicts if v.quantity == "alpha")
        rows.append(
            [f"{point.feedback:g}", setting(point)[2], f"{least.p_value:.2g} ({least.quantity})"]
            + [f"{number(alpha.measured)} / {number(alpha.model)}", result["checker"]["LOST"], result["a"]["tx_polls"]]
            + [round(result["mean_crossing_clocks"]) if point.delta > 14 else "-", result["clocks"], run_of(point, verdicts)]
        )
    head = ["feedback erased", "δ", "least p-value", "α / eq. 6", "packets lost", "polls", "mean crossing, clocks", "clocks", "accepted run"]
    return table(head, rows)


def line_table():
    rows = []
    for point, r in _line_uses.items():
        config, k, n, p, _ = point
        rows.append(
            [config, k, n, f"{p:g}", r["clocks"], f"{r['line_use']:.4f}", f"{r['data_unit_use']:.4f}"]
            + [f"{r['goodput']:.4f}", f"{r['alpha']:.4f}", f"{r['goodput_over_alpha']:.4f}"]
        )
    head = ["configuration", "K", "N", "p", "clocks", "beats used", "by data units", "goodput", "α", "goodput / α"]
    return table(head, rows)


def speed():
    rates = [counted(point)["clocks_per_s"] for point in GRID]
    return f"Simulation speed: {min(rates):,} to {max(rates):,} clocks/s for each of the parallel runs."


SECTIONS = {
    "grid": grid_table,
    "wrong": wrong_table,
    "bursts": burst_table,
    "eq5": eq_5_table,
    "feedback": feedback_table,
    "line": line_table,
    "speed": speed,
}


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/statistics.md")
    arguments = parser.parse_args()
    run_all()
    texts = {name: make() for name, make in SECTIONS.items()}
    print(f"{frames()} frames at each point")
    for text in texts.values():
        print(f"\n{text}")
    if arguments.write:
        document = DOCUMENT.read_text()
        for name, text in texts.items():
            begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
            before, rest = document.split(begin)
            document = before + begin + text + "\n" + end + rest.split(end, 1)[1]
        DOCUMENT.write_text(document)


if __name__ == "__main__":
    main()
