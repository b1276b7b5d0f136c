# SPDX-License-Identifier: Apache-2.0
"""`python -m docs.tools.live_cast`, as root: runs the tour of docs/live.md in a terminal, and writes what it shows to docs/assets/live.cast, an asciicast of
version 2, and to live.svg, the same as an animated picture. With `--draw` it draws the picture of the cast that is there."""

import fcntl
import json
import os
import pty
import shlex
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from arqlink.tree import ROOT

CAST = ROOT / "docs" / "assets" / "live.cast"
PICTURE = CAST.with_suffix(".svg")
TOUR = (
    ("arqlink live -- ping -c 5 10.77.0.2",),
    ('arqlink live --in-b "iperf3 -s --logfile /dev/null" -- iperf3 -c 10.77.0.2 -t 10 -i 0',),
    ('arqlink live --k 10 --n 10 --delta 0 --in-b "iperf3 -s --logfile /dev/null" \\', "    -- iperf3 -c 10.77.0.2 -t 10 -i 0"),
)
"""Commands by their lines, as the document has them."""
COLUMNS, ROWS = 100, 30
PROMPT, MORE = "$ ", "> "
IDLE = 0.4
"""Seconds after which a player goes on when nothing is written: `idle_time_limit` of the format."""
KEY, PAUSE, END = 0.03, 1.0, 5.0
"""Seconds from key to key, around a command, and at the end."""
CELL = (8.4, 17.0)
"""Width and height of a character in the picture, in px."""
BASELINE = 13
MARGIN = 14
STYLE = """text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9;white-space:pre}
.typed{fill:#fff;font-weight:600}.prompt{fill:#7ee787}.screen{fill:#0d1117}.block{fill:#8b949e}"""


@dataclass
class Recording:
    """Events of a cast: (seconds, text)."""

    events: list = field(default_factory=list)
    now: float = 0.0

    def write(self, text, wait=0.0):
        self.now += wait
        self.events.append((self.now, text))

    def type(self, lines):
        for prompt, line in zip([PROMPT, *len(lines) * [MORE]], lines, strict=False):
            self.write(prompt)
            self.now += PAUSE if prompt == PROMPT else 0
            for key in line:
                self.write(key, KEY)
            self.write("\r\n", PAUSE if line is lines[-1] else KEY)

    def run(self, words):
        """What a command writes to its terminal."""
        start = time.monotonic() - self.now
        for text in terminal_output(words):
            self.now = time.monotonic() - start
            self.write(text)

    def cast(self):
        header = {"version": 2, "width": COLUMNS, "height": ROWS, "idle_time_limit": IDLE, "title": "arqlink live"}
        lines = [header, *([round(seconds, 3), "o", text] for seconds, text in self.events)]
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def terminal_output(words):
    """Whole lines that a program writes to its terminal, as they come; an error if it fails."""
    leader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    with subprocess.Popen(words, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True, env=os.environ | {"PATH": path}) as child:
        os.close(terminal)
        rest = b""
        while piece := read(leader):
            text, newline, rest = (rest + piece).rpartition(b"\n")
            if newline:
                yield (text + newline).decode()
    os.close(leader)
    if child.returncode or rest:
        raise SystemExit(f"'{shlex.join(words)}' ended with {child.returncode} and {rest}.")


def read(file):
    """b"" at the end, which Linux tells as an error when the last program has left the terminal."""
    try:
        return os.read(file, 65536)
    except OSError:
        return b""


def recorded():
    """The cast of the tour as it runs now."""
    list(terminal_output(["arqlink", "live", "--quiet", "--", "true"]))  # builds what is missing
    recording = Recording()
    for lines in TOUR:
        recording.type(lines)
        recording.run(shlex.split(" ".join(line.removesuffix("\\") for line in lines)))
    recording.write(PROMPT)
    return recording.cast()


def shown(cast):
    """Rows of text of a cast, and where its cursor is when: (seconds, row, column), with idle times cut."""
    header, *events = map(json.loads, cast.splitlines())
    rows, places, now, before = [""], [], 0.0, 0.0
    for seconds, _, text in events:
        now, before = now + min(seconds - before, header["idle_time_limit"]), seconds
        first, *more = text.split("\r\n")
        rows[-1] += first
        rows += more
        places.append((now, len(rows) - 1, len(rows[-1])))
    for row in rows:
        assert row.isprintable() and len(row) <= header["width"], row
    return rows, places


def moves(name, places, seconds):
    """A movement in steps through places, (time, x, y), again and again. Where nothing moves, it rests at the last one."""
    steps, last = [], None
    for when, x, y in places:
        place = f"transform:translate({x:.5g}px,{y:.5g}px)"
        if place != last:
            steps.append(f"{100 * when / seconds:.4g}%{{{place}}}")
        last = place
    return f"@keyframes {name}{{{''.join(steps)}}}\n.{name}{{animation:{name} {seconds:.1f}s step-end infinite;{last}}}"


def text(number, row):
    """A row of the picture; its length does not depend on the font."""
    words = escape(row.lstrip(), quote=False)
    for prompt in (PROMPT, MORE):
        if row.startswith(prompt):
            words = f'<tspan class="prompt">{escape(prompt)}</tspan><tspan class="typed">{escape(row.removeprefix(prompt), quote=False)}</tspan>'
    start, length = len(row) - len(row.lstrip()), len(row.strip())
    return f'<text x="{start * CELL[0]:.5g}" y="{number * CELL[1] + BASELINE:.5g}" textLength="{length * CELL[0]:.5g}">{words}</text>'


def drawn(cast):
    """The picture of a cast. It has all rows; a curtain that hangs at the cursor hides what is not written yet, and all moves up when the screen is full."""
    rows, places = shown(cast)
    seconds = places[-1][0] + END
    width, height = COLUMNS * CELL[0], ROWS * CELL[1]
    pen = moves("pen", ((when, column * CELL[0], row * CELL[1]) for when, row, column in places), seconds)
    scroll = moves("scroll", ((when, 0, -max(0, row - ROWS + 1) * CELL[1]) for when, row, _ in places), seconds)
    texts = "\n".join(text(number, row) for number, row in enumerate(rows) if row.strip())
    whole = f"{width + 2 * MARGIN:.0f}", f"{height + 2 * MARGIN:.0f}"
    frame = f'width="{whole[0]}" height="{whole[1]}"'
    curtain = f'<path class="screen" d="M0 0H{width:.0f}V{height:.0f}H-{width:.0f}V{CELL[1]:.0f}H0z"/>'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {frame} viewBox="{-MARGIN} {-MARGIN} {whole[0]} {whole[1]}">
<title>arqlink live in a terminal</title>
<style>{STYLE}
{pen}
{scroll}
@media (prefers-reduced-motion:reduce){{.pen,.scroll{{animation:none}}}}</style>
<clipPath id="c"><rect width="{width + MARGIN:.0f}" height="{height:.0f}"/></clipPath>
<rect class="screen" x="{-MARGIN}" y="{-MARGIN}" {frame} rx="8"/>
<g clip-path="url(#c)"><g class="scroll">
{texts}
<g class="pen">{curtain}<rect class="block" width="{CELL[0]}" height="{CELL[1]:.0f}"/></g>
</g></g>
</svg>
"""


def main():
    if "--draw" not in sys.argv[1:]:
        CAST.write_text(recorded())
    PICTURE.write_text(drawn(CAST.read_text()))
    for path in (CAST, PICTURE):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
