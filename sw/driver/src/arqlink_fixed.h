/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Fixed-point arithmetic of the tuner. Probabilities come in two formats: linear, p times 2^32 in 32 bits (0xFFFFFFFF means
 * 1), and as a logarithm, log2(p) times 2^20 in a signed 32-bit integer (arqlink_log2), which reaches down to 2^-2047.
 * There is no 64-bit division: the compiler's library would need 2 KiB for it.
 */
#ifndef ARQLINK_FIXED_H
#define ARQLINK_FIXED_H

#include "arqlink_tuner.h"

/** Product of two linear numbers. With the complement ~p for 1 - p it stays below 1. */
static inline uint32_t arqlink_times(uint32_t a, uint32_t b) { return (uint32_t)(((uint64_t)a * b) >> 32); }

/** log2(x / 2^32) times 2^26, x at least 1: -32 to below 0; at most 2^-24 too low. */
int32_t arqlink_log2_q26(uint32_t x);

/** A logarithm times 2^26 as that of a probability, rounded; above 0 it is 0. */
arqlink_log2 arqlink_narrow(int64_t q26);

/** A probability as a logarithm in linear format; relative error below 2e-6, or one in the last place. */
uint32_t arqlink_linear(arqlink_log2 x);

/** part / (part + rest), linear. */
uint32_t arqlink_share(uint32_t part, uint32_t rest);

/**
 * Wilson's score interval (J. Am. Stat. Assoc. 22, 1927) of the share of x failed of n outcomes, linear, for z = 2:
 * (x + 2 -+ 2 sqrt(x (n - x) / n + 1)) / (n + 4). n is 1 to 2^24.
 */
struct arqlink_interval {
    uint32_t low, high;
};
struct arqlink_interval arqlink_interval(uint32_t failed, uint32_t outcomes);

/** arqlink_choose of N from `least` to `most` alone; arguments are not checked. */
int arqlink_choose_among(const struct arqlink_goal *goal, uint32_t least, uint32_t most,
                         const struct arqlink_estimate *e, struct arqlink_choice *choice);

/** Whether delta is finite, and the greatest delay of a packet within the goal's bound if there is one. */
bool arqlink_in_time(const struct arqlink_goal *goal, uint32_t n, uint32_t delta);

#endif
