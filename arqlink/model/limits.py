# SPDX-License-Identifier: Apache-2.0
"""What holds the utilization of a link down, and what would lift it."""

from enum import Enum

SLIGHT = 0.01
"""A bound that takes a smaller share of what is left does not count."""


class Limit(Enum):
    """The value says what would lift it."""

    LINE = "a faster line, less parity, longer frames, or fewer units lost"
    WINDOW = "a longer window of the link, longer frames and packets, or fewer retransmissions"
    LOSSES = "more persistency or parity, as TCP takes packets that the link loses for congestion"
    TCP = "a longer window of TCP's receiver, more connections, or a shorter round trip"

    def sentence(self):
        names = {Limit.LINE: "the line", Limit.WINDOW: "the window of the link", Limit.LOSSES: "losses of packets", Limit.TCP: "TCP's own window"}
        return f"U is held down by {names[self]}; what would lift it: {self.value}."


def of_link(model, window):
    """Of datagrams that fill the line, by a LinkModel and the window in frames."""
    return Limit.WINDOW if model.through_window(window) < model.alpha * (1 - SLIGHT) else Limit.LINE


def of_tcp(model, window, operation, tcp_window=None):
    """Of TCP. `operation`: arqlink.model.tcp.Operation; `tcp_window`: goodput, as a utilization, that the receivers' windows let TCP have, or None."""
    most = model.through_window(window)
    if tcp_window is not None and tcp_window < min(most, operation.utilization) * (1 - SLIGHT):
        return Limit.TCP
    return Limit.LOSSES if operation.utilization < most * (1 - SLIGHT) else of_link(model, window)
