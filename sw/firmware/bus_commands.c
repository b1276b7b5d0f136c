/* SPDX-License-Identifier: Apache-2.0 */
#include "bus_commands.h"

#include <errno.h>

#include "mmio.h"
#include "soc.h"

int command_read(struct shell *shell, int count, const char **words)
{
    uint32_t base = SOC_LINK_BASE;
    uint32_t offset;
    uint32_t value;
    (void)count;
    int fault = shell_get(shell, "OFFSET", words[1], 0, SOC_LINK_BYTES - 1u, &offset);
    if (fault == 0) {
        fault = mmio_read(&base, offset, &value);
        if (fault) {
            return shell_error(shell, fault == -EIO ? "no register can be read there" : "OFFSET is not a multiple of 4", 0);
        }
        shell_number(shell, value);
        shell_text(shell, "\r\n");
    }
    return fault;
}

int command_write(struct shell *shell, int count, const char **words)
{
    uint32_t base = SOC_LINK_BASE;
    uint32_t offset;
    uint32_t value;
    (void)count;
    int fault = shell_get(shell, "OFFSET", words[1], 0, SOC_LINK_BYTES - 1u, &offset);
    if (fault == 0) {
        fault = shell_get(shell, "VALUE", words[2], 0, UINT32_MAX, &value);
    }
    if (fault == 0) {
        fault = mmio_write(&base, offset, value);
        if (fault) {
            return shell_error(shell, fault == -EIO ? "no register can be written there" : "OFFSET is not a multiple of 4", 0);
        }
    }
    return fault;
}
