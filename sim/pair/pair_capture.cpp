// SPDX-License-Identifier: Apache-2.0
#include "pair_capture.h"

#include <algorithm>
#include <cstring>

namespace arqlink {

PairCapture::PairCapture(const std::string& path, double clockHz, const uint64_t (&delay)[2])
    : capture_(path), nanosecondsPerClock_(1e9 / clockHz), ways_{{delay[0]}, {delay[1]}} {}

void PairCapture::sent(End from, uint64_t clock, const uint8_t* beat, bool last) {
    Way& way = ways_[from];
    if (!way.leaving) {
        units_.push_back({from, clock, {}});
        way.leaving = &units_.back();  // stays where it is until it is taken from the front
        way.underWay.push_back(way.leaving);
    }
    Unit& unit = *way.leaving;
    unit.bytes.insert(unit.bytes.end(), beat, beat + ArqPairSim::dataBytes);
    if (!last) return;
    unit.whole = true;
    way.leaving = nullptr;
    judge(clock);
}

void PairCapture::arrived(End from, uint64_t clock, const uint8_t* beat, bool last, bool flagged) {
    Way& way = ways_[from];
    judge(clock);
    if (!way.arriving) {
        // What was sent before the capture began is not among the units.
        if (way.underWay.empty() || way.underWay.front()->start + way.delay != clock) return;
        way.arriving = way.underWay.front();
        way.underWay.pop_front();
        way.offset = 0;
        way.flagged = false;
    }
    Unit& unit = *way.arriving;
    const size_t count = std::min(ArqPairSim::dataBytes, unit.bytes.size() - way.offset);
    std::memcpy(unit.bytes.data() + way.offset, beat, count);
    way.offset += count;
    way.flagged |= flagged;
    if (!last) return;
    unit.fate = way.flagged ? wire::Fate::erased : wire::Fate::arrived;
    way.arriving = nullptr;
    write(false);
}

// Units whose time to arrive has passed were erased.
void PairCapture::judge(uint64_t clock) {
    for (Way& way : ways_)
        while (!way.underWay.empty() && way.underWay.front()->start + way.delay < clock) {
            way.underWay.front()->fate = wire::Fate::erased;
            way.underWay.pop_front();
        }
    write(false);
}

void PairCapture::write(bool all) {
    for (; !units_.empty(); units_.pop_front()) {
        const Unit& unit = units_.front();
        if (!all && (!unit.whole || unit.fate == wire::Fate::unknown)) return;
        capture_.unit(unit.from == A ? wire::Way::aToB : wire::Way::bToA,
                      uint64_t(double(unit.start) * nanosecondsPerClock_), unit.bytes.data(), unit.bytes.size(),
                      unit.fate);
    }
}

void PairCapture::close() {
    write(true);
    capture_.close();
}

}  // namespace arqlink
