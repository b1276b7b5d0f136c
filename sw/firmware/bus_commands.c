/* SPDX-License-Identifier: Apache-2.0 */
#include "bus_commands.h"

#include <errno.h>

#include "machine.h"

#define WINDOW_BYTES 0x10000u /* of the link window */

static int get_offset(struct shell *shell, const char *word, uint32_t *offset) {
    return shell_get(shell, "OFFSET", word, 0, WINDOW_BYTES - 1u, offset);
}

/* Prints why the bus has refused an access. */
static int refused(struct shell *shell, int fault, const char *no_register) {
    return shell_error(shell, fault == -EIO ? no_register : "OFFSET is not a multiple of 4", 0);
}

int command_read(struct shell *shell, int count, const char **words) {
    const struct arqlink_bus *bus = &machine_of(shell)->bus;
    uint32_t offset;
    uint32_t value;
    (void)count;
    int fault = get_offset(shell, words[1], &offset);
    if (fault == 0) {
        fault = bus->read(bus->context, offset, &value);
        if (fault) {
            return refused(shell, fault, "no register can be read there");
        }
        shell_number(shell, value);
        shell_text(shell, "\r\n");
    }
    return fault;
}

int command_write(struct shell *shell, int count, const char **words) {
    const struct arqlink_bus *bus = &machine_of(shell)->bus;
    uint32_t offset;
    uint32_t value;
    (void)count;
    int fault = get_offset(shell, words[1], &offset);
    if (fault == 0) {
        fault = shell_get(shell, "VALUE", words[2], 0, UINT32_MAX, &value);
    }
    if (fault == 0) {
        fault = bus->write(bus->context, offset, value);
        if (fault) {
            return refused(shell, fault, "no register can be written there");
        }
    }
    return fault;
}
