/* SPDX-License-Identifier: Apache-2.0 */
/* What the firmware controls: one link end, or the two of a pair with a channel emulator each way. Each end has its own tuner
 * and its own latched events. It is the shell's context. */
#ifndef ARQLINK_SYSTEM_H
#define ARQLINK_SYSTEM_H

#include "arqlink_channel.h"
#include "events.h"
#include "shell.h"
#include "tuning.h"

#define SYSTEM_ENDS 2u

struct system_end {
    struct arqlink_device link;
    struct arqlink_channel channel; /* from this end to the other; only in a pair */
    struct events events;
    struct tuning tuning;
};

struct system {
    struct arqlink_bus bus; /* offset 0: the start of the link window */
    uint32_t clock_hz;      /* for `info` only */
    struct system_end ends[SYSTEM_ENDS];
    uint32_t end_count;     /* 1, or 2: a pair */
    uint32_t end;           /* the one that commands act on, below end_count */
    bool tell_events;       /* events are printed */
};

/* Finds what is there and lets the links raise the events that are latched; all but `bus` and `clock_hz` is set. The links are left
 * as they are. 0, or the driver's error for link A. Thread, before interrupts. */
int system_find(struct system *system);

/* The system, and the link end that commands act on. */
struct system *system_of(const struct shell *shell);
struct system_end *system_end(const struct shell *shell);
const struct arqlink_device *system_link(const struct shell *shell);

/* Takes over the events of both link ends. 0, or the last error. The place of a link's interrupt handler. */
int system_latch(struct system *system);

/* What goes on between commands: prints events, steps the tuners that are due. `now`: clocks. Call it again and again. Thread. */
void system_background(struct shell *shell, uint64_t now);

#endif
