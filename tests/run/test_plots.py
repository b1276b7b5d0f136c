# SPDX-License-Identifier: Apache-2.0
"""What `arqlink stats --plot` and `arqlink sweep --plot` draw. Text of an SVG is text, so it can be read."""

import itertools
import json
import sys

import pytest
from matplotlib.figure import Figure

from arqlink.errors import UserError
from arqlink.report import plots
from arqlink.tree import BUILD
from arqlink_research.cli.sweep import drawing
from arqlink_research.sweep.plan import Sweep


def entry(measured, low, high, model):
    return {"measured": measured, "low": low, "high": high, "model": model}


def test_measured_values_by_the_models():
    report = {
        "p_t": entry(0.2, 0.1, 0.3, 0.25),
        "p_f": entry(0.0, 0.0, 0.9, 0.01),
        "alpha": entry(0.9, 0.89, 0.91, 0.9),
        "utilization": entry(None, None, None, 1),
    }
    text = plots.comparison(report, "1000 frames")
    for words in ("1000 frames", "failed transmissions P_T (0.25)", "abandoned frames P_F (0.01)", "useful share α (0.9)"):
        assert words in text
    assert "utilization" not in text  # nothing was measured
    assert plots.comparison(report | {"p_t": entry(0.21, 0.1, 0.3, 0.25)}, "1000 frames") != text


@pytest.mark.parametrize("ratio, arrows", [(2.0, 0), (4.0, 1)])
def test_what_is_far_from_the_model_is_shown(monkeypatch, ratio, arrows):
    """Its point and its interval are beyond the edge."""
    axes = Figure().subplots()
    monkeypatch.setattr(plots, "svg", lambda name, size, draw: draw(axes))
    plots.comparison({"p_t": entry(0.1 * ratio, 0.09 * ratio, 0.11 * ratio, 0.1)}, "")
    assert [line.get_marker() for line in axes.lines].count(">") == arrows


def test_a_share_of_zero_has_no_interval():
    text = plots.comparison({"alpha": entry(0.0, None, None, 0.1)}, "trace:$_{x$")
    assert "useful share α (0.1)" in text and "trace:$_{x$" in text


def sweep(**grid):
    return Sweep("stats", [dict(zip(grid, values)) for values in itertools.product(*grid.values())], list(grid), [1], BUILD)


def row(settings, value, model):
    return {"settings": settings, "seeds": 2, "p_t.measured": {"mean": value, "std": 0.01}, "p_t.model": {"mean": model, "std": 0.0}}


def test_a_curve_for_each_combination():
    rows = [row({"n": n, "delta": delta, "config": "paper"}, 0.1 * n + delta, 0.1 * n + delta) for delta in (0, 1) for n in (10, 11, 12)]
    wanted = sweep(n=[10, 11, 12], delta=[0, 1], config=["paper"])
    text = drawing(wanted, rows, "p_t.measured")
    for words in ("delta = 0, config = paper", "delta = 1, config = paper", "p_t.measured", ">n<"):
        assert words in text
    assert "n = " not in text
    assert text.count("line2d") > drawing(wanted, rows, "p_t.model").count("line2d"), "the model has a line of its own"


def test_what_cannot_be_drawn():
    rows = [row({"n": 10}, 0.1, 0.1)]
    with pytest.raises(UserError, match=r"'p_x' is no number of these runs; there are p_t.measured, p_t.model\."):
        drawing(sweep(n=[10]), rows, "p_x")
    with pytest.raises(UserError, match="no point has results"):
        drawing(sweep(n=[10]), [], "p_t.measured")
    with pytest.raises(UserError, match="no setting in the grid has numbers"):
        drawing(sweep(config=["paper"]), [row({"config": "paper"}, 0.1, 0.1)], "p_t.measured")


def test_stats_draws(arqlink, tmp_path):
    code, out, err = arqlink("stats", "--config", "montecarlo", "--frames", 2000, "--n", 11, "--delta", 1, "--loss", 0.05, "--plot", "found.svg", "--json")
    assert code == 0, err
    text, report = (tmp_path / "found.svg").read_text(), json.loads(out)
    assert f"failed transmissions P_T ({report['p_t']['model']:.3g})" in text and "bernoulli:0.05" in text


def test_sweep_draws(arqlink, tmp_path):
    (tmp_path / "s.toml").write_text('kind = "stats"\n[fixed]\nconfig = "montecarlo"\nframes = 500\nn = 11\n[grid]\nloss = [0.01, 0.05]\ndelta = [0, 1]\n')
    code, _, err = arqlink("sweep", "s.toml", "--workers", 1, "--plot", "p.svg")
    assert code == 0, err
    first = (tmp_path / "p.svg").read_text()
    assert "delta = 0" in first and "delta = 1" in first and ">loss<" in first
    code, _, err = arqlink("sweep", "s.toml", "--show", "--plot", "p.svg", "--value", "alpha.measured")
    assert code == 0 and "alpha.measured" in (tmp_path / "p.svg").read_text()


def test_a_sweep_is_not_run_for_what_cannot_be_drawn(arqlink, tmp_path):
    (tmp_path / "s.toml").write_text('kind = "stats"\noutput = "s.svg"\n[fixed]\nconfig = "montecarlo"\n[grid]\ndelta = [0, "inf"]\n')
    code, _, err = arqlink("sweep", "s.toml", "--plot", "p.svg")
    assert code == 2 and "no setting in the grid has numbers" in err
    code, _, err = arqlink("sweep", "s.toml", "--plot", "s.svg")
    assert code == 2 and "would overwrite 's.svg'" in err
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("stats", "--plot", "p.png"), "'p.png' cannot be written: plots are SVG"),
        (("stats", "--plot", "none/p.svg"), "cannot be written: No such file"),
        (("stats", "--uart", "/dev/none", "--plot", "p.svg"), "--plot is for the simulation"),
        (("sweep", "s.toml", "--value", "x"), "cannot be used without"),
    ],
    ids=["no SVG", "no folder", "board", "value alone"],
)
def test_refused_before_the_run(arqlink, words, said):
    code, _, err = arqlink(*words)
    assert code == 2 and said in err


def test_without_matplotlib(arqlink, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = arqlink("stats", "--plot", "p.svg")
    assert code == 2 and "Python package matplotlib" in err
