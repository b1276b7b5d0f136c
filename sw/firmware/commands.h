/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware's commands. */
#ifndef ARQLINK_COMMANDS_H
#define ARQLINK_COMMANDS_H

#include "shell.h"

/* Gives the shell all commands; its context has to be the struct machine. Any context. */
void commands_install(struct shell *shell);

#endif
