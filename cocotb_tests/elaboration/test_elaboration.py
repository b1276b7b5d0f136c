# SPDX-License-Identifier: Apache-2.0
"""What cannot be built is refused with a sentence that names the values; what can be built, at the corners, is."""

import pytest

from arqlink.model import sizing
from cocotb_tests.lib.rtl import java


def generate(folder, *settings, block="ArqLink", config="default"):
    return java("Generate", block, config, folder, *settings, check=False)


REFUSED = {
    "unitBytes=30": "unitBytes is 30; it must be a multiple of dataBytes (4)",
    "unitBytes=4096": "unitBytes is 4096",
    "unitBytes=0": "unitBytes is 0",
    "unitBytes=4": "unitBytes is 4 and dataBytes is 4; a unit must have two beats or more, so unitBytes must be 8 or more",
    "dataBytes=3": "dataBytes is 3; it must be 1, 2, 4, 8 or 16",
    "dataBytes=16": "dataBytes is 16; a link's is 1, 2, 4 or 8",
    "maxK=0": "maxK is 0; it must be 1 to 128",
    "maxK=129": "maxK is 129; it must be 1 to 128",
    "maxParity=0": "maxParity is 0; it must be 1 to 64",
    "maxParity=65": "maxParity is 65; it must be 1 to 64",
    "windowFrames=100": "windowFrames is 100; it must be a power of two",
    "windowFrames=16": "windowFrames is 16",
    "windowFrames=524288": "windowFrames is 524288",
    "windowFrames=64": "windowFrames (64) x unitBytes (64) is less than maxPacketBytes (9216)",
    "maxPacketBytes=0": "maxPacketBytes is 0; it must be 1 to 9216",
    "maxPacketBytes=9217": "maxPacketBytes is 9217; it must be 1 to 9216",
    "maxPacketBytes=3": "maxPacketBytes is 3; it must be dataBytes (4) or more",
    "packetCrc=2": "packetCrc is 2; it must be 0 or 1",
    "k=17": "k is 17; it must be 1 to maxK (16)",
    "nFirst=15": "nFirst is 15; it must be k (16) to k + maxParity (24)",
    "nRetx=25": "nRetx is 25; it must be k (16) to k + maxParity (24)",
    "delta=16": "delta is 16; it must be 0 to 14, or 15",
    "colour=1": "no parameter named 'colour'",
    "maxK=many": "'maxK=many' is not NAME=VALUE",
    "maxK=1.5": "'maxK=1.5' is not NAME=VALUE",
    "maxK=": "'maxK=' is not NAME=VALUE",
    "dataBytes=-4": "dataBytes is -4; it must be 1, 2, 4, 8 or 16",
    "unitBytes=-4": "unitBytes is -4 and dataBytes is 4; a unit must have two beats or more, so unitBytes must be 8 or more",
    "unitBytes=-99999999999": "unitBytes is -99999999999 and dataBytes is 4",
    "unitBytes=inf": "unitBytes is inf; it must be a multiple of dataBytes (4), at most 4095",
    "maxK=inf": "maxK is inf; it must be 1 to 128",
    "maxParity=-1": "maxParity is -1; it must be 1 to 64",
    "windowFrames=-1": "windowFrames is -1; it must be a power of two from 32 to 262144",
    "windowFrames=inf": "windowFrames is inf; it must be a power of two from 32 to 262144",
    "maxPacketBytes=99999999999": "maxPacketBytes is 99999999999; it must be 1 to 9216",
    "packetCrc=-1": "packetCrc is -1; it must be 0 or 1",
    "k=-1": "k is -1; it must be 1 to maxK (16)",
    "nFirst=inf": "nFirst is inf; it must be k (16) to k + maxParity (24)",
    "delta=-1": "delta is -1; it must be 0 to 14, or 15",
    "roundTrip=-1": "roundTrip is -1; it must be 0 to 1073741824",
    "roundTrip=99999999999": "roundTrip is 99999999999; it must be 0 to 1073741824",
}


@pytest.mark.parametrize("setting", REFUSED)
def test_refused(setting, tmp_path):
    result = generate(tmp_path, setting)
    assert result.returncode == 2
    assert REFUSED[setting] in result.stderr
    assert not (tmp_path / "ArqLink.v").exists()


@pytest.mark.parametrize(("delta", "built"), [("inf", 15), ("3", 3), ("007", 7)])
def test_infinite_persistency(delta, built, tmp_path):
    assert generate(tmp_path, f"delta={delta}", block="Framer").returncode == 0
    assert f"// delta = {built} (" in (tmp_path / "Framer.v").read_text()


def test_timers_after_reset_follow_from_a_round_trip(tmp_path):
    """As `arqlink size` has them. The longest is cut where its register ends."""
    words = {f"32'h{value:08x}" for name, value in sizing.timers(10_000_000, 5_000_000, 0).items() if name != "STATUS_INTERVAL"}
    for settings, has in (((), False), (("roundTrip=10000000",), True)):
        assert generate(tmp_path, *settings, block="CsrBank").returncode == 0
        text = (tmp_path / "CsrBank.v").read_text()
        assert ("// roundTrip = 10000000 (" in text, all(word in text for word in words)) == (has, has)


@pytest.mark.parametrize(("kind", "name"), [("block", "ArqLnik"), ("config", "papre")], ids=["unknown block", "unknown configuration"])
def test_unknown_names_are_listed(kind, name, tmp_path):
    result = generate(tmp_path, **{kind: name})
    assert result.returncode == 2
    assert f"'{name}'" in result.stderr
    assert ("ArqLink" if kind == "block" else "paper") in result.stderr


@pytest.mark.parametrize(
    "settings",
    [
        ("dataBytes=1", "unitBytes=2", "maxPacketBytes=64", "windowFrames=64", "maxK=1", "maxParity=1", "k=1", "nFirst=1", "nRetx=2"),
        ("dataBytes=8", "unitBytes=4088", "maxK=4", "maxParity=2", "k=4", "nFirst=4", "nRetx=4", "windowFrames=64"),
        pytest.param(("dataBytes=2", "unitBytes=64", "maxK=128", "maxParity=64"), marks=pytest.mark.full),
        ("dataBytes=8", "windowFrames=262144", "maxK=2", "k=2", "nFirst=2", "nRetx=2"),
    ],
    ids=["smallest", "widest", "longest code", "largest window"],
)
def test_corners_are_built_reproducibly(settings, tmp_path):
    texts = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        result = generate(folder, *settings)
        assert result.returncode == 0, result.stderr
        texts.append((folder / "ArqLink.v").read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "config, settings, built",
    [
        ("small", "packetCrc=1", False),
        ("small", "packetCrc=1 maxPacketBytes=509", False),
        ("small", "packetCrc=1 maxPacketBytes=508", True),
        ("tiny", "packetCrc=1 maxPacketBytes=508", True),
        ("line10g", "packetCrc=1 maxPacketBytes=1500", True),
        ("crc4", "packetCrc=0 maxPacketBytes=512", True),
    ],
)
def test_a_packet_and_its_crc_fit_the_window(config, settings, built, tmp_path):
    """What goes with a packet counts when the window has to hold the longest one at K = 1."""
    result = generate(tmp_path, *settings.split(), config=config)
    assert (result.returncode == 0) == built, result.stderr
    if built:
        assert f"// packetCrc = {settings[10]} (" in (tmp_path / "ArqLink.v").read_text()
    else:
        assert "and 4 bytes for packetCrc; a packet must fit into the window at K = 1" in result.stderr


ONE_FRAME = ("k=1", "nFirst=1", "nRetx=2", "windowFrames=32")


@pytest.mark.parametrize(
    "config, settings",
    [
        ("default", "dataBytes=1 unitBytes=2 maxK=2 maxParity=8 maxPacketBytes=1"),
        ("default", "dataBytes=2 unitBytes=4 maxK=16 maxParity=1 maxPacketBytes=2"),
        ("default", "dataBytes=4 unitBytes=8 maxK=2 maxParity=8 maxPacketBytes=4"),
        ("default", "dataBytes=8 unitBytes=16 maxK=16 maxParity=2 maxPacketBytes=8"),
        ("default", "dataBytes=8 unitBytes=16 maxK=1 maxParity=1 maxPacketBytes=8"),
        ("tiny", "unitBytes=4 maxK=1 maxParity=1 maxPacketBytes=1"),
        ("tiny", "unitBytes=4 maxK=1 maxParity=7 maxPacketBytes=16"),
        ("tiny", "unitBytes=16 maxK=7 maxParity=1"),
        ("tiny", "unitBytes=64 maxK=6 maxParity=2"),
    ],
    ids=lambda value: value.replace(" ", ","),
)
def test_shortest_units_and_packets_are_built(config, settings, tmp_path):
    """Units of two beats, the fewest, codes with one data unit or one parity unit, packets of a single beat."""
    result = generate(tmp_path, *ONE_FRAME, *settings.split(), config=config)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "ArqLink.v").exists()


def test_the_header_names_the_parameters(tmp_path):
    """Each parameter that can be set, with the value in force and what it is."""
    assert generate(tmp_path, "windowFrames=2048", "nRetx=20").returncode == 0
    text = (tmp_path / "ArqLink.v").read_text()
    header = [line.removeprefix("// ") for line in text[: text.index("module")].splitlines()]
    wanted = [
        "dataBytes = 4",
        "unitBytes = 64",
        "maxK = 16",
        "maxParity = 8",
        "windowFrames = 2048",
        "maxPacketBytes = 9216",
        "packetCrc = 0",
        "k = 16",
        "nFirst = 18",
        "nRetx = 20",
        "delta = 15",
    ]
    parameters = [line for line in header if " = " in line]
    assert [line.split(" (")[0] for line in parameters] == wanted and all(line.endswith(")") for line in parameters)
    assert any("ArqLink, configuration default" in line for line in header)
