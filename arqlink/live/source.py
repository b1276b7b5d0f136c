# SPDX-License-Identifier: Apache-2.0
"""What a dashboard shows of a live link, and how it steers it."""

from dataclasses import asdict

from arqlink.dashboard.view import Source
from arqlink.errors import UserError
from arqlink.live import samples
from arqlink.live.engine import ENDED
from arqlink.live.steering import LEAST_DELAY_MS, Steering


class LiveSource(Source):
    """Of a Session."""

    title = "arqlink live"
    look_back = 10.0
    locked = None
    ports = {"a": "TAP a", "b": "TAP b"}

    def __init__(self, session):
        self.name = session.name
        self._reader = session.reports.reader()
        self._steering = Steering(session.setup, session.engine, session.reports.reader())
        self.delays_ms = [LEAST_DELAY_MS, self._steering.most_delay_ms]

    @property
    def setup(self):
        return self._steering.setup

    def read(self):
        try:
            return self._reader.read()
        except UserError as error:
            why = str(error)
            raise UserError(why if why == ENDED else f"{ENDED} {why}") from None

    def sample(self, before, after):
        return asdict(samples.between(before, after, self.setup.limits["window_frames"]))

    def steer(self, text):
        return self._steering.take(text)
