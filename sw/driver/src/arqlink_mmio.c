/* SPDX-License-Identifier: Apache-2.0 */
/* The bus of memory-mapped registers. */
#include "arqlink.h"

static int mmio_read(void *context, uint32_t offset, uint32_t *value) {
    *value = *(const volatile uint32_t *)((uintptr_t)context + offset);
    return 0;
}

static int mmio_write(void *context, uint32_t offset, uint32_t value) {
    *(volatile uint32_t *)((uintptr_t)context + offset) = value;
    return 0;
}

void arqlink_mmio_bus(struct arqlink_bus *bus, uintptr_t base) {
    *bus = (struct arqlink_bus){.read = mmio_read, .write = mmio_write, .context = (void *)base};
}
