// SPDX-License-Identifier: Apache-2.0
#include "reporter.h"

namespace arqlink::event {

void Reporter::moved(Clock now) {
    const uint64_t steps = receiver_.rxNext() / step;
    if (steps == steps_) return;
    isEarly_ |= steps * step / blockBits != steps_ * step / blockBits && places_ > early[1];
    steps_ = steps;
    isDue_ = places_ != 0;
    walk(now);
}

void Reporter::replied(Clock now) {
    place_ = peerAck_ / pairBits;
    left_ = places_;
    walk(now);
}

// Turns go by until one has a pair that the peer may lack, and the report of another one waits.
void Reporter::walk(Clock now) {
    const uint64_t block = receiver_.rxNext() / blockBits;
    const auto newest = static_cast<int64_t>(block / 2) - 1;
    const auto pairOf = [&](uint64_t place) {
        return newest - static_cast<int64_t>((static_cast<uint64_t>(newest) - place) & (places_ - 1));
    };
    const bool lacksNone = peerAck_ / blockBits + 1 >= block;
    while (!queued_.isFull && (left_ || (isDue_ && free_ <= now))) {
        isDue_ = false;
        free_ = std::max(now, free_);
        if (isEarly_) {
            isEarly_ = false;
            const int64_t pair = newest - static_cast<int64_t>(early[block % 2]);
            if (!lacksNone && pair >= static_cast<int64_t>(peerAck_ / pairBits)) found(pair);
            free_ += latencies_.turn;
            continue;
        }
        const uint64_t turns = std::max<uint64_t>(1, left_);
        // Pairs ascend from place to place up to the newest one, and those that are known are the lowest.
        const int64_t known = static_cast<int64_t>(peerAck_ / pairBits) - pairOf(place_);
        const uint64_t skipped =
            lacksNone ? turns : std::min(turns, static_cast<uint64_t>(std::max<int64_t>(0, known)));
        free_ += skipped * latencies_.turn;
        const uint64_t place = place_ + skipped;
        const uint64_t taken = std::min(turns, skipped + 1);
        place_ += taken;
        left_ -= std::min(left_, taken);
        if (skipped == turns) continue;
        found(pairOf(place));
        free_ += latencies_.turn;
    }
}

// The turn of a pair that is to be reported.
void Reporter::found(int64_t pair) {
    (waits_.isFull ? queued_ : waits_) = {true, static_cast<uint64_t>(pair)};
    if (!queued_.isFull) found_ = free_ + latencies_.lookup;
}

uint64_t Reporter::take(Clock now) {
    const uint64_t first = waits_.pair * pairBits;
    next_ = now + pace;
    waits_ = queued_;
    queued_ = {};
    found_ = now + latencies_.lookup;
    walk(now);
    return first;
}

}  // namespace arqlink::event
