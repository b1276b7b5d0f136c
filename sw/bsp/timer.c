/* SPDX-License-Identifier: Apache-2.0 */
#include "timer.h"

#include "arqlink_regs.h"
#include "soc.h"

#define TIMER(name) (SOC_TIMER_BASE + ARQTIMER_##name##_OFFSET)

uint64_t timer_now(void) {
    uint32_t high, low;
    do { /* again if the low word overflowed in between */
        high = soc_get(TIMER(TIME_HIGH));
        low = soc_get(TIMER(TIME_LOW));
    } while (high != soc_get(TIMER(TIME_HIGH)));
    return (uint64_t)high << 32 | low;
}

void timer_set(uint64_t at) {
    soc_put(TIMER(COMPARE_HIGH), UINT32_MAX); /* no early interrupt while only one word is written */
    soc_put(TIMER(COMPARE_LOW), (uint32_t)at);
    soc_put(TIMER(COMPARE_HIGH), (uint32_t)(at >> 32));
}
