/* SPDX-License-Identifier: Apache-2.0 */
#include "mmio.h"

#include <errno.h>

#include "arqlink_regs.h"
#include "irq.h"
#include "soc.h"

/* The CPU does not trap on a bus error: the system keeps it as a sticky bit. Nothing else may touch the bus between the
 * access and the look at the bit, hence no interrupts. An error from before is not this access's. */
static int access(uint32_t address, uint32_t *value, int is_write) {
    uint32_t held = irq_hold();
    soc_put(SOC_SYSTEM_BASE + ARQSYS_BUS_ERROR_OFFSET, 1u);
    if (is_write) {
        soc_put(address, *value);
    } else {
        *value = soc_get(address);
    }
    uint32_t failed = soc_get(SOC_SYSTEM_BASE + ARQSYS_BUS_ERROR_OFFSET);
    irq_restore(held);
    return failed ? -EIO : 0;
}

int mmio_read(void *context, uint32_t offset, uint32_t *value) {
    if (offset & 3u) {
        return -EINVAL;
    }
    return access(*(const uint32_t *)context + offset, value, 0);
}

int mmio_write(void *context, uint32_t offset, uint32_t value) {
    if (offset & 3u) {
        return -EINVAL;
    }
    return access(*(const uint32_t *)context + offset, &value, 1);
}
