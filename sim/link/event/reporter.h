// SPDX-License-Identifier: Apache-2.0
// Which blocks of outcomes an end reports (docs/architecture.md, Receiver 3 and 4).
#pragma once

#include <algorithm>

#include "receiver.h"

namespace arqlink::event {

class Reporter {
  public:
    Reporter(const Build& build, const Receiver& receiver)
        : latencies_(Latencies::of(build)), hasOlder_(build.windowFrames > blockBits), receiver_(receiver) {}

    /// The smaller window of both ends is known.
    void begin(uint64_t smallerWindow) { places_ = hasOlder_ ? std::max<uint64_t>(1, smallerWindow / pairBits) : 0; }

    /// The peer lacks outcomes from `ackTsn` on.
    void missing(uint64_t ackTsn) { peerAck_ = ackTsn; }
    /// rxNext has moved.
    void moved(Clock now);
    /// A reply that reports the recent blocks was composed: a round begins.
    void replied(Clock now);

    /// First TSN of the recent blocks.
    uint64_t recent() const {
        const uint64_t block = receiver_.rxNext() / blockBits;
        return block ? (block - 1) * blockBits : 0;
    }

    /// An older pair is to be reported, `pace` clocks after the one before it at the earliest: from this clock on, or never.
    Clock older() const { return waits_.isFull ? std::max(next_, found_) : never; }
    /// Takes that pair at clock `now`; returns its first TSN.
    uint64_t take(Clock now);

  private:
    static constexpr uint64_t blockBits = 32;  // outcomes of a block
    static constexpr uint64_t pairBits = 2 * blockBits;
    static constexpr uint64_t step = 8;  // outcomes from turn to turn
    // In a ring of more places, a pair so far below the newest one has a turn as a block is complete.
    static constexpr uint64_t early[] = {16, 32};
    static constexpr Clock pace = 128;

    void walk(Clock now);
    void found(int64_t pair);

    const Latencies latencies_;
    const bool hasOlder_;
    const Receiver& receiver_;
    struct Turn {
        bool isFull = false;
        uint64_t pair = 0;
    };
    uint64_t places_ = 0;         // of the ring
    uint64_t place_ = 0;          // has the next turn; modulo places_
    bool isDue_ = false;          // a turn, as rxNext has moved
    bool isEarly_ = false;        // and is that of a pair `early` below the newest one
    uint64_t left_ = 0;           // turns of a round
    Clock free_ = 0;              // the last turn is over
    uint64_t steps_ = 0;          // of rxNext
    uint64_t peerAck_ = 0;        // last ackTsn of the peer
    Turn waits_, queued_;         // a pair to be reported, and the one that is then looked up
    Clock next_ = 0, found_ = 0;  // the next pair may be reported, and has been looked up
};

}  // namespace arqlink::event
