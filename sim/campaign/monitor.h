// SPDX-License-Identifier: Apache-2.0
// Watches the units that both ends send and those that reach them, and throws Failure at the first that breaks the
// protocol.
//
// It keeps all that an end said and all that it can know. What an end is between two restarts is a life of it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "deltas.h"
#include "due.h"
#include "outages.h"
#include "scenario.h"
#include "wire.h"

namespace campaign {

/// What the monitor has to know of the run besides units.
struct Rules {
    EndInfo info[2];
    bool fifo = true;    ///< no copies: outcomes follow from the units that came
    bool clean[2] = {};  ///< end i has no reason to ask: nothing is lost, nobody stalls, its timers fit
    bool isClean() const { return clean[0] && clean[1]; }
    uint32_t poll[2] = {}, keepalive[2] = {};  ///< timers of a clean end
    std::set<std::string> ignore;              ///< kinds of failures that are known; what can go on goes on
    bool steady[2] = {};   ///< end i keeps its timers, its PHY takes each beat, and nobody restarts or is deaf
    bool flows[2] = {};    ///< the PHY of end i takes each beat
    bool reads[2] = {};    ///< the user of end i takes each beat
    bool ordered[2] = {};  ///< each packet that end i sends comes out, and in order
    int freeze[2] = {
        -1,
        -1};  ///< whether failures of an outage count towards persistency at end i: 1 not, 0 they do; -1: it changes
};

/// What happened to a transmission.
struct Transmission {
    uint32_t fsn = 0;
    uint8_t k = 0, n = 0, attempt = 0, preset = 0, sent = 0;
    bool allBelow = false;                   ///< it is of type 3
    bool lastTry = false, again = false;     ///< `lastTry`: it is of type 2 or 3
    bool isLast = false, mayBeLast = false;  ///< it is a last try, for certain; or may be one
    unsigned came() const { return static_cast<unsigned>(__builtin_popcountll(arrived)); }
    uint64_t arrived = 0;  ///< units that came whole, bit by index
    int8_t said = -1;      ///< outcome that the peer said: 0 failed, 1 received
    uint8_t reported = 0;  ///< outcomes that came to the sender: 1 failed, 2 received
    bool spared = false;   ///< it failed in an outage that has ended: it does not count towards persistency
};

struct SentFrame {
    uint8_t k = 0, attempt = 0;
    bool sop = false, eop = false;
    bool acked = false;  ///< a transmission of it was reported as received
    uint16_t pad = 0;
    int64_t lastTsn = -1;
    int64_t completeTsn = -1;  ///< transmission with which K of its units had come
    uint64_t deadAt = 0;       ///< what came has shown that it is not sent again, and K of its units had not come
};

/// Clocks in which a message that is due may wait and be composed.
constexpr uint64_t settles = 300;

/// What has come to an end from one life of its peer.
struct Heard {
    int64_t tsnEnd = 0, txEdge = 0, txBase = 0, rxNext = 0, rxBase = 0, fsnEnd = 0, ackTsn = 0;
    int64_t closed = 0;  ///< transmissions that what came has closed
    bool up = false;     ///< a unit without hello
    /// txEdge and clock of polls that came; each answer that leaves takes the first one. An answer to several leaves some of them, which
    /// ask for less than those behind them.
    std::deque<std::pair<int64_t, uint64_t>> asked;
    uint64_t upClock = 0, progressClock = 0;  ///< when it came; when rxNext or rxBase moved last
    uint64_t runClock = 0, beforeRun = 0;     ///< when they began to move after a rest, and moved last before it
    int64_t collected = -1;                   ///< transmission of which units have come, and which is not closed
    int64_t lastUnit = -1;                    ///< FSN of the last data unit if it is of type 2 or 3; -1: it is not
    bool allBelow = false;                    ///< it is of type 3
    bool twoLastTries = false;                ///< the one before is of type 2 or 3, too
    int64_t skipEdge = 0;  ///< units of type 3 have shown that incomplete frames below it are abandoned
};

struct Life {
    unsigned id = 0, end = 0;
    uint8_t epoch = 0;
    bool spokeUp = false;  ///< a unit without hello has left
    uint8_t peerEpoch = 0;
    Life* peer = nullptr;    ///< known from the first unit without hello on
    Life* upFrom = nullptr;  ///< the peer's life that showed that it is up and knows this one
    int64_t txBase = 0, txEdge = 0, rxBase = 0, rxNext = 0, ackTsn = 0;  ///< as said last
    int64_t full = 0;                                                    ///< transmissions sent in full
    unsigned controls = 0;                                               ///< in succession, within a frame
    std::vector<Transmission> transmissions;
    std::vector<SentFrame> frames;
    std::map<unsigned, Heard> heard;  ///< by the life of the peer
};

/// Units of an end since it was last reset, as its counters should have them.
struct Tally {
    uint64_t units = 0, retxUnits = 0, control = 0, polls = 0, earlyPolls = 0;
    uint64_t spared = 0,
             maySpare = 0;  ///< retransmissions with the attempt of the transmission before; those that 15 hides
    uint64_t came[7] = {};  ///< by Verdict
};

class Monitor {
  public:
    explicit Monitor(const Rules& rules);

    /// End `end` has sent a unit, its first beat at `begin`; `sinceRestart`: clocks with a ready PHY since it was asked
    /// to restart.
    void sent(unsigned end, const Bytes& raw, uint64_t begin, uint64_t clock, uint64_t sinceRestart);
    /// A unit of the peer's life `life` has come to end `end`.
    void arrived(unsigned end, const Bytes& raw, bool flagged, unsigned life, uint64_t clock);
    /// A clock of an end: whether phy_up is high, and its PHY takes a beat.
    void clock(unsigned end, bool phyUp, bool ready, uint64_t clock) {
        clock_ = clock;
        beats_[end] += ready;
        outageClock(end, phyUp);
        if ((clock & 31) == end && !relaxed_) demand(end);
    }
    /// Timers are being written, and then have been.
    void timersChange(unsigned end, const Timers& timers);
    void timersAre(unsigned end, const Timers& timers);
    /// K is being written.
    void kChanges(unsigned end, unsigned k) { leastK_[end] = std::min(leastK_[end], k); }
    /// δ is being written, and then has been.
    void deltaChanges(unsigned end, unsigned delta) { deltas_[end].changes(delta); }
    void deltaIs(unsigned end, unsigned delta) { deltas_[end].is(delta, tsnCount(end) + chosenAhead(end)); }
    /// `end` is asked to restart, or to be down.
    void restarts(unsigned end);
    /// A packet that `end` has sent has come out.
    void delivered(unsigned end) { ++delivered_[end]; }
    const Outages& outages(unsigned end) const { return outages_[end]; }
    /// `end` has restarted by itself or was asked to, and nothing of the new life was seen yet.
    bool broken(unsigned end) const { return broken_[end]; }
    /// `end` is asked to restart, and nothing of the life that the restart before has begun was seen: it may break a unit, too.
    void restartedAgain(unsigned end) { ++mayBreak_[end]; }
    /// `end` is in reset: its next unit is of a new life, and it has forgotten its counters.
    void reset(unsigned end);
    /// A unit that nobody sent has come: what the ends say from now on may be wrong. Lives alone are followed.
    void relax() { relaxed_ = true; }
    /// From now on the PHYs stand still at times, so that an end may have asked and not been heard.
    void expectPolls() { rules_.clean[0] = rules_.clean[1] = rules_.steady[0] = rules_.steady[1] = false; }
    /// From now on the timers are others.
    void steadyEnds() { rules_.steady[0] = rules_.steady[1] = false; }
    /// Whether a copy of a data unit is what a FIFO channel could bring: of a transmission that the receiver is past,
    /// one that it has, or one behind all that it has.
    bool fits(unsigned end, const Bytes& raw) const;

    /// Lives that were seen of an end, and the last one's number (0: none).
    unsigned lives(unsigned end) const { return lives_[end]; }
    unsigned lifeId(unsigned end) const { return life_[end] ? life_[end]->id : 0; }
    uint64_t tsnCount(unsigned end) const { return life_[end] ? life_[end]->transmissions.size() : 0; }
    bool spokeUp(unsigned end) const { return life_[end] && life_[end]->spokeUp; }
    const Life* life(unsigned end) const { return life_[end]; }
    /// Packets of the present life of `end` that its peer has to have counted as dropped when all frames are resolved.
    uint64_t dropped(unsigned end) const;
    const Tally& tally(unsigned end) const { return tally_[end]; }
    uint64_t digest() const { return digest_; }
    uint64_t units() const { return units_; }

  private:
    void newLife(unsigned end, uint8_t epoch);
    std::string overdue(unsigned end, const Unit& unit, uint64_t sinceRestart) const;
    void follow(unsigned end, const Unit& unit);
    void sentData(Life& life, const DataUnit& unit);
    void sentFirst(Life& life, const DataUnit& unit);
    void checkType(Life& life, const DataUnit& unit, Transmission& t, int64_t tsn, bool first);
    bool mayHavePassed(Life& life, int64_t fsn);
    void sentHello(Life& life, const ControlUnit& unit);
    void sentControl(Life& life, const ControlUnit& unit);
    void checkFeedback(Life& life, const ControlUnit& unit);
    void checkOutcome(Life& life, Life& peer, int64_t tsn, bool received);
    bool restarted() const { return lives_[0] > 1 || lives_[1] > 1; }
    void checkPolls(Life& life, const ControlUnit& unit, uint64_t begin);
    void checkSteadyPoll(Life& life, const ControlUnit& unit, uint64_t begin);
    void arrivedData(unsigned end, Life& from, const DataUnit& unit);
    void arrivedControl(unsigned end, Life& from, const ControlUnit& unit);
    void acceptedData(Heard& heard, Life& from, const DataUnit& unit, int64_t tsn);
    void closes(Heard& heard, Life& from, int64_t tsn);
    void outageClock(unsigned end, bool phyUp);
    void noteSent(Life& life, const Unit& unit, uint64_t begin);
    void noteControl(Life& life, const ControlUnit& unit, uint64_t begin);
    void noteNotice(Life& life, const ControlUnit& unit, uint64_t begin);
    void noteReply(Life& life, uint64_t begin);
    void noteSkips(Life& life);
    static bool noticesWait(const Life& life, int64_t base, bool newestAnnounced);
    void noteHello(Life& life, uint64_t begin);
    void noteKeepalive(Life& life, uint64_t begin);
    void noteOlder(Life& life, int64_t base, uint64_t begin);
    void noteMoment(Life& life, bool leaves);
    void noteRound(Life& life);
    void noteBegin(Life& life, int64_t tsn);
    void noteAttempt(Life& life, const SentFrame& frame, const Transmission& next);
    void noteArrived(unsigned end, Life& from, const Unit& unit);
    void noteFeedback(Life& life, const Heard& heard, const ControlUnit& unit, bool moves);
    void demand(unsigned end);
    void demandHello(Life& life);
    void demandReports(Life& life);
    void demandPolls(Life& life);
    void demandTurns(Life& life);
    void countTurn(Life& life, int64_t upTo, bool isOver);
    void freed(Life& life);
    void giveUp(Life& life);
    void late(Demand& demand, bool wanted, uint64_t dueAt, const char* kind, const Life& life, const char* what);
    /// Places of the ring of an end.
    int64_t places(unsigned end) const;
    /// Clocks of turns that have nothing to report, all places long, at most.
    uint64_t passesOver(unsigned end) const { return 8 * static_cast<uint64_t>(places(end)); }
    /// Clocks from the last beat of a unit until all that follows from it is known, and a message of it is composed.
    uint64_t reaction(unsigned end) const {
        return 120 + 3 * rules_.info[end].unitClocks() + rules_.info[end].window / 8;
    }
    /// The same where outcomes move ackTsn and txBase, frame by frame.
    uint64_t intake(unsigned end) const { return reaction(end) + 6 * rules_.info[end].window; }
    bool isEarly(unsigned end, uint64_t begin, uint64_t since, uint64_t timer) const;
    /// The framer's stages hold a whole control unit, so the next one may be composed before it has begun to leave.
    bool staysInside(unsigned end) const { return rules_.info[end].controlClocks() < 6; }
    /// Frames that have been chosen and have not begun to leave, at most: each has a unit or more, and 33 clocks of units are chosen ahead.
    int64_t chosenAhead(unsigned end) const {
        return 1 + (33 + rules_.info[end].unitClocks()) / rules_.info[end].unitClocks();
    }
    [[noreturn]] void fail(const char* kind, const Life& life, const std::string& text) const;

    Rules rules_;
    WireLimits limits_[2];
    std::deque<std::unique_ptr<Life>> all_;
    Life* life_[2] = {};
    Life* heardByEpoch_[2][256] = {};  ///< the peer's last life with this epoch of which a unit came
    unsigned lives_[2] = {};
    bool broken_[2] = {};  ///< the last unit had a wrong CRC, as a restart makes it
    unsigned mayBreak_[2] = {};
    bool afterReset_[2] = {true, true};
    uint64_t lastSent_[2] = {};
    uint64_t silence_[2] = {}, silenceEnd_[2] = {};  ///< the last silence that was long
    std::pair<uint64_t, uint32_t> polled_[2];        ///< clock and ackTsn of the last poll
    Tally tally_[2];
    Due due_[2];
    Outages outages_[2] = {Outages(0), Outages(0)};
    Deltas deltas_[2];
    unsigned leastK_[2] = {~0u, ~0u};  ///< the least K that an end has been set to
    Timers timers_[2];
    bool timersKnown_[2] = {};
    uint64_t written_[2] = {}, beats_[2] = {}, line_[2] = {}, delivered_[2] = {};
    uint64_t helloCame_[2] = {};  ///< the last one, to whichever life
    bool relaxed_ = false;
    uint64_t clock_ = 0, digest_ = 0, units_ = 0;
};

}  // namespace campaign
