// SPDX-License-Identifier: Apache-2.0
// Book of the outages of a link end, from what comes to it: how many there must have been, and how many there may have been.
#pragma once

#include <algorithm>
#include <cstdint>

namespace campaign {

/// An outage has three causes: phy_up is low, nothing valid comes for OUTAGE_TIMEOUT, or the peer says that it is deaf. From the last beat of a unit until
/// the end has judged it up to `jitter` clocks pass. So a cause may be there before it is certain, and may stay after its end.
class Outages {
  public:
    explicit Outages(uint64_t jitter) : jitter_(jitter) {}

    /// One clock, after what came in it.
    void clock(uint64_t now, bool phyUp);

    /// Something has come that brings the link up, unless it was up.
    void mayBeUp(uint64_t now);
    /// A unit has left that only a link that is up sends.
    void isUp(uint64_t now);
    /// The end restarts, or will do so when it has judged what has come.
    void restarts(uint64_t now);
    /// It is in reset, and its counter is 0 again.
    void reset();

    /// A valid unit of the peer has come; `control`: one that says whether the peer is deaf.
    void heard(uint64_t now, bool control, bool deaf);
    /// OUTAGE_TIMEOUT is being written, and then has been.
    void timerChanges(uint32_t timeout) { isWriting_ = true, next_ = timeout; }
    void timerIs(uint32_t timeout, uint64_t now);

    bool isPossible() const { return possible_; }
    bool isCertain() const { return certain_; }
    /// This end itself may be deaf; its peer is, for certain.
    bool mayBeDeaf() const { return phy_.possible || silence_.possible; }
    bool peerIsDeaf() const { return peer_.certain && up_; }
    uint64_t least() const { return least_; }
    uint64_t most() const { return most_; }

  private:
    struct Cause {
        bool possible = false, certain = false;
        bool begins = false;  ///< since the clock before
        uint64_t fadesAt = 0;
        void end(uint64_t now, uint64_t jitter) {
            if (possible && !fadesAt) fadesAt = now + jitter;
            certain = false;
        }
        void begin() {
            begins |= !possible || fadesAt;
            possible = true, fadesAt = 0;
        }
        void fade(uint64_t now) {
            if (fadesAt && now >= fadesAt) possible = false, fadesAt = 0;
        }
        void clear() { *this = Cause{}; }
    };

    void phyClock(uint64_t now, bool phyUp);
    void silenceClock(uint64_t now);
    void count();
    void finish();

    static constexpr uint64_t phyLatency = 12;  ///< from the port to the state, at most

    uint64_t jitter_;
    Cause phy_, silence_, peer_;
    bool phyUp_ = true, peerDeaf_ = false, isWriting_ = false;
    uint64_t phyFell_ = 0, peerSince_ = 0;
    uint32_t timeout_ = 0, next_ = 0;
    bool mayUp_ = false, up_ = false, wasMayUp_ = false;
    uint64_t endsAt_ = 0;                      ///< when a restart has ended what was up
    uint64_t heardFirst_ = 0, heardLast_ = 0;  ///< the timer runs from between these two
    bool possible_ = false, certain_ = false, wasOff_ = false;
    uint64_t least_ = 0, most_ = 0;
};

}  // namespace campaign
