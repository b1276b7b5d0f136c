/* SPDX-License-Identifier: Apache-2.0 */
/* Counter snapshots. */
#include "arqlink_access.h"

static int wait_idle(const struct arqlink_device *device) {
    return arqlink_wait(&device->at, ARQLINK_COUNTERS_OFFSET, ARQLINK_COUNTERS_BUSY_MASK, 0, 0, device->wait_reads);
}

int arqlink_snapshot(const struct arqlink_device *device, bool clear) {
    /* One that is under way would swallow the request. */
    int error = wait_idle(device);
    if (error) return error;
    const uint32_t request = ARQLINK_COUNTERS_SNAPSHOT_MASK | (clear ? ARQLINK_COUNTERS_CLEAR_MASK : 0u);
    if ((error = arqlink_write(&device->at, ARQLINK_COUNTERS_OFFSET, request))) return error;
    return wait_idle(device);
}

int arqlink_counter(const struct arqlink_device *device, uint32_t index, uint64_t *value) {
    if (index >= ARQLINK_COUNTER_COUNT) return -ARQLINK_EINVAL;
    const uint32_t offset = ARQLINK_COUNTER_TX_PACKETS_OFFSET + 8u * index;
    uint32_t row[2];
    int error = arqlink_read_row(&device->at, offset, 2, row);
    if (!error) *value = ((uint64_t)row[1] << 32) | row[0];
    return error;
}

int arqlink_read_counters(const struct arqlink_device *device, bool clear, struct arqlink_counters *counters) {
    int error = arqlink_snapshot(device, clear);
    for (uint32_t i = 0; !error && i < ARQLINK_COUNTER_COUNT; ++i)
        error = arqlink_counter(device, i, &counters->value[i]);
    return error;
}
