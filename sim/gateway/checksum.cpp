// SPDX-License-Identifier: Apache-2.0
#include "checksum.h"

namespace arqlink::gateway {

uint16_t onesSum(const uint8_t* bytes, size_t size, uint32_t before) {
    uint64_t sum = before;
    size_t i = 0;
    for (; i + 1 < size; i += 2) sum += static_cast<uint32_t>(bytes[i] << 8 | bytes[i + 1]);
    if (i < size) sum += static_cast<uint32_t>(bytes[i] << 8);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(sum);
}

}  // namespace arqlink::gateway
