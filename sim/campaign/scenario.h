// SPDX-License-Identifier: Apache-2.0
// What a run does to a link. All of it follows from the seed and the pair's name; faults are switched on one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random.h"

namespace campaign {

/// A build of a link end, from its registers.
struct EndInfo {
    unsigned dataBytes = 0, unitBytes = 0, window = 0, maxK = 0, maxParity = 0, maxPacketBytes = 0;
    bool packetCrc = false;
    uint32_t firstSn = 0;  ///< FSN and TSN begin with it
    unsigned unitClocks() const { return (unitBytes + 16) / dataBytes; }
    unsigned controlClocks() const { return 32 / dataBytes; }
};

struct Code {
    unsigned k = 1, nFirst = 1, nRetx = 1, preset = 0;
};
struct Arq {
    unsigned delta = 15;
    bool inOrder = true, freeze = true;
};
struct Timers {
    uint32_t poll = 1 << 18, hello = 4096, keepalive = 65536, outage = 1 << 20, status = 0;
};

/// What enters s_axis. `gap`: clocks between packets, up to; a burst has none. Chances are of a packet.
struct Traffic {
    bool any = true;
    uint32_t gap = 0, burst = 1;
    unsigned shortest = 1, longest = 1;
    unsigned multiple = 0;  ///< lengths are multiples of this many bytes; 0: any
    double abort = 0, tooLong = 0, holes = 0, nothing = 0, pause = 0;
    unsigned tooLongFrom = 0, tooLongTo = 0;  ///< lengths of packets that are too long
};

/// A stream that pauses: ready with a chance in each clock.
struct Pauses {
    double ready = 1;
};

enum DamageKind : unsigned { vanish, flip, flag, cut, longer, damageKinds };

/// The way from one end to the other.
struct Way {
    uint32_t delay = 4;
    double good = 0, bad = 0, goodToBad = 0, badToGood = 1;  ///< of a unit
    unsigned damage = 1;                                     ///< bit i: DamageKind i happens
    /// A burst erases so many units and begins with chance `goodToBad`; 0: `bad` and `badToGood` decide.
    unsigned burst = 0;
    double gap = 0;  ///< pauses between beats at the receiver
    double duplicate = 0, late = 0;
    uint32_t behind = 0;  ///< clocks that a copy comes behind, at most
};

enum class EventKind {
    restart,
    disable,
    enable,
    resetLow,
    resetHigh,
    phyDown,
    phyUp,
    darkControl,
    darkData,
    darkAll,  // `value`: clocks; `end`: of the end that sends
    stopUser,
    stopPhy,  // `value`: clocks
    code,
    arq,
    timers,
    forge,  // `value`: units; `end`: of the end that gets them
};

struct Event {
    uint64_t clock = 0;
    EventKind kind = EventKind::restart;
    unsigned end = 0;
    uint64_t value = 0;
    Code code;
    Arq arq;
    Timers timers;
};

/// Traffic one way at the line's rate; `burst`: units of feedback that are lost together.
struct Flow {
    uint64_t roundTrip = 0;  ///< frames; 0: no such run
    unsigned trips = 20, burst = 0;
    double loss = 0, feedbackLoss = 0;
    uint32_t status = 0;
    bool bothWays = false;  ///< B sends as much as A
};

/// What passed in `clocks`: new frames of A, frames sent again, its polls, control units of B.
struct FlowResult {
    uint64_t clocks = 0, frames = 0, again = 0, polls = 0, reports = 0;
};

/// How a link got over forged units.
struct Recovery {
    uint64_t units = 0;  ///< forged; 0: no such run
    /// From the last fault, or from the units if they come later, until fresh packets have crossed both ways.
    uint64_t clocks = 0;
    uint64_t roundTrip = 0, pollTimeout = 0;
    uint64_t look = 0;  ///< most clocks from one look at the registers to the next: rest is seen as much later
    unsigned restarts = 0;
    unsigned attempts = 0;  ///< times that fresh packets were sent: those of the last time have all crossed
};

struct Scenario {
    EndInfo info[2];
    Code code[2];
    Arq arq[2];
    Timers timers[2], healTimers[2];
    Traffic traffic[2];
    Pauses user[2], phy[2];
    unsigned pace[2] = {1, 1};  ///< clocks of a beat on the line of end i, also when all else has healed
    Way way[2];                 ///< of units that end i sends
    std::vector<Event> events;
    uint64_t skew = 0;         ///< clocks that B leaves reset after A
    uint64_t chaosClocks = 0;  ///< then all faults stop
    bool clean = false;        ///< nothing is lost, nobody stalls, and the timers fit
    bool restarts = false;     ///< a restart, reset or disable is among the events
    bool resets = false;
    bool copies = false;  ///< duplicates or late units
    bool finite = false;  ///< δ is finite at some time
    /// The number of data units of a frame changes: of a frame that has more than new ones, a transmission of attempt 15 is its last (Sender 5 of
    /// docs/architecture.md).
    bool changesK() const;
    bool steadyArq = true;      ///< δ does not change
    bool steadyOrder = true;    ///< ord does not change
    bool oneWay = false;        ///< one end alone sends data, without a pause, and all timers are on
    bool restartAtEnd = false;  ///< after all else the link is restarted, to see how long that takes

    uint64_t roundTrip() const;
    /// Clocks of a unit on the line of end `e`.
    uint64_t unitClocks(unsigned e) const { return uint64_t(info[e].unitClocks()) * pace[e]; }
    uint64_t controlClocks(unsigned e) const { return uint64_t(info[e].controlClocks()) * pace[e]; }
    unsigned forged = 0;  ///< forged units; 0: none. They come in the chaos, or, where `forgeIdle`, when all is quiet
    unsigned forgeEnd = 0;
    bool forgeIdle = false;
    unsigned shots = 1;       ///< so many times, some of the units each time
    unsigned freshFrom = 3;   ///< ends that send fresh packets afterwards, a bit each
    bool forgeBlank = false;  ///< they are left out: the same run without them, to compare with
    Flow flow;
    std::string text() const;
};

/// `forge`: how likely a run has forged units; it has no restarts and no copies then.
Scenario draw(uint64_t seed, const std::string& pair, const EndInfo (&info)[2], double forge = 0);

/// Traffic of about `frames` frames each way, of one unit each, at δ infinite.
Scenario drawLong(uint64_t seed, const std::string& pair, const EndInfo (&info)[2], uint64_t frames);

/// A long link at δ infinite whose feedback gets lost.
Scenario drawFlow(const EndInfo (&info)[2], const Flow& flow);

}  // namespace campaign
