/* SPDX-License-Identifier: Apache-2.0 */
#include "bus_commands.h"

#include <errno.h>

#include "machine.h"

#define WINDOW_BYTES 0x10000u /* of the link window */

int command_read(struct shell *shell, int count, const char **words)
{
    const struct arqlink_bus *bus = &machine_of(shell)->bus;
    uint32_t offset;
    uint32_t value;
    (void)count;
    int fault = shell_get(shell, "OFFSET", words[1], 0, WINDOW_BYTES - 1u, &offset);
    if (fault == 0) {
        fault = bus->read(bus->context, offset, &value);
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
    const struct arqlink_bus *bus = &machine_of(shell)->bus;
    uint32_t offset;
    uint32_t value;
    (void)count;
    int fault = shell_get(shell, "OFFSET", words[1], 0, WINDOW_BYTES - 1u, &offset);
    if (fault == 0) {
        fault = shell_get(shell, "VALUE", words[2], 0, UINT32_MAX, &value);
    }
    if (fault == 0) {
        fault = bus->write(bus->context, offset, value);
        if (fault) {
            return shell_error(shell, fault == -EIO ? "no register can be written there" : "OFFSET is not a multiple of 4", 0);
        }
    }
    return fault;
}
