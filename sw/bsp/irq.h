/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of the CPU. */
#ifndef ARQLINK_IRQ_H
#define ARQLINK_IRQ_H

#include <stdint.h>

/* Turns interrupts off; returns what irq_restore wants. Any context; may be nested. */
static inline uint32_t irq_hold(void) {
    uint32_t old;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrrci %0, mstatus, 8\n.option pop" : "=r"(old)::"memory");
    return old;
}

/* Turns interrupts on again if they were on when irq_hold was called. */
static inline void irq_restore(uint32_t old) {
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrs mstatus, %0\n.option pop" ::"r"(old & 8u) : "memory");
}

/* Lets external lines `lines` (SOC_IRQ_…) and, if `timer` is not 0, the timer interrupt, and no others. Any context. */
void irq_enable(uint32_t lines, int timer);

/* Turns interrupts on, which they are not when main begins. Thread. */
void irq_start(void);

/* Waiting external lines that are enabled (SOC_IRQ_…). Any context. */
uint32_t irq_pending(void);

/* The program defines it: called with interrupts off. `cause` is mcause; bit 31 set: an interrupt, 7 timer, 11 external.
 * It has to quiet the source. A trap that is no interrupt comes at `pc`; when it returns the instruction is tried again. */
void irq_handler(uint32_t cause, uint32_t pc);

#endif
