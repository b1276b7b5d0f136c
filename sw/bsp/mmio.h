/* SPDX-License-Identifier: Apache-2.0 */
/* Access to the link window that reports whether the hardware accepted it. For the driver's table of functions. */
#ifndef ARQLINK_MMIO_H
#define ARQLINK_MMIO_H

#include <stdint.h>

/* Reads the word `offset` bytes above *context, a uint32_t base address. 0, or -EINVAL: offset is not a multiple of 4,
 * or -EIO: the bus refused it; *value is 0 then. Interrupts are held off meanwhile. Any context. */
int mmio_read(void *context, uint32_t offset, uint32_t *value);

/* Writes a word; otherwise as mmio_read. */
int mmio_write(void *context, uint32_t offset, uint32_t value);

#endif
