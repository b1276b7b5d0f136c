/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of N and delta. */
#include "arqlink_fixed.h"

#define GREATEST_DELTA (ARQLINK_PERSISTENCY_INFINITE - 1u)

static bool possible(const struct arqlink_goal *g) {
    return (g->objective == ARQLINK_GOODPUT || (g->objective == ARQLINK_TARGET_LOSS && g->log2_loss < 0)) && g->k >= 1 &&
           g->k + g->max_parity <= 255 && g->frames >= 1 && g->frames <= 65535u && g->unit_clocks >= 1 &&
           g->unit_clocks <= 65535u && g->one_way_clocks < 1u << 28;
}

uint64_t arqlink_greatest_delay(const struct arqlink_goal *goal, uint32_t n, uint32_t delta) {
    const uint64_t frame = (uint64_t)n * goal->unit_clocks;
    return frame * goal->frames + goal->one_way_clocks + delta * (2u * (uint64_t)goal->one_way_clocks + frame);
}

/* Greatest delta within the delay bound, or -1. */
static int greatest_delta(const struct arqlink_goal *goal, uint32_t n) {
    int delta = (int)GREATEST_DELTA;
    if (goal->delay_bound == 0) return delta;
    while (delta >= 0 && arqlink_greatest_delay(goal, n, (uint32_t)delta) > goal->delay_bound) --delta;
    return delta;
}

int arqlink_choose(const struct arqlink_goal *goal, uint32_t p, uint32_t p_high, struct arqlink_choice *choice) {
    if (!possible(goal) || p > p_high) return -ARQLINK_EINVAL;
    struct arqlink_choice best = {0}, safest = {0};
    uint32_t best_alpha = 0;
    arqlink_log2 least_loss = 0;
    bool any = false;

    for (uint32_t n = goal->k; n <= (uint32_t)goal->k + goal->max_parity; ++n) {
        const int limit = greatest_delta(goal, n);
        if (limit < 0) break; /* a longer frame takes longer still */
        /* alpha is at most k/n, so no longer code can be better. */
        if (best.met && ((uint64_t)goal->k << 32) / n <= best_alpha) break;
        uint32_t delta = (uint32_t)limit;
        bool met = true;
        if (goal->objective == ARQLINK_TARGET_LOSS) {
            const arqlink_log2 p_t = arqlink_log2_p_t(p_high, goal->k, n);
            arqlink_log2 loss;
            delta = 0;
            while ((loss = arqlink_log2_packet_loss(arqlink_log2_p_f(p_t, delta), goal->frames)) > goal->log2_loss &&
                   delta < (uint32_t)limit)
                ++delta;
            met = loss <= goal->log2_loss;
            if (!any || loss < least_loss) {
                least_loss = loss;
                safest = (struct arqlink_choice){.n = (uint8_t)n, .delta = (uint8_t)delta, .met = false};
            }
        }
        any = true;
        if (!met) continue;
        const uint32_t alpha = arqlink_alpha(p, goal->k, n, delta, goal->frames);
        if (!best.met || alpha > best_alpha) {
            best = (struct arqlink_choice){.n = (uint8_t)n, .delta = (uint8_t)delta, .met = true};
            best_alpha = alpha;
        }
    }
    if (!any) return -ARQLINK_ERANGE;
    *choice = best.met ? best : safest;
    return 0;
}
