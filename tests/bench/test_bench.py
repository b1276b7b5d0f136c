# SPDX-License-Identifier: Apache-2.0
"""What is said to be reached follows from the numbers, and from the worst seed alone."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from arqlink import tree
from arqlink.bench import documents, measurements, requirements, software_codecs
from arqlink.campaign import feedback_loss
from arqlink.cli import bench
from arqlink.errors import UserError
from arqlink.fpga import place_and_route, results
from arqlink.fpga.targets import TARGETS, Demand, Target
from cocotb_tests.lib import rtl

BEGIN, END = "<!-- make bench: begin -->", "<!-- make bench: end -->"
TARGET = Target("x", "RsEncoder", "line10g", must=Demand(200, 5500), goal=Demand(240, 4500))


def placed(mhz, luts, seed=1):
    return place_and_route.Result("x", seed, mhz, luts, 1, 1, "a to b")


@pytest.mark.parametrize(
    ("found", "reached"),
    [
        ([placed(240, 4500)], "goal"),
        ([placed(240, 4501)], "must"),
        ([placed(199.9, 4000)], "NOT met by 1 of 1"),
        ([placed(230, 5501)], "NOT met by 1 of 1"),
        ([placed(250, 4000, 1), placed(190, 4000, 2), placed(260, 4000, 3)], "NOT met by 1 of 3"),
        ([placed(250, 4000, 1), placed(210, 4000, 2), placed(260, 4000, 3)], "must"),
    ],
)
def test_the_worst_seed_counts(found, reached):
    assert results.reached(TARGET, found) == reached
    cells = dict(zip(results.HEADINGS, results.cells(TARGET, found)))
    assert cells["reached"] == reached and cells["MHz"] == min(r.mhz for r in found)
    assert float(cells["Gb/s"]) == pytest.approx(float(cells["MHz"]) * 64 / 1000, abs=0.005)


def test_nothing_is_asked_of_a_target_without_demands():
    assert results.reached(Target("y", "RsEncoder", "paper"), [placed(1, 1)]) == "-"


def line(use, over_alpha):
    return {"line_use": use, "data_unit_use": use, "goodput_over_alpha": over_alpha}


RESULTS = {
    "clocks": {
        "encoder-a": {"beats_per_clock": 1.0, "job_and_data_to_first_beat_clocks": 4, "last_data_beat_to_first_parity_beat_clocks": 10},
        "encoder-tiny": {"beats_per_clock": 1.0, "job_and_data_to_first_beat_clocks": 3, "last_data_beat_to_first_parity_beat_clocks": 11},
        "decoder-a": {"beats_per_clock": 0.999, "last_needed_beat_to_last_beat_out_clocks": 140, "of_which_a_frame_takes_clocks": 100},
        "nack-default": {"nack_to_retransmission_clocks": 41},
        "nack-line10g": {"nack_to_retransmission_clocks": 65},
        "nack-tiny": {"nack_to_retransmission_clocks": 58},
    },
    "line_use": {"a-p0": line(0.996, 1), "b-p0": line(0.994, 1), "a-p0.05": line(1, 0.99)},
    "feedback_loss": [(533, 1024, "one", 0, "0", "0.1", 64, "11.40", "0.9671", 0, 27, 70421)],
    "decode_bytes_per_second": [{"k": 32, "n": 40, "unit_bytes": 64, "ISA-L": 300e6, "zfec": 200e6, "decoder": 1200e6, "decoder-16": 2400e6}],
    "software": {"CPU": "a processor", "ISA-L": "2.3.4", "zfec": "5.6.7"},
    "place_and_route": {},
}


def test_demands_are_held_against_the_worst_measurement():
    reached = [row[-1] for row in requirements.rows(RESULTS)]
    assert reached == ["NOT met", "goal", "goal", "must", "NOT met", "NOT met", "goal", "must", "goal"]


def test_page_has_every_table():
    page = documents.page(RESULTS)
    assert page.count("\n## ") == 7 and "| 0.999 | NOT met |" in page and "| 533 | 1024 | one | 0 | 0 | 0.1 | 64 | 11.40 | 0.9671 |" in page


def test_clocks_have_a_row_for_each_build():
    (encoder, decoder, nack) = measurements.clock_sections(RESULTS["clocks"])
    assert encoder[2:] == (
        ("build", "beats per clock", "job and data to first beat", "last data beat to first parity beat"),
        [("a", "1", "4", "10"), ("tiny", "1", "3", "11")],
    )
    assert decoder[3] == [("a", "0.999", "140", "100")] and nack[3] == [("default", "41"), ("line10g", "65"), ("tiny", "58")]


def test_page_names_the_software_it_compares_with():
    page = documents.page(RESULTS)
    assert "one core of a processor" in page and "| ISA-L 2.3.4 | zfec 5.6.7 |" in page


def test_versions_are_those_that_run(tmp_path):
    found = software_codecs.versions()
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["ISA-L"])
    assert f"zfec=={found['zfec']}" in (tree.ROOT / "requirements.txt").read_text().splitlines()
    path = tmp_path / "cpuinfo"
    assert software_codecs.cpu(path) == "an unknown CPU"
    path.write_text("processor\t: 0\nmodel name\t: Some 9000 CPU \nflags\t: fpu\n")
    assert software_codecs.cpu(path) == "Some 9000 CPU"


def test_only_the_marked_part_of_the_readme_changes():
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    changed = documents.readme(text, {"default": dict.fromkeys(results.HEADINGS, 7) | {"settings": "-"}})
    assert changed.startswith("before\n") and changed.endswith("\nafter\n") and "| 7 |" in changed and "old" not in changed
    assert "settings" not in changed


def test_place_and_route_alone_is_written(tmp_path, monkeypatch):
    """Tables that need a bench keep their lines; those of the documents have the links only where they are asked for."""
    rows = {target.name: dict(zip(results.HEADINGS, results.cells(target, [placed(77, 1)]))) for target in (TARGET, replace(TARGET, name="l", block="ArqLink"))}
    for name, text in (("RESULTS", documents.page(RESULTS | {"place_and_route": {"x": dict.fromkeys(results.HEADINGS, "old") | {"settings": "-"}}})), *(
        (name, f"before\n{BEGIN}\nold\n{END}\nafter\n") for name in ("README", "INTEGRATION")
    )):  # fmt: skip
        monkeypatch.setattr(documents, name, tmp_path / name)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(documents, "README_TARGETS", ("x",))
    before = (tmp_path / "RESULTS").read_text()
    documents.write_placed(rows)
    after = (tmp_path / "RESULTS").read_text()
    assert "| old |" in before and "| old |" not in after and "| 77 |" in after
    assert [line for line in after.splitlines() if "77" not in line] == [line for line in before.splitlines() if "| old |" not in line]
    assert [(tmp_path / name).read_text().count("| 77 |") for name in ("README", "INTEGRATION")] == [1, 1]


def test_clocks_alone_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "RESULTS", tmp_path / "results.md")
    before = documents.page(RESULTS)
    documents.RESULTS.write_text(before)
    documents.write_clocks({"nack-tiny": {"nack_to_retransmission_clocks": 4321}})
    after = documents.RESULTS.read_text()
    title = measurements.CLOCK_TITLES["nack"]
    assert "| tiny | 4321 |" in after and "4321" not in before
    assert [part for part in after.split("\n## ") if not part.startswith(title)] == [part for part in before.split("\n## ") if not part.startswith(title)]


def test_readme_has_its_targets_with_settings_and_verdict(monkeypatch):
    monkeypatch.setattr(documents, "README_TARGETS", ("y", "x", "not placed"))
    text = f"{BEGIN}\n{END}"
    rows = {
        target.name: dict(zip(results.HEADINGS, results.cells(target, [placed(1, 1)])))
        for target in (TARGET, replace(TARGET, name="z"), replace(TARGET, name="y", settings=("maxK=8", "k=4")))
    }
    changed = documents.readme(text, rows)
    assert changed.count("| RsEncoder line10g |") == 2 and "NOT met by 1 of 1" in changed
    assert "Built with settings of their own: `RsEncoder line10g` with `maxK=8 k=4`." in changed


def test_the_readme_names_targets_that_exist():
    assert set(documents.README_TARGETS) <= {target.name for target in TARGETS}


def test_documents_do_not_lose_targets(monkeypatch, arqlink):
    """Refused ahead of the benches; nothing is written."""
    monkeypatch.setattr(place_and_route, "kept", dict)
    monkeypatch.setattr(measurements, "measure", lambda: pytest.fail("it measures"))
    code, _, error = arqlink("bench", "--docs")
    assert code == 2 and re.search('not placed from these sources: .*default.*Run .make synth TARGETS=".*default', error)


def test_targets_that_are_there_or_no_longer_exist_are_not_missed():
    text = f"# Results\n\n## {measurements.PLACED}\n\n| target |\n| --- |\n| default |\n| gone |\n\n## Clocks\n\n| line10g |\n"
    documents.refuse_to_lose(text, {"default": {}})
    with pytest.raises(UserError, match="sources: default. Run"):
        documents.refuse_to_lose(text, {})


def test_measurements_of_an_earlier_run_are_taken(tmp_path, monkeypatch, arqlink):
    monkeypatch.setattr(bench, "OUTPUT", tmp_path / "bench.json")
    monkeypatch.setattr(measurements, "measure", lambda: pytest.fail("it measures"))
    code, _, error = arqlink("bench", "--gather")
    assert code == 2 and "bench.json does not exist; run 'arqlink bench' first." in error
    bench.OUTPUT.write_text(json.dumps(RESULTS | {"place_and_route": "old"}))
    monkeypatch.setattr(measurements, "placed", dict)
    monkeypatch.setattr(measurements, "compare", lambda synthesis: [])
    code, out, _ = arqlink("bench", "--gather")
    found = json.loads(bench.OUTPUT.read_text())
    assert code == 0 and "nack" in out.lower() and found["line_use"] == RESULTS["line_use"] and found["place_and_route"] == {}


def test_a_bench_that_fails_is_named(monkeypatch):
    monkeypatch.setattr(measurements, "ProcessPoolExecutor", lambda mp_context: ThreadPoolExecutor(1))

    def fails(block, config, *rest, **more):
        raise AssertionError(f"{block} of {config} is too slow")

    monkeypatch.setattr(rtl, "run", fails)
    monkeypatch.setattr(feedback_loss, "points", list)
    with pytest.raises(UserError, match="A bench failed: RsEncoder of paper is too slow"):
        measurements.measure()


def test_windows_are_those_of_targets_that_differ_in_nothing_else():
    rows = {
        name: dict.fromkeys(results.HEADINGS, 7) | {"block": block, "settings": settings, "device": device}
        for name, block, settings, device in (
            ("paper-512", "ArqLink paper", "windowFrames=512 maxPacketBytes=1500", "one"),
            ("default", "ArqLink default", "windowFrames=64 maxPacketBytes=4096", "one"),
            ("paper-64", "ArqLink paper", "windowFrames=64 maxPacketBytes=1500", "one"),
            ("paper-nexus", "ArqLink paper", "windowFrames=64 maxPacketBytes=1500", "another"),
            ("encoder", "RsEncoder line10g", "-", "one"),
        )
    }
    assert list(measurements.window_rows(rows)) == [("paper-64", 64, 7, 7, 7, 7), ("paper-512", 512, 7, 7, 7, 7)]
    assert not list(measurements.window_rows({"paper-64": rows["paper-64"]}))
