# SPDX-License-Identifier: Apache-2.0
"""The view that `make wave` opens: its markers are where the units pass, and its signals are those of the RTL."""

import json
import re

import pytest

from arqlink.errors import UserError
from arqlink.run import pcap
from arqlink.tree import ROOT
from docs.tools.figures.link import wave_view, waves

TEMPLATE = ROOT / "sim" / "pair" / "retransmission.gtkw"


def data(fsn, tsn, attempt=0):
    return bytes([0xC0 | attempt % 2 << 2, 1, 2, 3, 0, 0, 0]) + (fsn << 20 | tsn).to_bytes(5, "big") + bytes(9)


def report(rx_next, base, bits, flags=2):
    bitmap = sum(1 << i for i, bit in enumerate(bits) if bit == "1")
    return bytes([0xD0, 1, flags, 1]) + bytes(8) + rx_next.to_bytes(5, "big") + (base << 4).to_bytes(3, "big") + bitmap.to_bytes(8, "big") + bytes(4)


def passing(**units):
    """Signals of ports, which units pass in the clocks from these ones on."""
    signals = {name: [0] * 2000 for name in wave_view.PORTS}
    for port, at in units.items():
        for begin, unit in at.items():
            for place, byte in enumerate(unit):
                signals[f"{port}_tvalid"][begin + place], signals[f"{port}_tdata"][begin + place] = 1, byte
            signals[f"{port}_tlast"][begin + len(unit) - 1] = 1
    return signals


def sent(*transmissions):
    return {100 * place: data(*numbers) for place, numbers in enumerate(transmissions, 1)}


BEFORE_FIRST = 2**20 - 32
"""The block of a report of the first outcomes."""
REPORTS = {
    100: report(0, 0, "", flags=1),  # a hello
    200: report(6, 0, "1101", flags=0),  # of another peer
    300: report(4, 0, "1101"),  # before TSN 4 is closed
    400: report(5, 2**20 - 60, "1" * 64),  # its bitmap ends at TSN 3
    500: report(5, BEFORE_FIRST, "0" * 32 + "11010"),
    600: report(5, 0, "11010"),
}


def test_markers_are_where_the_units_pass():
    """Frame 9 fails as TSN 4; what fails before is another one."""
    signals = passing(a_phy=sent((7, 2), (8, 3), (9, 4), (10, 5), (9, 6, 1), (7, 7, 1)), ba_tap=REPORTS)
    assert wave_view.markers(signals) == (9, 300, 531, 500)


def test_waves_without_a_retransmission_are_refused():
    with pytest.raises(UserError, match=r"^The waves have no retransmission\.$"):
        wave_view.markers(passing(a_phy=sent((7, 2), (8, 3)), ba_tap=REPORTS))


@pytest.mark.full
def test_the_view_of_a_run(arqlink, tmp_path):
    """As `make wave`: all signals are there, and what the markers show is what a capture of the same run has at these times."""
    recipe = re.search(r"\$\(ARQLINK\) send \S+ \S+ (.*) --waves", (ROOT / "Makefile").read_text())
    assert recipe
    (tmp_path / "in").write_bytes((ROOT / "LICENSE").read_bytes()[:12000])
    code, out, err = arqlink("send", "in", "out", *recipe.group(1).split(), "--waves", "w.fst", "--pcap-phy", "u.pcapng", "--json")
    assert code == 0, err
    wave_view.main(tmp_path / "w.fst", TEMPLATE, tmp_path / "v.gtkw")
    text = (tmp_path / "v.gtkw").read_text()
    assert "{" not in text and f'[dumpfile] "{tmp_path}/w.fst"' in text
    ((a, b, c),) = re.findall(r"^\*\S+ \S+ (\d+) (\d+) (\d+) ", text, re.MULTILINE)
    (fsn,) = map(int, re.findall(r"FSN (\d+) begins", text))

    capture = pcap.parse((tmp_path / "u.pcapng").read_bytes())
    found = [(time, packet[4:]) for time, packet in zip(capture.times, capture.packets) if packet[1] == 0 and packet[4] >> 4 == 8]
    units = [(time, unit[0] >> 2 & 1) for time, unit in found if int.from_bytes(unit[7:10], "big") >> 4 == fsn]
    first, again = min(time for time, attempt in units if attempt == 0), min(time for time, attempt in units if attempt == 1)
    assert all(attempt != 1 or time >= again for time, attempt in units)
    clock_hz = json.loads(out)["settings"]["clock_hz"]
    assert again - first == pytest.approx((int(c) - int(a)) / waves.CLOCK / clock_hz * 1e9, abs=2)
    assert int(a) < int(b) < int(c)
    fails = waves.samples(tmp_path / "w.fst", ["linkA.csr_io_events_tx_outcomes_failed"])["linkA.csr_io_events_tx_outcomes_failed"]
    assert int(b) // waves.CLOCK < fails.index(1) < int(c) // waves.CLOCK


@pytest.mark.docs
def test_the_signals_of_the_view(arqlink, tmp_path):
    """Those of the view are in the waves of any configuration, and one that is not is refused."""
    (tmp_path / "in").write_bytes(bytes(100))
    code, _, err = arqlink("send", "in", "out", "--config", "paper8", "--delay-ms", "0", "--loss", "none", "--waves", "w.fst")
    assert code == 0, err
    names = wave_view.shown(TEMPLATE.read_text())
    assert len(names) > 20 and waves.samples(tmp_path / "w.fst", names, 10).keys() == names
    with pytest.raises(UserError, match=r"has no signals linkA\.gone\.$"):
        wave_view.view(tmp_path / "w.fst", "TOP.ArqPair.aclk\nTOP.ArqPair.linkA.gone[3:0]\n")
