/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm, power and division in integers. */
#include "arqlink_fixed.h"

/* Digit by digit: squaring a number in [1, 2) doubles its logarithm. */
int32_t arqlink_log2_q26(uint32_t x) {
    int32_t log2 = -1;
    while (!(x & 0x80000000u)) {
        x <<= 1;
        --log2;
    }
    for (int i = 0; i < 26; ++i) {
        x = arqlink_times(x, x); /* [2^30, 2^32): the mantissa's square over 2 */
        log2 *= 2;
        if (x & 0x80000000u)
            ++log2;
        else
            x <<= 1;
    }
    return log2;
}

arqlink_log2 arqlink_narrow(int64_t q26) {
    const int32_t high = (int32_t)(q26 >> 32);
    if (high >= 0) return 0;
    return high < -32 ? ARQLINK_LOG2_ZERO : (arqlink_log2)((q26 + 32) >> 6); /* -2^37 is ARQLINK_LOG2_ZERO times 2^6 */
}

/* Coefficients ln(2)^i / i! times 2^32 of 2^-f = 1 - f ln(2) + …, 0 <= f < 1, from i = 1; the next term is below 2e-6. */
static const uint32_t taylor[] = {2977044472u, 1031764991u, 238388332u, 41309550u, 5726720u, 661573u, 65509u};

uint32_t arqlink_linear(arqlink_log2 x) {
    const uint32_t halvings = 0u - (uint32_t)x; /* times 2^20 */
    const uint32_t f = halvings << 12;
    uint32_t sum = 0;
    for (int i = (int)(sizeof taylor / sizeof taylor[0]) - 1; i >= 0; --i) sum = taylor[i] - arqlink_times(f, sum);
    return halvings >> 25 ? 0u : ~arqlink_times(f, sum) >> (halvings >> 20);
}

/* Two digits of 16 bits, each by the upper half of the divisor, which makes it too great by 2 at most (Knuth, algorithm D). */
uint32_t arqlink_share(uint32_t part, uint32_t rest) {
    if (part + rest < part) {
        part >>= 1;
        rest >>= 1;
    }
    uint32_t whole = part + rest, share = 0;
    if (rest == 0) return UINT32_MAX;
    for (; !(whole & 0x80000000u); whole <<= 1) part <<= 1;
    for (int i = 0; i < 2; ++i) {
        uint32_t digit = part / (whole >> 16);
        int64_t left = ((int64_t)part << 16) - (int64_t)((uint64_t)digit * whole);
        for (; left < 0; left += whole) --digit;
        share = share << 16 | digit;
        part = (uint32_t)left;
    }
    return share;
}
