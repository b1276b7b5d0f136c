# SPDX-License-Identifier: Apache-2.0
"""`arqlink live`: programs of Linux over the Verilated link, in real time."""

import os
import shlex
import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from typing import Annotated

import typer

from arqlink import files, tree
from arqlink.cli import options
from arqlink.errors import UserError
from arqlink.gateway import words as gateways
from arqlink.report.tables import json_line
from arqlink.rtl import tools

NAME = 12
"""Characters of a name at most."""
LINES = 20
"""Of samples below a header."""


@dataclass(kw_only=True)
class LiveOptions(options.ChannelOptions):
    config: Annotated[str, typer.Option(help=f"{options.BUILT} Not paper, whose small units are often late.")] = "default"
    delta: Annotated[str, typer.Option(metavar="D|inf", help=f"{options.PERSISTENCY} Few, as TCP does not wait for long, and sends the packet again.")] = "3"


@options.spread
def live(
    link: LiveOptions,
    command: Annotated[list[str] | None, typer.Argument(metavar="[-- COMMAND…]", help="Runs in namespace a; without it, a shell does.")] = None,
    in_b: Annotated[list[str] | None, typer.Option(metavar="COMMAND", help="Runs in namespace b until the end, such as a server; may be repeated.")] = None,
    mtu: Annotated[int, typer.Option(help="Of both network devices, in bytes.")] = 1500,
    queue: Annotated[int, typer.Option(help="Packets that may wait at each of them for the line.")] = 50,
    gateway: Annotated[
        str | None,
        typer.Option(metavar=gateways.SYNTAX, help="Gateway before the link: clamp, snoop, split or proxy, as for tcp.", show_default="none"),
    ] = None,
    pcap_phy: options.PcapPhy = None,
    pcap_a: Annotated[str | None, options.pcap("--pcap-a", "the frames of the device in a")] = None,
    pcap_b: Annotated[str | None, options.pcap("--pcap-b", "the frames of the device in b")] = None,
    soc: Annotated[bool, typer.Option("--soc", help="A soft CPU with the firmware steers each end; says where its console is.")] = False,
    name: Annotated[str, typer.Option(help="Of the namespaces NAME-a and NAME-b.")] = "arq",
    web: options.Web = None,
    web_host: options.WebHost = "127.0.0.1",
    json: Annotated[bool, typer.Option("--json", help="A line of JSON each second, on standard error.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line each second.")] = False,
):
    """Put the Verilated link between two network namespaces, in real time: 10.77.0.1 and fd77::1 in a, 10.77.0.2 and fd77::2 in b.

    Example: arqlink live --delta 3 --loss bernoulli:0.01 --in-b "iperf3 -s" -- iperf3 -c 10.77.0.2 -t 20
    """
    tree.require()
    if not (name.isascii() and name.isalnum() and len(name) <= NAME):
        raise UserError(f"The name is '{name}'; it must be 1 to {NAME} letters and digits.")
    # These need Linux.
    from arqlink.live import namespaces, samples, steering
    from arqlink.live.session import Session

    if web is None:
        namespaces.require()
        listener = None
    else:
        listener = _listen(web_host, web)
    setup = link.setup()
    if setup.traces:
        raise UserError(steering.NO_TRACE)
    commands = [_words(text) for text in in_b or []]
    ends = []

    def leave():
        raise KeyboardInterrupt if ends[0] == signal.SIGINT else typer.Exit(128 + ends[0])

    def end(number, _):
        ends.append(number)
        leave()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as for a job in the background, or with nohup
            signal.signal(number, end)
    is_shell = not command
    headers = cycle([f"{samples.HEADER}\n", *[""] * (LINES - 1)])

    def show(sample):
        if ends:  # Python forgets an exception within a fork, or while it removes an object
            leave()
        if json:
            print(json_line(sample.describe()), file=sys.stderr, flush=True)
        elif not (quiet or is_shell):
            print(next(headers) + sample.line(), file=sys.stderr, flush=True)

    captures = {what: file for what, file in (("phy", pcap_phy), ("A", pcap_a), ("B", pcap_b)) if file}
    files.check(list(captures.values()), [])
    with ExitStack() as stack:
        session = stack.enter_context(Session(setup, name, mtu, queue, captures=captures, gateway=gateway, soc=soc))
        for side, port in session.consoles.items():
            print(f"Firmware of {side}: arqlink console {port}", file=sys.stderr, flush=True)
        if listener:
            print(f"Dashboard: {_serve(stack, session, listener, web_host)}", file=sys.stderr, flush=True)
        for words in commands:
            session.start("b", words)
        child = session.start("a", command or [os.environ.get("SHELL", "/bin/sh")])
        code = session.follow(child, show)
    raise typer.Exit(code)


def _listen(host, port):
    """The dashboard's socket, which goes along if the command begins anew in a network namespace of its own."""
    tools.package("starlette")
    from arqlink.dashboard import web
    from arqlink.live import namespaces

    listener = web.listen(host, port)
    namespaces.require(lambda: web.hand_over(listener))
    return listener


def _serve(stack, session, listener, host):
    """The dashboard as long as the stack lives; its address."""
    from arqlink.dashboard.view import View
    from arqlink.dashboard.web import Server
    from arqlink.live.source import LiveSource

    return stack.enter_context(Server(View(LiveSource(session)), listener, host)).url


def _words(text):
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise UserError(f"'{text}' is not a command.")
    return words
