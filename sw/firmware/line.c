/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

enum { CTRL_C = 0x03, BACKSPACE = 0x08, ESCAPE = 0x1b, DELETE = 0x7f };

void line_init(struct line *line) {
    line->used = 0;
    line->damage = LINE_READY;
    line->after_cr = 0;
    line->escape = 0;
    line->text[0] = 0;
    line->echo[0] = 0;
}

static enum line_event finish(struct line *line) {
    enum line_event event = (enum line_event)line->damage;
    line->text[event == LINE_READY ? line->used : 0] = 0;
    line->used = 0;
    line->damage = LINE_READY;
    return event;
}

/* 1: the byte belongs to an escape sequence, such as that of an arrow key. */
static int is_escaped(struct line *line, uint8_t byte) {
    if (byte == ESCAPE) {
        line->escape = 1;
        return 1;
    }
    if (byte < 0x20 || line->escape == 0) { /* a control character ends a sequence that was cut off */
        line->escape = 0;
        return 0;
    }
    if (line->escape == 1) {
        line->escape = byte == '[' ? 2 : 0;
    } else if (byte >= 0x40) {
        line->escape = 0;
    }
    return 1;
}

static void erase(struct line *line, const char **echo) {
    if (line->damage != LINE_READY) {
        return; /* nobody knows how much was lost */
    }
    if (line->used > 0) {
        line->used--;
        *echo = "\b \b";
    }
}

static void append(struct line *line, uint8_t byte, const char **echo) {
    if (line->used == LINE_CHARS) {
        if (line->damage == LINE_READY) {
            line->damage = LINE_TOO_LONG;
        }
        return;
    }
    line->text[line->used++] = (char)byte;
    line->echo[0] = (char)byte;
    line->echo[1] = 0;
    *echo = line->echo;
}

enum line_event line_take(struct line *line, uint8_t byte, const char **echo) {
    int second_end = byte == '\n' && line->after_cr;
    *echo = "";
    line->after_cr = byte == '\r';
    if (second_end || is_escaped(line, byte)) {
        return LINE_MORE;
    }
    if (byte == '\r' || byte == '\n') {
        *echo = "\r\n";
        return finish(line);
    }
    if (byte == CTRL_C) {
        *echo = "^C\r\n";
        (void)finish(line);
        return LINE_CANCELLED;
    }
    if (byte == BACKSPACE || byte == DELETE) {
        erase(line, echo);
    } else if (byte >= 0x20 && byte < 0x7f) {
        append(line, byte, echo);
    }
    return LINE_MORE;
}

void line_gap(struct line *line) {
    line->damage = LINE_CUT;
    line->after_cr = 0;
    line->escape = 0;
}
