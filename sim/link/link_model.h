// SPDX-License-Identifier: Apache-2.0
// Two link ends and the channel between them, as a user of packets sees them. Two models implement this: `event`
// (EventLink) and `rtl` (RtlLink). sim/link/README.md says what they have in common and where they differ.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arqlink_regs.h"
#include "clock.h"
#include "delays.h"

namespace arqlink {

enum End : unsigned { A = 0, B = 1 };
constexpr End peerOf(End end) { return end == A ? B : A; }

/// What an end is built with; both ends are the same.
struct Build {
    unsigned dataBytes = 1;          ///< bytes of a beat: 1, 2, 4 or 8
    unsigned unitBytes = 25;         ///< payload bytes of a data unit, a multiple of dataBytes
    unsigned windowFrames = 4096;    ///< a power of two, 32 to 2^18
    unsigned maxPacketBytes = 9216;  ///< longer packets are refused
    unsigned maxK = 10, maxParity = 8;
    unsigned dataBeats() const { return (unitBytes + 16) / dataBytes; }
    unsigned controlBeats() const { return 32 / dataBytes; }
};

/// What the driver sets at an end (registers CODE, ARQ and the timers). Timers are in clocks.
struct EndSettings {
    unsigned k = 10, nFirst = 11, nRetx = 11;  ///< data units of a frame; units of first and further transmissions
    unsigned delta = 15;                       ///< persistency; 15: infinite
    bool inOrder = true;                       ///< ord
    bool outageFreeze = true;
    uint32_t pollTimeout = 10000, helloInterval = 2000, keepalive = 40000;
    uint32_t outageTimeout = 0;   ///< 0: never
    uint32_t statusInterval = 0;  ///< least distance of two reports
};

/// Clocks of a unit on a line.
struct UnitClocks {
    Clock data, control;
};

struct LinkSettings {
    Build build;
    EndSettings end[2];
    Delays delay[2];                     ///< of the channel from A to B, and from B to A
    unsigned clocksPerBeat[2] = {1, 1};  ///< of the line of each end: its PHY takes a beat in so many clocks
    /// Where neither end has moved a packet or a unit for so long, it has nothing to send but keep-alives.
    Clock quiet() const { return 2 * Clock{std::max(end[A].pollTimeout, end[B].pollTimeout)}; }
    UnitClocks unitClocks(End from) const {
        return {Clock{clocksPerBeat[from]} * build.dataBeats(), Clock{clocksPerBeat[from]} * build.controlBeats()};
    }
};

/// A counter of rtl/regs/registers.md by its name, for each.
struct Counters {
#define ARQLINK_FIELD(name, offset) uint64_t name = 0;
    ARQLINK_COUNTER_LIST(ARQLINK_FIELD)
#undef ARQLINK_FIELD
};

/// A unit on the channel, as far as an erasure process may ask.
struct UnitOnAir {
    End from = A;
    bool control = false;
    uint64_t fsn = 0;      ///< of a data unit: its frame since the start, without wrap
    unsigned attempt = 0;  ///< of a data unit
    unsigned index = 0;    ///< of a data unit
    uint64_t rxNext = 0;   ///< of a control unit, without wrap
    uint64_t ordinal = 0;  ///< of a control unit: how many control units with this rxNext left this end before it
    bool hello = false;    ///< of a control unit
    bool sop = false;      ///< of a data unit: its frame is the first one of a packet
};

/// Decides which units are erased. Asked once for each unit of a direction, in the order in which they leave.
class ErasureProcess {
  public:
    virtual ~ErasureProcess() = default;
    /// `start`: clock in which the unit's first beat leaves.
    virtual bool erases(const UnitOnAir& unit, Clock start) = 0;
};

/// The link. Time moves by `runTo` alone; callbacks come from within it, in the order of their clocks.
class LinkModel {
  public:
    using Notice = std::function<void(End end, uint64_t packet, Clock when)>;
    virtual ~LinkModel() = default;

    /// The user of `end` offers a packet of `bytes` (1 … maxPacketBytes) from `now()` on. `packet` is the caller's
    /// name for it. Packets wait in their order until the end accepts them.
    virtual void offer(End end, uint64_t packet, unsigned bytes) = 0;

    /// Lets time pass until clock `until`, inclusive.
    virtual void runTo(Clock until) = 0;
    virtual Clock now() const = 0;

    /// When to look again. Unless a packet is offered first, none is delivered before this clock by `event`, and by `rtl` none that the
    /// caller would miss by more than a unit time; `never` if nothing is under way.
    virtual Clock nextDelivery() const = 0;

    /// Packets offered of which no frame has been sent: the queue before the line, wherever the end keeps them.
    virtual size_t backlog(End end) = 0;

    virtual Counters counters(End end) = 0;

    /// Both ends can send data.
    virtual bool isUp() const = 0;

    Notice accepted;   ///< the last beat of a packet was accepted from the user of `end`
    Notice delivered;  ///< the last beat of a packet was delivered to the user of `end`
    std::function<void(End end, uint64_t fsn, unsigned attempt, Clock when)> transmitted;  ///< first beat on the PHY
    std::function<void(End end, uint64_t fsn)> settled;  ///< `end` knows that the frame arrived, or has given it up
};

}  // namespace arqlink
