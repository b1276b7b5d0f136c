/* SPDX-License-Identifier: Apache-2.0 */
/* The closed loop: windows of outcomes, hysteresis. docs/driver.md holds the rule. */
#include "arqlink_fixed.h"

#define MEMORY_WINDOWS 16u  /* evidence of more windows than this fades */
#define MOST_IN_WINDOW (1u << 23)
#define GAIN_SHIFT 5        /* a change for goodput alone must gain 1/32 */
#define WINS_WANTED 2u      /* in so many windows in a row */

/* Counters of struct arqlink_tuner_mark, in its order. */
static const uint8_t watched[] = {ARQLINK_COUNT_tx_frames,          ARQLINK_COUNT_tx_retx,
                                  ARQLINK_COUNT_tx_outcomes_ok,     ARQLINK_COUNT_tx_outcomes_failed,
                                  ARQLINK_COUNT_tx_outcomes_outage, ARQLINK_COUNT_link_restarts};
#define WATCHED (sizeof watched / sizeof watched[0])

/* Only differences matter, so the low words are enough. */
static int look(const struct arqlink_device *device, struct arqlink_tuner_mark *now) {
    uint32_t low[WATCHED];
    int error = arqlink_snapshot(device, false);
    for (unsigned i = 0; !error && i < WATCHED; ++i) {
        uint64_t value;
        error = arqlink_counter(device, watched[i], &value);
        if (!error) low[i] = (uint32_t)value;
    }
    if (!error) *now = (struct arqlink_tuner_mark){low[0], low[1], low[2], low[3], low[4], low[5]};
    return error;
}

static uint32_t without_outcome(const struct arqlink_tuner_mark *now) {
    return now->first + now->retx - now->ok - now->failed;
}

static uint32_t setting_of(const struct arqlink_config *c) {
    return c->n_first | (uint32_t)c->n_retx << 8 | (uint32_t)c->k << 16;
}

/* Begins a new window, and forgets what was learnt under another setting. What is in flight was sent under the old one. */
static void begin(struct arqlink_tuner *t, const struct arqlink_config *config, const struct arqlink_tuner_mark *now) {
    t->setting = setting_of(config);
    t->evidence = (struct arqlink_evidence){.k = config->k, .n_first = config->n_first, .n_retx = config->n_retx};
    t->mark = *now;
    t->settled = now->first + now->retx - t->orphans;
    t->settling = true;
    t->wins = 0;
}

static bool apart(const struct arqlink_estimate *a, const struct arqlink_estimate *b) {
    return a->p_high < b->p_low || b->p_high < a->p_low;
}

/* Adds a window to the evidence, which it replaces where the two contradict each other: p has changed. */
static int learn(struct arqlink_tuner *t, const struct arqlink_evidence *window) {
    struct arqlink_estimate recent, before;
    struct arqlink_evidence *e = &t->evidence;
    int error = arqlink_estimate_p(window, &recent);
    if (error) return error;
    if (e->outcomes != 0) {
        if ((error = arqlink_estimate_p(e, &before))) return error;
        if (apart(&recent, &before)) e->outcomes = 0;
    }
    if (e->outcomes == 0) {
        *e = *window;
        t->estimate = recent;
        return 0;
    }
    if (e->outcomes >= MEMORY_WINDOWS * t->window) {
        e->outcomes -= e->outcomes / MEMORY_WINDOWS;
        e->failed -= e->failed / MEMORY_WINDOWS;
        e->sent_first -= e->sent_first / MEMORY_WINDOWS;
        e->sent_retx -= e->sent_retx / MEMORY_WINDOWS;
    }
    e->outcomes += window->outcomes;
    e->failed += window->failed;
    e->sent_first += window->sent_first;
    e->sent_retx += window->sent_retx;
    return arqlink_estimate_p(e, &t->estimate);
}

/* Whether the setting in force has to be left: it breaks the goal by what is the likeliest p. */
static bool breaks_goal(const struct arqlink_tuner *t, const struct arqlink_config *config) {
    const struct arqlink_goal *goal = &t->goal;
    if (config->n_first != config->n_retx) return true;
    if (goal->delay_bound != 0 && (config->delta == ARQLINK_PERSISTENCY_INFINITE ||
                                   arqlink_greatest_delay(goal, config->n_first, config->delta) > goal->delay_bound))
        return true;
    if (goal->objective != ARQLINK_TARGET_LOSS) return false;
    const arqlink_log2 p_t = arqlink_log2_p_t(t->estimate.p, goal->k, config->n_first);
    return arqlink_log2_packet_loss(arqlink_log2_p_f(p_t, config->delta), goal->frames) > goal->log2_loss;
}

static bool gains(const struct arqlink_tuner *t, const struct arqlink_config *config) {
    const struct arqlink_goal *goal = &t->goal;
    const uint32_t now = arqlink_alpha(t->estimate.p, goal->k, config->n_first, config->delta, goal->frames);
    const uint32_t then = arqlink_alpha(t->estimate.p, goal->k, t->choice.n, t->choice.delta, goal->frames);
    return t->choice.met && then > now && then - now > now >> GAIN_SHIFT;
}

int arqlink_tuner_init(struct arqlink_tuner *tuner, const struct arqlink_goal *goal, uint32_t window) {
    struct arqlink_choice ignored;
    if (window == 0) window = ARQLINK_TUNER_WINDOW;
    if (window < 32u || window > 1u << 19) return -ARQLINK_EINVAL;
    int error = arqlink_choose(goal, 1, 1, &ignored); /* checks the goal */
    if (error) return error;
    *tuner = (struct arqlink_tuner){.goal = *goal, .window = window};
    return 0;
}

static int judge(struct arqlink_tuner *t, const struct arqlink_device *device, struct arqlink_config *config, bool *changed) {
    int error = arqlink_choose(&t->goal, t->estimate.p, t->estimate.p_high, &t->choice);
    if (error) return error;
    ++t->windows;
    if (t->choice.n == config->n_first && t->choice.n == config->n_retx && t->choice.delta == config->delta) {
        t->wins = 0;
        return 0;
    }
    if (!breaks_goal(t, config)) {
        t->wins = gains(t, config) ? (uint8_t)(t->wins + 1u) : 0u;
        if (t->wins < WINS_WANTED) return 0;
    }
    config->n_first = config->n_retx = t->choice.n;
    config->delta = t->choice.delta;
    if ((error = arqlink_set_config(device, config))) return error;
    *changed = true;
    ++t->changes;
    return 0;
}

int arqlink_tuner_step(struct arqlink_tuner *t, const struct arqlink_device *device, bool *changed) {
    struct arqlink_tuner_mark now;
    struct arqlink_config config;
    *changed = false;
    int error = arqlink_get_config(device, &config);
    if (!error) error = look(device, &now);
    if (error) return error;
    if (config.k != t->goal.k || t->goal.max_parity > device->limits.max_parity)
        return -ARQLINK_EINVAL;

    if (!t->running || now.restarts != t->mark.restarts) {
        /* A restart drops what is in flight, so its outcomes never come. The first restart is the start. */
        if (t->running || now.restarts > 1) t->orphans = without_outcome(&now);
        t->running = true;
        begin(t, &config, &now);
    }
    if (setting_of(&config) != t->setting) begin(t, &config, &now);
    if (t->settling) {
        if ((int32_t)(now.ok + now.failed - t->settled) < 0) return 0;
        t->mark = now;
        t->settling = false;
    }

    const uint32_t ok = now.ok - t->mark.ok, outage = now.outage - t->mark.outage;
    const uint32_t failed = now.failed - t->mark.failed - outage; /* those of an outage say nothing about p */
    if (ok + failed < t->window) return 0;
    struct arqlink_evidence window = {
        .sent_first = now.first - t->mark.first,
        .sent_retx = now.retx - t->mark.retx,
        .outcomes = ok + failed,
        .failed = failed,
        .k = config.k,
        .n_first = config.n_first,
        .n_retx = config.n_retx,
    };
    while (window.outcomes > MOST_IN_WINDOW) { /* it was not called for long */
        window.sent_first >>= 1;
        window.sent_retx >>= 1;
        window.outcomes >>= 1;
        window.failed >>= 1;
    }
    t->mark = now;
    if ((error = learn(t, &window))) return error;
    if ((error = judge(t, device, &config, changed))) return error;
    if (*changed) {
        if ((error = look(device, &now))) return error; /* what left before the change was of the old setting */
        begin(t, &config, &now);
    }
    return 0;
}
