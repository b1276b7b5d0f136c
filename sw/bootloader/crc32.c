/* SPDX-License-Identifier: Apache-2.0 */
#include "crc32.h"

uint32_t crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
    uint32_t rest = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        rest ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            rest = rest >> 1 ^ ((0u - (rest & 1u)) & 0xEDB88320u);
        }
    }
    return ~rest;
}
