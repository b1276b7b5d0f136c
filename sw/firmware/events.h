/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a link end that its interrupt has shown: counted by the handler, looked at by the thread. One of them is that the handler
 * could not look. */
#ifndef ARQLINK_EVENTS_H
#define ARQLINK_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "arqlink.h"

#define EVENTS 5u
#define EVENT_BUS_ERROR 4u /* a bus error has hidden events for a while */
#define EVENTS_WATCHED                                                                       \
    (ARQLINK_ERROR_LINK_UP_MASK | ARQLINK_ERROR_LINK_DOWN_MASK | ARQLINK_ERROR_OUTAGE_MASK | \
     ARQLINK_ERROR_THRESHOLD_MASK)

struct events {
    volatile uint32_t count[EVENTS]; /* since events_init; the handler writes them */
    uint32_t seen[EVENTS];           /* those of them that events_take has reported */
    volatile bool deaf;              /* the last events_latch has failed */
};

void events_init(struct events *events);

/* Counts and acknowledges the watched events of `link`, whose line is high. If there are none, an event that somebody else has enabled
 * raises the line: the mask is set to the watched ones, which silences it. 0, or the bus's error; then the line may still be high. The first of
 * several errors in a row is counted as EVENT_BUS_ERROR. Interrupt. */
int events_latch(struct events *events, const struct arqlink_device *link);

/* Name of event 0 to EVENTS - 1. Any context. */
const char *events_name(uint32_t event);

/* 1: the event has happened since the last call. Thread. */
int events_take(struct events *events, uint32_t event);

#endif
