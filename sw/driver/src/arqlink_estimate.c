/* SPDX-License-Identifier: Apache-2.0 */
/* Estimate of p, and of how losses cluster, from outcomes. */
#include "arqlink_fixed.h"

#define MOST_OUTCOMES (1u << 24)
#define FINE 13  /* digits of an estimate */
#define COARSE 8 /* and of a step of the search for the correlation */

/* Share of transmissions that fail at p, over first ones and retransmissions. */
static uint32_t failing(const struct arqlink_evidence *e, uint32_t p, uint32_t correlation) {
    const uint32_t first = arqlink_linear(arqlink_log2_p_t(p, correlation, e->k, e->n_first));
    if (e->n_first == e->n_retx) return first;
    const uint32_t retx = arqlink_linear(arqlink_log2_p_t(p, correlation, e->k, e->n_retx));
    const uint32_t weight = arqlink_share(e->sent_retx, e->sent_first);
    return arqlink_times(first, ~weight) + arqlink_times(retx, weight);
}

/* p at which a share of transmissions fails, which grows with p; within 2^-(digits - 1) of p. */
static uint32_t invert(const struct arqlink_evidence *e, uint32_t share, uint32_t correlation, unsigned digits) {
    uint32_t low = 0, high = UINT32_MAX;
    if (share == 0) return 0;
    while (high - low > 1u + (high >> digits)) {
        const uint32_t middle = low + (high - low) / 2u;
        if (failing(e, middle, correlation) < share)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2u;
}

struct arqlink_interval arqlink_interval(uint32_t failed, uint32_t outcomes) {
    /* Numbers of outcomes times 2^digits, as great as 32 bits allow. */
    int digits = 0;
    while ((outcomes + 4u) << digits >> 29 == 0) ++digits;
    const uint32_t rest = outcomes - failed;
    const uint32_t variance = arqlink_times(failed << digits, arqlink_share(rest, failed)) + (1u << digits);
    /* Times 2^digits it is, too, the square of the root times 2^digits; both logarithms are of numbers over 2^32. */
    const int32_t square = (arqlink_log2_q26(variance) >> 6) + (digits - 32) * (1 << 20);
    const uint32_t reach = 2u * arqlink_linear(square >> 1);
    const uint32_t centre = (failed + 2u) << digits, centre_rest = (rest + 2u) << digits;
    return (struct arqlink_interval){
        .low = failed == 0 ? 0 : arqlink_share(centre - reach, centre_rest + reach),
        .high = arqlink_share(centre + reach, centre_rest - reach),
    };
}

static uint32_t middle_share(const struct arqlink_evidence *e) {
    return arqlink_share(e->failed + 1u, e->outcomes - e->failed + 1u);
}

static bool possible(const struct arqlink_evidence *e) {
    return e->outcomes != 0 && e->outcomes <= MOST_OUTCOMES && e->failed <= e->outcomes && e->k != 0 &&
           e->n_first >= e->k && e->n_retx >= e->k &&
           (e->n_first == e->n_retx || e->sent_first != 0 || e->sent_retx != 0);
}

int arqlink_estimate_p(const struct arqlink_evidence *e, uint32_t correlation, struct arqlink_estimate *estimate) {
    if (!possible(e)) return -ARQLINK_EINVAL;
    const struct arqlink_interval share = arqlink_interval(e->failed, e->outcomes);
    estimate->p = invert(e, middle_share(e), correlation, FINE);
    estimate->p_low = invert(e, share.low, correlation, FINE);
    estimate->p_high = invert(e, share.high, correlation, FINE);
    estimate->correlation = correlation;
    estimate->only_high = e->failed == 0;
    return 0;
}

/*
 * With p such that the share at one N is as seen, the share at a greater N grows with the correlation, and that at a smaller
 * one falls. The search is in steps of the root, which are finer where the correlation is small.
 */
int arqlink_estimate_correlation(const struct arqlink_evidence *one, const struct arqlink_evidence *other,
                                 uint32_t *correlation) {
    if (!possible(one) || !possible(other) || one->k != other->k || one->n_first == other->n_first)
        return -ARQLINK_EINVAL;
    const bool longer = other->n_first > one->n_first;
    const uint32_t share = middle_share(one), seen = arqlink_share(other->failed, other->outcomes - other->failed);
    uint32_t root = 0;
    for (uint32_t bit = 128; bit != 0; bit >>= 1) {
        const uint32_t trial = ((root | bit) * (root | bit)) << 16;
        const uint32_t expected = failing(other, invert(one, share, trial, COARSE), trial);
        if ((expected < seen) == longer) root |= bit;
    }
    *correlation = root * root << 16;
    if (root != 0) return 0;
    /* Both intervals count, as where two windows are compared. */
    const struct arqlink_interval given = arqlink_interval(one->failed, one->outcomes);
    const struct arqlink_interval doubt = arqlink_interval(other->failed, other->outcomes);
    const uint32_t independent = failing(other, invert(one, longer ? given.low : given.high, 0, COARSE), 0);
    return (longer ? independent > doubt.high : independent < doubt.low) ? -ARQLINK_ERANGE : 0;
}
