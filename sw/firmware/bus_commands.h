/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the shell that look at registers without a driver: info, read, write. */
#ifndef ARQLINK_BUS_COMMANDS_H
#define ARQLINK_BUS_COMMANDS_H

#include "shell.h"

/* info: identification, version and built limits of the own link, and the system's clock. */
int command_info(struct shell *shell, int count, const char **words);

/* read OFFSET: a register of the link window. */
int command_read(struct shell *shell, int count, const char **words);

/* write OFFSET VALUE: a register of the link window. */
int command_write(struct shell *shell, int count, const char **words);

#endif
