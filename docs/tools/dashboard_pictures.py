# SPDX-License-Identifier: Apache-2.0
"""`python -m docs.tools.dashboard_pictures`, as root: writes the pictures of the dashboard that the documents show, while iperf3 runs."""

import io
import subprocess
import time
from contextlib import contextmanager

from PIL import Image

from arqlink.dashboard.view import View
from arqlink.dashboard.web import Server, listen
from arqlink.live.session import Session
from arqlink.live.source import LiveSource
from arqlink.model import link_setup
from arqlink.tree import ROOT
from docs.tools import browser as browsers

LINK = {"config": "paper8", "k": 10, "n": 11, "delay_ms": 50.0, "delta": "1", "loss": "bernoulli:0.03", "feedback_loss": "bernoulli:0.005"}
SECONDS = 70
"""Of traffic: more than the last minute."""
HEIGHT = 1700
COLOURS = 256
"""Of a picture; with all of them its file would be twice as large."""


@contextmanager
def dashboard(session):
    """Address of the dashboard of a session."""
    with Server(View(LiveSource(session)), listen("127.0.0.1", 0)) as server:
        yield server.url


@contextmanager
def traffic(session, *options, seconds=1000):
    """TCP from a to b."""
    server = session.start("b", ["iperf3", "-s"], stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    client = session.start("a", ["iperf3", "-c", "10.77.0.2", "-t", str(seconds), *options], stdout=subprocess.DEVNULL)
    yield
    for child in (client, server):
        child.terminate()
        child.wait()


def main():
    with Session(link_setup.from_options(**LINK), "pictures") as session, dashboard(session) as address, traffic(session, "-C", "bbr"):
        time.sleep(SECONDS)
        with browsers.chromium() as browser:
            for colours in ("light", "dark"):
                with browsers.visit(browser, address, (browsers.SIZE[0], HEIGHT), colours == "dark") as shown:
                    shown.wait("dashboard.latest()?.ends !== undefined")
                    shown.page.wait_for_timeout(3000)
                    path = browsers.FIGURES / f"dashboard-{colours}.png"
                    picture = Image.open(io.BytesIO(shown.page.screenshot()))
                    picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
                    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")
                    assert not shown.errors, shown.errors


if __name__ == "__main__":
    main()
