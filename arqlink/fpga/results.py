# SPDX-License-Identifier: Apache-2.0
"""What place and route reached: the worst seed of each target, held against what the target asks, as a table."""

from statistics import median

from rich.table import Table

from arqlink.fpga.targets import Demand


def worst(results):
    """The slowest of the seeds; an estimate has one."""
    return min(results, key=lambda r: r.mhz or 0)


def reached(target, results):
    """Which of what is asked the worst seed reaches: "goal", "must" or "NOT met", with how many seeds miss it; "-" where nothing is asked."""
    r = worst(results)
    if target.must == Demand():
        return "-"
    if missed := misses(target, results):
        return f"NOT met by {missed} of {len(results)}"
    return "goal" if target.goal != Demand() and target.goal.met(r.mhz, r.luts) else "must"


def misses(target, results):
    """How many seeds do not reach what they must."""
    return sum(not target.must.met(r.mhz, r.luts) for r in results)


HEADINGS = (
    "target", "block", "settings", "device", "LUT", "FF", "RAM", "seeds", "MHz", "median", "Gb/s", "Mb/s per LUT", "must", "goal", "reached", "critical path",
)  # fmt: skip


def cells(target, results):
    """What HEADINGS name, of the worst seed; the median is the clock rate of all. Gb/s: the beats of its datapath at the worst clock."""
    r = worst(results)
    block = f"{target.block} {target.config}"
    area = (r.luts, r.registers, r.rams, "estimate" if r.mhz is None else len(results))
    gbps = (r.mhz or 0) * target.data_bytes * 8e-3
    rates = ("-",) * 4 if r.mhz is None else (r.mhz, f"{median(s.mhz for s in results):.2f}", f"{gbps:.2f}", f"{1e3 * gbps / r.luts:.2f}")
    verdict = (str(target.must), str(target.goal), reached(target, results))
    return (target.name, block, " ".join(target.settings) or "-", target.device.title, *area, *rates, *verdict, r.path)


def table(results):
    """Table of the worst seed of each target."""
    rows = Table(*HEADINGS, title="After place and route, the worst seed", title_justify="left")
    for target, found in results.items():
        rows.add_row(*map(str, cells(target, found)))
    return rows
