/* SPDX-License-Identifier: Apache-2.0 */
#include "trap.h"

#include "uart.h"

void trap_restart(uint32_t cause, uint32_t pc) {
    uart_text("\r\nERROR trap ");
    uart_hex(cause);
    uart_text(" at ");
    uart_hex(pc);
    uart_text(", restarting\r\n");
    soc_restart();
}
