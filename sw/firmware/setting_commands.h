/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that set what a link end does with frames, and its timers. The shell's context is the struct machine. Thread. */
#ifndef ARQLINK_SETTING_COMMANDS_H
#define ARQLINK_SETTING_COMMANDS_H

#include "shell.h"

/* code K N [NR]: data units, units of a first transmission, and of a retransmission (as N without it). */
int command_code(struct shell *shell, int count, const char **words);

/* delta D|inf: persistency, 0 to 14 or infinite. */
int command_delta(struct shell *shell, int count, const char **words);

/* order 0|1: packets leave in sequence or as soon as they are complete. */
int command_order(struct shell *shell, int count, const char **words);

/* preset 0|1|2: evaluation points of the code. */
int command_preset(struct shell *shell, int count, const char **words);

/* freeze 0|1: failures of an outage do not count towards delta. */
int command_freeze(struct shell *shell, int count, const char **words);

/* timers [POLL HELLO KEEPALIVE OUTAGE STATUS]: shows or sets all timers, in clocks. */
int command_timers(struct shell *shell, int count, const char **words);

#endif
