// SPDX-License-Identifier: Apache-2.0
// Decides when a control unit is due and when the peer is polled (docs/link_control.md; Sender 5 and 6, Receiver 3 to 6).
#pragma once

#include <algorithm>

#include "latencies.h"
#include "reporter.h"
#include "sender.h"

namespace arqlink::event {

enum class LinkState : uint8_t { clearing, hello, up, outage };

/// What the composer must know of its end.
struct Situation {
    LinkState state = LinkState::clearing;
    bool peerKnown = false, peerUp = false, deaf = false;
    bool idle = false;     ///< no frame is being sent or chosen, and none may be
    bool sending = false;  ///< a frame is being sent
    Clock quiet = 0;       ///< end of the last unit sent
};

class Composer {
  public:
    Composer(const Build& build, const EndSettings& settings, const Sender& sender, const Receiver& receiver,
             const Resequencer& resequencer)
        : latencies_(Latencies::of(build)),
          window_(build.windowFrames),
          settings_(settings),
          sender_(sender),
          receiver_(receiver),
          resequencer_(resequencer),
          reporter_(build, receiver) {}

    // Causes ---------------------------------------------------------------------------------------------------------

    void helloDue() { hello_ = true; }
    void answerDue() { answer_ = true; }
    void pollDue() { poll_ = true; }
    void outcomesAdded(Clock now) {
        status_ = true;
        reporter_.moved(now);
    }
    void noticeDue() { notices_ = 3; }
    /// The peer's control unit was taken: it polls, and lacks outcomes from `ackTsn` on.
    void heard(bool poll, uint64_t ackTsn);
    /// The first hello is due at once.
    void greet(Clock now) { paceAt_ = now; }
    /// The link came up; `smallerWindow` is that of both ends.
    void cameUp(Clock now, uint64_t smallerWindow);
    /// POLL_TIMEOUT begins when the peer may answer.
    void follow(const Situation& s, Clock now);
    /// The first unit of a peer that is up arrived.
    void peerCameUp(Clock now) { pollAt_ = now + settings_.pollTimeout; }
    /// A data unit has left by clock `when`, so the next message may be composed then.
    void dataLeaves(Clock when) { turnEnds_ = std::min(turnEnds_, when); }

    // Time -----------------------------------------------------------------------------------------------------------

    /// POLL_TIMEOUT ends, if the peer may answer.
    Clock pollTimeout(const Situation& s) const { return asks(s) ? pollAt_ : never; }
    void pollTimedOut(const Situation& s, Clock now);

    /// When a message becomes due as things stand; `never` if none does.
    Clock due(const Situation& s, Clock now);
    /// A message is due: it is composed some clocks later, whatever happens until then.
    void decide(const Situation& s, Clock now);
    Control compose(const Situation& s, Clock now);

  private:
    static bool asks(const Situation& s) {
        return s.state == LinkState::up || (s.state == LinkState::outage && !s.deaf);
    }
    Clock keepaliveAt(const Situation& s) const { return std::max(s.quiet, composedAt_) + settings_.keepalive; }
    Clock causeAt(const Situation& s) const;
    Control filled(const Situation& s, uint64_t base) const;

    const Latencies latencies_;
    const uint64_t window_;
    const EndSettings& settings_;
    const Sender& sender_;
    const Receiver& receiver_;
    const Resequencer& resequencer_;
    Reporter reporter_;

    bool hello_ = false, answer_ = false, reply_ = false, status_ = false, poll_ = false;
    unsigned notices_ = 0;
    bool older_ = false, isKeepalive_ = false;  // of the message that was decided on
    Clock turnEnds_ = 0;  // after a message a data unit that waits goes first: the next one is not composed before this
    bool olderTurn_ = false;  // a message that is not of older blocks was composed last
    uint64_t saidEdge_ = 0, saidRxBase_ = 0, saidRxNext_ = 0;
    uint64_t lastRxNext_ = 0, ordinal_ = 0;
    bool greeted_ = true;  // the message before was a hello
    Clock paceAt_ = 0, composedAt_ = 0, pollAt_ = never;
    bool asks_ = false;

    uint64_t tickAckTsn_ = 0, tickRxBase_ = 0;  // as POLL_TIMEOUT ended last
};

}  // namespace arqlink::event
