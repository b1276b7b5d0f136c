/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks as microseconds, without a division by run-time numbers. Any context. */
#ifndef ARQLINK_MICROSECONDS_H
#define ARQLINK_MICROSECONDS_H

#include <stdint.h>

/* Microseconds that 2^32 clocks take, for the functions below; clock_hz is at least 1. */
uint64_t microseconds_scale(uint32_t clock_hz);

/* Microseconds of a number of clocks, modulo 2^32. */
uint32_t microseconds_of(uint64_t clocks, uint64_t scale);

/* Microseconds of a span, rounded up; 2^31 stands for all longer ones. */
uint32_t microseconds_span(uint64_t clocks, uint64_t scale);

#endif
