/* SPDX-License-Identifier: Apache-2.0 */
#include "microseconds.h"

#define MILLION 1000000u /* below 2^20 */

/* A division by hand: that of the compiler's library takes 1 KiB. */
uint64_t microseconds_scale(uint32_t clock_hz) {
    uint64_t rest = 0;
    uint64_t scale = 0;
    for (int bit = 51; bit >= 0; bit--) {
        rest = rest << 1 | (bit >= 32 ? MILLION >> (bit - 32) & 1u : 0u);
        scale <<= 1;
        if (rest >= clock_hz) {
            rest -= clock_hz;
            scale |= 1u;
        }
    }
    return scale;
}

uint32_t microseconds_of(uint64_t clocks, uint64_t scale) { return (uint32_t)((clocks * scale) >> 32); }

uint32_t microseconds_span(uint64_t clocks, uint64_t scale) {
    const uint32_t most = UINT32_C(1) << 31;
    if ((clocks | scale) >> 32) { /* a product of more than 64 bits, or a clock of less than a megahertz */
        return most;
    }
    const uint32_t span = microseconds_of(clocks, scale);
    return span < most - 2u ? span + 2u : most; /* both factors were rounded down */
}
