/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of N and delta. */
#include "arqlink_fixed.h"

static bool possible(const struct arqlink_goal *g) {
    return (g->objective == ARQLINK_GOODPUT || (g->objective == ARQLINK_TARGET_LOSS && g->log2_loss < 0)) &&
           g->k >= 1 && g->k + g->max_parity <= 255 && g->frames >= 1 && g->frames <= 65535u && g->unit_clocks >= 1 &&
           g->unit_clocks <= 65535u && g->one_way_clocks < 1u << 28;
}

uint64_t arqlink_greatest_delay(const struct arqlink_goal *goal, uint32_t n, uint32_t delta) {
    const uint32_t frame = n * goal->unit_clocks, round_trip = 2u * goal->one_way_clocks + frame;
    return (uint64_t)frame * goal->frames + goal->one_way_clocks + (uint64_t)delta * round_trip;
}

bool arqlink_in_time(const struct arqlink_goal *goal, uint32_t n, uint32_t delta) {
    return delta < ARQLINK_PERSISTENCY_INFINITE &&
           (goal->delay_bound == 0 || arqlink_greatest_delay(goal, n, delta) <= goal->delay_bound);
}

#define MET 0x80000000u

int arqlink_choose_among(const struct arqlink_goal *goal, uint32_t least, uint32_t most,
                         const struct arqlink_estimate *e, struct arqlink_choice *choice) {
    const bool goodput = goal->objective == ARQLINK_GOODPUT;
    struct arqlink_choice best = {0};
    uint32_t best_score = 0; /* alpha/2 and bit MET; without it, how small the loss is */

    for (uint32_t n = least; n <= most; ++n) {
        /* alpha is at most k/n, so no longer code can be better. */
        if (best_score >= (MET | UINT32_MAX / n * goal->k >> 1)) break;
        if (!arqlink_in_time(goal, n, 0)) break; /* a longer frame takes longer still */
        const arqlink_log2 p_t = arqlink_log2_p_t(e->p_high, e->correlation, goal->k, n);
        arqlink_log2 loss;
        uint32_t delta = 0;
        for (;;) {
            loss = arqlink_log2_packet_loss(arqlink_log2_p_f(p_t, delta), goal->frames);
            if ((!goodput && loss <= goal->log2_loss) || !arqlink_in_time(goal, n, delta + 1u)) break;
            ++delta;
        }
        uint32_t score = 1u + ((0u - (uint32_t)loss) >> 1);
        if (goodput || loss <= goal->log2_loss)
            score = MET | arqlink_alpha(e->p, e->correlation, goal->k, n, delta, goal->frames) >> 1;
        if (score > best_score) {
            best = (struct arqlink_choice){.n = (uint8_t)n, .delta = (uint8_t)delta, .met = (score & MET) != 0};
            best_score = score;
        }
    }
    if (best_score == 0) return -ARQLINK_ERANGE;
    *choice = best;
    return 0;
}

int arqlink_choose(const struct arqlink_goal *goal, const struct arqlink_estimate *e, struct arqlink_choice *choice) {
    if (!possible(goal) || e->p > e->p_high) return -ARQLINK_EINVAL;
    return arqlink_choose_among(goal, goal->k, (uint32_t)goal->k + goal->max_parity, e, choice);
}
