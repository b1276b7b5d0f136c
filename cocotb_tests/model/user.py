# SPDX-License-Identifier: Apache-2.0
"""The user of a link end of the protocol model: reads packets, as fast as it can."""

from collections.abc import Callable


class User:
    """`delivered` are the packets it has got, with their clocks; the rest of a life's packets waits in `receiver`.ready."""

    def __init__(self, receiver, clocks_per_byte):
        self.receiver, self.clocks_per_byte = receiver, clocks_per_byte
        self.delivered = []
        self.on_deliver: Callable[[bytes], object] = lambda packet: None
        self.restart()

    def restart(self):
        self.read = 0  # packets of this life that it has read whole
        self.busy = None  # clock until which it reads the next one

    @property
    def rx_base(self):
        """Oldest FSN that is held or awaited."""
        waiting = [first for first, _ in self.receiver.ready[self.read :]]
        return min(waiting + [self.receiver.base_limit])

    @property
    def done(self):
        return self.read == len(self.receiver.ready)

    def tick(self, now):
        while not self.done:
            packet = self.receiver.ready[self.read][1]
            if self.busy is None:
                self.busy = now + len(packet) * self.clocks_per_byte
            if self.busy > now:
                return
            self.busy = None
            self.read += 1
            self.delivered.append((now, packet))
            self.on_deliver(packet)
