/* SPDX-License-Identifier: Apache-2.0 */
/* Register accesses and fields, for the driver's own sources. */
#ifndef ARQLINK_ACCESS_H
#define ARQLINK_ACCESS_H

#include <stddef.h>

#include "arqlink.h"

/** Field `name` (register and field) of a register's value, and its place in one. */
#define ARQLINK_FIELD(name, value) (((value) & name##_MASK) >> name##_SHIFT)
#define ARQLINK_PLACE(name, value) ((uint32_t)(value) << name##_SHIFT)

/* Not inline: a call is smaller than what it does. Offsets count from the start of the block. All accesses go through these two, which
 * return -EIO for whatever the bus returns but 0. */
int arqlink_read(const struct arqlink_block *at, uint32_t offset, uint32_t *value);
int arqlink_write(const struct arqlink_block *at, uint32_t offset, uint32_t value);

/** `count` registers one after the other, from `offset` on. Both stop at the first error. */
int arqlink_read_row(const struct arqlink_block *at, uint32_t offset, unsigned count, uint32_t *values);
int arqlink_write_row(const struct arqlink_block *at, uint32_t offset, unsigned count, const uint32_t *values);

/** Registers at `offsets`. Stops at the first error. */
int arqlink_read_list(const struct arqlink_block *at, const uint16_t *offsets, unsigned count, uint32_t *values);

/** Time, in microseconds modulo 2^32; the bus must have `now`. */
uint32_t arqlink_now(const struct arqlink_block *at);

/** Between two looks: sleeps for a millisecond, or for `most` microseconds if that is less, if the bus can. */
void arqlink_pause(const struct arqlink_block *at, uint32_t most);

/** Fills in `at` if the block there has the identification `id`. -EINVAL no `read` or `write` in `bus`; -ENODEV another one. */
int arqlink_find(struct arqlink_block *at, const struct arqlink_bus *bus, uint32_t base, uint32_t id);

#endif
