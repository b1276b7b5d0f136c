/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts: a mask over the sticky events. */
#include "arqlink_access.h"

static int put_events(const struct arqlink_device *device, uint32_t offset, uint32_t events) {
    return (events & ~ARQLINK_ERROR_FIELDS) ? -ARQLINK_EINVAL : arqlink_write(&device->at, offset, events);
}

int arqlink_irq_enable(const struct arqlink_device *device, uint32_t events) {
    return put_events(device, ARQLINK_IRQ_ENABLE_OFFSET, events);
}

int arqlink_irq_enabled(const struct arqlink_device *device, uint32_t *events) {
    return arqlink_read(&device->at, ARQLINK_IRQ_ENABLE_OFFSET, events);
}

int arqlink_irq_pending(const struct arqlink_device *device, uint32_t *events) {
    return arqlink_read(&device->at, ARQLINK_ERROR_OFFSET, events);
}

int arqlink_irq_ack(const struct arqlink_device *device, uint32_t events) {
    return put_events(device, ARQLINK_ERROR_OFFSET, events);
}

int arqlink_set_threshold(const struct arqlink_device *device, uint32_t counter, uint64_t value) {
    if (counter >= ARQLINK_COUNTER_COUNT) return -ARQLINK_EINVAL;
    /* With this high word no counter gets there, so that no mixture of old and new values sets the event. */
    int error = arqlink_write(&device->at, ARQLINK_THRESHOLD_HIGH_OFFSET, UINT32_MAX);
    if (error) return error;
    const uint32_t row[3] = {counter, (uint32_t)value, (uint32_t)(value >> 32)}; /* THRESHOLD_COUNTER, _LOW, _HIGH */
    return arqlink_write_row(&device->at, ARQLINK_THRESHOLD_COUNTER_OFFSET, 3, row);
}
