/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"

#include "uart.h"

enum { CTRL_C = 0x03 };

static uint32_t following(uint32_t place)
{
    return (place + 1u) % RECEIVER_PLACES;
}

void receiver_put(struct receiver *receiver, int byte)
{
    uint32_t next = following(receiver->head);
    if (next == receiver->tail) {
        return; /* full: its last entry is a gap already */
    }
    receiver->entries[receiver->head] = (int16_t)(following(next) == receiver->tail ? RECEIVER_GAP : byte);
    receiver->head = next;
}

void receiver_fill(struct receiver *receiver)
{
    for (;;) {
        int damaged = uart_damaged(); /* asked before each byte, so that what was taken before is whole */
        int byte = uart_get();
        if (damaged) {
            while (byte != UART_NONE) {
                byte = uart_get();
            }
            receiver_put(receiver, RECEIVER_GAP);
        } else if (byte == UART_NONE) {
            return;
        } else {
            receiver_put(receiver, byte);
        }
    }
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
