/* SPDX-License-Identifier: Apache-2.0 */
/* P_T, P_F, packet loss and utilization of RR-4752, eqs. 3 to 6. */
#include "arqlink_fixed.h"

#define ONE_Q26 (1 << 26)

arqlink_log2 arqlink_log2_decimal(uint32_t mantissa, int exponent) {
    if (mantissa == 0 || mantissa > 1000000000u || exponent > 0 || exponent < -300) return ARQLINK_LOG2_ZERO;
    const int64_t ten = INT64_C(222930821); /* log2(10) times 2^26 */
    const int64_t value = arqlink_log2_q26(mantissa) + ten * exponent + INT64_C(32) * ONE_Q26;
    return value > 0 ? ARQLINK_LOG2_ZERO : arqlink_narrow(value);
}

/*
 * A transmission fails with its (n-k+1)-th erasure, j = n-k+1, which comes at unit j+m with m units before it received: a sum
 * over m = 0 to k-1 of C(j-1+m, m) times the chance of one such sequence. All terms are positive, so nothing cancels; what
 * they have in common, the j erasures, is computed as a logarithm.
 */
arqlink_log2 arqlink_log2_p_t(uint32_t p, uint32_t correlation, uint32_t k, uint32_t n) {
    if (p == 0) return ARQLINK_LOG2_ZERO;
    const uint32_t j = n - k + 1;
    /* The urn's shares of units lost and kept, and what each unit adds to its own; scaled so that the whole of n units fits. */
    const uint32_t whole = correlation ? 1u + (uint32_t)((uint64_t)correlation * n >> 32) : 0;
    int scale = 0;
    while (whole >> scale) ++scale;
    const uint32_t step = correlation >> scale;
    const uint32_t share = (p - arqlink_times(p, correlation)) >> scale, lost = share ? share : 1u;
    const uint32_t kept = (~p - arqlink_times(~p, correlation)) >> scale;

    int64_t log2 = arqlink_log2_q26(p);
    for (uint32_t i = 1; i < j; ++i)
        log2 += arqlink_log2_q26(lost + i * step) - arqlink_log2_q26(lost + kept + i * step);
    uint32_t term = 1u << 23, sum = term; /* times 2^(23 - halvings), below 2^24 */
    int halvings = 0;
    for (uint32_t m = 1; m < k; ++m) {
        const uint32_t received = arqlink_share(kept + (m - 1u) * step, lost + j * step);
        term = arqlink_times(term * (j - 1 + m) / m, received);
        for (sum += term; sum >> 24; sum >>= 1) {
            term >>= 1;
            ++halvings;
        }
    }
    return arqlink_narrow(log2 + arqlink_log2_q26(sum) + (int64_t)(halvings + 9) * ONE_Q26);
}

arqlink_log2 arqlink_log2_p_f(arqlink_log2 p_t, uint32_t delta) {
    if (p_t == 0) return 0;
    const int transmissions = (int)delta + 1;
    if (delta >= ARQLINK_PERSISTENCY_INFINITE || p_t < ARQLINK_LOG2_ZERO / transmissions) return ARQLINK_LOG2_ZERO;
    return p_t * transmissions;
}

/* Probability that one of two independent things happens, a + b - a b. All are times 2^31, and times 2^scale. */
static uint32_t either(uint32_t a, uint32_t b, uint32_t scale) { return a + b - (arqlink_times(a, b) << 1 >> scale); }

/*
 * The loss of twice as many frames is either(loss, loss), so that `frames` is put together from its binary digits. The scale is
 * such that P_F is at most 2^-16: then the loss of 65535 frames fits.
 */
arqlink_log2 arqlink_log2_packet_loss(arqlink_log2 p_f, uint32_t frames) {
    const uint32_t halvings = (0u - (uint32_t)p_f) >> 20;
    if (frames == 0 || halvings >= 2047u) return ARQLINK_LOG2_ZERO;
    const uint32_t scale = halvings > 16u ? halvings - 16u : 0u;
    const uint32_t shift = scale > 31u ? 31u : scale; /* what is shifted by more is nothing */
    const uint32_t one = arqlink_linear(p_f + (arqlink_log2)(scale << 20)) >> 1;
    uint32_t loss = 0;
    for (int digit = 15; digit >= 0; --digit) {
        loss = either(loss, loss, shift);
        if (frames >> digit & 1u) loss = either(loss, one, shift);
    }
    return arqlink_narrow(arqlink_log2_q26(loss) + ONE_Q26) - (arqlink_log2)(scale << 20);
}

uint32_t arqlink_alpha(uint32_t p, uint32_t correlation, uint32_t k, uint32_t n, uint32_t delta, uint32_t frames) {
    const arqlink_log2 p_t = arqlink_log2_p_t(p, correlation, k, n);
    const arqlink_log2 others_lost = arqlink_log2_packet_loss(arqlink_log2_p_f(p_t, delta), frames - 1u);
    return arqlink_times(~arqlink_linear(p_t), ~arqlink_linear(others_lost)) / n * k;
}
