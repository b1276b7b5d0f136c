/* SPDX-License-Identifier: Apache-2.0 */
/* The console on a host, over a UART whose receive FIFO is here. Standard input holds what happens:
 *   R and a byte: it arrives     X: a byte arrives damaged     I: the interrupt     T: the thread takes what was received next
 *   C: the thread asks for Ctrl-C
 * The shell's output goes to standard output; its one command prints its word. */
#include <stdio.h>

#include "console.h"
#include "uart.h"

enum { FIFO_BYTES = 32 };

static int fifo[FIFO_BYTES];
static int used;
static int damaged;
static struct receiver receiver;

int uart_get(void) {
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

int uart_damaged(void) {
    int before = damaged;
    damaged = 0;
    return before;
}

static void arrive(int byte) {
    if (used == FIFO_BYTES) {
        damaged = 1;
    } else {
        fifo[used++] = byte;
    }
}

static int run_say(struct shell *shell, int count, const char **words) {
    (void)count;
    shell_entry(shell, "said", words[1]);
    return 0;
}

static void put(void *context, const char *text) { fputs(text, context); }

static int cancelled(void *context) {
    (void)context;
    return receiver_cancelled(&receiver);
}

int main(void) {
    static const struct shell_command commands[] = {{"say", "WORD", "says it", 1, 1, run_say}};
    struct shell shell = {
        .commands = commands, .command_count = 1, .put = put, .cancelled = cancelled, .context = stdout};
    shell_start(&shell);
    for (int event = getchar(); event != EOF; event = getchar()) {
        switch (event) {
        case 'R': arrive(getchar()); break;
        case 'X': damaged = 1; break;
        case 'I': receiver_fill(&receiver); break;
        case 'T': (void)console_step(&receiver, &shell); break;
        case 'C': (void)shell_cancelled(&shell); break;
        default: return 1;
        }
    }
    return 0;
}
