# SPDX-License-Identifier: Apache-2.0
"""A loss, its report and the retransmission, in the waves of a run: units and packets with the clocks in which they passed."""

import tempfile
from pathlib import Path

from arqlink.model import loss
from arqlink.model.link_setup import from_options
from arqlink.report.svg import svg
from arqlink.report.tables import csv_text
from arqlink.run import pair
from docs.tools.figures.link import read_csv, waves

FIXED = {"config": "paper8", "k": 4, "n": 5, "packet_bytes": 96, "delay_ms": 0.6}
"""Packets of one frame; a delay of 31 clocks, so that a round trip fits the picture."""
PACKETS = 24
LOST = 5
"""The frame of which two units are erased, one more than N - K."""
ROWS = {
    "a_phy": "A sends: frames of five units",
    "ab_tap": "units that reach B",
    "b_m_axis": "packets that leave B",
    "b_phy": "B sends: reports",
    "outcome": "A knows: received, or lost",
}
CLOCKS = 420
COLUMNS = ("row", "begin", "end", "frame", "attempt", "kind")
CONTROL, DATA = "control", "data"
SIZE = (11, 3.6)


def header(words):
    """(kind, frame, last bit of the attempt) of a unit by its first beats of eight bytes; docs/architecture.md, Wire format."""
    data = b"".join(word.to_bytes(8, "little") for word in words[:2])
    if data[0] >> 4 & 3 == 1:
        return CONTROL, "", ""
    return DATA, data[7] << 12 | data[8] << 4 | data[9] >> 4, data[0] >> 2 & 1


def spans(valid, last):
    """(first clock, clock after the last) of each unit or packet."""
    found, begin = [], None
    for clock, (is_valid, is_last) in enumerate(zip(valid, last)):
        if is_valid:
            begin = clock if begin is None else begin
            if is_last:
                found.append((begin, clock + 1))
                begin = None
    return found


def rows_of(signals, begin, end):
    """Rows of the CSV for the clocks from `begin` to before `end`, which count from 0."""
    for row in ("a_phy", "ab_tap", "b_phy"):
        for first, after in spans(signals[f"{row}_tvalid"], signals[f"{row}_tlast"]):
            if begin <= first and after <= end:
                kind, frame, attempt = header(signals[f"{row}_tdata"][first:after])
                yield row, first - begin, after - begin, frame, attempt, kind
    for first, after in spans(signals["b_m_axis_tvalid"], signals["b_m_axis_tlast"]):
        if begin <= first and after <= end:
            yield "b_m_axis", first - begin, after - begin, signals["b_m_axis_tdata"][first] & 0xFF, "", DATA
    for kind in ("ok", "failed"):
        for clock in range(begin, end):
            if signals[f"linkA.csr_io_events_tx_outcomes_{kind}"][clock]:
                yield "outcome", clock - begin, clock - begin + 1, "", "", kind


def measure():
    """Every packet's first byte is its number, which is its frame's number too, as it has one."""
    setup = from_options(**FIXED)
    names = [f"{row}_{part}" for row in ("a_phy", "ab_tap", "b_phy", "b_m_axis") for part in ("tvalid", "tlast", "tdata")]
    names += [f"linkA.csr_io_events_tx_outcomes_{kind}" for kind in ("ok", "failed")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "waves.fst"

        def run(units):
            setup.loss = loss.Trace("picture", bytes(units), "")
            job = pair.send_job(setup, [bytes([i]) * setup.packet_bytes for i in range(PACKETS)], waves=path)
            report = pair.run(setup, job).report
            return waves.samples(path, names, report["start"] + report["clocks"])

        sent = [unit[:2] for unit in _units(run([0]))]
        begin = sent.index((DATA, LOST))
        signals = run([int(place in (begin + 1, begin + 3)) for place in range(10_000)])
    units = spans(signals["a_phy_tvalid"], signals["a_phy_tlast"])
    shown = next(begin for begin, end in units if header(signals["a_phy_tdata"][begin:end])[1] == LOST - 2)
    return csv_text(COLUMNS, rows_of(signals, shown, shown + CLOCKS))


def _units(signals):
    """What `header` says of each unit that A sent."""
    return [header(signals["a_phy_tdata"][begin:end]) for begin, end in spans(signals["a_phy_tvalid"], signals["a_phy_tlast"])]


def picture(text):
    rows = read_csv(text)

    def draw(axes):
        places = {row: len(ROWS) - 1 - place for place, row in enumerate(ROWS)}
        labels = {}
        for row in rows:
            y, width = places[row["row"]], row["end"] - row["begin"]
            colour = {CONTROL: "0.6", "ok": "C2", "failed": "C3"}.get(row["kind"]) or _colour(row, rows)
            axes.broken_barh([(row["begin"], width - 0.8 if width > 1 else 2.5)], (y - 0.3, 0.6), facecolors=colour)
            if row["kind"] == DATA:
                ends = labels.setdefault((row["row"], row["frame"], row["attempt"]), [row["begin"], row["end"]])
                ends[1] = row["end"]
        for (row, frame, _), (begin, end) in labels.items():
            axes.text((begin + end) / 2, places[row], f"{frame:g}", ha="center", va="center", fontsize=7)
        axes.set_yticks(list(places.values()), list(ROWS.values()), fontsize=8)
        axes.set_xlabel(f"clocks. Red: frame {LOST}; orange: its retransmission; grey: control units; green and red: outcomes, received and lost")
        axes.set_xlim(0, max(row["end"] for row in rows))
        axes.set_title(f"Frame {LOST} loses two units of five, one more than its parity restores, and is sent again", fontsize=10)

    return svg("link-retransmission", SIZE, draw)


def _colour(row, rows):
    """That of the lost frame differs, by its attempt."""
    if row["frame"] != LOST:
        return "C0" if row["row"] != "b_m_axis" else "C9"
    return "C1" if row["attempt"] == 1 or row["row"] == "b_m_axis" else "C3"


PICTURES = {"retransmission-waves": picture}
