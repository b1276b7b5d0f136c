// SPDX-License-Identifier: Apache-2.0
// What crosses the channel of the event model. Sequence numbers are 64 bits wide and never wrap.
#pragma once

#include <cstdint>
#include <deque>

#include "link_model.h"

namespace arqlink::event {

/// A frame as the sender's store holds it; `packet` and `packetBytes` belong to the packet that it is part of.
struct Frame {
    uint64_t packet = 0;
    uint32_t packetBytes = 0;
    uint16_t k = 1;
    bool sop = false, eop = false;
};

/// One transmission of a frame: `n` units under one TSN.
struct Transmission {
    uint64_t fsn = 0, tsn = 0;
    unsigned attempt = 0;  ///< 15: the 15th or a later one
    uint16_t n = 1;
    bool again = false;     ///< a retransmission; `attempt` may be 0, after an outage
    bool lastTry = false;   ///< type 2 or 3: a last try that is announced
    bool allBelow = false;  ///< type 3: a first transmission, below which every incomplete frame is abandoned
    Frame frame;
};

/// The fields of a control unit (docs/architecture.md, "Control unit").
struct Control {
    bool hello = false, peerKnown = false, poll = false, reply = false, deaf = false, abandons = false;
    uint64_t ackTsn = 0, txBase = 0, txEdge = 0, rxBase = 0, rxNext = 0, bitmapBase = 0;
    uint64_t bitmap = 0;
    unsigned window = 0;   ///< of a hello
    uint64_t ordinal = 0;  ///< for the erasure process: control units with this rxNext before it
};

/// Units that leave one after the other without a pause: consecutive units of a transmission, or one control unit.
struct Flight {
    Clock start = 0;  ///< first beat of the first unit
    bool control = false;
    unsigned first = 0, count = 1;  ///< units of `transmission`
    Transmission transmission;
    Control message;
};

/// A direction of the channel: what has left, or is leaving, and has not arrived.
using Wire = std::deque<Flight>;

}  // namespace arqlink::event
