/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the shell that look at registers without the driver: read, write. */
#ifndef ARQLINK_BUS_COMMANDS_H
#define ARQLINK_BUS_COMMANDS_H

#include "shell.h"

/* read OFFSET: a register of the link window. */
int command_read(struct shell *shell, int count, const char **words);

/* write OFFSET VALUE: a register of the link window. */
int command_write(struct shell *shell, int count, const char **words);

#endif
