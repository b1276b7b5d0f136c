/* SPDX-License-Identifier: Apache-2.0 */
#include "irq.h"

#define MIE_TIMER 0x80u
#define MIE_EXTERNAL 0x800u

void irq_enable(uint32_t lines, int timer) {
    uint32_t mie = (lines ? MIE_EXTERNAL : 0u) | (timer ? MIE_TIMER : 0u);
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrw 0xbc0, %0\ncsrw mie, %1\n.option pop" ::"r"(lines),
                     "r"(mie)
                     : "memory");
}

void irq_start(void) { irq_restore(8u); }

uint32_t irq_pending(void) {
    uint32_t lines;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, 0xfc0\n.option pop" : "=r"(lines)::"memory");
    return lines;
}
