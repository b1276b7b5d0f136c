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

int arqlink_read_row(const struct arqlink_bus *bus, uint32_t offset, unsigned count, uint32_t *values) {
    int error = 0;
    for (unsigned i = 0; !error && i < count; ++i) error = bus->read(bus->context, offset + 4u * i, &values[i]);
    return error;
}

/* Timers from POLL_TIMEOUT on, in the order of struct arqlink_timers. */
#define TIMERS 5u
_Static_assert(ARQLINK_STATUS_INTERVAL_OFFSET == ARQLINK_POLL_TIMEOUT_OFFSET + 4u * (TIMERS - 1u), "the timers are in a row");

static bool limits_possible(const struct arqlink_limits *limits) {
    return limits->data_bytes != 0 && limits->unit_bytes != 0 && limits->max_k != 0 && limits->presets != 0 &&
           limits->max_packet_bytes != 0 && limits->max_k + limits->max_parity <= 255 && limits->window_log2 < 20;
}

int arqlink_probe(struct arqlink_device *device, const struct arqlink_bus *bus, uint32_t base) {
    if (!arqlink_bus_valid(bus)) return -ARQLINK_EINVAL;
    struct arqlink_device found = {.bus = *bus, .base = base, .wait_reads = ARQLINK_WAIT_READS};

    uint32_t id, row[4]; /* VERSION, BUILD0 to BUILD2 */
    int error = arqlink_read(&found, ARQLINK_ID_OFFSET, &id);
    if (error) return error;
    if (id != ARQLINK_ID_RESET) return -ARQLINK_ENODEV;
    if ((error = arqlink_read_row(bus, base + ARQLINK_VERSION_OFFSET, 4, row))) return error;
    found.version = row[0];
    if ((found.version ^ ARQLINK_VERSION_RESET) & VERSION_MATCH) return -ARQLINK_EPROTO;

    found.limits.data_bytes = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD0_DATA_BYTES, row[1]);
    found.limits.unit_bytes = (uint16_t)ARQLINK_FIELD(ARQLINK_BUILD0_UNIT_BYTES, row[1]);
    found.limits.window_log2 = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD0_WINDOW_LOG2, row[1]);
    found.limits.max_k = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_MAX_K, row[2]);
    found.limits.max_parity = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_MAX_PARITY, row[2]);
    found.limits.presets = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_PRESETS, row[2]);
    found.limits.counters = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_COUNTERS, row[2]);
    found.limits.max_packet_bytes = (uint16_t)ARQLINK_FIELD(ARQLINK_BUILD2_MAX_PACKET_BYTES, row[3]);
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
    uint32_t row[TIMERS];
    int error = arqlink_read_row(&device->bus, device->base + ARQLINK_POLL_TIMEOUT_OFFSET, TIMERS, row);
    if (error) return error;
    *timers = (struct arqlink_timers){row[0], row[1], row[2], row[3], row[4]};
    return 0;
}

int arqlink_set_timers(const struct arqlink_device *device, const struct arqlink_timers *timers) {
    if (timers->poll == 0 || timers->hello == 0) return -ARQLINK_EINVAL;
    if (timers->outage_timeout != 0 && (timers->keepalive == 0 || timers->keepalive > timers->outage_timeout / 4u))
        return -ARQLINK_EINVAL;
    const uint32_t row[TIMERS] = {timers->poll, timers->hello, timers->keepalive, timers->outage_timeout,
                                  timers->status_interval};
    int error = 0;
    for (unsigned i = 0; !error && i < TIMERS; ++i)
        error = arqlink_write(device, ARQLINK_POLL_TIMEOUT_OFFSET + 4u * i, row[i]);
    return error;
}
