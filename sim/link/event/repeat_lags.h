// SPDX-License-Identifier: Apache-2.0
// After how many blocks of outcomes a pair of blocks is reported again (docs/architecture.md, Receiver 4).
#pragma once

#include <algorithm>
#include <cstdint>

namespace arqlink::event {

constexpr unsigned blockBits = 32;  ///< outcomes of a block

struct RepeatLags {
    unsigned count = 0;
    uint64_t lag[3] = {};

    explicit RepeatLags(uint64_t smallerWindow) {
        if (smallerWindow < 256) return;
        lag[count++] = std::min<uint64_t>(smallerWindow / 256, 32);
        if (smallerWindow >= 32768) lag[count++] = lag[0] + 32;
        if (smallerWindow >= 8192) lag[count++] = lag[0] + 64;
    }
};

}  // namespace arqlink::event
