/* SPDX-License-Identifier: Apache-2.0 */
/* A line shell: takes bytes from a terminal, and calls the command whose name begins the line. No globals: all state is
 * in struct shell. Thread. */
#ifndef ARQLINK_SHELL_H
#define ARQLINK_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#include "line.h"

#define SHELL_WORDS 10 /* most words of a line, the command's name among them */

struct shell;

struct shell_command {
    const char *name;
    const char *usage; /* what may follow the name, "" for nothing */
    const char *help;  /* one sentence */
    int least;         /* number of words after the name: least to most; most is at most SHELL_WORDS - 1 */
    int most;
    /* words[0] is the name. 0: prints OK; else the command has said what was wrong with shell_error. */
    int (*run)(struct shell *shell, int count, const char **words);
};

struct shell {
    const struct shell_command *commands;
    int command_count;
    void (*put)(void *context, const char *text); /* sends a text that ends with NUL */
    int (*cancelled)(
        void *context); /* 1: Ctrl-C was typed since a command began, and is removed from what was typed; NULL: never */
    void *context;      /* for put and cancelled, and for the commands */
    struct line line;
};

/* Prepares the line and prints the first prompt; the fields before it are the caller's. */
void shell_start(struct shell *shell);

/* Takes a byte; runs a command when it ends a line. Every line but an empty one is answered; the answer ends with OK,
 * or is an ERROR line. */
void shell_take(struct shell *shell, uint8_t byte);

/* Notes that bytes are missing before the next one: the line they belong to is not run, and its end is answered with an ERROR line. */
void shell_gap(struct shell *shell);

/* Returns true, after printing ^C, if Ctrl-C was typed: a command that takes long asks this now and then, and ends. */
bool shell_cancelled(struct shell *shell);

/* Prints a text. */
void shell_text(struct shell *shell, const char *text);

/* Prints an unsigned number in decimal. */
void shell_number(struct shell *shell, uint64_t value);

/* Prints a line with a name and an unsigned decimal number. */
void shell_item(struct shell *shell, const char *name, uint64_t value);

/* Prints a line with a name and a text. */
void shell_entry(struct shell *shell, const char *name, const char *text);

/* 1: a prompt was printed and nothing was typed since, so that a line of another kind does not tear anything apart. */
int shell_waits(const struct shell *shell);

/* Prints the prompt, after such a line. */
void shell_prompt(struct shell *shell);

/* Prints "ERROR what 'word'" and a line end; `word` may be NULL. Returns -EINVAL, for a command to return. */
int shell_error(struct shell *shell, const char *what, const char *word);

/* Reads word as a number from least to most. 0, or the error: it has been printed, with `name` and the range. */
int shell_get(struct shell *shell, const char *name, const char *word, uint32_t least, uint32_t most, uint32_t *value);

#endif
