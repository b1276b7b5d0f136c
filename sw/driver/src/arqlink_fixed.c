/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm, power and square root in integers. */
#include "arqlink_fixed.h"

/* Digit by digit: squaring a number in [1, 2) doubles its logarithm. */
int32_t arqlink_log2_q26(uint32_t x) {
    int32_t whole = 31;
    while (!(x & 0x80000000u)) {
        x <<= 1;
        --whole;
    }
    uint32_t digits = 0;
    for (int i = 0; i < 26; ++i) {
        const uint32_t square = (uint32_t)(((uint64_t)x * x) >> 32); /* [2^30, 2^32): the mantissa's square over 2 */
        const bool two = (square & 0x80000000u) != 0;
        digits = (digits << 1) | two;
        x = two ? square : square << 1;
    }
    return (int32_t)(((uint32_t)whole << 26) + digits);
}

/* Coefficients ln(2)^i / i! times 2^32 of 2^f, 0 <= f < 1, from i = 1; the next term is below 2^-32. */
static const uint32_t taylor[] = {2977044472u, 1031764991u, 238388332u, 41309550u, 5726720u, 661573u, 65509u, 5676u, 437u, 30u};

uint32_t arqlink_exp2_q26(int64_t x) {
    if (x >= 0) return UINT32_MAX;
    if (x < -(INT64_C(33) << 26)) return 0;
    const uint32_t down = (uint32_t)((-x + ((1 << 26) - 1)) >> 26);            /* 1 to 33 */
    const uint32_t f = (uint32_t)(x + ((int64_t)down << 26)) << 6;             /* fraction times 2^32 */
    uint32_t sum = 0;
    for (int i = (int)(sizeof taylor / sizeof taylor[0]) - 1; i >= 0; --i)
        sum = taylor[i] + (uint32_t)(((uint64_t)f * sum) >> 32);
    const uint64_t mantissa = (UINT64_C(1) << 32) + (((uint64_t)f * sum) >> 32); /* [2^32, 2^33) */
    const uint64_t rounded = (mantissa + (UINT64_C(1) << down >> 1)) >> down;
    return rounded > UINT32_MAX ? UINT32_MAX : (uint32_t)rounded;
}

uint32_t arqlink_sqrt(uint64_t x) {
    uint64_t root = 0, bit = UINT64_C(1) << 62;
    while (bit > x) bit >>= 2;
    for (; bit; bit >>= 2) {
        if (x >= root + bit) {
            x -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (uint32_t)root;
}
