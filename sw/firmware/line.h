/* SPDX-License-Identifier: Apache-2.0 */
/* A line editor for a terminal: collects bytes into a line. All state is in one structure. */
#ifndef ARQLINK_LINE_H
#define ARQLINK_LINE_H

#include <stdint.h>

#define LINE_CHARS 95u

enum line_event {
    LINE_MORE,      /* the line goes on */
    LINE_READY,     /* text holds a line, possibly an empty one; it is valid until the next byte */
    LINE_TOO_LONG,  /* a line ended that was longer than LINE_CHARS; all of it is dropped */
    LINE_CUT,       /* a line ended of which bytes are missing; all of it is dropped */
    LINE_CANCELLED, /* Ctrl-C: what was typed is dropped */
};

struct line {
    char text[LINE_CHARS + 1]; /* ends with NUL once LINE_READY was returned */
    char echo[4];
    uint8_t used;     /* characters in text, 0 to LINE_CHARS */
    uint8_t damage;   /* LINE_READY: none so far; otherwise what the line's end will be answered with */
    uint8_t after_cr; /* 1: a line feed belongs to the line end before it */
    uint8_t escape;   /* 0 none, 1 after ESC, 2 within a sequence that ESC [ began */
};

/* Before the first byte. Thread. */
void line_init(struct line *line);

/* Takes any byte. CR, LF and CR LF end a line; backspace and DEL erase a character; escape sequences, other control
 * characters and bytes that are not ASCII are ignored. *echo: text to send back, valid until the next byte. Thread. */
enum line_event line_take(struct line *line, uint8_t byte, const char **echo);

/* Notes that bytes are missing here: the line is dropped to its end. Thread. */
void line_gap(struct line *line);

#endif
