// SPDX-License-Identifier: Apache-2.0
#include "unit_watch.h"

#include <algorithm>
#include <cstring>

#include "sequence.h"

namespace arqlink::rtl {

using verilated_end::unwrap;

bool UnitWatch::beat(const verilated_end::Beat& beat, Clock now) {
    if (count_ == 0) start_ = now;
    if (count_ < seenBytes) std::memcpy(bytes_ + count_, beat.data, dataBytes_);
    count_ = std::min(count_ + dataBytes_, seenBytes);
    if (!beat.last) return false;
    parse();
    count_ = 0;
    return true;
}

void UnitWatch::parse() {
    const uint8_t* b = bytes_;
    unit_.control = (b[0] >> 4 & 3) == 1;
    if (!unit_.control) {
        unit_.hello = false;
        unit_.index = b[4];
        unit_.sop = b[5] >> 5 & 1;
        nearFsn_ = unwrap(static_cast<uint32_t>(b[7] << 12 | b[8] << 4 | b[9] >> 4), nearFsn_);
        unit_.fsn = static_cast<uint64_t>(nearFsn_);
        if (unit_.index == 0) noteAttempt(b[0] >> 2 & 1);
        return;
    }
    unit_.hello = b[2] & 1;
    if (unit_.hello) nearFsn_ = nearRxNext_ = nextFsn_ = 0;  // numbers begin anew
    const int64_t rxNext = unwrap(static_cast<uint32_t>((b[14] & 15) << 16 | b[15] << 8 | b[16]), nearRxNext_);
    unit_.ordinal = anyControl_ && rxNext == nearRxNext_ ? unit_.ordinal + 1 : 0;
    nearRxNext_ = rxNext;
    unit_.rxNext = static_cast<uint64_t>(rxNext);
    feedback_ = {rxNext, unwrap(static_cast<uint32_t>(b[17] << 12 | b[18] << 4 | b[19] >> 4), rxNext), 0};
    for (unsigned i = 20; i < 28; ++i) feedback_.bitmap = feedback_.bitmap << 8 | b[i];
    anyControl_ = !unit_.hello;
}

// A transmission begins: of a frame that has been sent, the attempt stays, or it is the next one.
void UnitWatch::noteAttempt(bool isOdd) {
    uint8_t& attempt = attempts_[unit_.fsn % longestWindow];
    if (nearFsn_ >= nextFsn_)
        nextFsn_ = nearFsn_ + 1, attempt = 0;
    else if (isOdd != (attempt & 1) && attempt < mostAttempts)
        ++attempt;
    unit_.attempt = attempt;
}

}  // namespace arqlink::rtl
