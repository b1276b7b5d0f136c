// SPDX-License-Identifier: Apache-2.0
// Which blocks of outcomes an end reports (docs/architecture.md, Receiver 3 and 4). A pair of blocks is named by its first.
#pragma once

#include "receiver.h"
#include "repeat_lags.h"

namespace arqlink::event {

class Reporter {
  public:
    Reporter(const Build& build, const Receiver& receiver)
        : latencies_(Latencies::of(build)), window_(build.windowFrames), receiver_(receiver) {}

    /// The smaller window of both ends is known.
    void begin(uint64_t smallerWindow) { lags_ = RepeatLags(smallerWindow); }

    /// The peer lacks outcomes from `ackTsn` on.
    void missing(uint64_t ackTsn);
    /// A poll arrived: the series of older blocks begins anew with the next reply.
    void polled() { inSeries_ = false; }
    /// A reply that reports the recent blocks was composed.
    void replied();

    /// First TSN of the recent blocks.
    uint64_t recent() const {
        const uint64_t block = receiver_.rxNext() / blockBits;
        return block ? (block - 1) * blockBits : 0;
    }

    /// An older pair is to be reported, `pace` clocks after the one before it at the earliest: from this clock on, or never.
    Clock older(Clock now);
    /// Takes that pair at clock `now`; returns its first TSN.
    uint64_t take(Clock now);

  private:
    static constexpr Clock pace = 128;

    bool isKept(uint64_t block) const { return (block + 1) * blockBits + window_ > receiver_.rxNext(); }
    bool findRepeat();
    bool findSeries();

    const Latencies latencies_;
    const uint64_t window_;
    const Receiver& receiver_;
    RepeatLags lags_{0};
    uint64_t repeat_[3] = {};  // next pair of each lag
    unsigned turn_ = 0;        // the lag whose pair goes next, where findRepeat() is true
    uint64_t series_ = 0;      // next pair of the series
    bool inSeries_ = false;
    uint64_t peerAck_ = 0;            // newest ackTsn of the peer
    Clock next_ = 0, found_ = never;  // the next pair may be reported, and has been looked up
};

}  // namespace arqlink::event
