/* SPDX-License-Identifier: Apache-2.0 */
/* Estimate of p from outcomes. */
#include "arqlink_fixed.h"

#define MOST_OUTCOMES (1u << 24)

/* Share of transmissions that fail at p, over first ones and retransmissions. */
static uint32_t failing(const struct arqlink_evidence *e, uint32_t p) {
    const uint32_t first = arqlink_linear(arqlink_log2_p_t(p, e->k, e->n_first));
    if (e->n_first == e->n_retx) return first;
    const uint32_t retx = arqlink_linear(arqlink_log2_p_t(p, e->k, e->n_retx));
    const uint32_t weight = arqlink_share(e->sent_retx, e->sent_first);
    return arqlink_times(first, ~weight) + arqlink_times(retx, weight);
}

/* p at which a share of transmissions fails. It grows with p. */
static uint32_t invert(const struct arqlink_evidence *e, uint32_t share) {
    uint32_t low = 0, high = UINT32_MAX;
    if (share == 0) return 0;
    while (high - low > 1u + (high >> 13)) {
        const uint32_t middle = low + (high - low) / 2u;
        if (failing(e, middle) < share)
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

int arqlink_estimate_p(const struct arqlink_evidence *e, struct arqlink_estimate *estimate) {
    if (e->outcomes == 0 || e->outcomes > MOST_OUTCOMES || e->failed > e->outcomes || e->k == 0 || e->n_first < e->k ||
        e->n_retx < e->k || (e->n_first != e->n_retx && e->sent_first == 0 && e->sent_retx == 0))
        return -ARQLINK_EINVAL;
    const struct arqlink_interval share = arqlink_interval(e->failed, e->outcomes);
    estimate->p = invert(e, arqlink_share(e->failed + 1u, e->outcomes - e->failed + 1u));
    estimate->p_low = invert(e, share.low);
    estimate->p_high = invert(e, share.high);
    estimate->only_high = e->failed == 0;
    return 0;
}
