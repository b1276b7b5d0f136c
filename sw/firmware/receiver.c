/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"

#include "uart.h"

enum { CTRL_C = 0x03 };

static uint32_t following(uint32_t place)
{
    return (place + 1u) % RECEIVER_PLACES;
}

/* Writes an entry at `head`, which the thread does not see before receiver->head is moved. Returns the place behind it. If only one place
 * is left a gap takes it; if none is left, that gap stands for this entry too. */
static uint32_t append(struct receiver *receiver, uint32_t head, int entry)
{
    uint32_t next = following(head);
    if (next == receiver->tail) {
        return head;
    }
    receiver->entries[head] = (int16_t)(following(next) == receiver->tail ? RECEIVER_GAP : entry);
    return next;
}

void receiver_fill(struct receiver *receiver)
{
    uint32_t head = receiver->head;
    for (int byte = uart_get(); byte >= 0; byte = uart_get()) {
        head = append(receiver, head, byte);
    }
    /* Nobody knows which of the bytes that were just taken came before one that was lost, so a gap replaces them all. */
    receiver->head = uart_damaged() ? append(receiver, receiver->head, RECEIVER_GAP) : head;
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
