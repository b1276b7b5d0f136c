/* SPDX-License-Identifier: Apache-2.0 */
/* What the firmware controls: one link end, or the two of a pair with a channel emulator each way. Each end has its own tuner
 * and its own latched events. It is the shell's context. */
#ifndef ARQLINK_MACHINE_H
#define ARQLINK_MACHINE_H

#include "arqlink_channel.h"
#include "events.h"
#include "shell.h"
#include "tuning.h"

#define MACHINE_ENDS 2u

struct machine_end {
    struct arqlink_device link;
    struct arqlink_channel channel; /* from this end to the other; only in a pair */
    struct events events;
    struct tuning tuning;
};

struct machine {
    struct arqlink_bus bus; /* offset 0: the start of the link window */
    uint32_t clock_hz;
    struct machine_end ends[MACHINE_ENDS];
    uint32_t end_count; /* 1, or 2: a pair */
    uint32_t end;       /* the one that commands act on, below end_count */
    bool report_events; /* events are printed; a bus error that hid some is printed in any case */
    void (*listen)(
        uint32_t
            ends); /* lets the interrupt lines of these ends (bit i: end i), and of no others, call machine_latch */
    uint64_t next_listen; /* clock from which on the lines of all ends are let again */
};

/* Finds what is there and lets the links raise the events that are latched; all but `bus`, `clock_hz` and `listen` is set. The links are left
 * as they are. 0, or the driver's error for link A. Thread, before interrupts. */
int machine_find(struct machine *machine);

/* The system, and the link end that commands act on. */
struct machine *machine_of(const struct shell *shell);
struct machine_end *machine_end(const struct shell *shell);
const struct arqlink_device *machine_link(const struct shell *shell);

/* 0: each link end has a channel emulator; else the error, which has been printed. */
int machine_need_channels(struct shell *shell);

/* Takes over the events of link end `end`, whose interrupt line is high. A line that a bus error keeps high is not listened to until
 * machine_background tries again, as it would hold the CPU. Interrupt. */
void machine_latch(struct machine *machine, uint32_t end);

/* What goes on between commands: prints events, listens to all lines again, steps the tuners that are due. `now`: clocks. Call it again and again. Thread. */
void machine_background(struct shell *shell, uint64_t now);

#endif
