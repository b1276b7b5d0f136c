/* SPDX-License-Identifier: Apache-2.0 */
/* The shell on a host: bytes and gaps from standard input, its output to standard output, two commands to try it with. */
#include <stdio.h>

#include "shell.h"

enum { GAP = 0xfe }; /* this byte marks a place where bytes are missing */

static int run_add(struct shell *shell, int count, const char **words) {
    uint32_t a;
    uint32_t b = 1;
    int fault = shell_get(shell, "A", words[1], 1, 1000, &a);
    if (fault == 0 && count > 2) {
        fault = shell_get(shell, "B", words[2], 0, UINT32_MAX, &b);
    }
    if (fault == 0) {
        shell_number(shell, (uint64_t)a + b);
        shell_text(shell, "\r\n");
    }
    return fault;
}

static int run_fail(struct shell *shell, int count, const char **words) {
    (void)count;
    return shell_error(shell, "cannot", words[0]);
}

static void put(void *context, const char *text) { fputs(text, context); }

int main(void) {
    static const struct shell_command commands[] = {
        {"add", "A [B]", "adds", 1, 2, run_add},
        {"fail", "", "fails", 0, 0, run_fail},
    };
    struct shell shell = {.commands = commands, .command_count = 2, .put = put, .context = stdout};
    shell_start(&shell);
    for (int byte = getchar(); byte != EOF; byte = getchar()) {
        if (byte == GAP) {
            shell_gap(&shell);
        } else {
            shell_take(&shell, (uint8_t)byte);
        }
    }
    return 0;
}
