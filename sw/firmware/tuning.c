/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning.h"

#define UNIT_OVERHEAD 16u /* bytes of header and CRC */

uint32_t tuning_unit_clocks(const struct arqlink_limits *limits, uint32_t pace) {
    const uint64_t beats = (limits->unit_bytes + UNIT_OVERHEAD) / limits->data_bytes;
    const uint64_t clocks = beats * ((uint64_t)pace + 1u);
    return clocks > UINT16_MAX ? UINT16_MAX : (uint32_t)clocks;
}

void tuning_init(struct tuning *tuning) { *tuning = (struct tuning){.running = false}; }

int tuning_start(struct tuning *tuning, const struct arqlink_goal *goal, const struct decimal *loss) {
    int fault = arqlink_tuner_init(&tuning->tuner, goal, 0);
    if (fault == 0) {
        arqlink_tuner_cleared(&tuning->tuner, &tuning->cleared);
        tuning->loss = *loss;
        tuning->next = 0;
        tuning->failures = 0;
        tuning->fault = 0;
        tuning->running = true;
    }
    return fault;
}

void tuning_stop(struct tuning *tuning) { tuning->running = false; }

void tuning_cleared(struct tuning *tuning, const struct arqlink_counters *last) {
    for (uint32_t i = 0; i < ARQLINK_COUNTER_COUNT; i++) {
        tuning->cleared.value[i] += last->value[i];
    }
    arqlink_tuner_cleared(&tuning->tuner, last);
}

void tuning_poll(struct tuning *tuning, const struct arqlink_device *link, uint64_t now) {
    bool changed;
    if (!tuning->running || now < tuning->next) {
        return;
    }
    tuning->next = now + TUNING_PERIOD;
    int fault = arqlink_tuner_step(&tuning->tuner, link, &changed);
    if (fault) {
        tuning->failures++;
        tuning->fault = fault;
    }
}
