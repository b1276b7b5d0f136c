/* SPDX-License-Identifier: Apache-2.0 */
/* The soft system for software: memory map, interrupt lines, access to device registers. */
#ifndef ARQLINK_SOC_H
#define ARQLINK_SOC_H

#include <stdint.h>

#define SOC_RAM_BASE 0x10000000u
#define SOC_LINK_BASE 0x80000000u
#define SOC_UART_BASE 0x90000000u
#define SOC_TIMER_BASE 0x90001000u
#define SOC_SYSTEM_BASE 0x90002000u

/* External interrupt lines, as bits of the CPU's array. */
#define SOC_IRQ_UART 0x1u
#define SOC_IRQ_LINK_A 0x2u
#define SOC_IRQ_LINK_B 0x4u

/* Reads the 32-bit register at byte address `address`, a multiple of 4. Any context. */
static inline uint32_t soc_get(uint32_t address) { return *(volatile uint32_t *)address; }

/* Writes the 32-bit register at byte address `address`, a multiple of 4. Any context. */
static inline void soc_put(uint32_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

#endif
