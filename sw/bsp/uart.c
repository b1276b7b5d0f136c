/* SPDX-License-Identifier: Apache-2.0 */
#include "uart.h"

#include "arqlink_regs.h"
#include "soc.h"

#define UART(name) (SOC_UART_BASE + ARQUART_##name##_OFFSET)

void uart_put(uint8_t byte) {
    while (soc_get(UART(STATUS)) & ARQUART_STATUS_TX_FULL_MASK) {
    }
    soc_put(UART(TX), byte);
}

void uart_text(const char *text) {
    while (*text) {
        uart_put((uint8_t)*text++);
    }
}

void uart_hex(uint32_t value) {
    for (int shift = 28; shift >= 0; shift -= 4) {
        uint32_t digit = (value >> shift) & 15u;
        uart_put((uint8_t)(digit < 10u ? '0' + digit : 'a' + digit - 10u));
    }
}

int uart_get(void) {
    uint32_t rx = soc_get(UART(RX));
    if (!(rx & ARQUART_RX_VALID_MASK)) {
        return UART_NONE;
    }
    soc_put(UART(RX_NEXT), ARQUART_RX_NEXT_NEXT_MASK);
    return (int)(rx & ARQUART_RX_DATA_MASK);
}

int uart_damaged(void) {
    uint32_t error = soc_get(UART(ERROR));
    if (error) {
        soc_put(UART(ERROR), error);
    }
    return error != 0;
}

int uart_wait(uint32_t clocks) {
    uint32_t start = soc_get(SOC_TIMER_BASE + ARQTIMER_TIME_LOW_OFFSET);
    do {
        int byte = uart_get();
        if (byte >= 0) { /* one instruction less in the boot loader's loop than a comparison with UART_NONE */
            return byte;
        }
    } while (soc_get(SOC_TIMER_BASE + ARQTIMER_TIME_LOW_OFFSET) - start < clocks);
    return UART_NONE;
}
