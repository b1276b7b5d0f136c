/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"

#include "uart.h"

enum { CTRL_C = 0x03 };

static uint32_t following(uint32_t place) { return (place + 1u) % RECEIVER_PLACES; }

/* At 1.25 Mbit/s a byte comes every 800 clocks: what is spent here is missing where the byte is echoed. */
void receiver_fill(struct receiver *receiver) {
    uint32_t head = receiver->head;
    uint32_t room = (receiver->tail - head - 1u) % RECEIVER_PLACES;
    for (int byte = uart_get(); byte >= 0; byte = uart_get()) {
        if (room == 0) {
            const uint32_t last = (head - 1u) % RECEIVER_PLACES;
            receiver->entries[last] = (int16_t)(byte == CTRL_C ? CTRL_C : receiver->entries[last] | RECEIVER_GAP);
            continue;
        }
        receiver->entries[head] = (int16_t)(room == 1u && byte != CTRL_C ? RECEIVER_GAP : byte);
        head = following(head);
        room--;
    }
    receiver->head = head;
}

int receiver_take(struct receiver *receiver) {
    if (receiver->head == receiver->tail) {
        return RECEIVER_NONE;
    }
    int entry = receiver->entries[receiver->tail];
    if (entry == (CTRL_C | RECEIVER_GAP)) {
        receiver->entries[receiver->tail] = RECEIVER_GAP;
        return CTRL_C;
    }
    receiver->tail = following(receiver->tail);
    return entry;
}

int receiver_cancelled(struct receiver *receiver) {
    for (uint32_t place = receiver->tail; place != receiver->head; place = following(place)) {
        if ((receiver->entries[place] & ~RECEIVER_GAP) == CTRL_C) {
            receiver->tail = place; /* now there is room, and the handler does not add a gap to this entry any more */
            (void)receiver_take(receiver);
            return 1;
        }
    }
    return 0;
}

int receiver_drop(struct receiver *receiver) {
    uint32_t head = receiver->head;
    int waited = receiver->tail != head;
    receiver->tail = head;
    return waited;
}
