/* SPDX-License-Identifier: Apache-2.0 */
/* Estimate of p from outcomes. */
#include "arqlink_fixed.h"

#define MOST_OUTCOMES (1u << 24)

/** Share of failed transmissions, times 2^32. */
struct share {
    uint32_t middle, low, high;
};

static uint32_t capped(uint64_t q32) { return q32 > UINT32_MAX ? UINT32_MAX : (uint32_t)q32; }

/*
 * Wilson's score interval (J. Am. Stat. Assoc. 22, 1927) for z = 2:
 * (x + 2 -+ 2 sqrt(x (n - x) / n + 1)) / (n + 4). The middle is the rule of succession.
 */
static struct share share_of(uint32_t failed, uint32_t outcomes) {
    const uint64_t n4 = (uint64_t)outcomes + 4u;
    const uint64_t variance_q16 = ((uint64_t)failed * (outcomes - failed) << 16) / outcomes + (1u << 16);
    const uint64_t root_q16 = arqlink_sqrt(variance_q16 << 16);
    const uint64_t centre_q16 = ((uint64_t)failed + 2u) << 16;
    const uint64_t low_q16 = centre_q16 > 2u * root_q16 ? centre_q16 - 2u * root_q16 : 0;
    return (struct share){
        .middle = capped(((uint64_t)(failed + 1u) << 32) / (outcomes + 2u)),
        .low = capped((low_q16 << 16) / n4),
        .high = capped(((centre_q16 + 2u * root_q16) << 16) / n4),
    };
}

/* Share of transmissions that fail at p, over first ones and retransmissions. */
static uint32_t failing(const struct arqlink_evidence *e, uint32_t p) {
    const uint32_t first = arqlink_linear(arqlink_log2_p_t(p, e->k, e->n_first));
    if (e->n_first == e->n_retx || e->sent_retx == 0) return first;
    const uint32_t retx = arqlink_linear(arqlink_log2_p_t(p, e->k, e->n_retx));
    uint64_t weight_first = e->sent_first, weight_retx = e->sent_retx;
    while ((weight_first | weight_retx) >> 24) {
        weight_first >>= 1;
        weight_retx >>= 1;
    }
    return (uint32_t)((weight_first * first + weight_retx * retx) / (weight_first + weight_retx));
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

int arqlink_estimate_p(const struct arqlink_evidence *evidence, struct arqlink_estimate *estimate) {
    const struct arqlink_evidence *e = evidence;
    if (e->outcomes == 0 || e->outcomes > MOST_OUTCOMES || e->failed > e->outcomes || e->k == 0 || e->n_first < e->k ||
        e->n_retx < e->k || (e->n_first != e->n_retx && e->sent_first == 0 && e->sent_retx == 0))
        return -ARQLINK_EINVAL;
    const struct share share = share_of(e->failed, e->outcomes);
    struct arqlink_estimate found = {
        .p = invert(e, share.middle),
        .p_low = e->failed == 0 ? 0 : invert(e, share.low),
        .p_high = invert(e, share.high),
        .only_high = e->failed == 0,
    };
    *estimate = found;
    return 0;
}
