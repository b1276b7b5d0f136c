/* SPDX-License-Identifier: Apache-2.0 */
/* Register accesses. */
#include "arqlink_access.h"

int arqlink_read(const struct arqlink_block *at, uint32_t offset, uint32_t *value) {
    return at->bus.read(at->bus.context, at->base + offset, value);
}

int arqlink_write(const struct arqlink_block *at, uint32_t offset, uint32_t value) {
    return at->bus.write(at->bus.context, at->base + offset, value);
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

int arqlink_wait(const struct arqlink_block *at, uint32_t offset, uint32_t mask, uint32_t least, uint32_t most,
                 uint32_t reads) {
    for (; reads > 0; --reads) {
        uint32_t value;
        int error = arqlink_read(at, offset, &value);
        if (error) return error;
        if ((value & mask) >= least && (value & mask) <= most) return 0;
    }
    return -ARQLINK_ETIMEDOUT;
}

_Static_assert((ARQLINK_ID_OFFSET | ARQCHAN_ID_OFFSET | ARQTRAF_ID_OFFSET) == 0, "the identification comes first");

int arqlink_find(struct arqlink_block *at, const struct arqlink_bus *bus, uint32_t base, uint32_t id) {
    if (bus == NULL || bus->read == NULL || bus->write == NULL) return -ARQLINK_EINVAL;
    uint32_t found;
    int error = bus->read(bus->context, base, &found);
    if (error) return error;
    if (found != id) return -ARQLINK_ENODEV;
    at->bus = *bus;
    at->base = base;
    return 0;
}
