// SPDX-License-Identifier: Apache-2.0
// Sequence numbers on the wire have 20 bits (docs/architecture.md, "Wire format").
#pragma once

#include <cstdint>

namespace verilated_end {

constexpr uint32_t snCount = 1u << 20;

/// The number without wrap of which `sn` are the low bits, and which is closest to `near`; it may be below 0.
inline int64_t unwrap(uint32_t sn, int64_t near) {
    const int64_t ahead = (static_cast<int64_t>(sn) - near) & (snCount - 1);
    return near + (ahead >= static_cast<int64_t>(snCount / 2) ? ahead - static_cast<int64_t>(snCount) : ahead);
}

}  // namespace verilated_end
