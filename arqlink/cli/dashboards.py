# SPDX-License-Identifier: Apache-2.0
"""The dashboard of a run: `--web` of commands that simulate as fast as they can."""

import sys
from contextlib import contextmanager

from arqlink.rtl import tools
from arqlink.run.run_source import RunSource


@contextmanager
def run_dashboard(port, host, setup, title, name):
    """A RunSource that a page at this port shows as long as this is entered; None without a port."""
    if port is None:
        yield None
        return
    tools.package("starlette")
    from arqlink.dashboard.view import View
    from arqlink.dashboard.web import Server, listen

    source = RunSource(setup, title, name)
    with Server(View(source), listen(host, port), host) as server:
        print(f"Dashboard: {server.url}", file=sys.stderr, flush=True)
        try:
            with source:
                yield source
        finally:
            server.finish()
