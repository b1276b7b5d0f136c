/* SPDX-License-Identifier: Apache-2.0 */
/* P_T, P_F, packet loss and utilization of RR-4752, eqs. 3 to 6. */
#include "arqlink_fixed.h"

#define Q26_TO_LOG2 6 /* bits between the two formats of logarithms */
#define ONE_Q32 (UINT64_C(1) << 32)

static arqlink_log2 saturate(int64_t value) {
    return value > 0 ? 0 : value <= ARQLINK_LOG2_ZERO ? ARQLINK_LOG2_ZERO : (arqlink_log2)value;
}

/* x/2^6, rounded. */
static int64_t narrow(int64_t q26) { return (q26 + (1 << (Q26_TO_LOG2 - 1))) >> Q26_TO_LOG2; }

/* log2 of x/2^32, x > 0, times 2^26. */
static int64_t log2_fraction(uint32_t x) { return (int64_t)arqlink_log2_q26(x) - (INT64_C(32) << 26); }

uint32_t arqlink_linear(arqlink_log2 x) {
    return x == ARQLINK_LOG2_ZERO ? 0 : arqlink_exp2_q26((int64_t)x * (1 << Q26_TO_LOG2));
}

arqlink_log2 arqlink_log2_decimal(uint32_t mantissa, int exponent) {
    if (mantissa == 0 || mantissa > 1000000000u || exponent > 0 || exponent < -300) return ARQLINK_LOG2_ZERO;
    const int64_t ten = INT64_C(222930821); /* log2(10) times 2^26 */
    const int64_t value = narrow(arqlink_log2_q26(mantissa) + ten * exponent);
    return value > 0 ? ARQLINK_LOG2_ZERO : (arqlink_log2)value;
}

/* log2 of C(n, j) p^j (1-p)^(n-j), times 2^26. */
static int64_t log2_term(uint32_t p, uint32_t n, uint32_t j) {
    const uint32_t fewer = j < n - j ? j : n - j;
    int64_t choose = 0;
    for (uint32_t i = 0; i < fewer; ++i) choose += arqlink_log2_q26(n - i) - arqlink_log2_q26(i + 1);
    return choose + log2_fraction(p) * j + log2_fraction(0u - p) * (n - j);
}

/*
 * Sum of the terms from j on, over the first one, times 2^32. The ratio of neighbouring terms is (n-j)/(j+1) p/(1-p). From the mode
 * on all ratios are at most 1, so the sum is at most n + 1.
 */
static uint64_t relative_sum(uint32_t p, uint32_t n, uint32_t j) {
    uint64_t sum = ONE_Q32, term = ONE_Q32;
    for (; j < n && term >= 16; ++j) {
        /* Times 2^24, at most 2^24. What small ratios lose in relative accuracy they lose in weight. */
        const uint64_t ratio = ((uint64_t)p * (n - j) << 24) / ((uint64_t)(0u - p) * (j + 1));
        term = (term * ratio) >> 24;
        sum += term;
    }
    return sum;
}

/* log2 of x/2^32, x >= 2^32, times 2^26. */
static int64_t log2_sum(uint64_t x) {
    unsigned shift = 0;
    while (x > UINT32_MAX) {
        x >>= 1;
        ++shift;
    }
    return log2_fraction((uint32_t)x) + ((int64_t)shift << 26);
}

/* log2 of P(j or more of n happen), times 2^26; j not below the mode. */
static int64_t log2_tail(uint32_t p, uint32_t n, uint32_t j) {
    return log2_term(p, n, j) + log2_sum(relative_sum(p, n, j));
}

arqlink_log2 arqlink_log2_p_t(uint32_t p, uint32_t k, uint32_t n) {
    if (p == 0) return ARQLINK_LOG2_ZERO;
    if (p == UINT32_MAX) return 0;
    const uint32_t least = n - k + 1; /* erasures that make it fail */
    if ((uint64_t)least << 32 >= (uint64_t)(n + 1) * p) return saturate(narrow(log2_tail(p, n, least)));
    /* Most transmissions fail: the complement, k or more units received, is the smaller sum. */
    const uint32_t received = arqlink_exp2_q26(log2_tail(0u - p, n, k));
    return received == 0 ? 0 : received == UINT32_MAX ? ARQLINK_LOG2_ZERO : saturate(narrow(log2_fraction(0u - received)));
}

arqlink_log2 arqlink_log2_p_f(arqlink_log2 p_t, uint32_t delta) {
    if (p_t == 0) return 0;
    if (p_t == ARQLINK_LOG2_ZERO || delta >= ARQLINK_PERSISTENCY_INFINITE) return ARQLINK_LOG2_ZERO;
    return saturate((int64_t)p_t * (delta + 1));
}

/* log2 of (1 - P_F)^frames, times 2^26; P_F below 1. */
static int64_t log2_survival(uint32_t p_f, uint32_t frames) {
    return p_f == 0 ? 0 : log2_fraction(0u - p_f) * frames;
}

arqlink_log2 arqlink_log2_packet_loss(arqlink_log2 p_f, uint32_t frames) {
    if (p_f == ARQLINK_LOG2_ZERO || p_f == 0) return p_f;
    const uint32_t p = arqlink_linear(p_f);
    if (p == UINT32_MAX) return 0;
    const int64_t union_bound = (int64_t)p_f + narrow(arqlink_log2_q26(frames)); /* log2 of X P_F */
    if (union_bound > -4 * ARQLINK_LOG2_UNIT) {
        const uint32_t kept = arqlink_exp2_q26(log2_survival(p, frames));
        if (kept == UINT32_MAX) return saturate(union_bound);
        return kept == 0 ? 0 : saturate(narrow(log2_fraction(0u - kept)));
    }
    /* X P (1 - (X-1)P/2 (1 - (X-2)P/3 (1 - (X-3)P/4))): the start of the binomial series; what follows is below 1e-6. */
    uint64_t factor = UINT32_MAX;
    for (uint32_t i = 3; i >= 1; --i) {
        const uint64_t step = frames > i ? (uint64_t)(frames - i) * p / (i + 1) : 0; /* times 2^32, below 2^28 */
        factor = UINT32_MAX - ((step * factor) >> 32);
    }
    return saturate(union_bound + narrow(log2_fraction((uint32_t)factor)));
}

uint32_t arqlink_alpha(uint32_t p, uint32_t k, uint32_t n, uint32_t delta, uint32_t frames) {
    const arqlink_log2 p_t = arqlink_log2_p_t(p, k, n);
    const uint32_t failing = arqlink_linear(p_t), lost = arqlink_linear(arqlink_log2_p_f(p_t, delta));
    if (failing == UINT32_MAX || (lost == UINT32_MAX)) return 0;
    const uint64_t rate = (ONE_Q32 * k) / n; /* at most 2^32 */
    const uint64_t sent = failing ? (rate * (0u - failing)) >> 32 : rate;
    const uint32_t kept = arqlink_exp2_q26(log2_survival(lost, frames - 1u));
    const uint64_t alpha = kept == UINT32_MAX ? sent : (sent * kept) >> 32;
    return alpha > UINT32_MAX ? UINT32_MAX : (uint32_t)alpha;
}
