/* SPDX-License-Identifier: Apache-2.0 */
/* Counter snapshots. */
#include "arqlink_access.h"

/* A read takes a clock of the link at least, and a snapshot 510 and a few (docs/counter_bank.md). */
#define WAIT_READS 1000u

static int wait_idle(const struct arqlink_device *device) {
    for (unsigned reads = 0; reads < WAIT_READS; ++reads) {
        uint32_t counters;
        int error = arqlink_read(&device->at, ARQLINK_COUNTERS_OFFSET, &counters);
        if (error || !(counters & ARQLINK_COUNTERS_BUSY_MASK)) return error;
    }
    return -ARQLINK_ETIMEDOUT;
}

static int snapshot(const struct arqlink_device *device, bool clear) {
    /* One that is under way would swallow the request. */
    int error = wait_idle(device);
    if (error) return error;
    const uint32_t request = ARQLINK_COUNTERS_SNAPSHOT_MASK | (clear ? ARQLINK_COUNTERS_CLEAR_MASK : 0u);
    if ((error = arqlink_write(&device->at, ARQLINK_COUNTERS_OFFSET, request))) return error;
    return wait_idle(device);
}

/* A counter of the last snapshot. */
static int counter(const struct arqlink_device *device, uint32_t index, uint64_t *value) {
    uint32_t row[2];
    int error = arqlink_read_row(&device->at, ARQLINK_COUNTER_TX_PACKETS_OFFSET + 8u * index, 2, row);
    if (!error) *value = ((uint64_t)row[1] << 32) | row[0];
    return error;
}

int arqlink_read_selected(const struct arqlink_device *device, bool clear, const uint8_t *indices, uint32_t count,
                          uint64_t *values) {
    for (uint32_t i = 0; i < count; ++i)
        if (indices[i] >= ARQLINK_COUNTER_COUNT) return -ARQLINK_EINVAL;
    int error = snapshot(device, clear);
    for (uint32_t i = 0; !error && i < count; ++i) error = counter(device, indices[i], &values[i]);
    return error;
}

int arqlink_read_counters(const struct arqlink_device *device, bool clear, struct arqlink_counters *counters) {
    int error = snapshot(device, clear);
    for (uint32_t i = 0; !error && i < ARQLINK_COUNTER_COUNT; ++i) error = counter(device, i, &counters->value[i]);
    return error;
}
