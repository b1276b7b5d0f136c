/* SPDX-License-Identifier: Apache-2.0 */
/* Probe, start and stop, state, timers. */
#include "arqlink_access.h"

/* While the major version is 0 the minor one changes what registers mean. */
#define VERSION_MATCH (ARQLINK_VERSION_MAJOR_MASK | ARQLINK_VERSION_MINOR_MASK)

int arqlink_read(const struct arqlink_device *device, uint32_t offset, uint32_t *value) {
    return device->bus.read(device->bus.context, device->base + offset, value);
}

int arqlink_write(const struct arqlink_device *device, uint32_t offset, uint32_t value) {
    return device->bus.write(device->bus.context, device->base + offset, value);
}

static bool limits_possible(const struct arqlink_limits *limits) {
    return limits->data_bytes != 0 && limits->unit_bytes != 0 && limits->max_k != 0 && limits->presets != 0 &&
           limits->max_packet_bytes != 0 && limits->max_k + limits->max_parity <= 255 && limits->window_log2 < 20;
}

int arqlink_probe(struct arqlink_device *device, const struct arqlink_bus *bus, uint32_t base) {
    if (!arqlink_bus_valid(bus)) return -ARQLINK_EINVAL;
    struct arqlink_device found = {.bus = *bus, .base = base, .wait_reads = ARQLINK_WAIT_READS};

    uint32_t id, build0, build1, build2;
    int error = arqlink_read(&found, ARQLINK_ID_OFFSET, &id);
    if (error) return error;
    if (id != ARQLINK_ID_RESET) return -ARQLINK_ENODEV;
    if ((error = arqlink_read(&found, ARQLINK_VERSION_OFFSET, &found.version))) return error;
    if ((found.version ^ ARQLINK_VERSION_RESET) & VERSION_MATCH) return -ARQLINK_EPROTO;
    if ((error = arqlink_read(&found, ARQLINK_BUILD0_OFFSET, &build0))) return error;
    if ((error = arqlink_read(&found, ARQLINK_BUILD1_OFFSET, &build1))) return error;
    if ((error = arqlink_read(&found, ARQLINK_BUILD2_OFFSET, &build2))) return error;

    found.limits.data_bytes = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD0_DATA_BYTES, build0);
    found.limits.unit_bytes = (uint16_t)ARQLINK_FIELD(ARQLINK_BUILD0_UNIT_BYTES, build0);
    found.limits.window_log2 = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD0_WINDOW_LOG2, build0);
    found.limits.max_k = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_MAX_K, build1);
    found.limits.max_parity = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_MAX_PARITY, build1);
    found.limits.presets = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_PRESETS, build1);
    found.limits.counters = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_COUNTERS, build1);
    found.limits.max_packet_bytes = (uint16_t)ARQLINK_FIELD(ARQLINK_BUILD2_MAX_PACKET_BYTES, build2);
    if (!limits_possible(&found.limits) || found.limits.counters != ARQLINK_COUNTER_COUNT) return -ARQLINK_EPROTO;
    *device = found;
    return 0;
}

int arqlink_init(const struct arqlink_device *device) {
    int error = arqlink_irq_enable(device, 0);
    if (error) return error;
    if ((error = arqlink_stop(device))) return error;
    return arqlink_write(device, ARQLINK_ERROR_OFFSET, UINT32_MAX);
}

int arqlink_start(const struct arqlink_device *device) {
    return arqlink_write(device, ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK);
}

int arqlink_stop(const struct arqlink_device *device) { return arqlink_write(device, ARQLINK_CTRL_OFFSET, 0); }

int arqlink_restart(const struct arqlink_device *device) {
    uint32_t control;
    int error = arqlink_read(device, ARQLINK_CTRL_OFFSET, &control);
    if (error) return error;
    if (!(control & ARQLINK_CTRL_ENABLE_MASK)) return -ARQLINK_ENETDOWN;
    return arqlink_write(device, ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK | ARQLINK_CTRL_RESTART_MASK);
}

int arqlink_get_status(const struct arqlink_device *device, struct arqlink_status *status) {
    uint32_t value, epoch;
    int error = arqlink_read(device, ARQLINK_STATUS_OFFSET, &value);
    if (error) return error;
    if ((error = arqlink_read(device, ARQLINK_EPOCH_OFFSET, &epoch))) return error;
    status->state = (enum arqlink_state)ARQLINK_FIELD(ARQLINK_STATUS_STATE, value);
    status->peer_known = (value & ARQLINK_STATUS_PEER_KNOWN_MASK) != 0;
    status->stalled = (value & ARQLINK_STATUS_STALLED_MASK) != 0;
    status->outage = (value & ARQLINK_STATUS_OUTAGE_MASK) != 0;
    status->apply_rejected = (value & ARQLINK_STATUS_APPLY_REJECTED_MASK) != 0;
    status->own_epoch = (uint8_t)ARQLINK_FIELD(ARQLINK_EPOCH_OWN, epoch);
    status->peer_epoch = (uint8_t)ARQLINK_FIELD(ARQLINK_EPOCH_PEER, epoch);
    return 0;
}

int arqlink_wait_up(const struct arqlink_device *device, uint32_t reads) {
    for (uint32_t i = 0; i < reads; ++i) {
        uint32_t status;
        int error = arqlink_read(device, ARQLINK_STATUS_OFFSET, &status);
        if (error) return error;
        if (ARQLINK_FIELD(ARQLINK_STATUS_STATE, status) == ARQLINK_UP) return 0;
    }
    return -ARQLINK_ETIMEDOUT;
}

int arqlink_get_timers(const struct arqlink_device *device, struct arqlink_timers *timers) {
    struct arqlink_timers now;
    int error = arqlink_read(device, ARQLINK_POLL_TIMEOUT_OFFSET, &now.poll);
    if (!error) error = arqlink_read(device, ARQLINK_HELLO_INTERVAL_OFFSET, &now.hello);
    if (!error) error = arqlink_read(device, ARQLINK_KEEPALIVE_OFFSET, &now.keepalive);
    if (!error) error = arqlink_read(device, ARQLINK_OUTAGE_TIMEOUT_OFFSET, &now.outage_timeout);
    if (!error) error = arqlink_read(device, ARQLINK_STATUS_INTERVAL_OFFSET, &now.status_interval);
    if (!error) *timers = now;
    return error;
}

int arqlink_set_timers(const struct arqlink_device *device, const struct arqlink_timers *timers) {
    if (timers->poll == 0 || timers->hello == 0) return -ARQLINK_EINVAL;
    if (timers->outage_timeout != 0 && (timers->keepalive == 0 || timers->keepalive > timers->outage_timeout / 4u))
        return -ARQLINK_EINVAL;
    int error = arqlink_write(device, ARQLINK_POLL_TIMEOUT_OFFSET, timers->poll);
    if (!error) error = arqlink_write(device, ARQLINK_HELLO_INTERVAL_OFFSET, timers->hello);
    if (!error) error = arqlink_write(device, ARQLINK_KEEPALIVE_OFFSET, timers->keepalive);
    if (!error) error = arqlink_write(device, ARQLINK_OUTAGE_TIMEOUT_OFFSET, timers->outage_timeout);
    if (!error) error = arqlink_write(device, ARQLINK_STATUS_INTERVAL_OFFSET, timers->status_interval);
    return error;
}
