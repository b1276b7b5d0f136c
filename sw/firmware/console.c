/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include "uart.h"

/*
 * The UART reports that it has lost a byte, but not where. It is asked when a line is complete: if it has lost none by then the line is
 * whole. Otherwise the byte may be of this line or of one that waits, so none of them is run.
 */
int console_step(struct receiver *receiver, struct shell *shell) {
    int entry = receiver_take(receiver);
    if (entry == RECEIVER_NONE) {
        return 0;
    }
    if (entry == RECEIVER_GAP) {
        shell_gap(shell);
        return 1;
    }
    int damaged = (entry == '\r' || entry == '\n') && uart_damaged();
    if (damaged) {
        shell_gap(shell);
    }
    shell_take(shell, (uint8_t)entry);
    if (damaged && receiver_drop(receiver)) {
        shell_gap(shell); /* the next line may have begun */
    }
    return 1;
}
