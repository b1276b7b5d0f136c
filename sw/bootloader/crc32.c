/* SPDX-License-Identifier: Apache-2.0 */
#include "crc32.h"

uint32_t crc32(uint32_t crc, const uint8_t *data, size_t bytes) {
    /* What four bits that leave at the low end add: four bits a step are three times as fast as one, in a small ROM. */
    static const uint32_t leaving[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
        0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
    };
    uint32_t rest = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        rest ^= data[i];
        rest = rest >> 4 ^ leaving[rest & 15u];
        rest = rest >> 4 ^ leaving[rest & 15u];
    }
    return ~rest;
}
