/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware: a line shell on the UART. Bytes come by interrupt, so that none is lost while a command runs. */
#include "arqlink_regs.h"
#include "bus_commands.h"
#include "irq.h"
#include "receiver.h"
#include "shell.h"
#include "soc.h"
#include "uart.h"

static struct receiver receiver; /* the interrupt handler has no argument to find it by */

#define CAUSE_EXTERNAL 0x8000000bu

void irq_handler(uint32_t cause, uint32_t pc)
{
    if (cause == CAUSE_EXTERNAL) {
        receiver_fill(&receiver);
        return;
    }
    uart_text("\r\nERROR trap ");
    uart_hex(cause);
    uart_text(" at ");
    uart_hex(pc);
    uart_text("\r\n");
    for (;;) { /* a reset is the way out */
    }
}

static void put(void *context, const char *text)
{
    (void)context;
    uart_text(text);
}

int main(void)
{
    static const struct shell_command commands[] = {
        {"info", "", "shows what was built", 0, 0, command_info},
        {"read", "OFFSET", "reads a register of the link window", 1, 1, command_read},
        {"write", "OFFSET VALUE", "writes a register of the link window", 2, 2, command_write},
    };
    struct shell shell = {.commands = commands, .command_count = sizeof commands / sizeof commands[0], .put = put};

    soc_put(SOC_UART_BASE + ARQUART_CTRL_OFFSET, ARQUART_CTRL_RX_IRQ_MASK);
    irq_enable(SOC_IRQ_UART, 0);
    irq_start();
    uart_text("arqlink firmware\r\n");
    shell_start(&shell);
    for (;;) {
        int byte = receiver_take(&receiver);
        if (byte >= 0) {
            shell_take(&shell, (uint8_t)byte);
        }
    }
}
