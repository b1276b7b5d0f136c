// SPDX-License-Identifier: Apache-2.0
#include "reporter.h"

#include <algorithm>

namespace arqlink::event {

void Reporter::missing(uint64_t ackTsn) {
    if (ackTsn + window_ >= receiver_.rxNext()) peerAck_ = std::max(peerAck_, ackTsn);
}

void Reporter::replied() {
    series_ = peerAck_ / blockBits;
    inSeries_ = true;
}

bool Reporter::findRepeat() {
    const uint64_t block = receiver_.rxNext() / blockBits;
    for (turn_ = 0; turn_ < lags_.count; ++turn_) {
        uint64_t& pair = repeat_[turn_];
        for (; pair + 2 + lags_.lag[turn_] <= block; pair += 2)
            if ((pair + 2) * blockBits > peerAck_ && isKept(pair + 1)) return true;
    }
    return false;
}

bool Reporter::findSeries() {
    while (inSeries_ && !isKept(series_ + 1)) ++series_;
    inSeries_ &= series_ < recent() / blockBits;
    return inSeries_;
}

Clock Reporter::older(Clock now) {
    if (!findRepeat() && !findSeries()) return never;
    if (found_ == never) found_ = now + latencies_.lookup;
    return std::max(next_, found_);
}

uint64_t Reporter::take(Clock now) {
    next_ = now + pace;
    found_ = never;
    uint64_t pair;
    if (findRepeat()) {
        pair = repeat_[turn_];
        repeat_[turn_] += 2;
    } else {
        pair = series_;
        series_ += 2;
    }
    return pair * blockBits;
}

}  // namespace arqlink::event
