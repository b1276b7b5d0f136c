/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that go through the driver. shell->context is the struct arqlink_device of the own link end. Thread. */
#ifndef ARQLINK_LINK_COMMANDS_H
#define ARQLINK_LINK_COMMANDS_H

#include "shell.h"

/* info: version and limits that the driver found, and the clock. */
int command_info(struct shell *shell, int count, const char **words);

/* link: state, epochs, and the active setting. */
int command_link(struct shell *shell, int count, const char **words);

/* code K N [NR]: data units, units of a first transmission, and of a retransmission (as N without it). */
int command_code(struct shell *shell, int count, const char **words);

/* delta D|inf: persistency, 0 to 14 or infinite. */
int command_delta(struct shell *shell, int count, const char **words);

/* order 0|1: packets leave in sequence or as soon as they are complete. */
int command_order(struct shell *shell, int count, const char **words);

/* stats [reset]: all counters, of one clock; with reset they are 0 afterwards. */
int command_stats(struct shell *shell, int count, const char **words);

#endif
