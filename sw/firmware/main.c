/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware: a line shell on the UART. Bytes come by interrupt, so that none is lost while a command runs. */
#include "arqlink.h"
#include "bus_commands.h"
#include "irq.h"
#include "link_commands.h"
#include "mmio.h"
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
        {"link", "", "shows state, epochs and the active setting", 0, 0, command_link},
        {"code", "K N [NR]", "sets data units, units of a first transmission and of a retransmission", 2, 3, command_code},
        {"delta", "D|inf", "sets the persistency, 0 to 14 or infinite", 1, 1, command_delta},
        {"order", "0|1", "sets whether packets leave in sequence", 1, 1, command_order},
        {"stats", "[reset]", "shows all counters, and sets them to 0", 0, 1, command_stats},
        {"read", "OFFSET", "reads a register of the link window", 1, 1, command_read},
        {"write", "OFFSET VALUE", "writes a register of the link window", 2, 2, command_write},
    };
    uint32_t base = SOC_LINK_BASE;
    const struct arqlink_bus bus = {.read = mmio_read, .write = mmio_write, .context = &base};
    struct arqlink_device link;
    struct shell shell = {
        .commands = commands, .command_count = sizeof commands / sizeof commands[0], .put = put, .context = &link
    };

    soc_put(SOC_UART_BASE + ARQUART_CTRL_OFFSET, ARQUART_CTRL_RX_IRQ_MASK);
    irq_enable(SOC_IRQ_UART, 0);
    irq_start();
    uart_text("arqlink firmware\r\n");
    if (arqlink_probe(&link, &bus, 0)) {
        uart_text("ERROR no link of a known version answers\r\n");
        for (;;) {
        }
    }
    shell_start(&shell);
    for (;;) {
        int byte = receiver_take(&receiver);
        if (byte >= 0) {
            shell_take(&shell, (uint8_t)byte);
        }
    }
}
