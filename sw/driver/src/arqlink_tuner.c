/* SPDX-License-Identifier: Apache-2.0 */
/* The closed loop: windows of outcomes, hysteresis. docs/driver.md holds the rule. */
#include "arqlink_access.h"
#include "arqlink_fixed.h"

#define MEMORY_WINDOWS 16u /* evidence of more windows than this fades */
#define MOST_IN_WINDOW (1u << 23)
#define GAIN_SHIFT 6                 /* a change for goodput alone must gain 1/64 */
#define WINS_WANTED 2u               /* in so many windows in a row */
#define OTHER_WINDOWS 48u            /* evidence of another N counts for so many */
#define LEAST_OUTCOMES 32u           /* fewer say nothing */
#define MOST_CORRELATION 0xFE010000u /* the most that is ever estimated */

/* The counters that are watched. Evidence is about the first four. */
enum { FIRST, RETX, OK, FAILED, ACKED, ABANDONED, FLUSHED, OUTAGES, RESTARTS, WATCHED };
#define EVIDENCE (FAILED + 1)
enum { OUTCOMES, FAILURES }; /* of another N */
static const uint8_t watched[WATCHED] = {
    ARQLINK_COUNT_tx_frames,          ARQLINK_COUNT_tx_retx,         ARQLINK_COUNT_tx_outcomes_ok,
    ARQLINK_COUNT_tx_outcomes_failed, ARQLINK_COUNT_tx_frames_acked, ARQLINK_COUNT_tx_frames_abandoned,
    ARQLINK_COUNT_tx_frames_flushed,  ARQLINK_COUNT_link_outages,    ARQLINK_COUNT_link_restarts};

struct state {
    struct arqlink_goal goal;
    struct arqlink_estimate estimate;
    struct arqlink_choice choice;
    uint32_t window; /* outcomes in a window, 32 to 2^19 */
    uint32_t windows, changes;
    uint32_t mark[WATCHED];      /* counters at the start of the window, modulo 2^32 */
    uint32_t evidence[EVIDENCE]; /* sums of them */
    uint32_t other[2];           /* outcomes and failures at the N that was in use before */
    uint8_t other_n;             /* that N; 0: nothing is known of another one */
    uint8_t other_age;           /* windows since it was left */
    uint32_t unseen;             /* frames at most that were open when the counters were cleared */
    uint32_t settled; /* number of outcomes from which on they are of this setting, and behind the last outage */
    uint32_t setting; /* N of first transmissions and others that the evidence is about; 0: none */
    uint8_t era;      /* the epoch less the restarts counted; another one: the counters were cleared */
    uint8_t wins;     /* windows in a row that speak for a change */
    bool settling;
    bool running;
};

/* The state, and what the caller has of it. */
union box {
    struct arqlink_tuner outside;
    struct state inside;
};
_Static_assert(sizeof(union box) == sizeof(struct arqlink_tuner), "the state fits what the caller has");

/* Only differences matter, so the low words are enough. */
static int look(const struct arqlink_device *device, uint32_t *now) {
    uint64_t values[WATCHED];
    int error = arqlink_read_selected(device, false, watched, WATCHED, values);
    for (unsigned i = 0; !error && i < WATCHED; ++i) now[i] = (uint32_t)values[i];
    return error;
}

/* Frames sent and not resolved, which a restart of the link does not change the sense of: what it drops is counted. No more than
 * one transmission of each has no outcome yet. Frames that were open when the counters were cleared are missing. */
static uint32_t open_frames(const uint32_t *now) { return now[FIRST] - now[ACKED] - now[ABANDONED] - now[FLUSHED]; }

/* Outcomes that may still come of what was sent until now. */
static uint32_t due(struct state *t, const struct arqlink_device *device, const uint32_t *now, uint8_t era) {
    const uint32_t window = UINT32_C(1) << device->limits.window_log2;
    const uint32_t most = open_frames(now) + (era == t->era ? t->unseen : window);
    return most < window ? most : window;
}

static void forget(struct state *t) {
    for (unsigned i = 0; i < EVIDENCE; ++i) t->evidence[i] = 0;
}

/* Whether two shares of failures contradict each other. Under one setting they do so if and only if the values of p do. */
static bool apart(const uint32_t *one, const uint32_t *other) {
    const struct arqlink_interval a = arqlink_interval(one[FAILED], one[OK] + one[FAILED]);
    const struct arqlink_interval b = arqlink_interval(other[FAILED], other[OK] + other[FAILED]);
    return a.high < b.low || b.high < a.low;
}

static struct arqlink_evidence evidence_of(const struct state *t, const struct arqlink_config *config) {
    return (struct arqlink_evidence){
        .sent_first = t->evidence[FIRST],
        .sent_retx = t->evidence[RETX],
        .outcomes = t->evidence[OK] + t->evidence[FAILED],
        .failed = t->evidence[FAILED],
        .k = config->k,
        .n_first = config->n_first,
        .n_retx = config->n_retx,
    };
}

/*
 * Without evidence of another N the correlation is assumed to be as before. Where there is some, p comes from that with more failures;
 * the goal has to be met by what is known of the present N, too.
 */
static int estimate(struct state *t, const struct arqlink_config *config) {
    const struct arqlink_evidence here = evidence_of(t, config);
    uint32_t correlation = t->estimate.correlation;
    if (t->other_n == 0) return arqlink_estimate_p(&here, correlation, &t->estimate);

    struct arqlink_evidence there = here;
    there.n_first = there.n_retx = t->other_n;
    there.outcomes = t->other[OUTCOMES];
    there.failed = t->other[FAILURES];
    const bool few = here.failed < there.failed;
    int error = arqlink_estimate_correlation(few ? &there : &here, few ? &here : &there, &correlation);
    if (error == -ARQLINK_ERANGE)
        t->other_n = 0; /* one of the two is of another time */
    else if (error)
        return error;
    error = arqlink_estimate_p(&here, correlation, &t->estimate);
    if (error || !few || t->other_n == 0) return error;
    const uint32_t high = t->estimate.p_high;
    error = arqlink_estimate_p(&there, correlation, &t->estimate);
    if (t->estimate.p_high < high) t->estimate.p_high = high;
    return error;
}

/*
 * Adds a window to the evidence. Where the two contradict each other p has changed: then the estimate is that of the window, which
 * may have begun before the change, and evidence begins anew with the next one.
 */
static int learn(struct state *t, const struct arqlink_config *config, const uint32_t *window) {
    const uint32_t known = t->evidence[OK] + t->evidence[FAILED];
    const bool anew = known != 0 && apart(window, t->evidence);
    for (unsigned i = 0; i < EVIDENCE; ++i) {
        uint32_t kept = t->evidence[i];
        if (known >= MEMORY_WINDOWS * t->window) kept -= kept / MEMORY_WINDOWS;
        if (anew) kept = 0;
        t->evidence[i] = kept + window[i];
    }
    if (anew || t->other_age++ == OTHER_WINDOWS || t->other_n == config->n_first) t->other_n = 0;
    const int error = estimate(t, config);
    if (anew) forget(t);
    return error;
}

/* Whether the setting in force has to be left: it breaks the goal by what is the likeliest p. */
static bool breaks_goal(const struct state *t, const struct arqlink_config *config) {
    const struct arqlink_goal *goal = &t->goal;
    if (config->n_first != config->n_retx) return true;
    if (goal->delay_bound != 0 && !arqlink_in_time(goal, config->n_first, config->delta)) return true;
    if (goal->objective != ARQLINK_TARGET_LOSS) return false;
    const arqlink_log2 p_t = arqlink_log2_p_t(t->estimate.p, t->estimate.correlation, goal->k, config->n_first);
    return arqlink_log2_packet_loss(arqlink_log2_p_f(p_t, config->delta), goal->frames) > goal->log2_loss;
}

static bool gains(const struct state *t, const struct arqlink_config *config) {
    const struct arqlink_goal *goal = &t->goal;
    const uint32_t p = t->estimate.p, c = t->estimate.correlation;
    const uint32_t now = arqlink_alpha(p, c, goal->k, config->n_first, config->delta, goal->frames);
    const uint32_t then = arqlink_alpha(p, c, goal->k, t->choice.n, t->choice.delta, goal->frames);
    return t->choice.met && then > now && then - now > now >> GAIN_SHIFT;
}

/*
 * One N says nothing about the correlation. Where it matters, because independent losses or losses all together would call for
 * another N, the next N on that side is tried, with the delta that it needs at the correlation that is worst for it.
 */
static bool tries(const struct state *t, const struct arqlink_config *config, struct arqlink_choice *trial) {
    const struct arqlink_evidence here = evidence_of(t, config);
    const uint32_t n = config->n_first;
    struct arqlink_estimate other;
    if (t->other_n != 0 || here.outcomes < WINS_WANTED * t->window) return false;
    uint32_t wanted = t->choice.n;
    if (wanted == n) {
        if (arqlink_estimate_p(&here, 0, &other) || arqlink_choose(&t->goal, &other, trial)) return false;
        wanted = trial->n;
    }
    if (wanted == n) wanted = t->goal.k;
    if (wanted == n) return false;
    const uint32_t next = wanted > n ? n + 1u : n - 1u;
    return !arqlink_estimate_p(&here, wanted > n ? MOST_CORRELATION : 0, &other) &&
           !arqlink_choose_among(&t->goal, next, next, &other, trial) && trial->met;
}

/* Puts the evidence of the N that is left aside, and takes up what there is of the new one. */
static void move(struct state *t, const struct arqlink_config *config, uint32_t n) {
    const uint32_t outcomes = t->evidence[OK] + t->evidence[FAILED], failed = t->evidence[FAILED];
    const bool back = t->other_n == n;
    forget(t);
    if (back) {
        t->evidence[OK] = t->other[OUTCOMES] - t->other[FAILURES];
        t->evidence[FAILED] = t->other[FAILURES];
    }
    if (back || outcomes >= LEAST_OUTCOMES) {
        t->other_n = config->n_first == config->n_retx && outcomes >= LEAST_OUTCOMES ? config->n_first : 0;
        t->other[OUTCOMES] = outcomes;
        t->other[FAILURES] = failed;
        t->other_age = 0;
    }
}

int arqlink_tuner_init(struct arqlink_tuner *tuner, const struct arqlink_goal *goal, uint32_t window) {
    struct arqlink_choice ignored;
    if (window == 0) window = ARQLINK_TUNER_WINDOW;
    if (window < 32u || window > 1u << 19) return -ARQLINK_EINVAL;
    int error = arqlink_choose(goal, &(struct arqlink_estimate){0}, &ignored); /* checks the goal */
    if (error) return error;
    *tuner = ((union box){.inside = {.goal = *goal, .window = window}}).outside;
    return 0;
}

static int judge(struct state *t, const struct arqlink_device *device, struct arqlink_config *config, bool *changed) {
    int error = arqlink_choose(&t->goal, &t->estimate, &t->choice);
    if (error) return error;
    struct arqlink_choice next = t->choice;
    ++t->windows;
    t->wins = gains(t, config) ? (uint8_t)(t->wins + 1u) : 0u;
    const bool same = next.n == config->n_first && next.n == config->n_retx && next.delta == config->delta;
    if ((same || (t->wins < WINS_WANTED && !breaks_goal(t, config))) && !tries(t, config, &next)) return 0;
    const struct arqlink_config old = *config;
    config->n_first = config->n_retx = next.n;
    config->delta = next.delta;
    if ((error = arqlink_set_config(device, config))) return error;
    if (next.n != old.n_first || next.n != old.n_retx) {
        move(t, &old, next.n);
        t->setting = 0;
    }
    *changed = true;
    ++t->changes;
    return 0;
}

void arqlink_tuner_get(const struct arqlink_tuner *tuner, struct arqlink_tuner_view *view) {
    const union box box = {.outside = *tuner};
    const struct state *t = &box.inside;
    *view = (struct arqlink_tuner_view){t->goal, t->estimate, t->choice, t->windows, t->changes, t->settling};
}

void arqlink_tuner_cleared(struct arqlink_tuner *tuner, const struct arqlink_counters *last) {
    union box box = {.outside = *tuner};
    struct state *const t = &box.inside;
    uint32_t values[WATCHED];
    for (unsigned i = 0; i < WATCHED; ++i) {
        values[i] = (uint32_t)last->value[watched[i]];
        t->mark[i] -= values[i];
    }
    t->settled -= values[OK] + values[FAILED];
    t->unseen += open_frames(values);
    t->era = (uint8_t)(t->era + values[RESTARTS]);
    *tuner = box.outside;
}

static int step(struct state *t, const struct arqlink_device *device, bool *changed) {
    uint32_t now[WATCHED], since[WATCHED], epoch;
    struct arqlink_config config;
    bool anew = !t->running;
    *changed = false;
    int error = arqlink_get_config(device, &config);
    if (!error) error = arqlink_read(&device->at, ARQLINK_EPOCH_OFFSET, &epoch);
    if (!error) error = look(device, now);
    if (error) return error;
    if (config.k != t->goal.k || t->goal.max_parity > device->limits.max_parity) return -ARQLINK_EINVAL;

    for (unsigned i = 0; i < WATCHED; ++i) {
        since[i] = now[i] - t->mark[i];
        if (!t->running || since[i] <= INT32_MAX) continue;
        t->unseen = UINT32_C(1) << device->limits.window_log2; /* it fell: cleared, by somebody who did not say so */
        anew = true;
    }
    if (anew || since[RESTARTS] != 0) {
        t->running = true;
        t->setting = 0;
        forget(t);
    }
    const uint32_t setting = config.n_first | (uint32_t)config.n_retx << 8; /* K is the goal's */
    if (setting != t->setting || since[OUTAGES] != 0) {
        if (setting != t->setting && t->setting != 0) forget(t); /* somebody else has changed it */
        t->setting = setting;
        t->wins = 0;
        /* What is in flight was sent under the other setting, or hit by the outage, which says nothing about p. In an outage nothing is sent. */
        const uint8_t era = (uint8_t)(ARQLINK_FIELD(ARQLINK_EPOCH_OWN, epoch) - now[RESTARTS]);
        t->settled = now[OK] + now[FAILED] + due(t, device, now, era);
        t->settling = true;
    }

    if (!t->settling && since[OK] + since[FAILED] < t->window) return 0;
    for (unsigned i = 0; i < WATCHED; ++i) t->mark[i] = now[i];
    if (t->settling) {
        t->settling = (int32_t)(now[OK] + now[FAILED] - t->settled) < 0;
        return 0;
    }
    while (since[OK] + since[FAILED] > MOST_IN_WINDOW) /* it was not called for long */
        for (unsigned i = 0; i < EVIDENCE; ++i) since[i] >>= 1;
    error = learn(t, &config, since);
    return error ? error : judge(t, device, &config, changed);
}

int arqlink_tuner_step(struct arqlink_tuner *tuner, const struct arqlink_device *device, bool *changed) {
    union box box = {.outside = *tuner};
    const int error = step(&box.inside, device, changed);
    *tuner = box.outside;
    return error;
}
