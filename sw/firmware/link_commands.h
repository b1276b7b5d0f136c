/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that look at a link end, and start and stop it. The shell's context is the struct machine. Thread. */
#ifndef ARQLINK_LINK_COMMANDS_H
#define ARQLINK_LINK_COMMANDS_H

#include "shell.h"

/* info: version and limits that the driver found, and the clock. */
int command_info(struct shell *shell, int count, const char **words);

/* link [up|down|restart]: state, epochs, and the active setting; or changes the state, and returns at once. */
int command_link(struct shell *shell, int count, const char **words);

/* end [a|b]: shows or chooses the link end that commands act on. */
int command_end(struct shell *shell, int count, const char **words);

/* stats [reset]: all counters, of one clock; with reset they are 0 afterwards. */
int command_stats(struct shell *shell, int count, const char **words);

#endif
