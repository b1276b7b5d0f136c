/* SPDX-License-Identifier: Apache-2.0 */
/* Register accesses. */
#include "arqlink_access.h"

int arqlink_read(const struct arqlink_block *at, uint32_t offset, uint32_t *value) {
    return at->bus.read(at->bus.context, at->base + offset, value) ? -ARQLINK_EIO : 0;
}

int arqlink_write(const struct arqlink_block *at, uint32_t offset, uint32_t value) {
    return at->bus.write(at->bus.context, at->base + offset, value) ? -ARQLINK_EIO : 0;
}

int arqlink_read_row(const struct arqlink_block *at, uint32_t offset, unsigned count, uint32_t *values) {
    int error = 0;
    for (; !error && count > 0; --count, offset += 4u) error = arqlink_read(at, offset, values++);
    return error;
}

int arqlink_write_row(const struct arqlink_block *at, uint32_t offset, unsigned count, const uint32_t *values) {
    int error = 0;
    for (; !error && count > 0; --count, offset += 4u) error = arqlink_write(at, offset, *values++);
    return error;
}

int arqlink_read_list(const struct arqlink_block *at, const uint16_t *offsets, unsigned count, uint32_t *values) {
    int error = 0;
    for (; !error && count > 0; --count) error = arqlink_read(at, *offsets++, values++);
    return error;
}

#define LOOK 1000u /* microseconds between two looks */

uint32_t arqlink_now(const struct arqlink_block *at) { return at->bus.now(at->bus.context); }

void arqlink_pause(const struct arqlink_block *at, uint32_t most) {
    if (at->bus.sleep != NULL) at->bus.sleep(at->bus.context, most < LOOK ? most : LOOK);
}

_Static_assert((ARQLINK_ID_OFFSET | ARQCHAN_ID_OFFSET | ARQTRAF_ID_OFFSET) == 0, "the identification comes first");

int arqlink_find(struct arqlink_block *at, const struct arqlink_bus *bus, uint32_t base, uint32_t id) {
    if (bus == NULL || bus->read == NULL || bus->write == NULL) return -ARQLINK_EINVAL;
    const struct arqlink_block there = {.bus = *bus, .base = base};
    uint32_t found;
    int error = arqlink_read(&there, 0, &found);
    if (error) return error;
    if (found != id) return -ARQLINK_ENODEV;
    *at = there;
    return 0;
}
