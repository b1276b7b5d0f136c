/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts: a mask over the sticky events. */
#include "arqlink_access.h"

#define EVENT_MASK (2u * ARQLINK_ERROR_OUTAGE_MASK - 1u)

int arqlink_irq_enable(const struct arqlink_device *device, uint32_t events) {
    if (events & ~EVENT_MASK) return -ARQLINK_EINVAL;
    return arqlink_write(device, ARQLINK_IRQ_ENABLE_OFFSET, events);
}

int arqlink_irq_enabled(const struct arqlink_device *device, uint32_t *events) {
    return arqlink_read(device, ARQLINK_IRQ_ENABLE_OFFSET, events);
}

int arqlink_irq_pending(const struct arqlink_device *device, uint32_t *events) {
    return arqlink_read(device, ARQLINK_ERROR_OFFSET, events);
}

int arqlink_irq_ack(const struct arqlink_device *device, uint32_t events) {
    if (events & ~EVENT_MASK) return -ARQLINK_EINVAL;
    return arqlink_write(device, ARQLINK_ERROR_OFFSET, events);
}
