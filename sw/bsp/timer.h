/* SPDX-License-Identifier: Apache-2.0 */
/* The machine timer: clocks since reset. */
#ifndef ARQLINK_TIMER_H
#define ARQLINK_TIMER_H

#include <stdint.h>

/* Clocks since reset. Any context. */
uint64_t timer_now(void);

/* Requests the timer interrupt from clock `at` on; UINT64_MAX: never. Any context, not from two at once. */
void timer_set(uint64_t at);

#endif
