// SPDX-License-Identifier: Apache-2.0
// What has to leave a link end, and by when.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

namespace campaign {

/// Something that has to leave from a clock on, as soon as the line lets it: the PHY takes so many beats then, and it has not left.
class Demand {
  public:
    bool isLate(bool wanted, uint64_t dueAt, uint64_t now, uint64_t beats, uint64_t line) {
        if (!wanted || now < dueAt) return dueAt_ = never, false;
        if (dueAt != dueAt_) dueAt_ = dueAt, from_ = beats;
        return beats - from_ > line;
    }

  private:
    static constexpr uint64_t never = ~uint64_t(0);
    uint64_t dueAt_ = never, from_ = 0;
};

/// Older outcomes of an end, which take turns (docs/architecture.md, "Receiver" 4). A pair of blocks has 64 outcomes; pair i begins with TSN 64i.
struct Ring {
    static constexpr int64_t pairBits = 64, step = 8;
    static constexpr uint64_t pace = 128;
    /// In a ring of more places, some turns are early: of pairs that have just become old.
    static constexpr int64_t early = 32;
    static constexpr int64_t behind = 2;     ///< turns that wait behind a report
    static constexpr size_t remembered = 9;  ///< control units: the pair of the last had its turn after the first left

    /// What the end knew from a clock on.
    struct Moment {
        uint64_t clock = 0, beats = 0;  ///< that the PHY had taken then
        int64_t ackTsn = 0, rxNext = 0;
    };
    std::deque<Moment> past = {Moment{}};  ///< from when on the pair that is reported next may have had its turn
    std::deque<uint64_t> left;             ///< clocks of the last control units that left
    uint64_t heldAt = 0;                   ///< beats that the PHY had taken when an outage was possible

    uint64_t lastBegin = 0;  ///< of a report
    int64_t turned = 0;      ///< step of rxNext that had the last turn, at least
    int64_t inRound = 0;     ///< turns that a round may still have

    std::set<int64_t> owed;  ///< pairs that a round has yet to report
    uint64_t owedAt = 0;     ///< since when one of them waits

    uint64_t from = 0, beats = 0;   ///< clock, and beats that the PHY had taken, as it was last seen that no turn waits
    int64_t counted = 0, seen = 0;  ///< steps whose turns are over, and will be soon
    int64_t turns = 0;              ///< that were over, for certain
    /// Pairs of the ring that the peer may lack, and `turns` when they came into it or were reported.
    std::map<int64_t, int64_t> lackedAt;

    /// Pairs below are known: ackTsn has passed their older blocks.
    static int64_t known(int64_t ackTsn, int64_t rxNext) {
        return ackTsn / 32 + 1 >= rxNext / 32 ? INT64_MAX : ackTsn / pairBits;
    }

    /// Pairs below `pair` have no turn any more, or none in which they are reported.
    void passOver(int64_t pair) {
        owed.erase(owed.begin(), owed.lower_bound(pair));
        lackedAt.erase(lackedAt.begin(), lackedAt.lower_bound(pair));
    }
};

/// What the rules that demand know of the present life of an end. Clocks are those of a unit's first beat where they are of one that has left.
struct Due {
    bool leaves = false;  ///< it restarts, or is asked to: nothing is demanded of it any more
    uint64_t since = 0;   ///< its first unit has left
    uint64_t lastBegin = 0, lastEnd = 0, lastData = 0;  ///< units, data units
    uint64_t entered = 0;      ///< no sooner than this, the last unit came into the framer in full
    uint64_t lastControl = 0;  ///< control units
    uint64_t beforeLast = 0;   ///< no sooner than this, the last control unit was composed
    uint64_t upSince = 0;      ///< first unit without hello
    uint64_t lastOutage = 0;   ///< an outage was possible
    uint64_t lastOther = 0;    ///< an outage was possible, but not for certain because of the peer's deafness alone
    uint64_t outageFell = 0, outageEnds = 0;    ///< a certain one was no longer certain, and no longer possible
    bool endPolls = false, wasCertain = false;  ///< a poll is owed for that

    unsigned hellos = 0;     ///< that have left
    uint64_t helloCame = 0;  ///< first hello without an answer
    unsigned greeter = 0;    ///< life of the peer that it came from
    uint64_t pollCame = 0;   ///< first poll without a reply

    int64_t reported = 0,
            credited = 0;  ///< rxNext of the last control unit that settles something, rxBase of the last one
    uint64_t settled = 0;  ///< when it left
    uint64_t movedAt = 0, manyAt = 0;  ///< first outcome, and 16th one, since then
    int64_t freed = 0;                 ///< frames that have been delivered: rxBase is no less
    uint64_t packets = 0;              ///< whose frames these are
    uint64_t freedAt = 0;              ///< a quarter of the window since `credited`
    int64_t saidEdge = 0;

    uint64_t polls = 0, lastPoll = 0;
    std::string earlyPoll;  ///< what is wrong with the last poll unless data follows
    int64_t known = 0;      ///< outcomes that have come, without a hole
    uint64_t lastFeedback = 0, lastProgress = 0, openSince = 0;
    int64_t resolved = 0, givenUp = 0;   ///< frames acknowledged or to be abandoned; the last one of these
    int64_t scanned = 0, abandoned = 0;  ///< frames that txBase has passed; the last abandoned one of them
    uint64_t abandonedAt = 0, confirmedAt = 0;
    unsigned notices = 0;     ///< still to come
    bool noticeOwed = false;  ///< a notice is due, or waits
    uint64_t noticeAt = 0;
    int64_t edgeLeast = 0, edgeMost = 0;  ///< transmissions that an outage has spared: at least, at most
    int64_t inOutage = 0, sparing = 0;    ///< transmissions as a certain outage began, and while it lasted

    bool newestAnnounced = false;  ///< the first transmission of the newest frame is of type 2
    int64_t passable = 0;          ///< frames that txBase may have passed
    int64_t againLeast = 0,
            againMost = 0;     ///< FSN after the last frame whose first transmission was no last try: at least, at most
    int64_t certainFrom = 0;   ///< transmissions from it on were chosen when txBase had passed that frame
    int64_t standsAt = 0;      ///< rxBase of the last control unit, …
    uint64_t standsSince = 0;  ///< … and when the first one with it left

    Ring ring;

    Demand hello, answer, reply, status, many, credit, tail, keepalive, notice, abandon, first, progress, confirm, deaf,
        unseen, outageEnd, round;
};

}  // namespace campaign
