/* SPDX-License-Identifier: Apache-2.0 */
/* Commands for the events of a link end. The shell's context is the struct machine. Thread. */
#ifndef ARQLINK_EVENT_COMMANDS_H
#define ARQLINK_EVENT_COMMANDS_H

#include "shell.h"

/* events [on|off]: shows how often each event has happened; whether events are printed. */
int command_events(struct shell *shell, int count, const char **words);

/* threshold COUNTER VALUE: the counter and the value that make the event `threshold`; 0: none. */
int command_threshold(struct shell *shell, int count, const char **words);

#endif
