/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

static const struct {
    const char *name;
    uint32_t mask;
} known[EVENTS] = {
    {"link_down", ARQLINK_ERROR_LINK_DOWN_MASK}, {"link_up", ARQLINK_ERROR_LINK_UP_MASK},
    {"outage", ARQLINK_ERROR_OUTAGE_MASK},       {"threshold", ARQLINK_ERROR_THRESHOLD_MASK},
    [EVENT_BUS_ERROR] = {"bus_error", 0},
};

void events_init(struct events *events) {
    for (uint32_t i = 0; i < EVENTS; i++) {
        events->count[i] = 0;
        events->seen[i] = 0;
    }
    events->deaf = false;
}

int events_latch(struct events *events, const struct arqlink_device *link) {
    uint32_t pending;
    int fault = arqlink_irq_pending(link, &pending);
    if (fault == 0) {
        pending &= EVENTS_WATCHED;
        fault = pending ? arqlink_irq_ack(link, pending) : arqlink_irq_enable(link, EVENTS_WATCHED);
    }
    if (fault) {
        if (!events->deaf) {
            events->count[EVENT_BUS_ERROR]++;
        }
        events->deaf = true;
        return fault;
    }
    events->deaf = false;
    for (uint32_t i = 0; i < EVENTS; i++) {
        if (pending & known[i].mask) {
            events->count[i]++;
        }
    }
    return 0;
}

const char *events_name(uint32_t event) { return known[event].name; }

int events_take(struct events *events, uint32_t event) {
    uint32_t count = events->count[event];
    int happened = count != events->seen[event];
    events->seen[event] = count;
    return happened;
}
