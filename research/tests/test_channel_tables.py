# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/channels.md are those of the command that it names, and its defaults those of the code."""

import pytest

from arqlink.tree import ROOT
from arqlink_research.cli.paths import paths
from arqlink_research.paths import tables
from arqlink_research.paths.orbit import Constellation
from arqlink_research.paths.street import Houses, Street

PAGE = (ROOT / "docs" / "channels.md").read_text()


@pytest.mark.parametrize("table", tables.TABLES, ids=lambda table: table.__name__)
def test_the_page_has_what_the_command_prints(table):
    lines = table()
    assert len(lines) > 3 and "\n".join(lines) in PAGE


def test_the_page_has_the_defaults():
    street, houses, teledesic = Street(), Houses(), Constellation()
    for text in (
        f"| speed | {street.speed:g} m/s |",
        f"| elevation of the satellite | {street.elevation:g}° |",
        f"| azimuth from the direction of motion | {street.azimuth:g}°, across the street |",
        f"| width of the street, front to front | {street.width:g} m |",
        f"| antenna | {street.antenna:g} m high |",
        f"| share of gaps among houses and gaps | {houses.gap_share:g} |",
        f"| depth of a house | {houses.depth:g} m |",
        f"| {houses.crossing:g} m wide, each {houses.block:g} m,",
        f"{teledesic.altitude:g} km, {teledesic.planes} planes of {teledesic.per_plane} satellites, inclination {teledesic.inclination:g}°, "
        f"planes {teledesic.separation:g}° apart and {teledesic.seam:g}° at the seam, elevation mask {teledesic.mask:g}°, "
        f"links between planes below {teledesic.isl_latitude:g}° of latitude",
        f"half a place ahead ({teledesic.stagger:g}°)",
    ):
        assert text in " ".join(PAGE.split()) or text in PAGE, text


def test_the_command_prints_all(monkeypatch, capsys):
    monkeypatch.setattr(tables, "TABLES", (tables.houses, tables.losses))
    paths()
    assert capsys.readouterr().out == "\n".join([*tables.houses(), "", *tables.losses(), "", ""])
