# SPDX-License-Identifier: Apache-2.0
"""`python -m docs.tools.wireshark_picture` writes the picture of Wireshark's window that docs/wireshark.md shows, with a capture that it makes, to
docs/assets/wireshark.png. It needs Debian's wireshark, xvfb and xdotool."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from PIL import ImageGrab

from arqlink.tree import ROOT

PICTURE = ROOT / "docs" / "assets" / "wireshark.png"
DISSECTOR = ROOT / "wireshark" / "arqlink.lua"
DEBIAN = {"wireshark": "wireshark", "xdotool": "xdotool", "Xvfb": "xvfb"}
BYTES = 1500
"""Of the file that is sent: the first ones of LICENSE."""
LINK = "--k 4 --n 5 --delta 1 --loss 0.18 --feedback-loss 0.3 --delay-ms 1 --seed 19"
FILTER = "(arqlink.fsn == 4 || arqlink.failed_tsn == 4) && frame.number < 77"
PACKET = 48
"""The packet whose details are shown: an erased report."""
SIZE = (1000, 1006)
PANES = (284, 602)
"""Heights of list and details, of which Wireshark takes the ratio."""
HAND = "mousemove 300 400 click 1 key End key shift+Right key End key Up key Up key Up mousemove 900 40 sleep 0.5"
"""What xdotool does: on a row of the details it opens the last tree there with all that is in it, and selects the third row from the end."""
COLOURS = 256
"""Of the picture."""
FEW = 64
"""Colours of a screen without a window, at most."""

RULES = {
    "Erased": ("arqlink.erased == 1", (226, 226, 226), (110, 110, 110)),
    "Report of a failure": ("arqlink.failed_tsn", (255, 233, 197), (18, 39, 46)),
    "Retransmission": ("arqlink.retransmission == 1", (218, 238, 255), (18, 39, 46)),
}
"""Coloring rules: filter, background and text, of which the first that fits counts."""
COLUMNS = {"No.": ("%m", 50), "Time": ("%t", 110), "Source": ("%s", 65), "Destination": ("%d", 90), "Info": ("%i", 600)}
"""Field and width in px of each column of the list."""
PREFERENCES = f"""gui.layout_type: 1
gui.layout_content_1: PLIST
gui.layout_content_2: PDETAILS
gui.layout_content_3: NONE
gui.packet_list_show_minimap: FALSE
gui.column.format: {", ".join(f'"{name}", "{kind}"' for name, (kind, _) in COLUMNS.items())}
"""
GEOMETRY = f"""gui.geometry_main_x: 0
gui.geometry_main_y: 0
gui.geometry_main_width: {SIZE[0]}
gui.geometry_main_height: {SIZE[1]}
gui.geometry_main_maximized: FALSE
"""
RECENT = f"""gui.geometry_main_upper_pane: {PANES[0]}
gui.geometry_main_lower_pane: {PANES[1]}
column.width: {", ".join(f"{kind}, {width}" for kind, width in COLUMNS.values())}
"""


def require():
    """An error that names the Debian packages that are missing."""
    missing = [package for program, package in DEBIAN.items() if not shutil.which(program)]
    if missing:
        which = "which are" if len(missing) > 1 else "which is"
        raise SystemExit(f"This needs Debian's {', '.join(missing)}, {which} not installed; run 'apt-get install {' '.join(missing)}' as root.")


def capture(folder):
    """units.pcapng of a file that crosses the link."""
    (folder / "file").write_bytes((ROOT / "LICENSE").read_bytes()[:BYTES])
    command = [sys.executable, "-m", "arqlink", "send", "file", "copy", *LINK.split(), "--pcap-phy", "units.pcapng"]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)


def set_up(folder):
    """Wireshark's personal configuration, with no more than what the picture needs."""
    own = folder / ".config" / "wireshark"
    own.mkdir(parents=True)
    (own / "preferences").write_text(PREFERENCES)
    (own / "recent_common").write_text(GEOMETRY)
    (own / "recent").write_text(RECENT)
    colours = {name: [",".join(str(257 * part) for part in colour) for colour in pair] for name, (_, *pair) in RULES.items()}
    rules = (f"@{name}@{rule}@[{colours[name][0]}][{colours[name][1]}]\n" for name, (rule, *_) in RULES.items())
    (own / "colorfilters").write_text("".join(rules))


@contextmanager
def running(command, **options):
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        child.terminate()
        child.wait()


@contextmanager
def screen():
    """The name of a display in memory, of the window's size."""
    number, end = os.pipe()
    command = ["Xvfb", "-displayfd", str(end), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp"]
    with running(command, pass_fds=[end], stderr=subprocess.DEVNULL), os.fdopen(number) as lines:
        os.close(end)
        yield f":{lines.readline().strip()}"


def still(display, seconds=2, most=60):
    """A picture of the screen when it has not changed for some seconds and shows something."""
    begin = since = time.monotonic()
    picture = ImageGrab.grab(xdisplay=display)
    while time.monotonic() < since + seconds or picture.getcolors(FEW) is not None:
        if time.monotonic() > begin + most:
            raise SystemExit(f"Wireshark does not come to rest in {most} s.")
        time.sleep(0.2)
        now = ImageGrab.grab(xdisplay=display)
        if now.tobytes() != picture.tobytes():
            picture, since = now, time.monotonic()
    return picture


def keys(surroundings, *words):
    subprocess.run(["xdotool", *words], env=surroundings, check=True)


def window(folder):
    """A picture of Wireshark's window, with the details of PACKET."""
    set_up(folder)
    with screen() as display:
        surroundings = os.environ | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config"), "XDG_RUNTIME_DIR": str(folder), "DISPLAY": display}
        command = ["wireshark", "-X", f"lua_script:{DISSECTOR}", "-Y", FILTER, "-g", str(PACKET), "units.pcapng"]
        with running(command, cwd=folder, env=surroundings, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
            still(display)
            keys(surroundings, *HAND.split())
            return still(display)


def main():
    require()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        capture(folder)
        picture = window(folder)
    picture.convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
