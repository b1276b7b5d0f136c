// SPDX-License-Identifier: Apache-2.0
#include "receiver.h"

#include <algorithm>

namespace arqlink::event {

Receiver::Receiver(const Build& build, Counters& counters, Resequencer& resequencer)
    : counters_(counters), resequencer_(resequencer), log_(std::max(2u, 2 * build.windowFrames / 64)) {}

void Receiver::unit(const Transmission& t, unsigned index, Clock now) {
    close(t.tsn, now);
    if (!begun_) {
        begun_ = true;
        current_ = t;
        received_ = parity_ = inOrder_ = 0;
    }
    bothLastTries_ = last_.lastTry && t.lastTry;
    if (last_.allBelow && t.allBelow) resequencer_.abandon(last_.fsn, now);
    last_ = t;
    if (received_ == t.frame.k) {
        ++counters_.rx_units_surplus;
    } else {
        ++counters_.rx_units;
        parity_ += index >= t.frame.k;
        inOrder_ += index == inOrder_;
        if (++received_ == t.frame.k) {
            ++(parity_ ? counters_.rx_frames_repaired : counters_.rx_frames_clean);
            resequencer_.complete(t, {parity_, inOrder_}, now);
        }
    }
    if (index + 1 == t.n) closeOne(now);
}

void Receiver::close(uint64_t txEdge, Clock now) {
    while (rxNext_ < txEdge) closeOne(now);
}

void Receiver::closeOne(Clock now) {
    const bool received = begun_ && received_ == current_.frame.k;
    uint64_t& word = log_[rxNext_ / 64 & (log_.size() - 1)];
    const uint64_t bit = uint64_t{1} << rxNext_ % 64;
    word = received ? word | bit : word & ~bit;
    ++(received ? counters_.rx_outcomes_ok : counters_.rx_outcomes_failed);
    if (begun_ && !received && bothLastTries_) resequencer_.dead(current_.fsn, now);
    begun_ = false;
    ++rxNext_;
}

uint64_t Receiver::outcomes(uint64_t base) const {
    const unsigned shift = base % 64;
    const uint64_t low = log_[base / 64 & (log_.size() - 1)], high = log_[(base / 64 + 1) & (log_.size() - 1)];
    const uint64_t bits = shift ? low >> shift | high << (64 - shift) : low;
    if (rxNext_ >= base + 64) return bits;
    return rxNext_ > base ? bits & ((uint64_t{1} << (rxNext_ - base)) - 1) : 0;
}

}  // namespace arqlink::event
