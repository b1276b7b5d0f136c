/* SPDX-License-Identifier: Apache-2.0 */
/* Probe, start and stop, state, timers. */
#include "arqlink_access.h"

/* While the major version is 0 the minor one changes what registers mean. */
#define VERSION_MATCH (ARQLINK_VERSION_MAJOR_MASK | ARQLINK_VERSION_MINOR_MASK)

/* Timers from POLL_TIMEOUT on, in the order of struct arqlink_timers. */
#define TIMERS 5u
_Static_assert(ARQLINK_STATUS_INTERVAL_OFFSET == ARQLINK_POLL_TIMEOUT_OFFSET + 4u * (TIMERS - 1u),
               "the timers are in a row");

static bool limits_possible(const struct arqlink_limits *limits) {
    return limits->data_bytes != 0 && limits->unit_bytes != 0 && limits->max_k != 0 && limits->presets != 0 &&
           limits->max_packet_bytes != 0 && limits->max_k + limits->max_parity <= 255 && limits->window_log2 < 20 &&
           limits->counters == ARQLINK_COUNTER_COUNT;
}

int arqlink_probe(struct arqlink_device *device, const struct arqlink_bus *bus, uint32_t base) {
    uint32_t row[4]; /* VERSION, BUILD0 to BUILD2 */
    struct arqlink_block at;
    int error = arqlink_find(&at, bus, base, ARQLINK_ID_RESET);
    if (!error) error = arqlink_read_row(&at, ARQLINK_VERSION_OFFSET, 4, row);
    if (error) return error;
    const struct arqlink_limits limits = {
        .data_bytes = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD0_DATA_BYTES, row[1]),
        .unit_bytes = (uint16_t)ARQLINK_FIELD(ARQLINK_BUILD0_UNIT_BYTES, row[1]),
        .window_log2 = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD0_WINDOW_LOG2, row[1]),
        .max_k = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_MAX_K, row[2]),
        .max_parity = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_MAX_PARITY, row[2]),
        .presets = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_PRESETS, row[2]),
        .counters = (uint8_t)ARQLINK_FIELD(ARQLINK_BUILD1_COUNTERS, row[2]),
        .max_packet_bytes = (uint16_t)ARQLINK_FIELD(ARQLINK_BUILD2_MAX_PACKET_BYTES, row[3]),
        .packet_crc = (row[3] & ARQLINK_BUILD2_PACKET_CRC_MASK) != 0,
    };
    if ((row[0] ^ ARQLINK_VERSION_RESET) & VERSION_MATCH || !limits_possible(&limits)) return -ARQLINK_EPROTO;
    *device = (struct arqlink_device){.at = at, .version = row[0], .limits = limits};
    return 0;
}

int arqlink_init(const struct arqlink_device *device) {
    int error = arqlink_irq_enable(device, 0);
    if (error) return error;
    if ((error = arqlink_stop(device))) return error;
    return arqlink_write(&device->at, ARQLINK_ERROR_OFFSET, UINT32_MAX);
}

int arqlink_start(const struct arqlink_device *device) {
    return arqlink_write(&device->at, ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK);
}

int arqlink_stop(const struct arqlink_device *device) { return arqlink_write(&device->at, ARQLINK_CTRL_OFFSET, 0); }

int arqlink_restart(const struct arqlink_device *device) {
    uint32_t control;
    int error = arqlink_read(&device->at, ARQLINK_CTRL_OFFSET, &control);
    if (error) return error;
    if (!(control & ARQLINK_CTRL_ENABLE_MASK)) return -ARQLINK_ENETDOWN;
    return arqlink_write(&device->at, ARQLINK_CTRL_OFFSET, ARQLINK_CTRL_ENABLE_MASK | ARQLINK_CTRL_RESTART_MASK);
}

int arqlink_set_link_number(const struct arqlink_device *device, uint32_t number) {
    if (number > ARQLINK_LINK_NUMBER_MASK) return -ARQLINK_EINVAL;
    return arqlink_write(&device->at, ARQLINK_LINK_OFFSET, number);
}

int arqlink_get_status(const struct arqlink_device *device, struct arqlink_status *status) {
    uint32_t row[2]; /* STATUS, EPOCH */
    int error = arqlink_read_row(&device->at, ARQLINK_STATUS_OFFSET, 2, row);
    if (error) return error;
    const uint32_t state = ARQLINK_FIELD(ARQLINK_STATUS_STATE, row[0]);
    if (state > ARQLINK_OUTAGE) return -ARQLINK_EPROTO;
    status->state = (enum arqlink_state)state;
    status->peer_known = (row[0] & ARQLINK_STATUS_PEER_KNOWN_MASK) != 0;
    status->stalled = (row[0] & ARQLINK_STATUS_STALLED_MASK) != 0;
    status->outage = (row[0] & ARQLINK_STATUS_OUTAGE_MASK) != 0;
    status->apply_rejected = (row[0] & ARQLINK_STATUS_APPLY_REJECTED_MASK) != 0;
    status->own_epoch = (uint8_t)ARQLINK_FIELD(ARQLINK_EPOCH_OWN, row[1]);
    status->peer_epoch = (uint8_t)ARQLINK_FIELD(ARQLINK_EPOCH_PEER, row[1]);
    return 0;
}

int arqlink_wait_up(const struct arqlink_device *device, uint32_t microseconds) {
    struct arqlink_status status;
    if (device->at.bus.now == NULL) return -ARQLINK_EINVAL;
    const uint32_t begin = arqlink_now(&device->at);
    for (;;) {
        /* The time first: who is held up between the two does not miss that the link came up meanwhile. */
        const uint32_t passed = arqlink_now(&device->at) - begin;
        int error = arqlink_get_status(device, &status);
        if (error || status.state == ARQLINK_UP) return error;
        if (passed >= microseconds) return -ARQLINK_ETIMEDOUT;
        arqlink_pause(&device->at, microseconds - passed);
    }
}

int arqlink_get_timers(const struct arqlink_device *device, struct arqlink_timers *timers) {
    uint32_t row[TIMERS];
    int error = arqlink_read_row(&device->at, ARQLINK_POLL_TIMEOUT_OFFSET, TIMERS, row);
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
    return arqlink_write_row(&device->at, ARQLINK_POLL_TIMEOUT_OFFSET, TIMERS, row);
}
