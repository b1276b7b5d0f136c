/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware: a line shell on the UART. Bytes and events of the links come by interrupt, so that none is lost while a command
 * runs. */
#include "commands.h"
#include "console.h"
#include "irq.h"
#include "machine.h"
#include "microseconds.h"
#include "mmio.h"
#include "receiver.h"
#include "soc.h"
#include "timer.h"
#include "trap.h"
#include "uart.h"

/* The interrupt handler has no argument to find them by. */
static struct receiver receiver;
static struct machine machine;

#define CAUSE_EXTERNAL 0x8000000bu

static const uint32_t link_lines[MACHINE_ENDS] = {SOC_IRQ_LINK_A, SOC_IRQ_LINK_B};

static void listen(uint32_t ends) {
    uint32_t lines = SOC_IRQ_UART;
    for (uint32_t end = 0; end < MACHINE_ENDS; end++) {
        if (ends >> end & 1u) {
            lines |= link_lines[end];
        }
    }
    irq_enable(lines, 0);
}

__attribute__((noinline)) static void latch(uint32_t pending) {
    for (uint32_t end = 0; end < machine.end_count; end++) {
        if (pending & link_lines[end]) {
            machine_latch(&machine, end);
        }
    }
}

void irq_handler(uint32_t cause, uint32_t pc) {
    if (cause != CAUSE_EXTERNAL) {
        trap_restart(cause, pc);
    }
    receiver_fill(&receiver);
    uint32_t pending = irq_pending();
    if (pending) {
        latch(pending);
    }
}

static uint64_t scale; /* of microseconds */

static uint32_t now(void *context) {
    (void)context;
    return microseconds_of(timer_now(), scale);
}

static void put(void *context, const char *text) {
    (void)context;
    uart_text(text);
}

static int cancelled(void *context) {
    (void)context;
    return receiver_cancelled(&receiver);
}

int main(void) {
    static uint32_t base = SOC_LINK_BASE;
    struct shell shell = {.put = put, .cancelled = cancelled, .context = &machine};

    commands_install(&shell);
    machine.bus = (struct arqlink_bus){.read = mmio_read, .write = mmio_write, .now = now, .context = &base};
    machine.listen = listen;
    machine.clock_hz = soc_get(SOC_SYSTEM_BASE + ARQSYS_CLOCK_HZ_OFFSET);
    scale = microseconds_scale(machine.clock_hz);
    uart_text("arqlink firmware\r\n");
    if (machine_find(&machine)) {
        uart_text("ERROR no link of a known version answers, restarting\r\n");
        soc_restart();
    }
    soc_put(SOC_UART_BASE + ARQUART_CTRL_OFFSET, ARQUART_CTRL_RX_IRQ_MASK);
    listen((1u << machine.end_count) - 1u);
    irq_start();
    shell_start(&shell);
    for (;;) {
        if (!console_step(&receiver, &shell)) {
            machine_background(&shell, timer_now());
        }
    }
}
