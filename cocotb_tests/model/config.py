# SPDX-License-Identifier: Apache-2.0
"""What one link end of the protocol model is built and set to, and the rules that can be switched off one by one."""

from dataclasses import dataclass

from .reports import places_of
from .sender import Setting


@dataclass(frozen=True)
class Rules:
    """Choices that decide whether the protocol is live; the defaults are the sound ones.

    lost_hello_restarts   a hello that does not know this side's epoch restarts a side that is up
    stranger_restarts     so does a control unit without hello of another epoch, or that knows another one of this side
    relearn_in_hello      a side in state hello takes a new epoch of its peer without a restart of its own
    answer_known_hello    a hello is answered in state hello even if it shows nothing new
    data_after_heard      data leaves only when a unit without hello has come
    announced             last tries leave as type 2 or 3, so that the receiver skips their frames as soon as they have failed
    announced_if_certain  first transmissions only if the base has passed all frames whose first transmission was no last try
    last_is_last          a last try that fails is not sent again: neither where delta is raised meanwhile, nor after an outage
    notices_wait          while frames behind the abandoned one say that it is, no notice does
    smaller_window        both window edges use the smaller one of the two windows
    delta_at_least        a frame is abandoned when its attempt is delta or more (not only equal)
    turns                 after a control unit a data unit that waits goes first, whatever is due
    deaf_polls            polls go on while the peer says that it is deaf
    hello_window          a hello is refused whose window cannot hold this side's longest packet
    one_window            a peer that states another window than before, in the same epoch, restarts this side
    any_order             outcomes beyond a hole are accepted; else the sender accepts them in TSN order alone
    ring                  as rxNext moves, older outcomes that the peer may lack are shown again, in turn
    rounds                all of them are, after each reply
    tsn_limit             no transmission begins a window or more beyond the oldest outcome that is missing
    missing_polls         outcomes that are missing are polled for though the peer's rxBase has passed all frames
    pairs                 abandonment and types 2 and 3 are believed from the second of two in succession on, not from the first
    fields_apart          an rxBase or rxNext that is behind says nothing, and the rest of its control unit counts; else none of it
    strikes               two ends of POLL_TIMEOUT with control units rejected and none accepted start the link anew
    strikes_kept          a strike stays while nothing comes, and each end of POLL_TIMEOUT polls; else silence takes it back
    contradictions        a frame that the peer takes for received, but is not there, a packet without an end, or one that begins
                          within another, starts the link anew
    """

    lost_hello_restarts: bool = True
    stranger_restarts: bool = True
    relearn_in_hello: bool = True
    answer_known_hello: bool = False
    data_after_heard: bool = True
    announced: bool = True
    announced_if_certain: bool = True
    last_is_last: bool = True
    notices_wait: bool = True
    smaller_window: bool = True
    delta_at_least: bool = True
    turns: bool = True
    deaf_polls: bool = True
    hello_window: bool = True
    one_window: bool = True
    any_order: bool = True
    ring: bool = True
    rounds: bool = True
    tsn_limit: bool = True
    missing_polls: bool = True
    pairs: bool = True
    fields_apart: bool = True
    strikes: bool = True
    strikes_kept: bool = True
    contradictions: bool = True


@dataclass
class Config:
    """One end. Times in clocks; `user_clocks_per_byte` 0 is a user that is always ready."""

    window_log2: int = 6
    unit_bytes: int = 4
    data_bytes: int = 4
    setting: Setting = Setting(4, 5, 6)
    in_order: bool = True
    poll_timeout: int = 2000
    hello_interval: int = 300
    keepalive: int = 1500
    outage_timeout: int = 0
    status_interval: int = 0
    outage_freeze: bool = True
    user_clocks_per_byte: int = 0
    max_packet: int = 0  # longest packet in bytes
    packet_crc: bool = False  # option of the build that both ends must have alike
    rules: Rules = Rules()

    @property
    def window(self):
        return 1 << self.window_log2

    def places(self, peer_window):
        """Of the ring of older outcomes, where the peer has `peer_window`."""
        return places_of(self.window, peer_window)
