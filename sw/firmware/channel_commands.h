/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that need the channel emulators of a pair. The shell's context is the struct machine. Thread. */
#ifndef ARQLINK_CHANNEL_COMMANDS_H
#define ARQLINK_CHANNEL_COMMANDS_H

#include "shell.h"

/* channel [ab|ba [SETTING VALUE …]]: shows both channels or one, or changes one setting of one. */
int command_channel(struct shell *shell, int count, const char **words);

/* selftest [PACKETS [BYTES [P]]]: generated packets from A to B across a channel that erases units with probability P. */
int command_selftest(struct shell *shell, int count, const char **words);

#endif
