/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"

#include "uart.h"

enum { CTRL_C = 0x03 };

static uint32_t following(uint32_t place)
{
    return (place + 1u) % RECEIVER_PLACES;
}

/* Writes a byte at `head`; returns the place behind it. */
static uint32_t append(struct receiver *receiver, uint32_t head, int byte)
{
    uint32_t next = following(head);
    if (next == receiver->tail) {
        return head; /* full: the last entry is a gap, which stands for this byte too */
    }
    receiver->entries[head] = (int16_t)(following(next) == receiver->tail ? RECEIVER_GAP : byte);
    return next;
}

void receiver_fill(struct receiver *receiver)
{
    uint32_t head = receiver->head;
    for (int byte = uart_get(); byte >= 0; byte = uart_get()) {
        head = append(receiver, head, byte);
    }
    receiver->head = head;
}

int receiver_take(struct receiver *receiver)
{
    if (receiver->head == receiver->tail) {
        return RECEIVER_NONE;
    }
    int entry = receiver->entries[receiver->tail];
    receiver->tail = following(receiver->tail);
    return entry;
}

int receiver_cancelled(struct receiver *receiver)
{
    for (uint32_t place = receiver->tail; place != receiver->head; place = following(place)) {
        if (receiver->entries[place] == CTRL_C) {
            receiver->tail = following(place);
            return 1;
        }
    }
    return 0;
}

int receiver_drop(struct receiver *receiver)
{
    uint32_t head = receiver->head;
    int waited = receiver->tail != head;
    receiver->tail = head;
    return waited;
}
