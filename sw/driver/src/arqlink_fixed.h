/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Fixed-point arithmetic of the tuner. Probabilities come in two formats: linear, p times 2^32 in 32 bits (0xFFFFFFFF stands
 * for 1), and as a logarithm, log2(p) times 2^20 in a signed 32-bit integer (arqlink_log2), which reaches down to 2^-2047.
 */
#ifndef ARQLINK_FIXED_H
#define ARQLINK_FIXED_H

#include "arqlink_tuner.h"

#define ARQLINK_LOG2_ONE_SHIFT 20
#define ARQLINK_LOG2_UNIT (1 << ARQLINK_LOG2_ONE_SHIFT)

/** log2(x) times 2^26, x at least 1; absolute error below 2^-24. */
int32_t arqlink_log2_q26(uint32_t x);

/** 2^(x / 2^26) times 2^32 for x at most 0, and at most 0xFFFFFFFF; relative error below 2^-28, or one in the last place. */
uint32_t arqlink_exp2_q26(int64_t x);

/** A probability as a logarithm in linear format. */
uint32_t arqlink_linear(arqlink_log2 x);

/** Square root, rounded down. */
uint32_t arqlink_sqrt(uint64_t x);

#endif
