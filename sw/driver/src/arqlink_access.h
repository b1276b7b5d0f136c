/* SPDX-License-Identifier: Apache-2.0 */
/* Register accesses and fields, for the driver's own sources. */
#ifndef ARQLINK_ACCESS_H
#define ARQLINK_ACCESS_H

#include <stddef.h>

#include "arqlink.h"

/** Field `name` (register and field) of a register's value, and its place in one. */
#define ARQLINK_FIELD(name, value) (((value) & name##_MASK) >> name##_SHIFT)
#define ARQLINK_PLACE(name, value) (((uint32_t)(value) << name##_SHIFT) & name##_MASK)

/* Not inline: a call is smaller than what it does. */
int arqlink_read(const struct arqlink_device *device, uint32_t offset, uint32_t *value);
int arqlink_write(const struct arqlink_device *device, uint32_t offset, uint32_t value);

/** Registers one after the other, `count` from `offset` on. Stops at the first error. */
int arqlink_read_row(const struct arqlink_bus *bus, uint32_t offset, unsigned count, uint32_t *values);

/** A bus that can be used. */
static inline bool arqlink_bus_valid(const struct arqlink_bus *bus) {
    return bus != NULL && bus->read != NULL && bus->write != NULL;
}

#endif
