/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that the UART's interrupt handler has received and the thread has not taken yet. */
#ifndef ARQLINK_RECEIVER_H
#define ARQLINK_RECEIVER_H

#include <stdint.h>

#define RECEIVER_BYTES 256u /* a power of two; one place stays free */

struct receiver {
    volatile uint32_t head; /* the handler writes here */
    volatile uint32_t tail; /* the thread reads here */
    volatile uint8_t bytes[RECEIVER_BYTES];
    volatile uint32_t lost; /* bytes that came while there was no place */
};

/* Takes over all bytes that the UART has. Interrupt. */
void receiver_fill(struct receiver *receiver);

/* Takes a byte: 0 to 255, or -1: there is none. Thread. */
int receiver_take(struct receiver *receiver);

#endif
