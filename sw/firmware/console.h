/* SPDX-License-Identifier: Apache-2.0 */
/* The shell on the UART: what was received goes to the shell, and a line of which bytes were lost is not run. */
#ifndef ARQLINK_CONSOLE_H
#define ARQLINK_CONSOLE_H

#include "receiver.h"
#include "shell.h"

/* Gives the shell what was received next: a byte, or notice of a gap. Returns 0 if nothing was received, otherwise 1. Thread. */
int console_step(struct receiver *receiver, struct shell *shell);

#endif
