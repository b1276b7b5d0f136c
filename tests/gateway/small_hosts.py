# SPDX-License-Identifier: Apache-2.0
"""Two small TCP hosts in simulated time: a source, and a receiver that reads slowly into a small buffer.

They do what TCP of Linux does where it matters here: old timestamps are refused (RFC 7323, section 5), a closed window is probed with an old sequence number
and no data, and what a buffer has no room for is dropped."""

import heapq
import itertools
from math import inf

from arqlink.gateway.gateway import LAN, LINK

from .tcp_through import MSS, pattern

DELAY = 0.015
SECONDS_OF_A_PACKET = 0.0003


class Host:
    def __init__(self, through, side, size):
        self.t, self.side, self.size = through, side, size
        self.newest = 0
        """Timestamp of the other host (TS.Recent)."""
        self.out = []

    def say(self, seq, data=b"", ack=0, window=8000, sack=()):
        scaled = window >> self.t.scale[self.side]
        self.out.append(self.t.packet(self.side, seq, data, ack=ack, window=scaled, sack=sack, ts=(self.t.clock(self.side), self.newest)))

    def is_refused(self, seen, expected):
        if seen.timestamps[0] < self.newest:
            return True
        if expected >= seen.seq and seen.end >= expected:
            self.newest = seen.timestamps[0]
        return False


class Source(Host):
    def __init__(self, through, side, size):
        super().__init__(through, side, size)
        self.acked, self.sent, self.edge, self.repeat_until = 0, 0, through.window[1 - side], 0
        self.timeout, self.timer = 0.2, 0.0

    def receive(self, seen, now):
        if self.is_refused(seen, 0) or seen.ack < self.acked:
            return
        assert seen.ack <= self.sent, "an ACK of what was not sent"
        self.edge = seen.ack + (seen.window << self.t.scale[1 - self.side])
        if seen.ack > self.acked:
            self.acked, self.timeout, self.timer = seen.ack, 0.2, now + 0.2
            if self.acked < self.repeat_until:
                self.repeat()
        self.send(now)

    def send(self, now):
        while (length := min(MSS, self.size - self.sent)) and self.sent + length <= self.edge:
            self._data(self.sent, self.sent + length)
            self.sent += length
        if self.acked == self.size:
            self.timer = inf
        elif self.timer == inf:
            self.timer = now + self.timeout

    def tick(self, now):
        if now < self.timer:
            return
        self.timeout = min(2 * self.timeout, 60)
        self.timer = now + self.timeout
        if self.acked < self.sent:
            self.repeat_until = self.sent
            self.repeat()
        elif self.edge > self.sent:
            end = min(self.edge, self.size, self.sent + MSS)
            self._data(self.sent, end)
            self.sent = end
        else:
            self.say(self.sent - 1)

    def repeat(self):
        self._data(self.acked, min(self.acked + MSS, self.sent))

    def _data(self, begin, end):
        self.say(begin, pattern(begin, end))


class Receiver(Host):
    def __init__(self, through, side, size, room, slow):
        super().__init__(through, side, size)
        self.room, self.slow = room, slow
        self.expected, self.unread, self.edge = 0, 0, through.window[side]
        self.ahead = {}
        self.timer = slow

    def receive(self, seen, now):
        if self.is_refused(seen, self.expected) or seen.end < self.expected:
            return self.acknowledge()
        if not seen.data:
            return None
        assert seen.data == pattern(seen.seq, seen.end), "other data than were sent"
        if self.waiting and (seen.end > self.edge or self.waiting + len(seen.data) > self.room):
            self.ahead.clear()  # which it may throw away (RFC 2018, section 8)
            return self.acknowledge()
        self.ahead[seen.seq] = max(seen.end, self.ahead.get(seen.seq, 0))
        for begin in sorted(self.ahead):
            if begin <= self.expected:
                end = self.ahead.pop(begin)
                self.unread += max(0, end - self.expected)
                self.expected = max(self.expected, end)
        return self.acknowledge()

    @property
    def waiting(self):
        return self.unread + sum(end - begin for begin, end in self.ahead.items())

    def acknowledge(self):
        self.edge = max(self.edge, self.expected + max(0, self.room - self.unread))
        blocks = sorted(self.ahead.items())[:3] if self.t.sack else ()
        self.say(0, ack=self.expected, window=self.edge - self.expected, sack=blocks)

    def tick(self, now):
        if now < self.timer:
            return
        self.timer = now + self.slow if self.expected < self.size else inf
        left, self.unread = self.edge - self.expected, max(0, self.unread - 2 * MSS)
        if left < self.room // 2 <= self.room - self.unread:
            self.acknowledge()


class Line:
    """The link behind the gateway: packets leave one after the other, are lost by chance, and arrive after a delay."""

    def __init__(self, rng, loss):
        self.rng, self.loss = rng, loss
        self.free, self.count, self.under_way = 0.0, itertools.count(), []

    def send(self, packet, now):
        self.free = max(self.free, now) + SECONDS_OF_A_PACKET
        if self.rng.random() >= self.loss:
            heapq.heappush(self.under_way, (self.free + DELAY, next(self.count), packet))

    def next(self):
        return self.under_way[0][0] if self.under_way else inf

    def arrived(self, now):
        while self.under_way and self.under_way[0][0] <= now:
            yield heapq.heappop(self.under_way)[2]


class Talk:
    """A source, its receiver, and their connection through a gateway that others may share."""

    def __init__(self, through, side, size, room, slow):
        self.through = through
        self.hosts = [Source(through, side, size), Receiver(through, 1 - side, size, room, slow)]
        self.of_side = self.hosts if side == 0 else self.hosts[::-1]

    @property
    def is_done(self):
        source, receiver = self.hosts
        return source.acked == source.size == receiver.expected

    def __str__(self):
        source, receiver = self.hosts
        return f"{receiver.expected} of {receiver.size} bytes arrived, {source.acked} are acknowledged, from side {source.side}"


def run(gateway, talks, rng, loss, most):
    """Until all has arrived; False: it has not within `most` seconds."""
    now, there, back = 1.0, Line(rng, loss), Line(rng, loss)
    by_port = {talk.through.ports[LAN]: talk for talk in talks}

    def move(packet, side):
        talk = by_port[int.from_bytes(packet[20:22] if side == LINK else packet[22:24])]
        talk.of_side[side].receive(talk.through.read(side, packet), now)

    while not all(talk.is_done for talk in talks):
        if now > most:
            return False
        gateway.advance(now)
        for talk in talks:
            talk.through.now = now
            for host in talk.hosts:
                host.tick(now)
        for packet in there.arrived(now):
            move(packet, LINK)
        for packet in back.arrived(now):
            gateway.receive(LINK, packet, now)
        while any(host.out for talk in talks for host in talk.hosts) or gateway.waiting(LAN):
            for talk in talks:
                for side, host in enumerate(talk.of_side):
                    for packet in host.out:
                        if side == LINK:
                            back.send(packet, now)
                        else:
                            gateway.receive(LAN, packet, now)
                    host.out.clear()
            for packet in gateway.all(LAN, now):
                move(packet, LAN)
        while there.free <= now and (packet := gateway.take(LINK, now)):
            there.send(packet, now)
        busy = there.free if gateway.waiting(LINK) else inf
        now = max(now, min(there.next(), back.next(), gateway.deadline(), busy, *(host.timer for talk in talks for host in talk.hosts)))
    return True
