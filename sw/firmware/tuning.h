/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's tuner of one link end, stepped from the main loop. */
#ifndef ARQLINK_TUNING_H
#define ARQLINK_TUNING_H

#include "arqlink_tuner.h"
#include "words.h"

/* Clocks between two steps. A step that judges nothing takes a fraction of it on the soft CPU, and a window of 256 outcomes takes
 * longer on most links; on a faster one windows are larger. */
#define TUNING_PERIOD 20000u

struct tuning {
    bool running;
    struct decimal loss; /* the target as it was typed */
    struct arqlink_tuner tuner;
    struct arqlink_counters cleared; /* what was cleared of each counter, in all */
    uint64_t next;                   /* clock of the next step */
    uint32_t failures;               /* steps that failed since the start */
    int fault;                       /* the driver's error of the last of them; 0: none */
};

/* Clocks that a unit of the largest size takes on a line that takes a beat every `pace` + 1 clocks; at most 65535, as a goal wants it.
 * Any context. */
uint32_t tuning_unit_clocks(const struct arqlink_limits *limits, uint32_t pace);

void tuning_init(struct tuning *tuning);

/* Begins with a goal. 0, or -EINVAL or -ERANGE as arqlink_tuner_init: then a tuner that was running goes on. Thread. */
int tuning_start(struct tuning *tuning, const struct arqlink_goal *goal, const struct decimal *loss);

/* The setting stays as the tuner left it. Thread. */
void tuning_stop(struct tuning *tuning);

/* The counters were cleared; they were `last` until then. Thread. */
void tuning_cleared(struct tuning *tuning, const struct arqlink_counters *last);

/* Does a step if the tuner runs and `now`, in clocks, is late enough. An error is kept and stops nothing. Thread. */
void tuning_poll(struct tuning *tuning, const struct arqlink_device *link, uint64_t now);

#endif
