// SPDX-License-Identifier: Apache-2.0
// The checksum of IP and TCP (RFC 1071), and its update when a part of what it covers changes (RFC 1624).
#pragma once

#include <cstddef>
#include <cstdint>

namespace arqlink::gateway {

/// Sum of the 16-bit words of `bytes` in ones' complement; an odd last byte is the high half of a word. `sum` is what was added before.
uint16_t onesSum(const uint8_t* bytes, size_t size, uint32_t sum = 0);

/// A checksum (as it stands in a header) after words with the sum `before` have become words with the sum `after` (RFC 1624, eq. 3).
inline uint16_t updated(uint16_t checksum, uint16_t before, uint16_t after) {
    uint32_t sum = static_cast<uint16_t>(~checksum);
    sum += static_cast<uint16_t>(~before);
    sum += after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

}  // namespace arqlink::gateway
