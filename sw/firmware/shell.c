/* SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <errno.h>
#include <stddef.h>

#include "words.h"

void shell_text(struct shell *shell, const char *text) { shell->put(shell->context, text); }

void shell_number(struct shell *shell, uint64_t value) {
    char digits[21];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        uint64_t rest = value / 10u;
        digits[--at] =
            (char)('0' + (uint32_t)(value - rest * 10u)); /* not %, which would bring in a second routine of 1 KiB */
        value = rest;
    } while (value);
    shell_text(shell, digits + at);
}

void shell_item(struct shell *shell, const char *name, uint64_t value) {
    shell_text(shell, name);
    shell_text(shell, " ");
    shell_number(shell, value);
    shell_text(shell, "\r\n");
}

void shell_entry(struct shell *shell, const char *name, const char *text) {
    shell_text(shell, name);
    shell_text(shell, " ");
    shell_text(shell, text);
    shell_text(shell, "\r\n");
}

int shell_error(struct shell *shell, const char *what, const char *word) {
    shell_text(shell, "ERROR ");
    shell_text(shell, what);
    if (word) {
        shell_text(shell, " '");
        shell_text(shell, word);
        shell_text(shell, "'");
    }
    shell_text(shell, "\r\n");
    return -EINVAL;
}

int shell_get(struct shell *shell, const char *name, const char *word, uint32_t least, uint32_t most, uint32_t *value) {
    int fault = words_number(word, least, most, value);
    if (fault) {
        shell_text(shell, "ERROR ");
        shell_text(shell, name);
        shell_text(shell, " is '");
        shell_text(shell, word);
        shell_text(shell, "'; it must be ");
        shell_number(shell, least);
        shell_text(shell, " to ");
        shell_number(shell, most);
        shell_text(shell, "\r\n");
    }
    return fault;
}

static void usage(struct shell *shell, const struct shell_command *command) {
    shell_text(shell, command->name);
    if (command->usage[0]) {
        shell_text(shell, " ");
        shell_text(shell, command->usage);
    }
}

static void help(struct shell *shell) {
    for (int i = 0; i < shell->command_count; i++) {
        usage(shell, &shell->commands[i]);
        shell_text(shell, ": ");
        shell_text(shell, shell->commands[i].help);
        shell_text(shell, "\r\n");
    }
    shell_text(shell, "help: shows the commands\r\nOK\r\n");
}

static void run(struct shell *shell, int count, const char **words) {
    if (words_equal(words[0], "help")) {
        help(shell);
        return;
    }
    for (int i = 0; i < shell->command_count; i++) {
        const struct shell_command *command = &shell->commands[i];
        if (!words_equal(words[0], command->name)) {
            continue;
        }
        if (count - 1 < command->least || count - 1 > command->most) {
            shell_text(shell, "ERROR usage: ");
            usage(shell, command);
            shell_text(shell, "\r\n");
        } else if (command->run(shell, count, words) == 0) {
            shell_text(shell, "OK\r\n");
        }
        return;
    }
    (void)shell_error(shell, "no such command, help shows them:", words[0]);
}

int shell_waits(const struct shell *shell) { return shell->line.used == 0 && shell->line.damage == LINE_READY; }

void shell_prompt(struct shell *shell) { shell_text(shell, "> "); }

void shell_start(struct shell *shell) {
    line_init(&shell->line);
    shell_prompt(shell);
}

bool shell_cancelled(struct shell *shell) {
    bool cancelled = shell->cancelled != NULL && shell->cancelled(shell->context) != 0;
    if (cancelled) {
        shell_text(shell, "^C\r\n");
    }
    return cancelled;
}

void shell_gap(struct shell *shell) { line_gap(&shell->line); }

void shell_take(struct shell *shell, uint8_t byte) {
    const char *echo;
    enum line_event event = line_take(&shell->line, byte, &echo);
    shell_text(shell, echo);
    if (event == LINE_MORE) {
        return;
    }
    if (event == LINE_TOO_LONG) {
        shell_text(shell, "ERROR the line is longer than ");
        shell_number(shell, LINE_CHARS);
        shell_text(shell, " characters\r\n");
    } else if (event == LINE_CUT) {
        (void)shell_error(shell, "part of the line was lost, so nothing of it was run", NULL);
    } else if (event == LINE_READY) {
        const char *words[SHELL_WORDS];
        int count = words_split(shell->line.text, words, SHELL_WORDS);
        if (count < 0) {
            (void)shell_error(shell, "too many words", NULL);
        } else if (count > 0) {
            run(shell, count, words);
        }
    }
    shell_prompt(shell);
}
