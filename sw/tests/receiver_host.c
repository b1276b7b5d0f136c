/* SPDX-License-Identifier: Apache-2.0 */
/* The receiver on a host, over a UART whose receive FIFO is here. Standard input holds what happens, a letter each:
 *   R: a byte arrives; they count from 0 on, modulo 256, and skip Ctrl-C     X: a byte arrives damaged     C: Ctrl-C arrives
 *   I: the interrupt     T: the thread takes an entry, and it is printed      ?: the thread asks for Ctrl-C, and the answer is printed */
#include <stdio.h>

#include "receiver.h"
#include "uart.h"

enum { FIFO_BYTES = 32, CTRL_C = 0x03 };

static int fifo[FIFO_BYTES];
static int used;
static int damaged;

int uart_get(void)
{
    if (used == 0) {
        return UART_NONE;
    }
    int byte = fifo[0];
    used--;
    for (int i = 0; i < used; i++) {
        fifo[i] = fifo[i + 1];
    }
    return byte;
}

int uart_damaged(void)
{
    int before = damaged;
    damaged = 0;
    return before;
}

static void arrive(int byte)
{
    if (used == FIFO_BYTES) {
        damaged = 1;
    } else {
        fifo[used++] = byte;
    }
}

int main(void)
{
    static struct receiver receiver;
    int next = 0;
    for (int event = getchar(); event != EOF; event = getchar()) {
        switch (event) {
        case 'R':
            next += (next & 0xff) == CTRL_C;
            arrive(next++ & 0xff);
            break;
        case 'X':
            damaged = 1;
            next++;
            break;
        case 'C':
            arrive(CTRL_C);
            break;
        case 'I':
            receiver_fill(&receiver);
            break;
        case 'T':
            printf("%d\n", receiver_take(&receiver));
            break;
        case '?':
            printf("%d\n", receiver_cancelled(&receiver));
            break;
        default:
            return 1;
        }
    }
    return 0;
}
