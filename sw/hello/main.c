/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the system: says hello, then obeys one-letter commands: rAAAAAAAA reads a word, wAAAAAAAAVVVVVVVV writes one,
 * t waits for a timer interrupt, iLLLLLLLL for one of external lines L, jAAAAAAAA jumps; all else is echoed. Links without a C library. */
#include <stdint.h>

#include "irq.h"
#include "mmio.h"
#include "soc.h"
#include "timer.h"
#include "trap.h"
#include "uart.h"

static volatile uint32_t ticks = 0;
static volatile uint32_t lines = 0;
static uint32_t starts = 0x5eed0001; /* shows that .data is initialised */

void irq_handler(uint32_t cause, uint32_t pc) {
    if (cause == 0x80000007u) {
        ticks++;
        timer_set(UINT64_MAX);
        return;
    }
    if (cause == 0x8000000bu) {
        lines = irq_pending();
        irq_enable(0, 0);
        return;
    }
    trap_restart(cause, pc);
}

static int next(void) {
    int byte;
    do {
        byte = uart_get();
    } while (byte < 0);
    return byte;
}

static uint32_t hex(void) {
    uint32_t value = 0;
    for (int i = 0; i < 8; i++) {
        uint32_t digit = (uint32_t)next();
        value = value << 4 | (digit <= '9' ? digit - '0' : (digit | 32u) - 'a' + 10u);
    }
    return value;
}

static void answer(int fault, uint32_t value) {
    uart_text(fault ? "fault " : "value ");
    uart_hex(value);
    uart_text("\r\n");
}

static void peek(uint32_t address) {
    uint32_t value = 0;
    uint32_t base = 0;
    int fault = mmio_read(&base, address, &value);
    answer(fault, value);
}

static void poke(uint32_t address, uint32_t value) {
    uint32_t base = 0;
    answer(mmio_write(&base, address, value), value);
}

static void wait_for(uint32_t wanted) {
    uint64_t start = timer_now();
    lines = 0;
    irq_enable(wanted, 0);
    while (lines == 0 && timer_now() - start < 20000) {
    }
    irq_enable(0, 0);
    uart_text("lines ");
    uart_hex(lines);
    uart_text("\r\n");
}

static void tick(void) {
    uint32_t before = ticks;
    uint64_t start = timer_now();
    timer_set(start + 2000);
    irq_enable(0, 1);
    while (ticks == before && timer_now() - start < 20000) {
    }
    uart_text(ticks == before + 1 && timer_now() - start >= 2000 ? "tick " : "no tick ");
    uart_hex(ticks);
    uart_text("\r\n");
}

int main(void) {
    irq_start();
    uart_text(GREETING " ");
    uart_hex(starts++);
    uart_text("\r\n");
    for (;;) {
        int byte = next();
        if (byte == 'r') {
            peek(hex());
        } else if (byte == 'w') {
            uint32_t address = hex();
            poke(address, hex());
        } else if (byte == 'i') {
            wait_for(hex());
        } else if (byte == 'j') {
            ((void (*)(void))hex())();
        } else if (byte == 't') {
            tick();
        } else {
            uart_put((uint8_t)byte);
        }
    }
}
