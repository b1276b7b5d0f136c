/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"

#include "uart.h"

void receiver_fill(struct receiver *receiver)
{
    for (int byte = uart_get(); byte >= 0; byte = uart_get()) {
        uint32_t next = (receiver->head + 1u) % RECEIVER_BYTES;
        if (next == receiver->tail) {
            receiver->lost++;
        } else {
            receiver->bytes[receiver->head] = (uint8_t)byte;
            receiver->head = next;
        }
    }
}

int receiver_take(struct receiver *receiver)
{
    if (receiver->head == receiver->tail) {
        return -1;
    }
    int byte = receiver->bytes[receiver->tail];
    receiver->tail = (receiver->tail + 1u) % RECEIVER_BYTES;
    return byte;
}
