# SPDX-License-Identifier: Apache-2.0
"""What is said to be reached follows from the numbers, and from the worst seed alone."""

import pytest

from arqlink import bench, demands, synth
from arqlink.synth_targets import Demand, Target

TARGET = Target("x", "RsEncoder", "line10g", must=Demand(200, 5500), goal=Demand(240, 4500))


def placed(mhz, luts, seed=1):
    return synth.Result("x", seed, mhz, luts, 1, 1, "a to b")


@pytest.mark.parametrize(
    ("results", "reached"),
    [
        ([placed(240, 4500)], "goal"),
        ([placed(240, 4501)], "must"),
        ([placed(199.9, 4000)], "NOT met"),
        ([placed(230, 5501)], "NOT met"),
        ([placed(250, 4000, 1), placed(210, 4000, 2), placed(260, 4000, 3)], "must"),
    ],
)
def test_the_worst_seed_counts(results, reached):
    assert synth.reached(TARGET, results) == reached
    cells = dict(zip(synth.HEADINGS, synth.cells(TARGET, results)))
    assert cells["reached"] == reached and cells["MHz"] == min(r.mhz for r in results)
    assert float(cells["Gb/s"]) == pytest.approx(cells["MHz"] * 64 / 1000, abs=0.005)


def test_nothing_is_asked_of_a_target_without_demands():
    assert synth.reached(Target("y", "RsEncoder", "paper"), [placed(1, 1)]) == "-"


def line(use, over_alpha):
    return {"line_use": use, "data_unit_use": use, "goodput_over_alpha": over_alpha}


RESULTS = {
    "clocks": {
        "encoder-a": {"beats_per_clock": 1.0, "job_and_data_to_first_beat_clocks": 4, "last_data_beat_to_first_parity_beat_clocks": 10},
        "decoder-a": {"beats_per_clock": 0.999, "last_needed_beat_to_last_beat_out_clocks": 140, "of_which_a_frame_takes_clocks": 100},
        "nack-default": {"nack_to_retransmission_clocks": 41},
    },
    "line_use": {"line-a-p0": line(0.996, 1), "line-b-p0": line(0.994, 1), "line-a-p0.05": line(1, 0.99)},
    "decode_bytes_per_second": [{"k": 32, "n": 40, "unit_bytes": 64, "ISA-L": 300e6, "zfec": 200e6, "decoder": 1200e6, "decoder-16": 2400e6}],
    "place_and_route": {},
}


def test_demands_are_held_against_the_worst_measurement():
    reached = [row[-1] for row in demands.rows(RESULTS)]
    assert reached == ["NOT met", "goal", "goal", "must", "NOT met", "NOT met", "goal", "must", "goal"]


def test_page_has_every_table():
    page = bench.page(RESULTS)
    assert page.count("\n## ") == 4 and "| 0.999 | NOT met |" in page


def test_only_the_marked_part_of_the_readme_changes():
    text = f"before\n{bench.BEGIN}\nold\n{bench.END}\nafter\n"
    changed = bench.readme(text, {"default": dict.fromkeys(synth.HEADINGS, 7)})
    assert changed.startswith("before\n") and changed.endswith("\nafter\n") and "| 7 |" in changed and "old" not in changed


def test_windows_are_those_of_targets_that_differ_in_nothing_else():
    rows = {name: dict.fromkeys(synth.HEADINGS, 7) | {"block": block} for name, block in
            (("paper-512", "ArqLink paper"), ("default", "ArqLink default"), ("paper-64", "ArqLink paper"), ("encoder", "RsEncoder line10g"))}  # fmt: skip
    assert list(bench.window_rows(rows)) == [("paper-64", 64, 7, 7, 7, 7), ("paper-512", 512, 7, 7, 7, 7)]
    assert not list(bench.window_rows({"paper-64": rows["paper-64"]}))
