// SPDX-License-Identifier: Apache-2.0
#include "unit_watch.h"

#include <algorithm>
#include <cstring>

namespace arqlink::rtl {

uint64_t UnitWatch::unwrap(uint32_t sn, uint64_t near) {
    constexpr uint32_t count = 1u << 20;
    const uint32_t ahead = (sn - static_cast<uint32_t>(near)) & (count - 1);
    return ahead < count / 2 ? near + ahead : near - (count - ahead);
}

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
        unit_.attempt = b[5] >> 4;
        unit_.fsn = nearFsn_ = unwrap(static_cast<uint32_t>(b[7] << 12 | b[8] << 4 | b[9] >> 4), nearFsn_);
        return;
    }
    unit_.hello = b[2] & 1;
    const uint64_t rxNext = unwrap(static_cast<uint32_t>((b[14] & 15) << 16 | b[15] << 8 | b[16]), nearRxNext_);
    unit_.ordinal = anyControl_ && rxNext == nearRxNext_ ? unit_.ordinal + 1 : 0;
    unit_.rxNext = nearRxNext_ = rxNext;
    const uint64_t base = unwrap(static_cast<uint32_t>(b[17] << 12 | b[18] << 4 | b[19] >> 4), rxNext);
    feedback_ = {static_cast<int64_t>(rxNext), static_cast<int64_t>(base), 0};
    for (unsigned i = 20; i < 28; ++i) feedback_.bitmap = feedback_.bitmap << 8 | b[i];
    anyControl_ = !unit_.hello;
}

}  // namespace arqlink::rtl
