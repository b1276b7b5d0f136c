// SPDX-License-Identifier: Apache-2.0
#include "reporter.h"

namespace arqlink::event {

void Reporter::moved(Clock now) {
    const uint64_t steps = receiver_.rxNext() / step;
    if (steps == steps_) return;
    steps_ = steps;
    if (waits_ || now < over_) return;
    turns_ = std::min<uint64_t>(1, places_);
    walk(now);
}

void Reporter::replied(Clock now) {
    place_ = peerAck_ / pairBits;
    turns_ = places_;
    if (!waits_) walk(now);
}

// Turns go by until one has a pair that the peer may lack.
void Reporter::walk(Clock now) {
    if (!turns_) return;
    const int64_t newest = static_cast<int64_t>(receiver_.rxNext() / pairBits) - 1;
    const auto unknown = static_cast<int64_t>(peerAck_ / pairBits);
    const auto pairOf = [&](uint64_t place) {
        return newest - static_cast<int64_t>((static_cast<uint64_t>(newest) - place) & (places_ - 1));
    };
    // Pairs ascend from place to place up to the newest one.
    const int64_t ahead = unknown > newest ? places_ : std::max<int64_t>(0, unknown - pairOf(place_));
    const uint64_t skipped = std::min<uint64_t>(turns_, static_cast<uint64_t>(ahead));
    place_ += skipped;
    turns_ -= skipped;
    over_ = now + skipped * latencies_.turn;
    if (!turns_) return;
    pair_ = static_cast<uint64_t>(pairOf(place_));
    waits_ = true;
    found_ = over_ + latencies_.lookup;
    ++place_;
    --turns_;
}

uint64_t Reporter::take(Clock now) {
    const uint64_t first = pair_ * pairBits;
    next_ = now + pace;
    waits_ = false;
    walk(now);
    return first;
}

}  // namespace arqlink::event
