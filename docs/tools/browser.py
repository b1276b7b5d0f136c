# SPDX-License-Identifier: Apache-2.0
"""Pages of arqlink in Debian's Chromium. `python -m docs.tools.browser` writes the pictures of pages that the documents show."""

import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from arqlink.pages import build
from arqlink.tree import ROOT

CHROMIUM = "/usr/bin/chromium"
FIGURES = ROOT / "docs" / "figures" / "pages"
SIZE = (1280, 850)
PHONE = (360, 740)


class Visit:
    """A page from a file, and what was wrong with it: errors and warnings on the console, and requests for anything but the page."""

    def __init__(self, page: Page, address):
        self.page, self.address, self.errors, self.requests = page, address, [], []
        page.on("console", lambda message: self.errors.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url) if request.url.partition("#")[0] != address else None)
        self.open()

    def open(self, fragment=""):
        self.page.goto("about:blank")
        self.page.goto(self.address + fragment)

    def value(self, expression, *arguments):
        return self.page.evaluate(expression, *arguments)

    def wait(self, expression, seconds=60):
        """Until it is true. (Playwright's own way needs a page that lets strings be run as scripts.)"""
        end = time.monotonic() + seconds
        while not self.value(expression):
            assert time.monotonic() < end, f"{expression} is not true after {seconds} s"
            self.page.wait_for_timeout(10)


@contextmanager
def chromium():
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield browser
        browser.close()


@contextmanager
def visit(browser, page, size=SIZE, dark=False):
    """A Visit of a page: a file, or an address of HTTP."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
    yield Visit(context.new_page(), page if str(page).startswith("http:") else Path(page).resolve().as_uri())
    context.close()


def pictures(browser, name, ready):
    """Writes the pictures of a page, light and dark; `ready`: what is true when it has drawn all."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.html"
        file.write_text(build.page(name))
        for colours in ("light", "dark"):
            with visit(browser, file, dark=colours == "dark") as shown:
                shown.wait(ready)
                path = FIGURES / f"{name}-{colours}.png"
                shown.page.screenshot(path=path)
                print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


def main():
    with chromium() as browser:
        pictures(browser, "planner", "planner.shown.isDone")


if __name__ == "__main__":
    main()
