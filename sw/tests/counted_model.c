/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the evaluations of P_T, which take nearly all of the tuner's time; by the linker's --wrap. */
#include "arqlink_tuner.h"

uint32_t evaluations(void);
arqlink_log2 __real_arqlink_log2_p_t(uint32_t p, uint32_t correlation, uint32_t k, uint32_t n);
arqlink_log2 __wrap_arqlink_log2_p_t(uint32_t p, uint32_t correlation, uint32_t k, uint32_t n);

static uint32_t count = 0;

/* Since it was asked last. */
uint32_t evaluations(void) {
    const uint32_t now = count;
    count = 0;
    return now;
}

arqlink_log2 __wrap_arqlink_log2_p_t(uint32_t p, uint32_t correlation, uint32_t k, uint32_t n) {
    ++count;
    return __real_arqlink_log2_p_t(p, correlation, k, n);
}
