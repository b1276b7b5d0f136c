/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Tuner: estimates from a link end's own counters the erasure probability p of a unit, and how erasures cluster in a frame, and
 * chooses N and delta.
 *
 * Model: Barakat and Al Fawal, RR-4752, eqs. 3 to 6, with Polya's urn in place of independent erasures in eq. 4: for losses in
 * bursts, fitted near the N in use. Transmissions of one frame are independent; frames are of full length; first transmissions and
 * retransmissions are alike (n_first = n_retx = N). No floating point; the formats and error bounds are in docs/driver.md.
 * Context as in arqlink.h.
 */
#ifndef ARQLINK_TUNER_H
#define ARQLINK_TUNER_H

#include "arqlink.h"

#ifdef __cplusplus
extern "C" {
#endif

/** log2 of a probability times 2^20, so 0 is probability 1 and -20 << 20 about 1e-6. */
typedef int32_t arqlink_log2;

/** log2 of a probability that is 0. */
#define ARQLINK_LOG2_ZERO INT32_MIN

/** log2 of `mantissa` times 10^`exponent`, e.g. (1, -6); mantissa 1 to 10^9, exponent -300 to 0, the value at most 1.
 * Anything else: ARQLINK_LOG2_ZERO. */
arqlink_log2 arqlink_log2_decimal(uint32_t mantissa, int exponent);

/* ---- the analytic model; p and the correlation are linear, times 2^32 ---- */

/**
 * P_T: more than n - k of n units are erased. 1 <= k <= n <= 255. p = 0 gives ARQLINK_LOG2_ZERO.
 * `correlation` is that between the losses of any two units of a frame: 0 is eq. 4, independent losses; near 1 all units of a
 * frame are lost or none. In between losses follow Polya's urn: docs/driver.md.
 */
arqlink_log2 arqlink_log2_p_t(uint32_t p, uint32_t correlation, uint32_t k, uint32_t n);

/** P_F, eq. 5: P_T^(delta + 1); with ARQLINK_PERSISTENCY_INFINITE it is 0 unless P_T is 1. */
arqlink_log2 arqlink_log2_p_f(arqlink_log2 p_t, uint32_t delta);

/** Packet loss P, eq. 3: 1 - (1 - P_F)^frames; frames 1 to 65535. */
arqlink_log2 arqlink_log2_packet_loss(arqlink_log2 p_f, uint32_t frames);

/** Utilization alpha, eq. 6: (1 - P_F)^(frames - 1) (1 - P_T) k / n, times 2^32. */
uint32_t arqlink_alpha(uint32_t p, uint32_t correlation, uint32_t k, uint32_t n, uint32_t delta, uint32_t frames);

/* ---- estimate ---- */

/** What was sent, and what became of it. */
struct arqlink_evidence {
    uint32_t sent_first, sent_retx; /**< transmissions sent; only their ratio counts */
    uint32_t outcomes, failed;      /**< known outcomes, at most 2^24, and those that failed */
    uint8_t k, n_first, n_retx;     /**< the code of all of them */
};

struct arqlink_estimate {
    uint32_t p;             /**< estimate, times 2^32; if `only_high`: as if one failure were to come next */
    uint32_t p_low, p_high; /**< 95 % interval */
    uint32_t correlation;   /**< between the losses of two units of a frame, times 2^32 */
    bool only_high;         /**< nothing failed: all that is known is that p is at most p_high */
};

/**
 * Estimates p for a known correlation. The share of failed transmissions gives P_T: (failed + 1) / (outcomes + 2), with
 * Wilson's score interval for z = 2; p is where the model, for the mixture of first transmissions and retransmissions, gives
 * this P_T (bisection until the bracket is within 2^-12 of p).
 * Errors: -EINVAL no outcomes, more failed than there are, or an impossible code.
 */
int arqlink_estimate_p(const struct arqlink_evidence *evidence, uint32_t correlation,
                       struct arqlink_estimate *estimate);

/**
 * Estimates the correlation from outcomes at two N of one channel: where the model with p from `one` gives the share of
 * failures of `other`; from 0 to 0.992 in 256 steps of its root. `one` should be that with more failures.
 * Errors: -EINVAL as arqlink_estimate_p, another k, or the same n_first; -ERANGE `other` contradicts even independent losses, so
 * the two are not of one channel; `correlation` is 0 then.
 */
int arqlink_estimate_correlation(const struct arqlink_evidence *one, const struct arqlink_evidence *other,
                                 uint32_t *correlation);

/* ---- choice ---- */

enum arqlink_objective {
    ARQLINK_TARGET_LOSS = 0, /**< highest alpha with a packet loss of at most `log2_loss` */
    ARQLINK_GOODPUT = 1      /**< highest alpha; the delay bound limits delta */
};

struct arqlink_goal {
    enum arqlink_objective objective;
    arqlink_log2 log2_loss;  /**< target packet loss, below 0; ARQLINK_TARGET_LOSS only */
    uint8_t k;               /**< data units in a frame, 1 to max_k */
    uint8_t max_parity;      /**< most parity units; k + max_parity <= 255 */
    uint32_t frames;         /**< frames in a packet, X; 1 to 65535 */
    uint32_t unit_clocks;    /**< clocks that a unit takes on the line, 1 to 65535 */
    uint32_t one_way_clocks; /**< propagation delay D, below 2^28 */
    uint32_t delay_bound;    /**< greatest delay of a packet, clocks; 0: none */
};

struct arqlink_choice {
    uint8_t n;     /**< for n_first and n_retx */
    uint8_t delta; /**< 0 to 14 */
    bool met;      /**< the target loss is met within the delay bound; else this is the pair with the least loss */
};

/**
 * Greatest delay of a packet that is delivered, with an idle line: frames n unit_clocks + D + delta (2 D + n unit_clocks).
 * Every retransmission of the worst frame comes a round trip and a transmission later (tau of RR-4752).
 */
uint64_t arqlink_greatest_delay(const struct arqlink_goal *goal, uint32_t n, uint32_t delta);

/**
 * Chooses N and delta by p, p_high and the correlation of an estimate. For each N: with ARQLINK_TARGET_LOSS the least delta
 * whose packet loss at p_high is within the target, with ARQLINK_GOODPUT the greatest one, up to 14, that the delay bound
 * allows. Of these pairs the one with the highest alpha at p, and of equal ones the least N. p and p_high may be the same.
 * Errors: -EINVAL a value of `goal` is beyond its range, or p is above p_high; -ERANGE the delay bound is too short for any pair.
 */
int arqlink_choose(const struct arqlink_goal *goal, const struct arqlink_estimate *estimate,
                   struct arqlink_choice *choice);

/* ---- closed loop ---- */

/** Outcomes in a window unless the caller sets another number. */
#define ARQLINK_TUNER_WINDOW 256u

/** State of the loop, which the caller owns and only arqlink_tuner_… looks into. It has room to grow. */
struct arqlink_tuner {
    uint32_t opaque[64];
};

/** What the loop has found. */
struct arqlink_tuner_view {
    struct arqlink_goal goal;
    struct arqlink_estimate estimate; /**< of the last window that was judged; 0 before */
    struct arqlink_choice choice;     /**< the last one made, whether it was applied or not; 0 before */
    uint32_t windows;                 /**< windows judged since the start */
    uint32_t changes;                 /**< settings applied since the start */
    bool settling;                    /**< outcomes of another setting, or of an outage, are still to come */
};

/** Begins with the setting that is active. `window` 0: ARQLINK_TUNER_WINDOW. Touches no register. -EINVAL. */
int arqlink_tuner_init(struct arqlink_tuner *tuner, const struct arqlink_goal *goal, uint32_t window);

/**
 * One step: reads the counters, and when a window of outcomes is complete judges it and applies a better setting if there is one.
 * Call it again and again, a few times per window if possible, and at least once in 2^31 outcomes; it never waits for outcomes. K, preset, order and outage_freeze of the
 * link are kept; K should be the goal's. If the counters were cleared, before the first step or between two, and arqlink_tuner_cleared
 * did not say so, each change of setting is waited for as if the window were full of frames sent before it.
 * `changed`: whether a setting was applied. Errors: as arqlink_read_selected, arqlink_set_config, arqlink_choose; the tuner goes on with the
 * next call. -EINVAL also where the link's K is not the goal's.
 */
int arqlink_tuner_step(struct arqlink_tuner *tuner, const struct arqlink_device *device, bool *changed);

/** Tells that the counters were cleared, which were `last` until then, as arqlink_read_counters with `clear` has them. What was learnt
 * stays. To be called before the next step. */
void arqlink_tuner_cleared(struct arqlink_tuner *tuner, const struct arqlink_counters *last);

/** What the loop has found so far. Touches no register. */
void arqlink_tuner_get(const struct arqlink_tuner *tuner, struct arqlink_tuner_view *view);

#ifdef __cplusplus
}
#endif

#endif
