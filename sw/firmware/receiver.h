/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that the UART's interrupt handler has received and the thread has not read yet. A gap marks where bytes found no place, so that
 * the line they belong to is not mistaken for a whole one. Ctrl-C always finds a place. */
#ifndef ARQLINK_RECEIVER_H
#define ARQLINK_RECEIVER_H

#include <stdint.h>

#define RECEIVER_PLACES 256u /* a power of two; one place stays free, and the last one used is kept for a gap */

enum {
    RECEIVER_NONE = -1, /* nothing has come */
    RECEIVER_GAP =
        256 /* one byte or more is missing here; in an entry it may be added to a Ctrl-C, which came before the gap */
};

struct receiver {
    volatile uint32_t head; /* the handler writes here */
    volatile uint32_t tail; /* the thread reads here */
    volatile int16_t entries[RECEIVER_PLACES];
};

/* Takes over all bytes that the UART has. If only one place is left it gets a gap; if none is left, that gap covers further bytes
 * too. A Ctrl-C takes the gap's place, because it drops the line that the gap is in. Interrupt. */
void receiver_fill(struct receiver *receiver);

/* Takes the oldest entry: 0 to 255, RECEIVER_GAP or RECEIVER_NONE. Thread. */
int receiver_take(struct receiver *receiver);

/* Returns 1 if Ctrl-C is among the entries, and drops the entries up to it; otherwise 0, and nothing changes. Thread. */
int receiver_cancelled(struct receiver *receiver);

/* Drops all entries. Returns 1 if there were any, otherwise 0. Thread. */
int receiver_drop(struct receiver *receiver);

#endif
