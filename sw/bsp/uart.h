/* SPDX-License-Identifier: Apache-2.0 */
/* The UART, polled. Two contexts may not both send, nor both receive: one may send while an interrupt handler receives. */
#ifndef ARQLINK_UART_H
#define ARQLINK_UART_H

#include <stdint.h>

/* Sends a byte; waits while the FIFO of 32 bytes is full, which the line rate bounds. */
void uart_put(uint8_t byte);

/* Sends a text that ends with NUL. */
void uart_text(const char *text);

/* Sends `value` as 8 hexadecimal digits. */
void uart_hex(uint32_t value);

#define UART_NONE (-1)

/* Takes a received byte: 0 to 255, or UART_NONE. */
int uart_get(void);

/* Returns 1 if a byte was lost since the last call because the receive FIFO was full, or came without a stop bit; otherwise 0. */
int uart_damaged(void);

/* Takes a received byte, and waits for it at most `clocks` clocks: 0 to 255, or UART_NONE. */
int uart_wait(uint32_t clocks);

#endif
