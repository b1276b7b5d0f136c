/* SPDX-License-Identifier: Apache-2.0 */
#include "bus_commands.h"

#include <errno.h>

#include "arqlink_regs.h"
#include "mmio.h"
#include "soc.h"

static int fetch(struct shell *shell, uint32_t offset, uint32_t *value)
{
    uint32_t base = SOC_LINK_BASE;
    int fault = mmio_read(&base, offset, value);
    return fault ? shell_error(shell, fault == -EIO ? "no register can be read there" : "OFFSET is not a multiple of 4", 0) : 0;
}

/* A field of a register's value. */
static uint32_t field(uint32_t value, uint32_t mask, uint32_t shift)
{
    return (value & mask) >> shift;
}
#define FIELD(value, name) field(value, ARQLINK_##name##_MASK, ARQLINK_##name##_SHIFT)

static void item(struct shell *shell, const char *name, uint32_t value)
{
    shell_text(shell, name);
    shell_text(shell, " ");
    shell_number(shell, value);
    shell_text(shell, "\r\n");
}

int command_info(struct shell *shell, int count, const char **words)
{
    static const uint32_t offsets[] = {
        ARQLINK_VERSION_OFFSET, ARQLINK_BUILD0_OFFSET, ARQLINK_BUILD1_OFFSET, ARQLINK_BUILD2_OFFSET
    };
    uint32_t id;
    uint32_t value[4];
    (void)count;
    (void)words;
    int fault = fetch(shell, ARQLINK_ID_OFFSET, &id);
    if (fault == 0 && id != ARQLINK_ID_RESET) {
        fault = shell_error(shell, "the link's ID is wrong", 0);
    }
    for (int i = 0; fault == 0 && i < 4; i++) {
        fault = fetch(shell, offsets[i], &value[i]);
    }
    if (fault) {
        return fault;
    }
    shell_text(shell, "version ");
    shell_number(shell, FIELD(value[0], VERSION_MAJOR));
    shell_text(shell, ".");
    shell_number(shell, FIELD(value[0], VERSION_MINOR));
    shell_text(shell, ".");
    shell_number(shell, FIELD(value[0], VERSION_PATCH));
    shell_text(shell, "\r\n");
    item(shell, "unit_bytes", FIELD(value[1], BUILD0_UNIT_BYTES));
    item(shell, "window_frames", 1u << FIELD(value[1], BUILD0_WINDOW_LOG2));
    item(shell, "max_k", FIELD(value[2], BUILD1_MAX_K));
    item(shell, "max_parity", FIELD(value[2], BUILD1_MAX_PARITY));
    item(shell, "max_packet_bytes", FIELD(value[3], BUILD2_MAX_PACKET_BYTES));
    item(shell, "clock_hz", soc_get(SOC_SYSTEM_BASE + ARQSYS_CLOCK_HZ_OFFSET));
    return 0;
}

int command_read(struct shell *shell, int count, const char **words)
{
    uint32_t offset;
    uint32_t value;
    (void)count;
    int fault = shell_get(shell, "OFFSET", words[1], 0, SOC_LINK_BYTES - 1u, &offset);
    if (fault == 0) {
        fault = fetch(shell, offset, &value);
    }
    if (fault == 0) {
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
