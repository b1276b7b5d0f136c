/* SPDX-License-Identifier: Apache-2.0 */
/* Command that starts, stops and shows the tuner of a link end. The shell's context is the struct machine. Thread. */
#ifndef ARQLINK_TUNE_COMMAND_H
#define ARQLINK_TUNE_COMMAND_H

#include "shell.h"

/* tune [off|loss P|goodput [packet BYTES] [delay CLOCKS] [bound CLOCKS]]: the last three also after loss P. */
int command_tune(struct shell *shell, int count, const char **words);

#endif
